// A run ends within 2 s and 1 GiB, whatever its file says: it is refused, or cut short, with a line
// that says why. Each round changes keys of a shipped scenario, adds faults, and runs the program
// within these limits. PICKLOCK_FUZZ_ROUNDS: how many rounds (40); PICKLOCK_FUZZ_FROM: the first.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "keys/bad_input.h"
#include "scenarios/keys.h"
#include "scenarios/shipped.h"
#include "scenarios/writer.h"
#include "sim/random.h"
#include "testing/program.h"

namespace picklock::cli {
namespace {

using scenarios::Document;
using scenarios::Scenario;

// Debug and sanitized builds are slower and larger, by a factor that is of no interest here.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
constexpr const char* kLimits = "ulimit -v 1048576 -t 2; ";
#else
constexpr const char* kLimits = "ulimit -t 100; ";
#endif

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

struct DottedKey {
  std::string path;
  std::string type;
};

// Every key of a table that a file has once.
std::vector<DottedKey> dotted_keys() {
  std::vector<keys::TableDoc> tables;
  keys::describe("", "", scenarios::scenario_keys(), tables);
  for (const auto& key : scenarios::scenario_keys()) {
    if (key.nested) key.nested(key.name, tables);
  }
  std::vector<DottedKey> all;
  for (const keys::TableDoc& table : tables) {
    if (table.header.starts_with("[[") || table.header == "[expect]") continue;
    const bool top = table.header.empty();
    const std::string path = top ? "" : table.header.substr(1, table.header.size() - 2) + ".";
    for (const keys::KeyDoc& key : table.keys) {
      if (!key.type.starts_with("text") && !key.type.starts_with("array"))
        all.push_back({path + key.name, key.type});
    }
  }
  return all;
}

class Generator {
 public:
  explicit Generator(std::uint64_t round) : random_(round, 0) {}

  // A file that loads.
  std::string file() {
    static const std::vector<std::string> names = scenarios::shipped::names();
    const std::string name = names[random_.below(names.size())];
    Scenario scenario = scenarios::shipped::document(name).scenario(words());
    scenario.twins.clear();
    scenario.neighbours.clear();
    scenario.expect = {};
    std::string text = file_text(scenario);
    for (std::uint64_t left = random_.below(5); left > 0; --left) try_with(text, text + fault());
    for (std::uint64_t left = 1 + random_.below(9); left > 0; --left) change(text);
    return text;
  }

 private:
  static const scenarios::Vocabulary& words() { return scenarios::shipped_vocabulary(); }

  // Becomes `other`, if that loads.
  static void try_with(std::string& text, const std::string& other) {
    try {
      Document(other, "fuzz.toml").scenario(words());
      text = other;
    } catch (const keys::BadInput&) {  // such a change is not of interest here
    }
  }

  void change(std::string& text) {
    static const std::vector<DottedKey> keys = dotted_keys();
    const DottedKey& key = keys[random_.below(keys.size())];
    try {
      Document document(text, "fuzz.toml");
      document.set(scenarios::change_from(key.path + "=" + value(key.type)));
      text = file_text(document.scenario(words()));
    } catch (const keys::BadInput&) {  // as above
    }
  }

  std::string one_of(const std::vector<std::string>& all) { return all[random_.below(all.size())]; }

  std::string duration() {
    return one_of({"0s",    "1ns",   "1us", "10us", "100us", "1ms",    "7ms",
                   "100ms", "500ms", "1s",  "3s",   "10s",   "30s",    "2m",
                   "10m",   "1h",    "5h",  "24h",  "1000h", "17520h", "876000h"});
  }

  std::string value(const std::string& type) {
    if (type.starts_with("duration")) return '"' + duration() + '"';
    if (type.starts_with("true")) return one_of({"true", "false"});
    if (type.starts_with("one of ")) {
      std::vector<std::string> all;
      std::istringstream list(type.substr(7));
      for (std::string word; list >> word;)
        all.push_back('"' + word.substr(0, word.find(',')) + '"');
      return one_of(all);
    }
    return one_of({"0", "1", "2", "3", "5", "9", "60", "500", "1000", "20000", "100000", "1000000",
                   std::to_string(random_.below(1'000'000))});
  }

  std::string fault() {
    const std::string process =
        one_of({"client-1", "client-2", "redis-1", "redis-2", "redis-1-replica-1", "resource",
                "store", "zookeeper-1", "zookeeper-2", "mysql-1"});
    const std::string verb = one_of({"pause", "crash", "restart", "step-clock", "set-clock-rate",
                                     "partition", "hold", "delay", "drop", "duplicate", "evict",
                                     "fail-over", "kill-session", "slow", "interrupt"});
    std::string text = "\n[[fault]]\n" + verb + " = \"" + process + "\"\n";
    if (random_.below(3) == 0) {
      text += "at = \"" + duration() + "\"\n";
    } else {
      text += one_of({"before", "after"}) + " = \"" +
              one_of({"acquire", "release", "renew", "check", "write", "subscribe", "watch"}) +
              "." + one_of({"sent", "applied", "replied"}) +
              "\"\nnth = " + one_of({"1", "2", "10"}) + "\n";
    }
    if (verb == "step-clock" || verb == "slow") text += "step = \"" + duration() + "\"\n";
    if (verb == "set-clock-rate")
      text += "rate = " + one_of({"0.001", "0.9", "1.1", "1000"}) + "\n";
    const bool must_end = verb == "pause" || verb == "hold" || verb == "delay" ||
                          verb == "duplicate" || verb == "slow";
    const bool may_end = verb == "crash" || verb == "restart" || verb == "partition" ||
                         verb == "set-clock-rate" || verb == "fail-over";
    if (must_end || (may_end && random_.below(2) == 0)) text += "for = \"" + duration() + "\"\n";
    return text;
  }

  sim::Random random_;
};

using BoundsFuzz = Program;

TEST_F(BoundsFuzz, ARunIsRefusedCutShortOrEndsWithinItsBounds) {
  const std::uint64_t first = from_environment("PICKLOCK_FUZZ_FROM", 0);
  const std::uint64_t rounds = from_environment("PICKLOCK_FUZZ_ROUNDS", 40);
  std::uint64_t ended = 0;
  for (std::uint64_t round = first; round < first + rounds; ++round) {
    const std::string text = Generator(round).file();
    const Ran ran = shell(kLimits + ("\"$P\" run " + file("fuzz.toml", text)));
    const bool refused = ran.status == 2;
    EXPECT_TRUE(ran.status == 0 || ran.status == 1 || refused)
        << "round " << round << " ends with " << ran.status << ": " << ran.err << text;
    EXPECT_THAT(ran.err, Not(HasSubstr("internal error"))) << "round " << round << '\n' << text;
    EXPECT_THAT(ran.err, Not(HasSubstr("deterministic"))) << "round " << round << '\n' << text;
    if (!refused) ++ended;
  }
  // Otherwise the rounds would test only the loader.
  EXPECT_GT(ended, rounds / 4);
}

}  // namespace
}  // namespace picklock::cli
