// What happens to real servers, as stories. What each of them may come to is in outcomes.txt.
#pragma once

#include <cstdint>
#include <vector>

#include "conform/redis/outcomes/situation.h"

namespace picklock::conform::redis::outcomes {

// By subject.
std::vector<Situation> stream_situations();       // what replicas are sent
std::vector<Situation> replica_situations();      // what a replica, and who promotes it, sees
std::vector<Situation> wait_situations();         // WAIT and min-replicas-to-write
std::vector<Situation> sentinel_situations();     // failover
std::vector<Situation> persistence_situations();  // and restart

std::vector<Situation> all_situations();

// One client's commands, and for each what it makes the server send its replicas.
Situation stream_of(const std::string& title, const std::string& facts,
                    const std::vector<Words>& commands);
// Commands that write, drawn from a seed. Nothing in them is left to the server's own chance.
std::vector<Words> random_writes(std::uint64_t seed, int count);
// What these make it send, while time passes and keys fall due.
Situation random_stream(std::uint64_t seed, int count);

}  // namespace picklock::conform::redis::outcomes
