// The tenures of a run: numbered when an acquire begins, ordered by the instant at which their
// grant took effect at the server, not by when the reply came back (architecture 8.1).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/history.h"

namespace picklock::models {

class Tenures {
 public:
  void reset(sim::KeyId lock_key) {
    lock_key_ = lock_key;
    order_.assign(1, 0);
    settled_.assign(1, false);
    granted_ = 0;
  }

  sim::TenureId begin() {
    order_.push_back(0);
    settled_.push_back(false);
    return static_cast<sim::TenureId>(order_.size() - 1);
  }

  // An entry came to be. Until the client has learned of success the latest one counts: an attempt
  // whose answer was lost is an orphan, and no grant. Keys beside the lock grant nothing.
  void granted(sim::TenureId tenure, sim::KeyId key) {
    if (tenure != 0 && key == lock_key_ && !settled_[tenure]) order_[tenure] = ++granted_;
  }
  void settle(sim::TenureId tenure) { settled_[tenure] = true; }

  // 1 for the first grant of the run; 0: none yet. The ideal fencing token.
  std::uint32_t order(sim::TenureId tenure) const { return order_[tenure]; }
  std::uint32_t grants() const { return granted_; }

 private:
  sim::KeyId lock_key_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<bool> settled_;
  std::uint32_t granted_ = 0;
};

}  // namespace picklock::models
