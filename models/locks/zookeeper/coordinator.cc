#include "models/locks/zookeeper/coordinator.h"

#include <chrono>

namespace picklock::models::locks::zookeeper {

using namespace std::chrono_literals;

namespace {
constexpr Duration kPause = 100ms;
}

std::string holder_path(std::string_view lock, std::string_view token) {
  return std::string(lock).append("-holder-").append(token);
}

void Coordinator::run(Client& self) {
  for (;;) {
    const bool in_office = office_ != 0 && office_ == ensemble(self).session();
    if ((in_office ? look(self) : take_office(self)) == Turn::failed) self.sleep(kPause);
  }
}

// A delete of the coordinator before may be under way as long as its session lives, and would hit
// the next holder of the lock.
Coordinator::Turn Coordinator::take_office(Client& self) {
  office_ = 0;
  const Bell bell(self, Awaits::threads);
  ensemble(self).create(office_path_, "", CreateMode::ephemeral);
  const Answer there = ensemble(self).exists(office_path_, bell.watch());
  if (!there.ok()) return Turn::failed;
  if (there.stat.ephemeral_owner == ensemble(self).session()) {
    office_ = there.stat.ephemeral_owner;
  } else {
    bell.wait(Semaphore::kForever);
  }
  return Turn::done;
}

Coordinator::Turn Coordinator::look(Client& self) {
  const Bell bell(self, Awaits::threads);
  const Answer held = ensemble(self).get_data(path_, bell.watch());
  const std::string token = held.data.value_or("");
  Answer watched = held;
  if (held.ok()) {
    watched = ensemble(self).exists(holder_path(path_, token), bell.watch());
    if (watched.code == Code::no_node) return free(self, token);
  } else if (held.code == Code::no_node) {
    watched = ensemble(self).exists(path_, bell.watch());
    if (watched.ok()) return Turn::done;
  }
  const bool settled = watched.ok() || watched.code == Code::no_node;
  if (settled) bell.wait(Semaphore::kForever);
  return settled ? Turn::done : Turn::failed;
}

Coordinator::Turn Coordinator::free(Client& self, const std::string& token) {
  if (revokes_ == Revokes::before_freeing && !revoke_(token)) return Turn::failed;
  // An earlier delete that got no answer may be executed only now, and a further one would hit the
  // next holder of the lock. A read after a write of our own sees all earlier requests executed.
  // And a holder that is gone may have released the lock first.
  if (!ensemble(self).set_data(office_path_, token).ok()) return Turn::failed;
  const Answer held = ensemble(self).get_data(path_);
  if (held.code == Code::no_node || (held.ok() && held.data != token)) return Turn::done;
  if (!held.ok() || ensemble(self).session() != office_) return Turn::failed;
  if (!ensemble(self).remove(path_, Role::release).ok()) return Turn::failed;
  while (revokes_ == Revokes::after_freeing && !revoke_(token)) self.sleep(kPause);
  return Turn::done;
}

}  // namespace picklock::models::locks::zookeeper
