// Common parts of the locks on ZooKeeper: waiting for a znode to change, stopping a holder when the
// state of its connection requires it, and repeating a request whose answer was lost.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/locks/lock_options.h"
#include "models/locks/zookeeper/options.h"
#include "models/zookeeper/names.h"
#include "picklock/lock.h"
#include "picklock/zookeeper.h"

namespace picklock::models::locks::zookeeper {

using picklock::zookeeper::Answer;
using picklock::zookeeper::child_of;
using picklock::zookeeper::Code;
using picklock::zookeeper::CreateMode;
using picklock::zookeeper::EventType;
using picklock::zookeeper::SessionId;
using picklock::zookeeper::State;

// The session that the threads of this process share.
inline picklock::zookeeper::Client& ensemble(Client& self) {
  return self.connection<picklock::zookeeper::Client>();
}

// Rings when a watch fires or the connection changes. Shared with the watch, which may outlive the
// waiting thread.
class Bell {
 public:
  explicit Bell(Client& self, Awaits what = Awaits::news) : state_(std::make_shared<Heard>()) {
    state_->rung = self.semaphore(what);
  }
  picklock::zookeeper::Watch watch() const {
    return [state = state_](const picklock::zookeeper::Told& told) {
      state->type = told.type;
      state->rung->release();
    };
  }
  Semaphore::Woken wait(Duration patience) const { return state_->rung->acquire(patience); }
  bool deleted() const { return state_->type == EventType::deleted; }

 private:
  struct Heard {
    std::unique_ptr<Semaphore> rung;
    EventType type = EventType::none;
  };
  std::shared_ptr<Heard> state_;
};

// Tells holders that they have lost their locks, as soon as the connection reports it.
class Guards {
 public:
  void start(Client& self, const Lease& lease, StopsAt stops_at);
  void stop(Client& self, const Lease& lease);

 private:
  struct Guard {
    std::shared_ptr<Semaphore> alarm;
    std::uint64_t listener = 0;
    bool over = false;
  };
  std::map<std::string, std::shared_ptr<Guard>> guards_;  // by token
};

// The children of a lock's znode that wait for it or hold it, first come first. Children of the
// same number stay in the order in which the server lists them.
std::vector<std::string> in_order(std::vector<std::string> children, OrderBy order_by);

// The first name with this prefix, which is the one that a library takes.
std::vector<std::string>::const_iterator first_named(const std::vector<std::string>& children,
                                                     std::string_view prefix);

// Repeats the request until there is an answer, as often as the options say, and with their pauses.
template <typename Ask>
Answer insist(Client& self, const LockOptions& options, Ask ask) {
  Answer answer = ask();
  for (std::uint32_t copies = 1; answer.unknown() && copies <= options.resend; ++copies) {
    if (options.resend_delay > Duration::zero()) {
      const Duration whole =
          longest_resend_pause(options.resend_delay, options.resend_delay_most, copies);
      self.sleep(self.random_between(whole / 2, whole));
    }
    answer = ask();
  }
  return answer;
}

}  // namespace picklock::models::locks::zookeeper
