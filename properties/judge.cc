#include "properties/judge.h"

#include "properties/own_release.h"

namespace picklock::properties {

const Verdicts& Judge::judge(const history::History& history, const Context& context) {
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    verdicts_[i].property = static_cast<Property>(i);
    verdicts_[i].outcome = Outcome::holds;
    verdicts_[i].count = 0;
    verdicts_[i].witnesses.clear();
  }
  timeline_.read(history, context);
  const Case run{history, context, timeline_};
  const auto verdict = [this](Property property) -> Verdict& {
    return verdicts_[static_cast<std::size_t>(property)];
  };
  mutual_exclusion(run, mutual_exclusion_, verdict(Property::mutual_exclusion));
  resource_exclusion(run, resource_exclusion_, verdict(Property::resource_exclusion));
  no_stale_write(run, stale_write_, verdict(Property::no_stale_write));
  no_lost_update(run, lost_update_, verdict(Property::no_lost_update));
  no_holder_refused(run, holder_refused_, verdict(Property::no_holder_refused));
  own_release(run, verdict(Property::own_release));
  balanced_holds(run, balanced_holds_, verdict(Property::balanced_holds));
  loss_noticed(run, loss_noticed_, verdict(Property::loss_noticed));
  not_stuck(run, not_stuck_, verdict(Property::not_stuck));
  no_deadlock(run, no_deadlock_, verdict(Property::no_deadlock));
  no_lost_wakeup(run, no_lost_wakeup_, verdict(Property::no_lost_wakeup));
  bounded_wakeups(run, bounded_wakeups_, verdict(Property::bounded_wakeups));
  fair_order(run, fair_order_, verdict(Property::fair_order));
  available(run, available_, verdict(Property::available));
  progress(run, progress_, verdict(Property::progress));
  return verdicts_;
}

}  // namespace picklock::properties
