#include "models/locks/zookeeper/session.h"

#include <algorithm>
#include <utility>

namespace picklock::models::locks::zookeeper {

void Guards::start(Client& self, const Lease& lease, StopsAt stops_at) {
  if (stops_at == StopsAt::never) return;
  auto guard = std::make_shared<Guard>();
  guard->alarm = self.semaphore(Awaits::threads);
  const auto alarms = [stops_at](State state) {
    return state == State::lost || (state == State::suspended && stops_at == StopsAt::suspended);
  };
  guard->listener = ensemble(self).listen([alarm = guard->alarm, alarms](State state) {
    if (alarms(state)) alarm->release();
  });
  // The connection may have been lost while the last answer was under way.
  if (alarms(ensemble(self).state())) guard->alarm->release();
  guards_[lease.token] = guard;
  self.spawn([guard, lease](Client& thread) {
    guard->alarm->acquire(Semaphore::kForever);
    if (!guard->over) thread.witness().record_loss(lease);
    guard->over = true;
  });
}

void Guards::stop(Client& self, const Lease& lease) {
  const auto found = guards_.find(lease.token);
  if (found == guards_.end()) return;
  ensemble(self).forget(found->second->listener);
  if (!found->second->over) {
    found->second->over = true;
    found->second->alarm->release();
  }
  guards_.erase(found);
}

namespace {

std::vector<std::string> in_order_of_text(std::vector<std::string> children, OrderBy order_by) {
  using picklock::zookeeper::sequence_of;
  std::erase_if(children, [](const std::string& name) { return !sequence_of(name); });
  if (order_by == OrderBy::name) {
    std::sort(children.begin(), children.end());
    return children;
  }
  const auto text = [](const std::string& name) {
    return picklock::zookeeper::sequence_text(*sequence_of(name));
  };
  std::stable_sort(
      children.begin(), children.end(),
      [text](const std::string& one, const std::string& other) { return text(one) < text(other); });
  return children;
}

}  // namespace

std::vector<std::string> in_order(std::vector<std::string> children, OrderBy order_by) {
  if (order_by != OrderBy::number) return in_order_of_text(std::move(children), order_by);
  std::vector<std::pair<std::int32_t, std::size_t>> places;  // numbers and present positions
  places.reserve(children.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (const auto number = picklock::zookeeper::sequence_of(children[i]))
      places.emplace_back(*number, i);
  }
  std::sort(places.begin(), places.end());
  std::vector<std::string> queue;
  queue.reserve(places.size());
  for (const auto& [number, at] : places) queue.push_back(std::move(children[at]));
  return queue;
}

std::vector<std::string>::const_iterator first_named(const std::vector<std::string>& children,
                                                     std::string_view prefix) {
  return std::find_if(children.begin(), children.end(),
                      [prefix](const std::string& name) { return name.starts_with(prefix); });
}

}  // namespace picklock::models::locks::zookeeper
