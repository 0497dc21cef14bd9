// Redis's serialization protocol: requests as arrays of bulk strings, replies as they leave a real
// server, in version 2 or, after HELLO 3, version 3. The simulated network carries these bytes, so
// scripts, a socket and comparisons with a real server all use the same code.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "picklock/redis.h"
#include "sim/message.h"
#include "sim/trace.h"

namespace picklock::redis {

void write_request(sim::Payload& out, std::span<const std::string_view> argv);
// Fills `argv` with views into `bytes`. False: not a complete, well-formed request.
bool read_request(std::string_view bytes, std::vector<std::string_view>& argv);
// The same for the first of several requests, which is taken off the front.
bool take_request(std::string_view& bytes, std::vector<std::string_view>& argv);

void write_reply(sim::Payload& out, const Reply& reply, unsigned protocol = 2);
// The parts of a reply, for answers that are written piece by piece.
void write_array(sim::Payload& out, std::size_t elements);
void write_push(sim::Payload& out, std::size_t elements, unsigned protocol);
void write_bulk(sim::Payload& out, std::string_view bytes);
void write_integer(sim::Payload& out, std::int64_t value);
void write_nil(sim::Payload& out, unsigned protocol);

// Takes one reply of either version off the front of `bytes`. False: it is incomplete or not
// well-formed.
bool read_reply(std::string_view& bytes, Reply& reply);

// Describes requests and replies in reports: `SET lock:1 4f2a NX PX 10000`, `OK`, `nil`, `1`.
const sim::Protocol& protocol();
// The same as a background protocol, for Sentinels, which watch servers as long as they live.
const sim::Protocol& watch_protocol();
// The protocol of the link between a replica and its master, on which both send requests.
const sim::Protocol& replication_protocol();

}  // namespace picklock::redis
