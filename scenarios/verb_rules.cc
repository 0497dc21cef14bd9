#include "scenarios/verb_rules.h"

#include <algorithm>
#include <array>

#include "keys/nearest.h"
#include "models/servers/kind.h"
#include "models/servers/verbs.h"

namespace picklock::scenarios {
namespace {

using sim::Verb;

constexpr std::string_view kClientsOnly = "only a client has threads of its own";

// "the store, the ensemble or the server".
std::string session_keepers() {
  keys::Words keepers;
  for (const servers::Kind* kind : servers::kinds()) {
    if (!kind->session_keeper.empty()) keepers.push_back(kind->session_keeper);
  }
  std::string text;
  for (std::size_t i = 0; i < keepers.size(); ++i) {
    text += i == 0 ? "" : i + 1 == keepers.size() ? " or " : ", ";
    text += keepers[i];
  }
  return text;
}

const std::array<VerbRules, models::kVerbCount>& all_rules() {
  static const std::array<VerbRules, models::kVerbCount> rules = {{
      {.verb = Verb::pause,
       .lasting = Lasting::required,
       .meaning = "the process runs nothing while time passes: timers fire late, sockets fill"},
      {.verb = Verb::crash,
       .lasting = Lasting::optional,
       .allowed = {"host", "silent", "keeps"},
       .meaning = "volatile state is lost; with `for`, the process starts again after that time"},
      {.verb = Verb::restart,
       .lasting = Lasting::optional,
       .allowed = {"keeps"},
       .meaning = "crash and start again, at once or after `for`"},
      {.verb = Verb::end_thread,
       .rare = kClientsOnly,
       .meaning = "the thread that takes the step ends; its process lives"},
      {.verb = Verb::step_clock,
       .required = "step",
       .meaning = "the wall clock jumps by `step`, forward or back"},
      {.verb = Verb::set_clock_rate,
       .lasting = Lasting::optional,
       .required = "rate",
       .meaning = "both clocks of the process run `rate` times as fast"},
      {.verb = Verb::partition,
       .lasting = Lasting::optional,
       .allowed = {"from", "one_way"},
       .meaning = "the process and `from` cannot communicate; what was sent arrives after the "
                  "partition heals"},
      {.verb = Verb::heal, .meaning = "every partition and hold of the process ends"},
      {.verb = Verb::hold,
       .lasting = Lasting::required,
       .on_message = true,
       .meaning = "the message of the step and all later ones in its direction of the connection "
                  "are held back"},
      {.verb = Verb::delay,
       .lasting = Lasting::required,
       .on_message = true,
       .meaning = "the message of the step arrives this much later"},
      {.verb = Verb::drop,
       .on_message = true,
       .meaning =
           "the message of the step is lost and its connection is reset: the outcome is unknown"},
      {.verb = Verb::duplicate,
       .lasting = Lasting::required,
       .on_message = true,
       .meaning = "the message of the step arrives a second time, this much later"},
      {.verb = models::kEvict,
       .allowed = {"key"},
       .rare = "only a Redis server evicts keys",
       .meaning = "the server forgets `key`"},
      {.verb = models::kFailOver,
       .lasting = Lasting::optional,
       .allowed = {"to"},
       .rare = "only a primary can fail over to a replica",
       .meaning = "the host of the primary stops forever and a replica is promoted, at once or "
                  "after `for`"},
      {.verb = models::kKillSession,
       .rare = "only a client has a session",
       .meaning = session_keepers() + " ends the client's sessions"},
      {.verb = Verb::slow,
       .lasting = Lasting::required,
       .required = "step",
       .meaning = "every message that the process handles takes `step` longer"},
      {.verb = Verb::interrupt,
       .rare = kClientsOnly,
       .meaning = "the thread that takes the step gives up its current wait for a lock, or else "
                  "its next one"},
  }};
  return rules;
}

}  // namespace

const VerbRules& rules(sim::Verb verb) { return all_rules()[static_cast<std::size_t>(verb)]; }

std::string_view inapplicable(sim::Verb verb, const servers::ProcessKind& kind) {
  if (std::find(kind.bears.begin(), kind.bears.end(), verb) != kind.bears.end()) return {};
  for (const servers::Refusal& refusal : kind.refuses) {
    if (refusal.verb == verb) return refusal.reason;
  }
  return rules(verb).rare;
}

}  // namespace picklock::scenarios
