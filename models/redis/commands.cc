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
    Command{"blpop", -3, kWrite | kNoScript | kBlocking, nullptr, {1, -2, 1}},
    Command{"wait", 3, kNoScript}, Command{"function", -2, kNoScript}};

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
