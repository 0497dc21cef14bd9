#include "models/client/pool.h"

#include <algorithm>

namespace picklock::models {

// A thread that is killed while it waits leaves the queue. If it has just been woken for a
// connection, the next thread is woken instead.
class Pool::Leaving {
 public:
  Leaving(Pool& pool, sim::Thread* thread) : pool_(pool), thread_(thread) {}
  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;
  ~Leaving() {
    if (!leaves_) return;
    std::erase(pool_.queue_, thread_);
    pool_.wake_next();
  }
  void stays() { leaves_ = false; }

 private:
  Pool& pool_;
  sim::Thread* thread_;
  bool leaves_ = true;
};

void Pool::reset(sim::Scheduler& scheduler, sim::Process& self, std::size_t size) {
  scheduler_ = &scheduler;
  self_ = &self;
  lent_to_.resize(size);
  forget();
}

void Pool::forget() {
  std::fill(lent_to_.begin(), lent_to_.end(), sim::ThreadId{0});
  queue_.clear();
}

std::optional<std::size_t> Pool::idle(const std::function<bool(std::size_t)>& suits) const {
  std::optional<std::size_t> any;
  for (std::size_t i = 0; i < lent_to_.size(); ++i) {
    if (lent_to_[i] != 0) continue;
    if (!suits || suits(i)) return i;
    if (!any) any = i;
  }
  return any;
}

std::optional<std::size_t> Pool::borrow(sim::Duration patience,
                                        const std::function<bool(std::size_t)>& suits) {
  const std::int64_t limit =
      scheduler_->local_time(*self_, sim::ClockKind::monotonic) + patience.count();
  sim::Thread* const me = scheduler_->running();
  for (bool queued = false;;) {
    const std::optional<std::size_t> one = idle(suits);
    const bool my_turn = queued ? queue_.front() == me : queue_.empty();
    if (one && my_turn) {
      if (queued) queue_.pop_front();
      lent_to_[*one] = me->id();
      // Another may have become free at the same time.
      wake_next();
      return one;
    }
    if (!queued) queue_.push_back(me);
    queued = true;
    Leaving leaving(*this, me);
    if (!scheduler_->park_patiently(limit)) return std::nullopt;
    leaving.stays();
  }
}

void Pool::give_back(std::size_t one) {
  lent_to_[one] = 0;
  wake_next();
}

bool Pool::is_lost() const {
  return std::all_of(lent_to_.begin(), lent_to_.end(), [this](sim::ThreadId id) {
    const sim::Thread* const thread = id == 0 ? nullptr : sim::Threads::find(*self_, id);
    return id != 0 && (thread == nullptr || thread->killed());
  });
}

void Pool::wake_next() {
  if (!queue_.empty() && idle({})) scheduler_->threads().wake(*queue_.front());
}

}  // namespace picklock::models
