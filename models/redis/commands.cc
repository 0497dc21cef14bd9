#include "models/redis/commands.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstring>
#include <vector>

#include "sim/random.h"

namespace picklock::models::redis {
namespace {

// Of names in any case. What differs in a bit of 32 only may collide.
struct FoldedHash {
  std::size_t operator()(std::string_view name) const {
    constexpr std::uint64_t kLowerCase = 0x2020202020202020;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    if (name.size() >= 8) {
      std::memcpy(&begin, name.data(), 8);
      std::memcpy(&end, name.data() + name.size() - 8, 8);
    } else {
      for (const char letter : name) begin = begin << 8 | static_cast<unsigned char>(letter);
    }
    return sim::mixed((begin | kLowerCase) ^ (end | kLowerCase) * 31 ^ name.size());
  }
};
struct FoldedEqual {
  bool operator()(std::string_view one, std::string_view other) const {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
  }
};

// Known by name only: a script is told that it may not use them, not that there is no such (R77).
constexpr std::array kNamesOnly = {
    Command{"blpop", -3, kWrite | kNoScript | kBlocking, nullptr, {1, -2, 1}},
    Command{"wait", 3, kNoScript}};

const std::vector<const Command*>& everything() {
  static const std::vector<const Command*> all = [] {
    std::vector<const Command*> made;
    for (const auto group :
         {string_commands(), key_commands(), hash_commands(), list_commands(), set_commands(),
          sorted_set_commands(), script_commands(), connection_commands(), transaction_commands(),
          pubsub_commands(), server_commands(), std::span<const Command>(kNamesOnly)}) {
      for (const Command& command : group) made.push_back(&command);
    }
    return made;
  }();
  return all;
}

// The part of a subcommand's name behind its container's.
std::string_view own_name(const Command& subcommand) {
  return subcommand.name.substr(subcommand.name.find('|') + 1);
}

}  // namespace

std::span<const Command* const> all_commands() { return everything(); }

const Command* command_named(std::string_view name) {
  using Names =
      boost::unordered_flat_map<std::string_view, const Command*, FoldedHash, FoldedEqual>;
  static const Names by_name = [] {
    Names made;
    for (const Command* command : everything()) made.emplace(command->name, command);
    return made;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const Command* command_called(Argv argv) {
  const Command* command = command_named(argv[0]);
  if (command == nullptr || command->subcommands.empty() || argv.size() == 1) return command;
  for (const Command& subcommand : command->subcommands) {
    if (same_word(argv[1], own_name(subcommand))) return &subcommand;
  }
  return nullptr;
}

std::string upper(std::string_view word) {
  std::string text(word);
  for (char& letter : text) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 32);
  }
  return text;
}

void wrong_subcommand(Call& call) {
  call.reply.set_error("ERR unknown subcommand or wrong number of arguments for '" +
                       std::string(shown(call[1])) + "'. Try " + upper(call[0]) + " HELP.");
}

void set_help(Reply& reply, std::initializer_list<std::string_view> lines) {
  reply.set(Reply::Kind::array);
  for (std::string_view line : lines) reply.add().set_status(line);
}

}  // namespace picklock::models::redis
