#include "conform/mysql/campaign.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "conform/mysql/grammar.h"
#include "conform/mysql/real_side.h"

namespace picklock::conform::mysql {
namespace {

constexpr unsigned kLanes = 4;  // interleavings at a time, each in a database of its own

bool same(const Answer& one, const Answer& other) {
  return one.error == other.error && one.rows == other.rows && one.affected == other.affected;
}

bool same(const Outcome& one, const Outcome& other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(),
      [](const auto& a, const auto& b) { return a.first == b.first && same(a.second, b.second); });
}

// Nothing: there is a way in which the model does the same.
std::optional<Finding> compared(RealSide& real, const Interleaving& interleaving,
                                Played* first_way) {
  const std::vector<Outcome> theirs = real.play(interleaving);
  Finding closest{.interleaving = interleaving};
  bool any = false;
  const bool agree = some_way(interleaving, [&](const Played& played) {
    if (first_way != nullptr && !any) *first_way = played;
    std::size_t step = 0;
    while (step < theirs.size() && same(played.outcomes[step], theirs[step])) ++step;
    if (step == theirs.size()) return true;
    if (!any || step > closest.step) {
      closest.step = step;
      closest.model = played.outcomes[step];
      closest.real = theirs[step];
    }
    any = true;
    return false;
  });
  if (agree) return std::nullopt;
  return closest;
}

class Run {
 public:
  Run(const Campaign& campaign, const Watch& watch, Report& report)
      : campaign_(campaign),
        watch_(watch),
        report_(report),
        server_(campaign.address ? nullptr : std::make_unique<RealServer>()) {
    const Address& address = campaign.address ? *campaign.address : server_->address();
    for (unsigned lane = 0; lane < kLanes; ++lane)
      lanes_.emplace_back(address, fmt::format("picklock_{}_{}", getpid(), lane));
    report_.server_version = lanes_.front().version();
  }

  void go() {
    std::vector<std::thread> threads;
    for (RealSide& lane : lanes_) threads.emplace_back([this, &lane] { serve(lane); });
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    if (first_) report_.first = shortened(*std::move(found_));
  }

 private:
  std::uint64_t seed_of(std::uint64_t index) const {
    return interleaving_seed(campaign_.seed, index);
  }
  bool stopped() {
    report_.interrupted = report_.interrupted || watch_.stop();
    return report_.interrupted;
  }

  void serve(RealSide& lane) {
    try {
      for (;;) {
        std::uint64_t index = 0;
        {
          const std::unique_lock lock(mutex_);
          const bool enough = next_ == campaign_.cases || report_.differences >= kEnoughDifferences;
          if (failure_ || enough || stopped()) return;
          index = next_++;
          watch_.progress(report_.cases, false);
        }
        const Interleaving interleaving = draw_interleaving(seed_of(index));
        Played played;
        std::optional<Finding> found = compared_surely(lane, interleaving, &played);
        const std::unique_lock lock(mutex_);
        ++report_.cases;
        report_.statements += count(interleaving, played, report_.coverage);
        if (!found) continue;
        ++report_.differences;
        if (first_ && *first_ < index) continue;
        first_ = index;
        found_ = std::move(found);
      }
    } catch (...) {
      const std::unique_lock lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  // What differs does so always: a machine that is busy lets threads race as they seldom do.
  static std::optional<Finding> compared_surely(RealSide& lane, const Interleaving& interleaving,
                                                Played* played = nullptr) {
    constexpr int kTimes = 3;
    std::optional<Finding> found = compared(lane, interleaving, played);
    for (int i = 1; found && i < kTimes; ++i) found = compared(lane, interleaving, nullptr);
    return found;
  }

  // Without any one of the steps that are left, they agree.
  Finding shortened(Finding finding) {
    RealSide& lane = lanes_.front();
    finding.interleaving.steps.resize(finding.step + 1);
    for (std::size_t at = finding.interleaving.steps.size(); at-- > 0;) {
      if (stopped()) return finding;
      watch_.progress(report_.cases, true);
      if (at >= finding.interleaving.steps.size()) continue;
      Interleaving shorter = finding.interleaving;
      shorter.steps.erase(shorter.steps.begin() + static_cast<std::ptrdiff_t>(at));
      if (shorter.steps.empty()) continue;
      std::optional<Finding> found = compared_surely(lane, shorter);
      if (!found) continue;
      finding = *std::move(found);
      finding.interleaving.steps.resize(finding.step + 1);
      at = finding.interleaving.steps.size();
    }
    return finding;
  }

  const Campaign& campaign_;
  const Watch& watch_;
  Report& report_;
  std::unique_ptr<RealServer> server_;
  std::deque<RealSide> lanes_;
  std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::optional<std::uint64_t> first_;  // of those that differ
  std::optional<Finding> found_;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> normalisations() {
  return {
      {"races of the server's threads",
       "any order in which those go on who are let go at once, and any victim among the lightest "
       "of a circle, is right (M46)"},
      {"purge", "is held back by a snapshot: when a deleted row goes is nobody's promise"},
      {"sessions", "are numbered as they come"},
      {"what a killed session is told", "is left out: it is killed"},
  };
}

Report run(const Campaign& campaign, const Watch& watch) {
  Report report;
  Run(campaign, watch, report).go();
  return report;
}

}  // namespace picklock::conform::mysql
