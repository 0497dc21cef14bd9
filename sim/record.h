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
    hand_over(0);
    if (observer_ != nullptr) observer_->begin();
  }

  std::uint64_t seed() const { return seed_; }
  std::uint64_t events() const { return events_; }
  void count(std::int64_t at, std::uint64_t who) {
    ++events_;
    digest_.add(static_cast<std::uint64_t>(at) ^ who);
  }

  // In a traced run: the message that the present event hands over; 0: it hands over none.
  void hand_over(std::uint32_t message) {
    handed_over_ = message;
    handed_over_in_ = events_;
  }
  std::uint32_t handed_over() const { return handed_over_in_ == events_ ? handed_over_ : 0; }

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
  std::uint64_t handed_over_in_ = 0;
  std::uint32_t handed_over_ = 0;
};

}  // namespace picklock::sim
