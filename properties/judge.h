// Judges a recorded history against every property. Pure: same history and context, same verdicts.
// The time is near-linear in the history, and no verdict is derived from another.
#pragma once

#include "history/history.h"
#include "properties/available.h"
#include "properties/balanced_holds.h"
#include "properties/bounded_wakeups.h"
#include "properties/context.h"
#include "properties/fair_order.h"
#include "properties/holder_refused.h"
#include "properties/loss_noticed.h"
#include "properties/lost_update.h"
#include "properties/mutual_exclusion.h"
#include "properties/no_deadlock.h"
#include "properties/no_lost_wakeup.h"
#include "properties/not_stuck.h"
#include "properties/progress.h"
#include "properties/resource_exclusion.h"
#include "properties/stale_write.h"
#include "properties/timeline.h"
#include "properties/verdict.h"

namespace picklock::properties {

// Working memory and results, reused from run to run so that judging allocates nothing in the
// steady state.
class Judge {
 public:
  // The verdicts are valid until the next call.
  const Verdicts& judge(const history::History& history, const Context& context);

 private:
  Timeline timeline_;
  MutualExclusionScratch mutual_exclusion_;
  ResourceExclusionScratch resource_exclusion_;
  StaleWriteScratch stale_write_;
  LostUpdateScratch lost_update_;
  HolderRefusedScratch holder_refused_;
  BalancedHoldsScratch balanced_holds_;
  LossNoticedScratch loss_noticed_;
  NotStuckScratch not_stuck_;
  NoDeadlockScratch no_deadlock_;
  NoLostWakeupScratch no_lost_wakeup_;
  BoundedWakeupsScratch bounded_wakeups_;
  FairOrderScratch fair_order_;
  AvailableScratch available_;
  ProgressScratch progress_;
  Verdicts verdicts_;
};

}  // namespace picklock::properties
