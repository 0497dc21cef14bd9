// The history that a server's data are a state of: the stream of effects that its primary sends and
// its replicas apply. A server that leads continues the history of its former primary under a new
// id (R45).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "models/redis/backlog.h"
#include "sim/random.h"

namespace picklock::redis {

struct Stream {
  static constexpr std::size_t kIdLength = 40;
  static constexpr std::uint64_t kPhases = 10;

  std::string id;
  std::string former_id;  // of the history that this one continues after former_until
  std::int64_t former_until = -1;
  std::int64_t offset = 0;
  Backlog backlog;

  void reset(std::uint64_t seed, std::uint64_t server) {
    seed_ = seed;
    server_ = server;
    drawn_ = false;
  }
  // The incarnation is over.
  void end() {
    id.assign(kIdLength, '0');
    forget_former();
    offset = 0;
    backlog.end();
  }
  // A lone server needs no id and no phase of its rounds, so both are drawn when first needed.
  void draw() {
    if (drawn_) return;
    drawn_ = true;
    chance_ = sim::Random(seed_, sim::mixed(server_ ^ sim::hash_of("replication")));
    id = fresh_id();
    phase_ = chance_.below(kPhases);
  }
  std::string fresh_id() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string fresh(kIdLength, '0');
    for (char& digit : fresh) digit = kDigits[chance_.below(16)];
    return fresh;
  }
  // Replicas resume from here and need not be sent everything.
  void branch(std::string to) {
    former_id = std::exchange(id, std::move(to));
    former_until = offset + 1;
  }
  void forget_former() {
    former_id.assign(kIdLength, '0');
    former_until = -1;
  }
  bool reaches(std::string_view history, std::int64_t from) const {
    const bool ours = history == id || (history == former_id && from <= former_until);
    return ours && backlog.reaches(from);
  }
  sim::Random& chance() { return chance_; }
  std::uint64_t phase() const { return phase_; }

 private:
  std::uint64_t seed_ = 0;
  std::uint64_t server_ = 0;
  bool drawn_ = false;
  sim::Random chance_;
  std::uint64_t phase_ = 0;
};

}  // namespace picklock::redis
