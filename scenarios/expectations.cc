#include "scenarios/expectations.h"

#include <fmt/format.h>

#include <algorithm>

#include "keys/duration_text.h"
#include "scenarios/measures.h"
#include "scenarios/program_locks.h"

namespace picklock::scenarios {

using keys::in_seconds;

namespace {

void judge_verdicts(const World& world, std::vector<std::string>& surprises) {
  const std::vector<Property>& violated = world.scenario().expect.violated;
  for (const properties::Verdict& verdict : world.verdicts()) {
    const bool listed =
        std::find(violated.begin(), violated.end(), verdict.property) != violated.end();
    const auto wanted = listed ? properties::Outcome::violated : properties::Outcome::holds;
    if (verdict.outcome == wanted || (!listed && !world.judges(verdict.property))) continue;
    surprises.push_back(fmt::format(
        "{} was expected {} but {}", name(verdict.property), listed ? "to be violated" : "to hold",
        verdict.outcome == properties::Outcome::holds      ? "holds"
        : verdict.outcome == properties::Outcome::violated ? "is violated"
                                                           : "is unknown"));
  }
}

void judge_faults(const World& world, bool may_be_vain, std::vector<std::string>& surprises) {
  const std::size_t planned = world.scenario().faults.size();
  std::vector<const sim::Nemesis::Firing*> fired(planned);  // each fires at most once
  for (const sim::Nemesis::Firing& one : world.fired()) fired[one.fault] = &one;
  for (std::size_t i = 0; i < planned; ++i) {
    if (fired[i] == nullptr) {
      surprises.push_back(fmt::format("fault {} did not fire", i + 1));
    } else if (!may_be_vain && !fired[i]->in_vain.empty()) {
      surprises.push_back(fmt::format("fault {} changed nothing: {}", i + 1, fired[i]->in_vain));
    }
  }
}

// In one unit, so that the lengths can be compared at a glance.
void judge_length(std::string_view what, Duration length, std::pair<Duration, Duration> expected,
                  std::vector<std::string>& surprises) {
  const auto [low, high] = expected;
  if (length >= low && length <= high) return;
  surprises.push_back(fmt::format("{} was {}, not {} to {} as expected", what, in_seconds(length),
                                  in_seconds(low), in_seconds(high)));
}

void judge_contention(const World& world, std::vector<std::string>& surprises) {
  std::string_view missing;
  std::string_view remedy;
  if (has_programs(world.scenario())) {
    if (working_clients(world.history()) < 2) {
      missing = "fewer than two clients did any work";
      remedy = "clients.count or clients.until";
    }
  } else if (contended_grants(world.history()) < 2) {
    missing = "fewer than two grants were contended";
    remedy = "clients.count, clients.cycles or clients.hold";
  }
  if (!missing.empty()) {
    surprises.push_back(fmt::format(
        "{}, so the twin would be safe by accident: it needs a larger {}", missing, remedy));
  }
}

}  // namespace

std::vector<std::string> surprises(const World& world, Demands demands) {
  std::vector<std::string> surprises;
  judge_faults(world, demands.may_be_vain,
               surprises);  // a fault that did not fire explains the rest
  judge_verdicts(world, surprises);
  const Expectation& expect = world.scenario().expect;
  if (expect.longest_wait) {
    judge_length("the longest wait", longest_wait(world.history(), world.ended()).length,
                 *expect.longest_wait, surprises);
  }
  if (expect.longest_idle) {
    judge_length("the longest time in which nobody had the lock although a client waited",
                 longest_idle(world.history(), world.context()).length, *expect.longest_idle,
                 surprises);
  }
  if (demands.contention) judge_contention(world, surprises);
  if (demands.digest && expect.digest && *expect.digest != world.digest()) {
    surprises.push_back(fmt::format("the digest is {:016x}, not {:016x} as in the file",
                                    world.digest(), *expect.digest));
  }
  return surprises;
}

}  // namespace picklock::scenarios
