// Steps: what a command is for, whatever it is called. A fault is anchored to a role, so the same
// plan hits DEL in one algorithm and a script in its twin (architecture 8.8).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace picklock::models {

enum class Role : std::uint8_t {
  none,       // connection upkeep and other commands no plan can name
  acquire,    // asks for the lock
  renew,      // extends a lease that is held
  check,      // asks who holds the lock
  release,    // gives the lock back
  write,      // changes the protected resource, or keeps the work's progress
  subscribe,  // begins to wait for a message
  watch,      // begins to wait for a change
  upkeep,     // as none, whatever verb it is sent in: loads a script, asks after replicas
};

inline constexpr std::array<std::string_view, 8> kRoleNames = {
    "none", "acquire", "renew", "check", "release", "write", "subscribe", "watch"};

constexpr std::string_view name(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

constexpr std::optional<Role> role_named(std::string_view word) {
  for (std::size_t i = 1; i < kRoleNames.size(); ++i) {
    if (kRoleNames[i] == word) return static_cast<Role>(i);
  }
  return std::nullopt;
}

}  // namespace picklock::models
