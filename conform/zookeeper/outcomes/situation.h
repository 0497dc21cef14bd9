// A story of an ensemble that can be told to real servers and to simulated ones alike: a short
// program over both, and what may be seen on the way, put so coarsely that only what is told about
// ZooKeeper decides it, and not how busy a machine is.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conform/zookeeper/outcomes/side.h"

namespace picklock::conform::zookeeper::outcomes {

// The words that were seen of each step. One that is taken more than once may have several.
using Outcome = std::map<std::string, std::set<std::string>>;

struct Situation {
  std::string title;  // a sentence
  std::string facts;  // `Z45 Z46`
  Outcome (*tell)(Side& side);
  Outcome allowed;  // of each step at least one of these words, and no other
  // What only real servers may show as well; the model lacks it (docs/limitations.md).
  Outcome real_too{};
  bool quick = false;  // nobody fails, and no time has to pass
  std::uint32_t sync_limit = kLongSyncLimit;
};

std::vector<Situation> all_situations();

Outcome allowed_of_real(const Situation& situation);

bool allows(const Outcome& allowed, const Outcome& outcome);

// A line for each step: `write: ok`.
std::string shown(const Outcome& outcome);

}  // namespace picklock::conform::zookeeper::outcomes
