#include "scenarios/process_kinds.h"
#include "scenarios/verbs/kind.h"
#include "scenarios/verbs/words.h"

namespace picklock::verbs {

using keys::Value;
using scenarios::Scenario;
using servers::ProcessKind;
using sim::Fault;
using sim::Verb;

namespace {

std::optional<FaultClass> class_of_clock(const Fault&, const ProcessKind& target, const Scenario&) {
  return target == scenarios::kClientKind ? FaultClass::client_clock : FaultClass::server_clock;
}

std::string with_sign(std::int64_t value, const std::string& text) {
  return (value < 0 ? "" : "+") + text;
}

Kind step_clock() {
  return {.verb = Verb::step_clock,
          .name = "step-clock",
          .meaning = "the wall clock jumps by `step`, forward or back",
          .required = "step",
          .check =
              [](const Value& table, const Fault& fault, const Scenario&) {
                if (fault.step.count() == 0)
                  table.at("step").fail("must not be 0s: the clock would not jump");
              },
          .class_of = class_of_clock,
          .drawn = {{FaultClass::client_clock, 0}, {FaultClass::server_clock, 0}},
          .jumps = true,
          .told = [](const Fault& fault) -> Phrase {
            return {"step the clock of " + fault.target,
                    " by " + with_sign(fault.step.count(), duration(fault.step))};
          }};
}

Kind set_clock_rate() {
  return {.verb = Verb::set_clock_rate,
          .name = "set-clock-rate",
          .meaning = "both clocks of the process run `rate` times as fast",
          .lasting = Lasting::optional,
          .required = "rate",
          .class_of = class_of_clock,
          .drawn = {{FaultClass::client_clock, 1}, {FaultClass::server_clock, 1}},
          .told = [](const Fault& fault) -> Phrase {
            return {"set the clock rate of " + fault.target,
                    " by " + with_sign(fault.rate_ppb, percent(fault.rate_ppb)) +
                        lasting(fault, "for")};
          }};
}

}  // namespace

std::vector<Kind> of_clocks() { return {step_clock(), set_clock_rate()}; }

}  // namespace picklock::verbs
