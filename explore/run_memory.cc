#include "explore/run_memory.h"

#include <chrono>

#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

constexpr std::chrono::milliseconds kLongRun(2);
constexpr std::size_t kMostRuns = 10'000;

}  // namespace

RunMemory::Result RunMemory::result(const scenarios::Scenario& scenario,
                                    const std::function<Result()>& make) {
  if (!results_.empty()) {
    const auto found = results_.find(scenarios::file_text(scenario));
    if (found != results_.end()) return found->second;
  }
  const auto start = std::chrono::steady_clock::now();
  Result made = make();
  if (std::chrono::steady_clock::now() - start < kLongRun) return made;
  if (results_.size() == kMostRuns) results_.clear();
  results_[scenarios::file_text(scenario)] = made;
  return made;
}

}  // namespace picklock::explore
