#include "scenarios/keys.h"

#include "keys/key_kinds.h"
#include "scenarios/verbs/kind.h"

namespace picklock::scenarios {

using namespace keys;

using sim::Fault;
using sim::Trigger;

namespace {

// Steps depend on the algorithm, so they are read when the whole file is known (checks.cc).
Key<Trigger> step(const std::string& name, sim::Side side, const std::string& meaning) {
  return {.name = name,
          .type = "step",
          .meaning = meaning,
          .read =
              [side](const Value& value, Trigger& trigger) {
                value.text();
                trigger.side = side;
              },
          .show = {},
          .nested = {}};
}

void read_names(const Value& value, std::vector<std::string>& names) {
  if (!value.is_array()) {
    names = {value.text()};
    return;
  }
  const std::vector<Value> elements = value.elements();
  if (elements.empty())
    value.fail("must not be empty; leave the key out to mean every other process");
  if (elements.size() > kMostNames) {
    value.fail(fmt::format("must not have more than {} names", kMostNames));
  }
  names.clear();
  for (const Value& element : elements) names.push_back(element.text());
}

}  // namespace

const Keys<Trigger>& trigger_keys() {
  static const Keys<Trigger> keys = {
      step("before", sim::Side::before, "the fault strikes just before this step"),
      step("after", sim::Side::after, "the fault strikes just after this step"),
      {.name = "at",
       .type = "duration",
       .meaning = "the fault strikes at this time of the run",
       .read =
           [](const Value& value, Trigger& trigger) {
             trigger.at = sim::kStart + value.duration(Sign::not_negative);
           },
       .show = {},
       .nested = {}},
      integer<Trigger>("nth", 1, 1'000'000'000, at<&Trigger::nth>,
                       "which occurrence of the step, counted per process over the whole run"),
      text<Trigger>(
          "by", at<&Trigger::by>,
          "the client whose step it is; by default the target if it is a client, otherwise any "
          "client"),
      text<Trigger>(
          "on", at<&Trigger::on>,
          "counts only steps with this server; of `message.sent`: messages to this process"),
      text<Trigger>("command", at<&Trigger::command>,
                    "counts only steps made with this command, such as `DEL`"),
  };
  return keys;
}

const Keys<Fault>& fault_keys() {
  static const Keys<Fault> keys = [] {
    Keys<Fault> made;
    for (const verbs::Kind& kind : verbs::kinds()) {
      made.push_back({.name = std::string(kind.name),
                      .type = "process",
                      .meaning = kind.meaning,
                      .read =
                          [verb = kind.verb](const Value& value, Fault& fault) {
                            fault.verb = verb;
                            fault.target = value.text();
                          },
                      .show = {},
                      .nested = {}});
    }
    add_lifted(made, trigger_keys(), at<&sim::Fault::trigger>);
    made.push_back(
        duration<Fault>("for", Sign::positive, at<&Fault::lasts>, "how long the fault lasts"));
    made.push_back(without_default(duration<Fault>(
        "step", Sign::any, at<&Fault::step>,
        "step-clock: the jump, may be negative; slow: the extra time for each message")));
    made.push_back(
        {.name = "rate",
         .type = "number, 0.001 to 1000, at most 9 decimals",
         .meaning = "set-clock-rate: how fast the clocks run; 1.01 is 1 % too fast",
         .read = [](const Value& value, Fault& fault) { fault.rate_ppb = value.rate_ppb(); },
         .show = {},
         .nested = {}});
    made.push_back({.name = "from",
                    .type = "process, or array of processes",
                    .meaning = "partition: the other side; by default every other process",
                    .read = [](const Value& value, Fault& fault) { read_names(value, fault.from); },
                    .show = {},
                    .nested = {}});
    made.push_back({.name = "one_way",
                    .type = "one of outbound, inbound",
                    .meaning = "partition: cut only what the target sends, or only what is sent to "
                               "it; by default both",
                    .read =
                        [](const Value& value, Fault& fault) {
                          const std::size_t way = value.word({"outbound", "inbound"});
                          fault.outbound = way == 0;
                          fault.inbound = way == 1;
                        },
                    .show = {},
                    .nested = {}});
    made.push_back(
        boolean<Fault>("host", at<&Fault::host>, "crash: the machine dies, not only the process"));
    made.push_back(boolean<Fault>("silent", at<&Fault::silent>,
                                  "crash: peers see silence instead of a reset"));
    made.push_back(word<Fault>(
        "keeps", {"all", "none", "fsynced"}, at<&Fault::keeps>,
        "crash with `for`, restart: which part of its disk the process finds again; `fsynced` is "
        "what a power loss leaves"));
    made.push_back(text<Fault>(
        "to", at<&Fault::to>,
        "fail-over: the replica that is promoted; by default the one that has received most"));
    made.push_back(text<Fault>("key", at<&Fault::key>, "evict: the key; by default the lock's"));
    return made;
  }();
  return keys;
}

}  // namespace picklock::scenarios
