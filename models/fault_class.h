// Classes of faults: the columns of the safety table (docs/facts/failures.md section 5). A lock
// promises a property under some of them; a search draws from those it is given.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace picklock::models {

enum class FaultClass : std::uint8_t {
  pause,         // F1: the client stands still beyond its lease
  late_write,    // F2a: a write to the resource is late
  late_command,  // F2b: a lock request or its answer is late
  client_clock,  // F3
  server_clock,  // F4
  failover,      // F5
  amnesia,       // F6: a server restarts without its data
  partition,     // F7
  lost_reply,    // F8
  crash,         // F9, and thread death
};

inline constexpr std::size_t kFaultClassCount = 10;
inline constexpr std::array<std::string_view, kFaultClassCount> kFaultClassNames = {
    "pause",    "late-write", "late-command", "client-clock", "server-clock",
    "failover", "amnesia",    "partition",    "lost-reply",   "crash"};

constexpr std::string_view name(FaultClass one) {
  return kFaultClassNames[static_cast<std::size_t>(one)];
}

// A set of classes, as a bit mask. The empty set is the undisturbed run, class `none`.
class FaultClasses {
 public:
  constexpr FaultClasses() = default;
  constexpr FaultClasses(std::initializer_list<FaultClass> some) {
    for (FaultClass one : some) bits_ |= bit(one);
  }
  static constexpr FaultClasses all() {
    FaultClasses every;
    every.bits_ = (1u << kFaultClassCount) - 1;
    return every;
  }
  constexpr FaultClasses without(std::initializer_list<FaultClass> some) const {
    FaultClasses rest = *this;
    for (FaultClass one : some) rest.bits_ &= ~bit(one);
    return rest;
  }
  constexpr void add(FaultClass one) { bits_ |= bit(one); }
  constexpr bool has(FaultClass one) const { return (bits_ & bit(one)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool covers(FaultClasses others) const { return (others.bits_ & ~bits_) == 0; }

 private:
  static constexpr unsigned bit(FaultClass one) { return 1u << static_cast<unsigned>(one); }
  unsigned bits_ = 0;
};

}  // namespace picklock::models
