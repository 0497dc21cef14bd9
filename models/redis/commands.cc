#include "models/redis/commands.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "sim/digest.h"
#include "sim/wide.h"

namespace picklock::redis {
namespace {

// A name in lower case as two overlapping numbers, so that it is compared and hashed in one step.
struct Folded {
  static constexpr std::size_t kLongest = 16;

  // Requires: no longer than kLongest.
  explicit Folded(std::string_view name) : size(name.size()) {
    const char* const bytes = name.data();
    if (size >= 8) {
      begin = in_lower_case(sim::little_endian(bytes, 8));
      end = in_lower_case(sim::little_endian(bytes + size - 8, 8));
    } else if (size >= 4) {
      begin = in_lower_case(sim::little_endian(bytes, 4));
      end = in_lower_case(sim::little_endian(bytes + size - 4, 4));
    } else if (size > 0) {
      const auto byte = [bytes](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
      begin = in_lower_case(std::uint64_t{byte(0)} << 8 | byte(size / 2));
      end = in_lower_case(byte(size - 1));
    }
  }

  friend bool operator==(const Folded&, const Folded&) = default;

  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t size;

 private:
  // Letters beyond ASCII have no case.
  static std::uint64_t in_lower_case(std::uint64_t bytes) {
    constexpr std::uint64_t kEach = 0x0101010101010101;
    const std::uint64_t low = bytes & (0x7f * kEach);
    const std::uint64_t from_a = low + (0x80 - 'A') * kEach;
    const std::uint64_t beyond_z = low + (0x7f - 'Z') * kEach;
    const std::uint64_t capitals = from_a & ~beyond_z & ~bytes & (0x80 * kEach);
    return bytes | capitals >> 2;
  }
};
struct FoldedHash {
  using is_avalanching = void;
  std::size_t operator()(const Folded& name) const {
    constexpr std::uint64_t kA = 0xa0761d6478bd642full;
    constexpr std::uint64_t kB = 0xe7037ed1a0b428dbull;
    const auto product = static_cast<sim::UnsignedWide>(name.begin ^ kA) * (name.end ^ kB);
    return static_cast<std::size_t>(product) ^ static_cast<std::size_t>(product >> 64);
  }
};

// Known by name only: a script is told that it may not use them, not that they are unknown (R77).
constexpr std::array kFunction = {
    Command{"function|delete", 3, kNoScript},   Command{"function|dump", 2, kNoScript},
    Command{"function|flush", -2, kNoScript},   Command{"function|kill", 2, kNoScript},
    Command{"function|list", -2, kNoScript},    Command{"function|load", -3, kNoScript},
    Command{"function|restore", -3, kNoScript}, Command{"function|stats", 2, kNoScript}};
constexpr std::array kNamesOnly = {Command{"function", -2, kNoScript, nullptr, {}, kFunction}};

const std::vector<const Command*>& everything() {
  static const std::vector<const Command*> all = [] {
    std::vector<const Command*> made;
    for (const auto group :
         {string_commands(), key_commands(), hash_commands(), list_commands(), set_commands(),
          sorted_set_commands(), script_commands(), connection_commands(), transaction_commands(),
          pubsub_commands(), server_commands(), replication_commands(), persistence_commands(),
          cluster_commands(), std::span<const Command>(kNamesOnly)}) {
      for (const Command& command : group) made.push_back(&command);
    }
    return made;
  }();
  return all;
}

// The part of a subcommand's name after its container's.
std::string_view own_name(const Command& subcommand) {
  return subcommand.name.substr(subcommand.name.find('|') + 1);
}

}  // namespace

std::span<const Command* const> all_commands() { return everything(); }

const Command* command_named(std::string_view name) {
  using Names = boost::unordered_flat_map<Folded, const Command*, FoldedHash>;
  static const Names by_name = [] {
    Names made;
    for (const Command* command : everything()) made.emplace(Folded(command->name), command);
    return made;
  }();
  if (name.size() > Folded::kLongest) return nullptr;
  const auto found = by_name.find(Folded(name));
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

void Call::publish(std::string_view event, std::uint32_t database, std::string_view key) const {
  publish_event(server, database, event, key);
}

void Call::missed(std::string_view key) const {
  if (command_called(argv)->is(kRead)) publish("keymiss", session.database, key);
}

Value& put_and_publish(const Call& call, std::string_view key, Type type, std::int64_t deadline) {
  const bool is_new = call.keys.live(call.session.database, key) == nullptr;
  Value& value = call.keys.put(call.session.database, key, type, deadline);
  if (is_new) call.publish("new", call.session.database, key);
  return value;
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

}  // namespace picklock::redis
