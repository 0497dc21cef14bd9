// Compares each judge with the naive restatement of its definition, on random histories.
#include "testing/naive.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "properties/judge.h"
#include "testing/random_history.h"

namespace picklock::properties {
namespace {

struct Drawn {
  history::History history;
  Context context;
};

Drawn draw(bool entries_first = false) {
  const auto choices =
      *rc::gen::scale(7.0, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::resize(
                               100, rc::gen::inRange<std::uint32_t>(0, 1U << 20U))));
  const bool many = *rc::gen::arbitrary<bool>();
  Drawn drawn{.history = RandomHistory(choices, many ? 3 : 1, entries_first).history(),
              .context = {}};
  drawn.context.servers = many ? 3 : 1;
  drawn.context.quorum = many ? *rc::gen::inRange<std::uint32_t>(2, 4) : 1;
  drawn.context.first_server = RandomHistory::kFirstServer;
  drawn.context.acquire_bound = 1s;
  drawn.context.patience = 2s;
  drawn.context.wakeup_bound = 1s;
  drawn.context.wakeups = *rc::gen::inRange<std::uint32_t>(0, 3);
  drawn.context.overtakes = *rc::gen::inRange<std::uint32_t>(0, 2);
  RC_CLASSIFY(drawn.history.size() > 50, "more than 50 events");
  return drawn;
}

Verdict judged(Property property, const Drawn& drawn) {
  static Judge judge;  // one for all, so that what it keeps from run to run is tested too
  return judge.judge(drawn.history, drawn.context)[static_cast<std::size_t>(property)];
}

bool names_it(const NaiveVerdict& naive, const Witness& witness) {
  return std::any_of(naive.violations.begin(), naive.violations.end(), [&](const auto& violation) {
    return violation.first == witness.event &&
           (violation.second.empty() || violation.second.count(witness.other) != 0);
  });
}

void compare(const Verdict& verdict, const NaiveVerdict& naive) {
  RC_ASSERT(verdict.outcome == naive.outcome);
  RC_ASSERT(verdict.count == naive.violations.size());
  RC_ASSERT(verdict.witnesses.size() == std::min(naive.violations.size(), kWitnesses));
  RC_ASSERT(std::is_sorted(verdict.witnesses.begin(), verdict.witnesses.end(),
                           [](const Witness& a, const Witness& b) { return a.event < b.event; }));
  for (const Witness& witness : verdict.witnesses) RC_ASSERT(names_it(naive, witness));
  RC_CLASSIFY(naive.outcome == Outcome::violated, "violated");
}

RC_GTEST_PROP(Naive, AgreesOnMutualExclusion, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::mutual_exclusion, drawn),
          Naive(drawn.history, drawn.context).mutual_exclusion());
}

RC_GTEST_PROP(Naive, AgreesOnResourceExclusion, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::resource_exclusion, drawn),
          Naive(drawn.history, drawn.context).resource_exclusion());
}

RC_GTEST_PROP(Naive, AgreesOnStaleWrites, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::no_stale_write, drawn),
          Naive(drawn.history, drawn.context).no_stale_write());
}

RC_GTEST_PROP(Naive, AgreesOnLostUpdates, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::no_lost_update, drawn),
          Naive(drawn.history, drawn.context).no_lost_update());
}

RC_GTEST_PROP(Naive, AgreesOnHoldersRefused, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::no_holder_refused, drawn),
          Naive(drawn.history, drawn.context).no_holder_refused());
}

RC_GTEST_PROP(Naive, AgreesOnOwnRelease, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::own_release, drawn), Naive(drawn.history, drawn.context).own_release());
}

RC_GTEST_PROP(Naive, AgreesOnBalancedHolds, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::balanced_holds, drawn),
          Naive(drawn.history, drawn.context).balanced_holds());
}

RC_GTEST_PROP(Naive, AgreesOnLossesNoticed, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::loss_noticed, drawn),
          Naive(drawn.history, drawn.context).loss_noticed());
}

RC_GTEST_PROP(Naive, AgreesOnWhoIsStuck, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::not_stuck, drawn), Naive(drawn.history, drawn.context).not_stuck());
}

RC_GTEST_PROP(Naive, AgreesOnLostWakeups, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::no_lost_wakeup, drawn),
          Naive(drawn.history, drawn.context).no_lost_wakeup());
}

RC_GTEST_PROP(Naive, AgreesOnBoundedWakeups, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::bounded_wakeups, drawn),
          Naive(drawn.history, drawn.context).bounded_wakeups());
}

RC_GTEST_PROP(Naive, AgreesOnFairOrder, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::fair_order, drawn), Naive(drawn.history, drawn.context).fair_order());
}

RC_GTEST_PROP(Naive, AgreesOnAvailability, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::available, drawn), Naive(drawn.history, drawn.context).available());
}

RC_GTEST_PROP(Naive, AgreesOnProgress, ()) {
  const Drawn drawn = draw();
  compare(judged(Property::progress, drawn), Naive(drawn.history, drawn.context).progress());
}

// The judge counts cycles and gives a witness per edge; the naive one finds the edges.
RC_GTEST_PROP(Naive, AgreesOnDeadlocks, ()) {
  const Drawn drawn = draw(true);
  const Verdict verdict = judged(Property::no_deadlock, drawn);
  const NaiveVerdict naive = Naive(drawn.history, drawn.context).no_deadlock();
  RC_ASSERT(verdict.outcome == naive.outcome);
  for (const Witness& witness : verdict.witnesses) RC_ASSERT(names_it(naive, witness));
  if (naive.violations.size() <= kWitnesses) {
    RC_ASSERT(verdict.witnesses.size() == naive.violations.size());
  }
  RC_CLASSIFY(naive.outcome == Outcome::violated, "violated");
}

}  // namespace
}  // namespace picklock::properties
