// A story of an ensemble that runs on real and on simulated servers alike: a short program over
// both, and its allowed observations. They are so coarse that only the rules of ZooKeeper decide
// them, not the load of the machine.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conform/zookeeper/outcomes/side.h"

namespace picklock::conform::zookeeper::outcomes {

// The words observed at each step. A step that is taken more than once may have several.
using Outcome = std::map<std::string, std::set<std::string>>;

struct Situation {
  std::string title;  // a sentence
  std::string facts;  // `Z45 Z46`
  Outcome (*tell)(Side& side);
  Outcome allowed;  // each step has at least one of these words, and no other
  // Words that only real servers may show; the model lacks them (docs/limitations.md).
  Outcome real_too{};
  bool quick = false;  // no server fails, and no time has to pass
  std::uint32_t sync_limit = kLongSyncLimit;
};

std::vector<Situation> all_situations();

Outcome allowed_of_real(const Situation& situation);

bool allows(const Outcome& allowed, const Outcome& outcome);

// A line for each step: `write: ok`.
std::string shown(const Outcome& outcome);

}  // namespace picklock::conform::zookeeper::outcomes
