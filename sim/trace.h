// The full record of a run, for reports: every message, wake-up and change of a process in order,
// and between them the events of the layers above. It is written only on request, as fixed binary
// records and raw message bytes; text is made from it afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/occurrence.h"
#include "sim/role.h"

namespace picklock::sim {

enum class TraceKind : std::uint8_t {
  sent,       // `process` sent `message` to `peer`
  delivered,  // it reached the socket of `peer`
  lost,       // it never will: dropped, or its receiver or connection is gone
  held,       // the network holds it (partition, hold)
  timed_out,  // the sender of request `message` stopped waiting for the answer
  reset,      // the connection of `process` with `peer` broke
  connected,  // a new connection of `process` to `peer` is open
  woke,       // a thread of `process` ended its wait because `message` came
  paused,     // `process` runs nothing from here
  resumed,
  crashed,
  started,
  clock_set,  // the wall clock or the rates of `process` changed
  told,       // a server reports on itself, for readers: "becomes a replica of redis-2"
  mark,       // a thread passed a named mark; the name is the payload
  recorded,   // event number `message` of what the layers above record
  copied,     // a fault repeats a message of `process` to `peer`, which has sent it once
  signalled,  // `peer` asks `process` for a connection, or has closed its end of one
};

struct TraceRecord {
  Instant at{};
  TraceKind kind{};
  Role role{};                // of a message
  bool reply = false;         // a message from server to client
  std::uint8_t protocol = 0;  // index into Trace::protocols, for the payload of a message
  ProcessId process = 0;
  ProcessId peer = 0;
  std::uint32_t message = 0;  // number of the message in the run: the same in sent, delivered, lost
  // The message that this one answers; 0: a request, or unasked. Of a recorded fault: the request
  // before whose sending it fired.
  std::uint32_t answers = 0;
  Tag tag = 0;
  std::uint32_t payload_at = 0;  // its bytes in Trace::bytes (records of kind sent, told and mark)
  std::uint32_t payload_size = 0;
};

// How the bytes of one protocol read, e.g. `SET key:1 4f2a NX PX 10000`.
struct Protocol {
  std::string_view name{};
  std::string (*describe)(std::string_view payload, bool reply) = nullptr;
  // The command of a request, e.g. `DEL`, for faults that are narrowed to one; empty: it has none.
  std::string_view (*command)(std::string_view payload) = nullptr;
  // The meaning of an answer whose words do not say it, e.g. `refused`; empty: they do.
  std::string_view (*gloss)(std::string_view request, std::string_view answer) = nullptr;
  // Servers exchange these messages as long as they live, so a run does not wait for them.
  bool background = false;
};

struct Trace {
  std::vector<TraceRecord> records;
  std::string bytes;
  std::vector<const Protocol*> protocols;

  std::string_view payload(const TraceRecord& record) const {
    return std::string_view(bytes).substr(record.payload_at, record.payload_size);
  }
};

}  // namespace picklock::sim
