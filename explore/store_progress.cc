#include "explore/store_progress.h"

#include <algorithm>

namespace picklock::explore {
namespace {

constexpr double kQuietSeconds = 60;
constexpr double kQuietParts = 5;

bool is_quiet(const StoreReader::Attempt& one, double now) {
  const double of_a_part =
      one.parts > 0 ? (one.last - one.began) / static_cast<double>(one.parts) : 0;
  return now - one.last > std::max(kQuietSeconds, kQuietParts * of_a_part);
}

}  // namespace

StoreProgress progress_of(const StoreReader& reader, double now) {
  StoreProgress progress;
  std::string cell;
  std::uint64_t covered = 0;
  for (const auto& [name, part] : reader.parts()) {
    if (name.cell != cell) covered = 0;
    cell = name.cell;
    ++progress.parts;
    // A part that was cut off by a smaller number of runs may be there beside the whole one.
    const std::uint64_t from = std::max(covered, name.runs.from);
    if (name.runs.to > from) progress.runs += name.runs.to - from;
    covered = std::max(covered, name.runs.to);
  }
  for (const StoreReader::Attempt& one : reader.attempts()) {
    if (one.ended) {
      ++progress.ended;
      continue;
    }
    if (progress.oldest == nullptr || one.last < progress.oldest->last) progress.oldest = &one;
    if (is_quiet(one, now)) {
      progress.quiet.push_back(&one);
      continue;
    }
    ++progress.at_work;
    if (one.last > one.began)
      progress.rate += static_cast<double>(one.runs) / (one.last - one.began);
  }
  return progress;
}

}  // namespace picklock::explore
