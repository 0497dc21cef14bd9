// The keys of every lock's own options, each by itself.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <map>
#include <string>

#include "keys/value.h"
#include "models/locks/catalogue.h"
#include "scenarios/keys.h"
#include "scenarios/writer.h"

namespace picklock::scenarios {
namespace {

using OptionKey = keys::Key<models::LockOptions>;

// Another value of this kind of key, as TOML.
std::string other_value(const OptionKey& key) {
  const std::string shown = key.show({});
  const std::string& type = key.type;
  if (type == "true or false") return shown == "true" ? "false" : "true";
  if (type.starts_with("duration")) return "\"17ms\"";
  if (type.starts_with("whole number")) return shown == "7" ? "8" : "7";
  if (type.starts_with("one of ")) {
    const std::string last = type.substr(type.rfind(' ') + 1);
    return fmt::format("\"{}\"", last);
  }
  return "\"release.lua\"";
}

models::LockOptions read(const OptionKey& key, const std::string& value) {
  const keys::Origin origin{.file = "a.toml", .note = {}};
  const toml::table table = toml::parse(key.name + " = " + value);
  models::LockOptions options;
  key.read(keys::Value(origin, table).at(key.name), options);
  return options;
}

TEST(OptionKeys, ReadWhatTheyShow) {
  for (const models::Algorithm* lock : models::locks::all()) {
    for (const OptionKey& key : lock->keys) {
      const std::string value = other_value(key);
      ASSERT_NE(key.show({}), value) << key.name << " is " << key.type;
      const models::LockOptions options = read(key, value);
      for (const OptionKey& one : option_keys()) {
        EXPECT_EQ(one.show(options), one.name == key.name ? value : one.show({}))
            << lock->name << ": " << one.name << " after `" << key.name << "` was read";
      }
    }
  }
}

TEST(OptionKeys, AreWrittenAsTheyAreRead) {
  Scenario scenario;
  for (const OptionKey& key : option_keys()) {
    const std::string value = other_value(key);
    scenario.lock.options = read(key, value);
    EXPECT_THAT(file_text(scenario), ::testing::HasSubstr("\n" + key.name + " = " + value + "\n"));
  }
}

// A file may change its lock, and a reader looks a key up once.
TEST(OptionKeys, OfOneNameAreOneKey) {
  for (const models::Algorithm* lock : models::locks::all()) {
    std::map<std::string, int> times;
    for (const OptionKey& key : lock->keys) {
      EXPECT_EQ(++times[key.name], 1) << lock->name << ": " << key.name;
      const OptionKey* first = keys::find(option_keys(), key.name);
      ASSERT_NE(first, nullptr);
      EXPECT_EQ(key.type, first->type) << lock->name << ": " << key.name;
      EXPECT_EQ(key.meaning, first->meaning) << lock->name << ": " << key.name;
    }
  }
}

}  // namespace
}  // namespace picklock::scenarios
