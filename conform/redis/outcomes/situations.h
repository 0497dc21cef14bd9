// The situations of real servers. Their allowed outcomes are in outcomes.txt.
#pragma once

#include <cstdint>
#include <vector>

#include "conform/redis/outcomes/situation.h"

namespace picklock::conform::redis::outcomes {

// By subject.
std::vector<Situation> stream_situations();       // the stream to replicas
std::vector<Situation> replica_situations();      // a replica and its promotion
std::vector<Situation> wait_situations();         // WAIT and min-replicas-to-write
std::vector<Situation> sentinel_situations();     // failover
std::vector<Situation> persistence_situations();  // persistence and restart

std::vector<Situation> all_situations();

// Commands of one client, and for each what the server then sends its replicas.
Situation stream_of(const std::string& title, const std::string& facts,
                    const std::vector<Words>& commands);
// Draws commands that write from a seed. Their effects do not depend on the server's own chance.
std::vector<Words> random_writes(std::uint64_t seed, int count);
// The stream that these commands cause while time passes and keys expire.
Situation random_stream(std::uint64_t seed, int count);

}  // namespace picklock::conform::redis::outcomes
