// The protocol between the lease store and its clients: a line of text each way, times in whole
// milliseconds.
//
//   OPEN TTL 10000 DELAY 15000     SESSION s1
//   KEEPALIVE s1                   ALIVE, GONE
//   ACQUIRE lock SESSION s1        GRANTED 7, HELD BY s2, DELAYED 14000, GONE
//   RELEASE lock SESSION s1        RELEASED, NOT HELD, GONE
//   WATCH lock FOR 5000            FREE, TAKEN
//   CLOSE s1                       CLOSED, GONE
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/locks/lock_options.h"
#include "sim/message.h"
#include "sim/trace.h"

namespace picklock::lease_store {

enum class Verb : std::uint8_t { open, keep_alive, acquire, release, watch, close };

struct Request {
  Verb verb{};
  std::string_view key{};
  std::string_view session{};
  Duration time{};  // TTL of a session; longest duration of a watch
  Duration lock_delay{};
};

void write(const Request& request, sim::Payload& payload);

// The texts of the request are views of `bytes`. Nothing: not a request.
std::optional<Request> read(std::string_view bytes);

// The number at the end of a line: the 7 of GRANTED 7. 0: there is none.
std::int64_t last_number(std::string_view line);

void append_number(sim::Payload& payload, std::int64_t number);

const sim::Protocol& protocol();

}  // namespace picklock::lease_store
