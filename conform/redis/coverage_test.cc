#include "conform/redis/coverage.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "models/redis/commands.h"

namespace picklock::conform::redis {

using namespace picklock::redis;
namespace {

// These commands take a key of any type, or do not look at the value that they overwrite.
const std::set<std::string_view> kOfAnyType = {
    "copy",   "move", "del",    "exists",   "expire",  "expireat",  "expiretime",
    "mget",   "mset", "msetnx", "persist",  "pexpire", "pexpireat", "pexpiretime",
    "psetex", "pttl", "rename", "renamenx", "set",     "setex",     "setnx",
    "touch",  "ttl",  "type",   "unlink",   "watch",
};

// Scripts name keys without looking at them; the shard commands name channels. Commands that block
// are not drawn.
const std::set<std::string_view> kOfNoKey = {"blpop",    "brpop",      "eval",
                                             "evalsha",  "eval_ro",    "evalsha_ro",
                                             "spublish", "ssubscribe", "sunsubscribe"};

bool looks_at_a_key(const Command& command) {
  return command.keys.first != 0 && command.run != nullptr && !kOfNoKey.contains(command.name);
}

// A reply of a command may be wrong in a state in which it is never compared.
TEST(Coverage, IsOfEveryStateInWhichACommandMayFindItsKey) {
  std::set<std::pair<std::string, KeyState>> expected;
  for (const Cell& cell : expected_cells(true))
    expected.emplace(cell.command, static_cast<KeyState>(cell.state));
  int commands = 0;
  for (const Command* command : all_commands()) {
    if (!looks_at_a_key(*command)) continue;
    ++commands;
    const std::string name(command->name);
    for (const KeyState state : {KeyState::missing, KeyState::live, KeyState::expired})
      EXPECT_TRUE(expected.contains({name, state})) << name;
    const bool any = kOfAnyType.contains(name);
    EXPECT_TRUE(any || expected.contains({name, KeyState::wrong_type})) << name;
  }
  EXPECT_GT(commands, 70);
}

}  // namespace
}  // namespace picklock::conform::redis
