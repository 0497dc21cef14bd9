#include "conform/redis/campaign.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "conform/redis/comparison.h"
#include "conform/redis/grammar.h"
#include "conform/redis/model_side.h"
#include "conform/redis/real_side.h"

namespace picklock::conform::redis {

namespace {

class Run {
 public:
  Run(const Campaign& campaign, const Watch& watch, Report& report)
      : campaign_(campaign),
        watch_(watch),
        report_(report),
        real_(campaign.address
                  ? std::make_unique<RealSide>(*campaign.address, campaign.flush, watch.stop)
                  : std::make_unique<RealSide>(watch.stop)),
        comparison_(model_, *real_) {
    report_.server_version = real_->version();
    report_.steered_clock = real_->steers_clock();
  }

  void go() {
    while (report_.cases < campaign_.cases && report_.differences < kEnoughDifferences) {
      if (watch_.stop()) throw Interrupted();
      watch_.progress(report_.cases, false);
      Sequence sequence =
          draw_sequence(sequence_seed(campaign_.seed, report_.cases), report_.steered_clock);
      std::optional<Difference> difference = compared(sequence);
      ++report_.cases;
      if (!difference) continue;
      ++report_.differences;
      if (!report_.first) shorten({std::move(sequence), std::move(*difference)});
    }
  }

 private:
  std::optional<Difference> compared(const Sequence& sequence) {
    std::optional<Difference> difference = compared_once(sequence, &report_.coverage);
    // Who is slow does not differ, unless always.
    if (difference && real_->lost_patience()) difference = compared_once(sequence, nullptr);
    return difference;
  }

  std::optional<Difference> compared_once(const Sequence& sequence, Coverage* coverage) {
    try {
      return comparison_.run(sequence, coverage);
    } catch (const ServerEnded& end) {
      const std::string& last_words = end.last_words();
      throw ServerEnded(fmt::format("{} in the sequence of --seed {}{}", end.what(), sequence.seed,
                                    last_words.empty() ? last_words : ": " + last_words));
    }
  }

  // Of what has been found, the shortest when an interrupt comes is kept.
  void shorten(Finding finding) {
    bool stopped = false;
    real_->be_hasty(true);
    report_.first = shrink(std::move(finding), [&](const Sequence& shorter) {
      std::optional<Difference> difference;
      if (stopped || (stopped = watch_.stop())) return difference;
      watch_.progress(report_.cases, true);
      try {
        difference = compared_once(shorter, nullptr);
      } catch (const Interrupted&) {
        stopped = true;
      }
      return difference;
    });
    real_->be_hasty(false);
    if (stopped) throw Interrupted();
    report_.shrunk = true;
  }

  const Campaign& campaign_;
  const Watch& watch_;
  Report& report_;
  ModelSide model_;
  std::unique_ptr<RealSide> real_;
  Comparison comparison_;
};

}  // namespace

Report run(const Campaign& campaign, const Watch& watch) {
  Report report;
  try {
    Run(campaign, watch, report).go();
  } catch (const Interrupted&) {
    report.interrupted = true;
  }
  return report;
}

}  // namespace picklock::conform::redis
