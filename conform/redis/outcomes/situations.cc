#include "conform/redis/outcomes/situations.h"

#include <iterator>
#include <utility>

namespace picklock::conform::redis::outcomes {

std::vector<Situation> all_situations() {
  std::vector<Situation> all;
  for (auto* const subject : {stream_situations, replica_situations, wait_situations,
                              sentinel_situations, persistence_situations}) {
    std::vector<Situation> some = subject();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace picklock::conform::redis::outcomes
