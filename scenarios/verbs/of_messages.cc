#include <fmt/format.h>

#include "models/servers/kind.h"
#include "picklock/client.h"
#include "scenarios/bounds.h"
#include "scenarios/verbs/kind.h"
#include "scenarios/verbs/words.h"

namespace picklock::verbs {

using scenarios::Scenario;
using servers::ProcessKind;
using sim::Fault;
using sim::Verb;

namespace {

// Servers whose messages to each other are late are cut off from each other meanwhile.
std::optional<FaultClass> class_of_late(const Fault& fault, const ProcessKind&, const Scenario&) {
  if (fault.trigger.is_message()) return FaultClass::partition;
  return is_for_resource(fault.trigger.role) ? FaultClass::late_write : FaultClass::late_command;
}

// A message that its network may deliver so late anyway is only one of the orders.
std::optional<FaultClass> class_of_delay(const Fault& fault, const ProcessKind& target,
                                         const Scenario& scenario) {
  if (fault.lasts && *fault.lasts <= scenarios::order_slack(scenario, fault)) return std::nullopt;
  return class_of_late(fault, target, scenario);
}

std::optional<FaultClass> class_of_lost(const Fault& fault, const ProcessKind&, const Scenario&) {
  return fault.trigger.is_message() ? FaultClass::partition : FaultClass::lost_reply;
}

Kind hold() {
  return {.verb = Verb::hold,
          .name = "hold",
          .meaning =
              "the message of the trigger and all later ones in its direction of the "
              "connection are held back",
          .lasting = Lasting::required,
          .on_message = true,
          .can_heal = true,
          .class_of = class_of_late,
          .drawn = {{FaultClass::late_write, 1}, {FaultClass::late_command, 1}},
          .told = [](const Fault& fault) -> Phrase {
            return {fmt::format("hold messages from {} on", message(fault)),
                    fault.lasts ? "," + lasting(fault, "for") : "", "", false};
          }};
}

Kind delay() {
  return {.verb = Verb::delay,
          .name = "delay",
          .meaning = "the message of the trigger arrives this much later",
          .lasting = Lasting::required,
          .on_message = true,
          .class_of = class_of_delay,
          .drawn = {{FaultClass::late_write, 0}, {FaultClass::late_command, 0}},
          .told = [](const Fault& fault) -> Phrase {
            return {"delay " + message(fault), lasting(fault, "by"), "", false};
          },
          .told_at_end = [](const Fault& fault) { return message(fault) + " continues"; }};
}

Kind drop() {
  return {.verb = Verb::drop,
          .name = "drop",
          .meaning =
              "the message of the trigger is lost and its connection is reset: the outcome is "
              "unknown",
          .on_message = true,
          .class_of = class_of_lost,
          .drawn = {{FaultClass::lost_reply, 0}},
          .told = [](const Fault& fault) -> Phrase {
            return {"drop " + message(fault), "", "", false};
          }};
}

// A client library that sends nothing twice has no such message to its lock servers.
std::string sent_once(const Fault& fault, const Scenario& scenario, std::span<const Fault>) {
  if (is_for_resource(fault.trigger.role)) return {};
  const std::string_view why = inapplicable(Verb::duplicate, *lock_server(scenario).kinds.front());
  if (why.empty()) return {};
  return fmt::format("{}: only a step of `write` or `read` can be duplicated", why);
}

Kind duplicate() {
  return {.verb = Verb::duplicate,
          .name = "duplicate",
          .meaning =
              "the message of the trigger arrives a second time, this much later, as if a proxy "
              "on its way had repeated it; TCP itself repeats nothing",
          .lasting = Lasting::required,
          .on_message = true,
          .impossible = sent_once,
          .class_of = class_of_lost,
          .drawn = {{FaultClass::lost_reply, 1}},
          .told = [](const Fault& fault) -> Phrase {
            return {"duplicate " + message(fault), lasting(fault, "after"), "", false};
          }};
}

}  // namespace

std::vector<Kind> of_messages() { return {hold(), delay(), drop(), duplicate()}; }

}  // namespace picklock::verbs
