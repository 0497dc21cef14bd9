// The properties by name. What they mean: architecture 8.18 and docs/architecture.md; how they are
// judged: properties/. They are named here because every lock declares which of them it promises.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace picklock::models {

enum class Property : std::uint8_t {
  mutual_exclusion,
  resource_exclusion,
  no_stale_write,
  own_release,
  balanced_holds,
  loss_noticed,
  not_stuck,
  no_deadlock,
  no_lost_wakeup,
  bounded_wakeups,
  fair_order,
  available,
};

inline constexpr std::size_t kPropertyCount = 12;

inline constexpr std::array<std::string_view, kPropertyCount> kPropertyNames = {
    "mutual-exclusion", "resource-exclusion", "no-stale-write", "own-release",
    "balanced-holds",   "loss-noticed",       "not-stuck",      "no-deadlock",
    "no-lost-wakeup",   "bounded-wakeups",    "fair-order",     "available"};

constexpr std::string_view name(Property property) {
  return kPropertyNames[static_cast<std::size_t>(property)];
}

constexpr std::optional<Property> property_named(std::string_view word) {
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    if (kPropertyNames[i] == word) return static_cast<Property>(i);
  }
  return std::nullopt;
}

}  // namespace picklock::models
