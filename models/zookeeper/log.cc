#include "models/zookeeper/log.h"

#include <algorithm>

namespace picklock::zookeeper {

void Log::reset() {
  proposals_.clear();
  safe_ = 0;
  accepted_epoch_ = current_epoch_ = 0;
}

void Log::restart(sim::Keeps keeps) {
  if (keeps == sim::Keeps::none) {
    reset();
    return;
  }
  if (keeps == sim::Keeps::fsynced) proposals_.resize(safe_);
  safe_ = proposals_.size();
}

void Log::fsynced(std::size_t count) {
  safe_ = std::max(safe_, std::min(count, proposals_.size()));
}

void Log::truncate(Zxid zxid) {
  proposals_.resize(up_to(zxid));
  safe_ = std::min(safe_, proposals_.size());
}

std::size_t Log::up_to(Zxid zxid) const {
  const auto behind =
      std::upper_bound(proposals_.begin(), proposals_.end(), zxid,
                       [](Zxid limit, const Proposal& proposal) { return limit < proposal.zxid; });
  return static_cast<std::size_t>(behind - proposals_.begin());
}

}  // namespace picklock::zookeeper
