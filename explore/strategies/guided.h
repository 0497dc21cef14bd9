// Plans made of those that have shown something new (explore/sights.h). A plan that has is kept
// (explore/corpus.h) and changed: a fault more, at a moment of the run that it leads to; one of its
// faults at another process too; another fault, moment or length in place of one of its own; a
// fault less; another seed. Every second batch is drawn anew, as a random search draws its plans,
// so that the search does not stay with what it has seen. These plans get as many faults as a plan
// may have: a random search spends a third of its runs on single faults, which soon show nothing
// new. Greybox fuzzers work like this (Zalewski: american fuzzy lop, 2014; Meng, Pirlea,
// Roychoudhury, Sergey: Greybox fuzzing of distributed systems, 2023).
//
// The basis of a batch depends on the results of batches some way before it, and on no others: the
// same plans are made with any number of processes.
//
// A search of many runs is made in rounds, each of which begins again with nothing. So a round is a
// part that any machine can make.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "explore/corpus.h"
#include "explore/fault_plan.h"
#include "explore/moments.h"
#include "explore/sights.h"
#include "explore/strategies/strategy.h"
#include "explore/vocabulary.h"
#include "scenarios/world.h"

namespace picklock::explore::strategies {

class Guided final : public Strategy {
 public:
  // Requires: every class of the limits is possible.
  Guided(Ways ways, const Settings& settings);

  std::optional<Batch> next() override;
  void take(const Batch& batch, const Block& block) override;
  void leave_out(const Batch& first) override { begin_round(first.part.to); }
  void take_part(const Batch&, const Block&) override {}  // other parts do not depend on it
  void end_part(Block& block) override;
  const Corpus* corpus() const override { return &corpus_; }
  void draw(const Batch& batch, std::uint64_t run, scenarios::Scenario& into) override;
  void note(std::uint64_t run, const scenarios::World& world, Block& block) override;

 private:
  struct Made {
    std::vector<Sign> signs;
    std::vector<Candidate> candidates;
  };

  std::uint64_t runs_of_a_round() const;
  void begin_round(std::uint64_t run);
  void learn(Made& made);
  const Course& course_of(const Batch& batch);
  void draw_anew(std::uint64_t run, sim::Random& chance, sim::Plan& plan);
  void fill(const Course& course, std::size_t count, sim::Random& chance, sim::Plan& plan);
  void change(const Batch& batch, sim::Random& chance, sim::Plan& plan);
  void add(const Course& course, sim::Random& chance, sim::Plan& plan);
  void add_elsewhere(sim::Random& chance, sim::Plan& plan);
  void change_one(sim::Random& chance, sim::Plan& plan);
  bool is_fit(const sim::Fault& fault) const;
  void drop_unfit(sim::Plan& plan) const;

  FaultPlans plans_;
  const Vocabulary vocabulary_;
  Settings settings_;
  const std::size_t full_;  // faults of a full plan
  Duration longest_{};      // that a fault is made to last
  Sights sights_;
  std::vector<std::uint64_t> shown_;  // by place: the first run of the round that showed it here
  std::uint64_t round_shown_ = 0;     // this round
  scenarios::Scenario scenario_;
  scenarios::World world_;
  struct Known {
    sim::Plan basis;
    std::uint64_t seed = 0;
    scenarios::Ties ties = scenarios::Ties::arrival;
    Course course;
  };
  Course undisturbed_;         // of the run without faults
  std::deque<Known> courses_;  // the last few

  // --- in the process that leads
  Corpus corpus_;
  Span round_;
  std::uint64_t batches_ = 0;        // of the round
  std::uint64_t number_ = 0;         // of the next run
  std::uint64_t learned_ = 0;        // batches whose results are known to the choice of the next
  std::deque<Made> made_;            // and not learned from
  std::deque<std::size_t> parents_;  // of the batches that are not learned from
};

}  // namespace picklock::explore::strategies
