// The record of a run: its seed, the number of its events, its digest, and a trace if asked for. An
// observer receives its occurrences.
#pragma once

#include "sim/digest.h"
#include "sim/tracer.h"

namespace picklock::sim {

class Record {
 public:
  void reset(std::uint64_t seed, bool tracing) {
    seed_ = seed;
    events_ = 0;
    digest_.reset(seed);
    tracer_.reset(tracing);
    if (observer_ != nullptr) observer_->begin();
  }

  std::uint64_t seed() const { return seed_; }
  std::uint64_t events() const { return events_; }
  void count(std::int64_t at, std::uint64_t who) {
    ++events_;
    digest_.add(static_cast<std::uint64_t>(at) ^ who);
  }

  Digest& digest() { return digest_; }
  const Digest& digest() const { return digest_; }
  Tracer& tracer() { return tracer_; }
  const Tracer& tracer() const { return tracer_; }

  void report(const Occurrence& occurrence);
  // The observer must outlive the runs.
  void set_observer(Observer* observer) { observer_ = observer; }

 private:
  std::uint64_t events_ = 0;
  Digest digest_;
  Tracer tracer_;
  Observer* observer_ = nullptr;
  std::uint64_t seed_ = 0;
};

}  // namespace picklock::sim
