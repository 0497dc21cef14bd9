#include "explore/run_memory.h"

#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

constexpr std::chrono::milliseconds kLongRun(2);
constexpr std::size_t kMostRuns = 10'000;

}  // namespace

const RunMemory::Result* RunMemory::find(const scenarios::Scenario& scenario) const {
  if (results_.empty()) return nullptr;
  const auto found = results_.find(scenarios::file_text(scenario));
  return found == results_.end() ? nullptr : &found->second;
}

void RunMemory::keep(const scenarios::Scenario& scenario, const Result& result,
                     std::chrono::steady_clock::duration took) {
  if (took < kLongRun) return;
  if (results_.size() == kMostRuns) results_.clear();
  results_.insert_or_assign(scenarios::file_text(scenario), result);
}

}  // namespace picklock::explore
