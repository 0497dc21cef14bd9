#include "explore/critical_lengths.h"

#include <algorithm>

#include "models/servers/kind.h"
#include "scenarios/topology.h"

namespace picklock::explore {

using namespace std::chrono_literals;

CriticalLengths critical_lengths(const scenarios::Scenario& scenario) {
  const auto capped = [](Duration length) { return std::min<Duration>(length, 24h * 365); };
  const models::LockOptions& lock = scenario.lock.options;
  const servers::Bounds bounds = scenarios::lock_server(scenario).bounds(scenario.servers, lock);
  CriticalLengths all;
  all.lease = capped(lock.ttl);
  all.retry = capped(lock.retry_every);
  all.section = capped(scenarios::length_of_section(scenario.clients));
  all.another = all.lease + 2 * all.retry + all.section;
  if (lock.renew != models::Renew::none)
    all.renewal = capped(lock.renew_every > 0s ? lock.renew_every : lock.ttl / 3);
  all.command_timeout = capped(lock.command_timeout);
  all.write_timeout = capped(scenario.clients.write_timeout);
  all.acquire_timeout = capped(lock.acquire_timeout);
  all.idle = capped(bounds.idle);
  all.replacing = capped(std::max(bounds.replacing, bounds.after_faults));
  return all;
}

std::vector<CriticalLength> listed(const CriticalLengths& lengths, bool leases_are_sessions) {
  std::vector<CriticalLength> all = {
      {leases_are_sessions ? "session timeout" : "lease", lengths.lease},
      {"retry", lengths.retry},
      {"critical section", lengths.section},
      {"lease, two retries and a section", lengths.another},
      {"renewal", lengths.renewal},
      {"command timeout", lengths.command_timeout},
      {"write timeout", lengths.write_timeout},
      {"acquire timeout", lengths.acquire_timeout},
      {"idle session", lengths.idle, true},
      {"failover", lengths.replacing}};
  std::erase_if(all, [](const CriticalLength& one) { return one.length <= Duration::zero(); });
  std::stable_sort(all.begin(), all.end(),
                   [](const CriticalLength& one, const CriticalLength& other) {
                     return one.length < other.length;
                   });
  const auto same = [](const CriticalLength& one, const CriticalLength& other) {
    return one.length == other.length;
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

Duration just_under(Duration length) { return rounded(length - length / 20); }
Duration just_over(Duration length) { return rounded(length + length / 20); }

Duration rounded(Duration length) {
  const Duration grain = length >= 100ms ? Duration(1ms)
                         : length >= 1ms ? Duration(10us)
                                         : Duration(1us);
  return std::max(length < grain ? length : length / grain * grain, Duration(1));
}

}  // namespace picklock::explore
