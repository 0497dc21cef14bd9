// Shared by the tests that every key of a file has an effect: runs with a key and without it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keys/bad_input.h"
#include "models/locks/algorithm.h"
#include "scenarios/document.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"

namespace picklock::scenarios {

using Changes = std::vector<std::string>;

struct Situation {
  Changes changes;
  std::string faults;
};

inline std::string fault(std::string_view keys) { return fmt::format("[[fault]]\n{}\n", keys); }

// nullopt: the loader refuses it.
inline std::optional<std::uint64_t> digest(const models::Algorithm& lock,
                                           const Situation& situation, const Changes& changes) {
  Document document(
      fmt::format("format = 1\n[lock]\nalgorithm = '{}'\n{}", lock.name, situation.faults), "a");
  try {
    for (const Changes* some : {&situation.changes, &changes}) {
      for (const std::string& text : *some) {
        const Change change = change_from(text);
        constexpr std::string_view kLock = "lock.";
        const bool of_lock = change.path.starts_with(kLock);
        if (!of_lock || models::takes(lock, change.path.substr(kLock.size()))) document.set(change);
      }
    }
    const Scenario scenario = document.scenario(shipped_vocabulary());
    World world;
    world.set(scenario);
    world.run(1);
    return world.digest();
  } catch (const keys::BadInput&) {
    return std::nullopt;
  }
}

// The words of a key that is one of several; none: it is another key.
inline Changes words_of_type(const std::string& type) {
  constexpr std::string_view kOneOf = "one of ";
  Changes words;
  if (!type.starts_with(kOneOf)) return words;
  for (std::size_t at = kOneOf.size(); at < type.size();) {
    const std::size_t end = std::min(type.find(", ", at), type.size());
    words.push_back(type.substr(at, end - at));
    at = end + 2;
  }
  return words;
}

}  // namespace picklock::scenarios
