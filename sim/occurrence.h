// The occurrences of a run that the simulator itself reports: ends and starts of threads, processes
// and links, and the faults. Layers above record these occurrences among events of their own.
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace picklock::sim {

using ProcessId = std::uint32_t;  // index in the order of declaration
using ThreadId = std::uint32_t;   // counts every thread of the run from 1; 0: none
// A number that accompanies every message of a thread, outside its bytes. The simulator only
// carries it; the layers above give it a meaning. 0: none.
using Tag = std::uint32_t;

// The numbers are part of every digest. Other numbers belong to the events of the layers above.
enum class Occurred : std::uint8_t {
  thread_ended = 10,  // `thread` was ended by a fault while its process lives
  process_crashed,    // every thread of `process` is gone
  process_started,    // also after a restart
  link_cut,           // `process` and `peer` cannot talk (one event per direction: process to peer)
  link_healed,
  fault_fired,  // `fault` is the index of the fault in its plan; `process` is its target
  fault_ended,  // the fault is over; one without end counts as ended when it takes effect
};

struct Occurrence {
  Instant at{};
  Occurred what{};
  ProcessId process = 0;
  ProcessId peer = 0;
  ThreadId thread = 0;
  Tag tag = 0;
  std::uint32_t fault = 0;
  std::uint32_t request = 0;  // the message before whose sending a fault fired; for the trace
};

// Receives every occurrence of a run, in order, after the digest has it.
class Observer {
 public:
  virtual void begin() = 0;  // a new run: what was received before belongs to another one
  virtual void receive(const Occurrence& occurrence) = 0;

 protected:
  ~Observer() = default;
};

}  // namespace picklock::sim
