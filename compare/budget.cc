#include "compare/budget.h"

#include <algorithm>

namespace picklock::compare {
namespace {

// As long as no story is made, it and its place in the pages count as so many runs.
constexpr double kRunsOfAStory = 150;
constexpr double kRunsOfAFile = 8;
// A page runs the story again, as its worker did for the file. It is made without other processes
// beside it, and so takes less time.
constexpr double kFilesOfAPage = 1.2;
// The shares of all time that are kept back: at least, and at most, so that there are some runs.
constexpr double kLeastKept = 0.03;
constexpr double kMostKept = 0.6;
// With less than this left, another turn of runs and stories is not begun.
constexpr double kWorthATurn = 0.06;

}  // namespace

void Budget::ran(Seconds took, std::uint64_t runs) {
  runs_took_ += took;
  runs_ += static_cast<double>(runs);
}

void Budget::told(Seconds took, Seconds file) {
  stories_took_ += took;
  files_took_ += file;
  ++stories_;
}

Seconds Budget::run() const { return runs_ > 0 ? runs_took_ / runs_ : Seconds::zero(); }

Seconds Budget::story() const {
  return stories_ > 0 ? stories_took_ / stories_ : run() * kRunsOfAStory;
}

Seconds Budget::pages(std::size_t stories) const {
  const Seconds file = stories_ > 0 ? files_took_ / stories_ : run() * kRunsOfAFile;
  return file * kFilesOfAPage * static_cast<double>(stories);
}

Seconds Budget::kept(std::size_t untold, std::size_t stories) const {
  const Seconds wanted = story() * static_cast<double>(untold) / jobs_ + pages(stories);
  return std::clamp(wanted, length_ * kLeastKept, length_ * kMostKept);
}

bool Budget::has_time_for_runs(Seconds passed, std::size_t untold, std::size_t stories) const {
  return passed + kept(untold, stories) < length_;
}

bool Budget::has_time_for_more(Seconds passed, std::size_t stories) const {
  return passed + kept(0, stories) + length_ * kWorthATurn < length_;
}

Seconds Budget::end_of_stories(std::size_t stories) const {
  return length_ - std::clamp(pages(stories), length_ * kLeastKept, length_ * kMostKept / 2);
}

Seconds Budget::share_of_a_story(Seconds passed, std::size_t untold, std::size_t stories) const {
  const Seconds left = std::max(end_of_stories(stories) - passed, Seconds::zero());
  return left * jobs_ / static_cast<double>(std::max<std::size_t>(untold, 1));
}

}  // namespace picklock::compare
