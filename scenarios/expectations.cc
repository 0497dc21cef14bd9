#include "scenarios/expectations.h"

#include <fmt/format.h>

#include <algorithm>

#include "keys/duration_text.h"
#include "scenarios/measures.h"

namespace picklock::scenarios {

using keys::to_text;

namespace {

void judge_verdicts(const World& world, std::vector<std::string>& surprises) {
  const std::vector<Property>& violated = world.scenario().expect.violated;
  for (const properties::Verdict& verdict : world.verdicts()) {
    const bool listed =
        std::find(violated.begin(), violated.end(), verdict.property) != violated.end();
    const auto wanted = listed ? properties::Outcome::violated : properties::Outcome::holds;
    if (verdict.outcome == wanted) continue;
    surprises.push_back(fmt::format(
        "{} was expected {} but {}", name(verdict.property), listed ? "to be violated" : "to hold",
        verdict.outcome == properties::Outcome::holds      ? "holds"
        : verdict.outcome == properties::Outcome::violated ? "is violated"
                                                           : "is unknown"));
  }
}

void judge_faults(const World& world, std::vector<std::string>& surprises) {
  const std::size_t planned = world.scenario().faults.size();
  std::vector<const sim::Nemesis::Firing*> fired(planned);  // each fires at most once
  for (const sim::Nemesis::Firing& one : world.fired()) fired[one.fault] = &one;
  for (std::size_t i = 0; i < planned; ++i) {
    if (fired[i] == nullptr) {
      surprises.push_back(fmt::format("fault {} did not fire", i + 1));
    } else if (!fired[i]->in_vain.empty()) {
      surprises.push_back(fmt::format("fault {} changed nothing: {}", i + 1, fired[i]->in_vain));
    }
  }
}

}  // namespace

std::vector<std::string> surprises(const World& world, Demands demands) {
  std::vector<std::string> surprises;
  judge_faults(world, surprises);  // a fault that did not fire explains the rest
  judge_verdicts(world, surprises);
  const Expectation& expect = world.scenario().expect;
  if (expect.longest_wait) {
    const auto [low, high] = *expect.longest_wait;
    const Duration wait = longest_wait(world.history(), world.ended()).length;
    if (wait < low || wait > high) {
      surprises.push_back(fmt::format("the longest wait was {}, not {} to {} as expected",
                                      to_text(wait), to_text(low), to_text(high)));
    }
  }
  if (demands.contention && contended_grants(world.history()) < 2) {
    surprises.emplace_back(
        "fewer than two grants were contended, so the twin would be safe by accident");
  }
  if (demands.digest && expect.digest && *expect.digest != world.digest()) {
    surprises.push_back(fmt::format("the digest is {:016x}, not {:016x} as in the file",
                                    world.digest(), *expect.digest));
  }
  return surprises;
}

}  // namespace picklock::scenarios
