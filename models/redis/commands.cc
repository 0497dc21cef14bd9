#include "models/redis/commands.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

namespace picklock::models::redis {
namespace {

constexpr std::size_t kLongestName = 24;

// Known by name only: a script is told that it may not use them, not that there is no such (R77).
constexpr std::array kNamesOnly = {
    Command{"subscribe", -2, kNoScript}, Command{"multi", 1, kNoScript},
    Command{"blpop", -3, kNoScript},     Command{"wait", 3, kNoScript},
    Command{"config", -2, kNoScript},    Command{"client", -2, kNoScript},
    Command{"debug", -2, kNoScript}};

const std::vector<const Command*>& everything() {
  static const std::vector<const Command*> all = [] {
    std::vector<const Command*> made;
    for (const auto group :
         {string_commands(), key_commands(), hash_commands(), list_commands(), set_commands(),
          sorted_set_commands(), script_commands(), std::span<const Command>(kNamesOnly)}) {
      for (const Command& command : group) made.push_back(&command);
    }
    return made;
  }();
  return all;
}

}  // namespace

std::span<const Command* const> all_commands() { return everything(); }

const Command* command_named(std::string_view name) {
  static const boost::unordered_flat_map<std::string_view, const Command*> by_name = [] {
    boost::unordered_flat_map<std::string_view, const Command*> made;
    for (const Command* command : everything()) made.emplace(command->name, command);
    return made;
  }();
  if (name.size() > kLongestName) return nullptr;
  std::array<char, kLongestName> folded;
  std::transform(name.begin(), name.end(), folded.begin(), lower);
  const auto found = by_name.find(std::string_view(folded.data(), name.size()));
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace picklock::models::redis
