// A server's transaction log and its two epochs, on the disk of its machine. Appended entries
// survive a crash of the process; fsynced ones also survive a loss of power.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/zookeeper/proposal.h"
#include "sim/fault.h"

namespace picklock::zookeeper {

class Log {
 public:
  void reset();
  // The machine has lost everything that `keeps` does not name.
  void restart(sim::Keeps keeps);

  void append(const Proposal& proposal) { proposals_.push_back(proposal); }
  // The first `count` proposals are on disk.
  void fsynced(std::size_t count);
  // Removes the proposals after `zxid`, which were never committed.
  void truncate(Zxid zxid);

  std::span<const Proposal> proposals() const { return proposals_; }
  std::size_t size() const { return proposals_.size(); }
  std::size_t safe() const { return safe_; }
  const Proposal& operator[](std::size_t index) const { return proposals_[index]; }
  Zxid last() const { return proposals_.empty() ? 0 : proposals_.back().zxid; }
  // The number of proposals at or before `zxid`.
  std::size_t up_to(Zxid zxid) const;

  // Kept in files of their own, fsynced as they are written (Zab: acceptedEpoch, currentEpoch).
  std::int64_t accepted_epoch() const { return accepted_epoch_; }
  std::int64_t current_epoch() const { return current_epoch_; }
  void accept(std::int64_t epoch) { accepted_epoch_ = epoch; }
  void enter(std::int64_t epoch) { current_epoch_ = epoch; }

 private:
  std::vector<Proposal> proposals_;
  std::size_t safe_ = 0;
  std::int64_t accepted_epoch_ = 0;
  std::int64_t current_epoch_ = 0;
};

}  // namespace picklock::zookeeper
