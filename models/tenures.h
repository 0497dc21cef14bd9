// The tenures of a run: numbered when an acquire begins, ordered by the instant at which their
// grant took effect at the server, not by when the reply came back (architecture "Tenure").
#pragma once

#include <cstdint>
#include <vector>

#include "history/history.h"

namespace picklock::models {

class Tenures {
 public:
  // `quorum`: how many servers' entries make a grant.
  void reset(history::KeyId lock_key, std::uint32_t quorum = 1) {
    lock_key_ = lock_key;
    quorum_ = quorum;
    order_.assign(1, 0);
    entries_.assign(1, 0);
    settled_.assign(1, false);
    arrived_.assign(1, true);
    granted_ = 0;
    holder_ = 0;
  }

  history::TenureId begin() {
    order_.push_back(0);
    entries_.push_back(0);
    settled_.push_back(false);
    arrived_.push_back(false);
    return static_cast<history::TenureId>(order_.size() - 1);
  }

  // An entry came to be. Until the client has learned of success the latest one counts: an attempt
  // whose answer was lost is an orphan, and no grant. Keys beside the lock grant nothing.
  void granted(history::TenureId tenure, history::KeyId key) {
    if (tenure == 0 || key != lock_key_) return;
    // Once an attempt has lost its quorum, what comes to be is that of a later one.
    if (!settled_[tenure] && entries_[tenure] < quorum_) order_[tenure] = 0;
    // Of a single server's entries each is a grant, whatever became of those before.
    const bool decides = quorum_ == 1 || ++entries_[tenure] == quorum_;
    if (decides && !settled_[tenure]) order_[tenure] = ++granted_;
    if (decides) holder_ = tenure;
  }
  // Whoever alters what another has is taken for its owner: to one that still asks, as a thread
  // that comes upon what an earlier release of its own has left, that is the grant.
  void altered(history::TenureId tenure, history::TenureId owner, history::KeyId key) {
    if (tenure == 0 || tenure == owner || key != lock_key_) return;
    removed(owner, key);
    const bool decides = quorum_ == 1 || ++entries_[tenure] == quorum_;
    if (!decides || settled_[tenure] || order_[tenure] != 0) return;
    order_[tenure] = ++granted_;
    holder_ = tenure;
  }
  void removed(history::TenureId owner, history::KeyId key) {
    if (owner != 0 && key == lock_key_ && entries_[owner] > 0) --entries_[owner];
  }
  // It has learned of success. The one case in which that decides its place: one that was granted
  // entries which it found, as a retry finds those of the attempt before it, has its place in the
  // order from now on.
  void settle(history::TenureId tenure) {
    settled_[tenure] = true;
    if (order_[tenure] == 0) order_[tenure] = ++granted_;
  }

  // Whether this is its first request that any server has seen.
  bool arrives(history::TenureId tenure) {
    if (arrived_[tenure]) return false;
    return arrived_[tenure] = true;
  }
  history::TenureId holder() const { return holder_; }  // who was granted last
  history::KeyId lock_key() const { return lock_key_; }

  // 1 for the first grant of the run; 0: none yet. The ideal fencing token.
  std::uint32_t order(history::TenureId tenure) const { return order_[tenure]; }
  std::uint32_t grants() const { return granted_; }

 private:
  history::KeyId lock_key_ = 0;
  std::uint32_t quorum_ = 1;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> entries_;  // held now, of a quorum lock
  std::vector<bool> settled_;
  std::vector<bool> arrived_;
  std::uint32_t granted_ = 0;
  history::TenureId holder_ = 0;
};

}  // namespace picklock::models
