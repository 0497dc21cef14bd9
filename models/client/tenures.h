// The tenures of a run: numbered when an acquire begins, ordered by the instant at which their
// grant took effect at the server, not by the arrival of the reply (architecture "Tenure").
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
    arrived_.assign(1, Arrival::heard);
    granted_ = 0;
    holder_ = 0;
  }

  history::TenureId begin() {
    order_.push_back(0);
    entries_.push_back(0);
    settled_.push_back(false);
    arrived_.push_back(Arrival::none);
    return static_cast<history::TenureId>(order_.size() - 1);
  }

  // An entry was created. Until the client has learned of success the latest entry counts: an
  // attempt whose answer was lost is an orphan and no grant. Other keys than the lock's grant
  // nothing.
  void granted(history::TenureId tenure, history::KeyId key) {
    if (tenure == 0 || key != lock_key_) return;
    // After an attempt has lost its quorum, a new entry belongs to a later attempt.
    if (!settled_[tenure] && entries_[tenure] < quorum_) order_[tenure] = 0;
    // On a single server every entry is a grant, regardless of the entries before it.
    const bool decides = quorum_ == 1 || ++entries_[tenure] == quorum_;
    if (decides && !settled_[tenure]) order_[tenure] = ++granted_;
    if (decides) holder_ = tenure;
  }
  // A tenure that alters the entry of another becomes its owner. If it is still acquiring, that is
  // its grant: for example, the thread finds an entry that a lost release of its own has left.
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
  // The tenure has learned of success. This decides its place in the order only if it has none yet:
  // it found an entry of an earlier attempt instead of creating one.
  void settle(history::TenureId tenure) {
    settled_[tenure] = true;
    if (order_[tenure] == 0) order_[tenure] = ++granted_;
  }

  // Returns whether this is the first request of the tenure that any server has seen.
  bool arrives(history::TenureId tenure) {
    if (arrived_[tenure] != Arrival::none) return false;
    arrived_[tenure] = Arrival::unanswered;
    return true;
  }
  // A server has answered a request of the tenure. Returns whether this is the first answer that is
  // no error after errors: until then, nothing was requested.
  bool is_heard(history::TenureId tenure, bool error) {
    Arrival& arrival = arrived_[tenure];
    const bool after_errors = arrival == Arrival::refused && !error;
    if (arrival != Arrival::heard) arrival = error ? Arrival::refused : Arrival::heard;
    return after_errors;
  }
  history::TenureId holder() const { return holder_; }  // the tenure granted last
  history::KeyId lock_key() const { return lock_key_; }

  // 1 for the first grant of the run; 0: none yet. The ideal fencing token.
  std::uint32_t order(history::TenureId tenure) const { return order_[tenure]; }
  std::uint32_t grants() const { return granted_; }  // places given, also to attempts undone later

 private:
  enum class Arrival : std::uint8_t { none, unanswered, refused, heard };

  history::KeyId lock_key_ = 0;
  std::uint32_t quorum_ = 1;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> entries_;  // held now, of a quorum lock
  std::vector<bool> settled_;
  std::vector<Arrival> arrived_;
  std::uint32_t granted_ = 0;
  history::TenureId holder_ = 0;
};

}  // namespace picklock::models
