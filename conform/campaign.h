// A run of many cases against one server: draws each from a seed, gives it to both sides, compares
// them, shrinks the first difference, and tells what came of it.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conform/address.h"
#include "conform/case.h"
#include "conform/coverage.h"
#include "conform/shrink.h"

namespace picklock::conform {

struct Campaign {
  std::uint64_t seed = 1;
  std::uint64_t cases = 2000;
  std::optional<Address> address{};  // none: a server of our own
  bool flush = false;                // a user's server may be emptied
};

// After so many the rest would tell nothing new.
inline constexpr std::uint64_t kEnoughDifferences = 10;

struct Watch {
  Stop stop;
  // Told before each case how many are done, and while one is made shorter.
  std::function<void(std::uint64_t done, bool shrinking)> progress;
};

// A difference as a user reads it.
struct Finding {
  std::uint64_t seed = 0;            // draws the case before it was shrunk
  std::vector<std::string> steps{};  // those that are left
  Difference difference{};
  bool shrunk = false;  // as far as it goes: no interrupt came before
};

struct Report {
  std::string server_version{};
  std::uint64_t cases = 0;
  std::uint64_t differences = 0;  // cases in which the two differ
  std::optional<Finding> first{};
  Coverage coverage{};
  std::vector<Cell> expected{};  // to be covered by a run of the default length
  bool timed = true;             // false: what depends on the server's clock was left out
  bool interrupted = false;
};

// The model and a real server side by side.
template <typename Step>
class Pair {
 public:
  Pair() = default;
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  virtual ~Pair() = default;

  // The version of the real server.
  virtual std::string version() const = 0;
  virtual bool timed() const { return true; }

  // The n-th case of a run. The first has the run's own seed, so that each can be drawn alone.
  virtual Case<Step> draw(std::uint64_t run_seed, std::uint64_t index) const = 0;
  // The first difference; none: they agree. Where asked for, counts the answers of the model.
  virtual std::optional<Difference> compare(const Case<Step>& drawn, Coverage* coverage) = 0;
  // How often the last case must differ before it counts: a busy machine makes a server slow, and
  // lets its threads race as they seldom do.
  virtual int attempts() const = 0;

  // From now on many cases are tried that may come to nothing.
  virtual void hurry(bool) {}
  // Cuts within the steps of a case; true: something could be cut.
  virtual bool simplify(Shrinking<Step>&) { return false; }
};

// Carries out one campaign. Pairs beside the first are further lanes: each has a thread of its own,
// and draws the next case when it has compared one.
template <typename Step>
class Run {
 public:
  using Lanes = std::vector<std::unique_ptr<Pair<Step>>>;

  Run(const Campaign& campaign, const Watch& watch, const Lanes& lanes, Report& report)
      : campaign_(campaign), watch_(watch), lanes_(lanes), report_(report) {}

  void go() {
    compare_cases();
    if (!found_) return;
    shorten();
    compare_cases();
  }

 private:
  void compare_cases() {
    std::vector<std::thread> threads;
    for (std::size_t lane = 1; lane < lanes_.size(); ++lane)
      threads.emplace_back([this, lane] { serve(*lanes_[lane]); });
    serve(*lanes_.front());
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  void serve(Pair<Step>& lane) {
    try {
      while (const std::optional<std::uint64_t> index = next()) {
        Case<Step> drawn = lane.draw(campaign_.seed, *index);
        Coverage coverage;
        std::optional<Difference> difference = compared_surely(lane, drawn, &coverage);
        const std::unique_lock lock(mutex_);
        ++report_.cases;
        report_.coverage.add(coverage);
        if (!difference) continue;
        ++report_.differences;
        if (report_.first || (found_ && *found_at_ < *index)) continue;
        found_at_ = index;
        found_ = {std::move(drawn), *std::move(difference)};
      }
    } catch (const Interrupted&) {
      const std::unique_lock lock(mutex_);
      report_.interrupted = true;
    } catch (...) {
      const std::unique_lock lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  // The next case to be drawn; none: the campaign ends, or what was found is shrunk first.
  std::optional<std::uint64_t> next() {
    const std::unique_lock lock(mutex_);
    const bool to_be_shrunk = found_ && !report_.first;
    if (failure_ || to_be_shrunk || drawn_ == campaign_.cases ||
        report_.differences >= kEnoughDifferences || stopped())
      return std::nullopt;
    watch_.progress(report_.cases, false);
    return drawn_++;
  }

  bool stopped() {
    report_.interrupted = report_.interrupted || (watch_.stop && watch_.stop());
    return report_.interrupted;
  }

  static std::optional<Difference> compared_surely(Pair<Step>& lane, const Case<Step>& drawn,
                                                   Coverage* coverage) {
    std::optional<Difference> difference = lane.compare(drawn, coverage);
    for (int i = 1; difference && i < lane.attempts(); ++i)
      difference = lane.compare(drawn, nullptr);
    return difference;
  }

  // An interrupt ends it; the shortest case that was found until then is kept.
  void shorten() {
    Pair<Step>& lane = *lanes_.front();
    Finding& first = report_.first.emplace(Finding{.seed = found_->drawn.seed});
    const typename Shrinking<Step>::Compare compare =
        [&](const Case<Step>& shorter) -> std::optional<Difference> {
      if (stopped()) return std::nullopt;
      watch_.progress(report_.cases, true);
      try {
        return compared_surely(lane, shorter, nullptr);
      } catch (const Interrupted&) {
        report_.interrupted = true;
        return std::nullopt;
      }
    };
    lane.hurry(true);
    Found<Step> least =
        Shrinking<Step>(*std::move(found_), compare).run([&](Shrinking<Step>& shrinking) {
          return lane.simplify(shrinking);
        });
    lane.hurry(false);
    for (const Step& step : least.drawn.steps) first.steps.push_back(shown(step));
    first.difference = std::move(least.difference);
    first.shrunk = !report_.interrupted;
  }

  const Campaign& campaign_;
  const Watch& watch_;
  const Lanes& lanes_;
  Report& report_;
  std::mutex mutex_;
  std::uint64_t drawn_ = 0;  // cases so far
  std::optional<Found<Step>> found_;
  std::optional<std::uint64_t> found_at_;
  std::exception_ptr failure_;
};

// `open` makes the pairs; it may throw NoServer or Interrupted.
template <typename Step, typename Open>
Report run(const Campaign& campaign, const Watch& watch, const Open& open) {
  Report report;
  try {
    const typename Run<Step>::Lanes lanes = open();
    report.server_version = lanes.front()->version();
    report.timed = lanes.front()->timed();
    Run<Step>(campaign, watch, lanes, report).go();
  } catch (const Interrupted&) {
    report.interrupted = true;
  }
  return report;
}

}  // namespace picklock::conform
