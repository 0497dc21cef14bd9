// The runs of a search in numbers. Tallies of consecutive runs add up.
#pragma once

#include <array>
#include <cstdint>

#include "picklock/lock.h"

namespace picklock::explore {

struct Tally {
  std::uint64_t runs = 0;
  std::uint64_t events = 0;
  std::uint64_t fired = 0;
  std::uint64_t dropped = 0;    // faults whose step was not reached
  std::uint64_t repeated = 0;   // clean runs that were run again, to the same digest
  std::uint64_t cut_short = 0;  // runs too long to be judged
  std::uint64_t crashed = 0;    // runs that ended their process
  std::uint64_t permuted = 0;   // runs whose ties were permuted
  std::uint64_t kept = 0;       // plans that led to others, of the parts that have ended
  std::array<std::uint64_t, kFaultClassCount> fired_of{};
  // Runs that violated a property that the search does not report. Those of them in which the
  // property was promised but the premise of the promise was not kept; and those in which the lock
  // of a comparison kept it.
  struct Besides {
    std::uint64_t runs = 0;
    std::uint64_t premise_broken = 0;
    std::uint64_t not_theirs = 0;
  };
  std::array<Besides, kPropertyCount> besides{};
  // Runs that violated a property that the search would report, but so did the lock of a
  // comparison; and by the classes of the faults that fired in them.
  struct Limit {
    std::uint64_t runs = 0;
    std::array<std::uint64_t, kFaultClassCount> fired_of{};
  };
  std::array<Limit, kPropertyCount> limits{};
  std::uint64_t not_compared = 0;  // runs that violated, and took the other lock too long

  std::uint64_t judged() const { return runs - cut_short - crashed; }

  void add(const Tally& other) {
    runs += other.runs;
    events += other.events;
    fired += other.fired;
    dropped += other.dropped;
    repeated += other.repeated;
    cut_short += other.cut_short;
    crashed += other.crashed;
    permuted += other.permuted;
    kept += other.kept;
    for (std::size_t i = 0; i < fired_of.size(); ++i) fired_of[i] += other.fired_of[i];
    for (std::size_t i = 0; i < besides.size(); ++i) {
      besides[i].runs += other.besides[i].runs;
      besides[i].premise_broken += other.besides[i].premise_broken;
      besides[i].not_theirs += other.besides[i].not_theirs;
      limits[i].runs += other.limits[i].runs;
      for (std::size_t c = 0; c < kFaultClassCount; ++c)
        limits[i].fired_of[c] += other.limits[i].fired_of[c];
    }
    not_compared += other.not_compared;
  }

  template <typename Archive>
  friend void fields(Archive& archive, Tally& tally) {
    archive(tally.runs, tally.events, tally.fired, tally.dropped, tally.repeated, tally.cut_short,
            tally.crashed, tally.permuted, tally.kept, tally.not_compared);
    for (std::uint64_t& one : tally.fired_of) archive(one);
    for (Besides& one : tally.besides) archive(one.runs, one.premise_broken, one.not_theirs);
    for (Limit& limit : tally.limits) {
      archive(limit.runs);
      for (std::uint64_t& one : limit.fired_of) archive(one);
    }
  }
};

}  // namespace picklock::explore
