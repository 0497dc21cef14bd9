// The tenures of a run: numbered when an acquire begins, ordered by the instant at which their
// grant took effect at the server, not by the arrival of the reply (architecture "Tenure").
#pragma once

#include <cstdint>
#include <vector>

#include "history/history.h"

namespace picklock::models {

class Tenures {
 public:
  // `lock_key`: the lock of tenures that name no other. `quorum`: how many servers' entries make a
  // grant of it.
  void reset(history::KeyId lock_key, std::uint32_t quorum = 1) {
    all_.assign(1, {.key = lock_key, .quorum = quorum, .arrived = Arrival::heard});
    granted_ = 0;
    holder_ = 0;
  }

  history::TenureId begin() { return begin(all_[0].key, all_[0].quorum); }
  // The same for another lock, or for a client with another quorum.
  history::TenureId begin(history::KeyId key, std::uint32_t quorum) {
    all_.push_back({.key = key, .quorum = quorum});
    return static_cast<history::TenureId>(all_.size() - 1);
  }

  // An entry was created. Until the client has learned of success the latest entry counts: an
  // attempt whose answer was lost is an orphan and no grant. Other keys than the tenure's grant
  // nothing.
  void granted(history::TenureId tenure, history::KeyId key) {
    One& one = all_[tenure];
    if (tenure == 0 || key != one.key) return;
    // After an attempt has lost its quorum, a new entry belongs to a later attempt.
    if (!one.settled && one.entries < one.quorum) one.order = 0;
    // On a single server every entry is a grant, regardless of the entries before it.
    const bool decides = one.quorum == 1 || ++one.entries == one.quorum;
    if (decides && !one.settled) one.order = ++granted_;
    if (decides) holder_ = tenure;
  }
  // A tenure that alters the entry of another becomes its owner. If it is still acquiring, that is
  // its grant: for example, the thread finds an entry that a lost release of its own has left.
  void altered(history::TenureId tenure, history::TenureId owner, history::KeyId key) {
    One& one = all_[tenure];
    if (tenure == 0 || tenure == owner || key != one.key) return;
    removed(owner, key);
    const bool decides = one.quorum == 1 || ++one.entries == one.quorum;
    if (!decides || one.settled || one.order != 0) return;
    one.order = ++granted_;
    holder_ = tenure;
  }
  void removed(history::TenureId owner, history::KeyId key) {
    One& one = all_[owner];
    if (owner != 0 && key == one.key && one.entries > 0) --one.entries;
  }
  // The tenure has learned of success. This decides its place in the order only if it has none yet:
  // it found an entry of an earlier attempt instead of creating one.
  void settle(history::TenureId tenure) {
    One& one = all_[tenure];
    one.settled = true;
    if (one.order == 0) one.order = ++granted_;
  }

  // Returns whether this is the first request of the tenure that any server has seen.
  bool arrives(history::TenureId tenure) {
    Arrival& arrived = all_[tenure].arrived;
    if (arrived != Arrival::none) return false;
    arrived = Arrival::unanswered;
    return true;
  }
  // A server has answered a request of the tenure. Returns whether this is the first answer that is
  // no error after errors: until then, nothing was requested.
  bool is_heard(history::TenureId tenure, bool error) {
    Arrival& arrival = all_[tenure].arrived;
    const bool after_errors = arrival == Arrival::refused && !error;
    if (arrival != Arrival::heard) arrival = error ? Arrival::refused : Arrival::heard;
    return after_errors;
  }
  history::TenureId holder() const { return holder_; }  // the tenure granted last
  // Returns the key of its lock; for no tenure, that of the first lock.
  history::KeyId key(history::TenureId tenure) const { return all_[tenure].key; }
  history::KeyId lock_key() const { return key(0); }

  // 1 for the first grant of the run; 0: none yet. The ideal fencing token.
  std::uint32_t order(history::TenureId tenure) const { return all_[tenure].order; }
  std::uint32_t grants() const { return granted_; }  // places given, also to attempts undone later

 private:
  enum class Arrival : std::uint8_t { none, unanswered, refused, heard };
  struct One {
    history::KeyId key = 0;
    std::uint32_t quorum = 1;
    std::uint32_t order = 0;
    std::uint32_t entries = 0;  // held now, of a quorum lock
    bool settled = false;
    Arrival arrived = Arrival::none;
  };

  std::vector<One> all_;  // by TenureId; 0 is no tenure
  std::uint32_t granted_ = 0;
  history::TenureId holder_ = 0;
};

}  // namespace picklock::models
