#include "models/redis/commands.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "sim/random.h"

namespace picklock::models::redis {
namespace {

// Of names in any case; what differs only in letters that are not looked at is told apart below.
struct FoldedHash {
  std::size_t operator()(std::string_view name) const {
    if (name.empty()) return 0;
    std::uint64_t letters = name.size();
    for (const char letter : {name.front(), name[name.size() / 2], name.back()})
      letters = letters << 8 | static_cast<unsigned char>(lower(letter));
    return sim::mixed(letters);
  }
};
struct FoldedEqual {
  bool operator()(std::string_view one, std::string_view other) const {
    if (one.size() != other.size()) return false;
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (one[i] != other[i] && lower(one[i]) != lower(other[i])) return false;
    }
    return true;
  }
};

// Known by name only: a script is told that it may not use them, not that there is no such (R77).
constexpr std::array kFunction = {
    Command{"function|delete", 3, kNoScript},   Command{"function|dump", 2, kNoScript},
    Command{"function|flush", -2, kNoScript},   Command{"function|kill", 2, kNoScript},
    Command{"function|list", -2, kNoScript},    Command{"function|load", -3, kNoScript},
    Command{"function|restore", -3, kNoScript}, Command{"function|stats", 2, kNoScript}};
constexpr std::array kNamesOnly = {
    Command{"blpop", -3, kWrite | kNoScript | kBlocking, nullptr, {1, -2, 1}},
    Command{"wait", 3, kNoScript}, Command{"function", -2, kNoScript, nullptr, {}, kFunction}};

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
