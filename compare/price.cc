#include "compare/price.h"

#include "models/locks/algorithm.h"
#include "picklock/lock.h"
#include "scenarios/bounds.h"

namespace picklock::compare {

PriceList price_list(const Comparison& comparison, std::size_t lock) {
  PriceList list;
  const Comparison::Lock& one = comparison.locks()[lock];
  for (std::size_t column = 0; column < comparison.columns().size(); ++column) {
    if (!comparison.why_impossible(lock, column).empty()) continue;
    const Measures& measures = comparison.known({lock, column, false}).measures;
    const Column& what = comparison.columns()[column];
    list.availability.emplace_back(what.name, share(measures.granted, measures.asked));
    if (what.classes.empty()) {
      const Price& price = measures.price;
      list.acquires = price.latency.size();
      list.latency_p50 = price.latency.quantile(50);
      list.latency_p99 = price.latency.quantile(99);
      list.free_p50 = price.free.quantile(50);
      list.free_p99 = price.free.quantile(99);
      list.handover_p50 = price.handover.quantile(50);
      list.handover_p99 = price.handover.quantile(99);
      list.messages_per_acquire = share(price.messages, price.grants);
      list.commands_per_acquire = share(price.commands, price.grants);
      list.wakeups_per_release = share(price.wakeups, price.releases);
      list.longest_overtaking = price.overtaking;
    }
    constexpr FaultClasses kCrash = {FaultClass::crash};
    if (what.classes.covers(kCrash) && kCrash.covers(what.classes)) {
      list.crashes = measures.recovery.size() + measures.never_recovered;
      list.never_recovered = measures.never_recovered;
      list.recovery_p50 = measures.recovery.quantile(50);
      list.recovery_longest = measures.recovery.quantile(100);
    }
  }
  list.recovery_bound = scenarios::recovery_bound(one.workload);
  return list;
}

bool is_promised(const Comparison& comparison, const CellName& cell, Property property) {
  const Comparison::Lock& lock = comparison.locks()[cell.lock];
  const auto promise =
      models::promise(*lock.algorithm, property, scenarios::lock_options(lock.workload));
  return promise && promise->under.covers(comparison.columns()[cell.column].classes);
}

std::optional<std::uint64_t> runs_of_each(const Comparison& comparison) {
  std::optional<std::uint64_t> all;
  for (const CellName& cell : comparison.cells()) {
    const std::uint64_t runs = comparison.known(cell).runs;
    if (all && *all != runs) return std::nullopt;
    all = runs;
  }
  return all;
}

}  // namespace picklock::compare
