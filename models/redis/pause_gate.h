// CLIENT PAUSE: which commands are held back, and until when (R107). When the pause ends, the gate
// lets the command loop and the direct commands go on with what they hold.
#pragma once

#include <cstdint>

#include "models/redis/commands.h"
#include "models/redis/parts.h"
#include "sim/service.h"

namespace picklock::redis {

// The commands that CLIENT PAUSE holds back.
enum class Pause : std::uint8_t { none, writes, all };

class PauseGate {
 public:
  explicit PauseGate(const Parts& parts)
      : service_(parts.service),
        keys_(parts.keys),
        executor_(parts.executor),
        loop_(parts.loop),
        direct_(parts.direct) {}

  void reset();  // for a new run
  void halted() { held_back_ = Pause::none; }
  void clock_changed();

  Pause held_back() const { return held_back_; }
  bool open() const { return held_back_ == Pause::none; }
  // Whether a command with these flags must wait.
  bool holds_back(std::uint32_t flags) const {
    return !open() && (held_back_ == Pause::all || (flags & (kWrite | kMayReplicate)) != 0);
  }

  // If clients are paused already, the later end and the stricter kind count. `until_ms` is on the
  // server's wall clock.
  void pause(std::int64_t until_ms, Pause what);
  // CLIENT UNPAUSE: what is held goes on after the command under way.
  void unpause();
  // Ends the pause if its time is up.
  void look_at_clock();
  // Held requests go on as an event of its own.
  void release_later();

 private:
  bool is_over() const;
  void await_end();
  void end();
  void on_end();

  const sim::Service& service_;
  Keyspace& keys_;
  Executor& executor_;
  CommandLoop& loop_;
  DirectCommands& direct_;
  Pause held_back_ = Pause::none;
  std::int64_t until_ms_ = 0;
  sim::Timer timer_;
};

}  // namespace picklock::redis
