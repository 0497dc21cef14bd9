// The locks of the catalogue beside the libraries that they are modelled on. A library is a program
// that is run as it is. Both run the same plans of faults. They must send the same commands in the
// same order, be granted the lock in the same order, and break the same properties.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "guests/support.h"
#include "models/redis/wire.h"
#include "picklock/redis.h"
#include "scenarios/loader.h"
#include "scenarios/program_locks.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"
#include "sim/random.h"
#include "testing/whole.h"

namespace picklock::conform {
namespace {

using scenarios::Scenario;
using scenarios::World;

struct Library {
  std::string_view name;     // of the lock
  std::string_view program;  // as TOML
  std::string_view lock;     // keys of [lock] with which the lock is used as the program uses it
  std::string_view servers;
  std::string_view server;               // their kind
  std::vector<std::string_view> faults;  // verbs
  std::vector<std::string_view> upkeep;  // commands of its connections and scripts
  std::uint64_t longest_pause = 15'000;  // ms, of a client
  std::uint64_t masters = 1;
  std::ptrdiff_t attempt = 1;  // commands of an attempt, at most
  std::string_view key = "order-42";
  std::string_view made_by = {};  // argument of libraries/build; empty: nothing is to be made
  std::uint64_t plans = 20;       // so that a library takes a few seconds
  std::vector<std::uint64_t> differing = {};  // numbers of plans
};

#define CURATOR_JARS                                                           \
  "/usr/share/java/curator-recipes.jar:/usr/share/java/curator-framework.jar:" \
  "/usr/share/java/curator-client.jar:/usr/share/java/zookeeper.jar:"          \
  "/usr/share/java/zookeeper-jute.jar:/usr/share/java/guava.jar:/usr/share/java/slf4j-api.jar:."

void PrintTo(const Library& library, std::ostream* out) { *out << library.name; }

// Two clients, each of which takes the lock twice.
constexpr std::string_view kClients = R"([clients]
count = 2
arrive_every = "700ms"
)";
constexpr std::string_view kOfTheModel = R"(cycles = 2
hold = "4s"
writes = 2
think = "500ms"
)";

std::string plan(const Library& library, std::uint64_t number) {
  sim::Random chance(number, sim::hash_of("libraries"));
  std::string text;
  const std::uint64_t faults = 1 + chance.below(2);
  for (std::uint64_t i = 0; i < faults; ++i) {
    const std::string_view verb = library.faults[chance.below(library.faults.size())];
    const std::uint64_t client = 1 + chance.below(2);
    const bool of_server = verb == "evict" || chance.below(3) == 0;
    // Off the grid of the program's own times, so that a difference of a few round trips decides
    // nothing.
    const std::uint64_t at = 100 * chance.below(160) + 37;
    const std::uint64_t length =
        100 * (1 + chance.below(of_server ? 20 : library.longest_pause / 100)) + 13;
    const std::uint64_t server = library.masters == 1 ? 1 : 1 + chance.below(library.masters);
    text += fmt::format(
        "[[fault]]\n{} = \"{}\"\nat = \"{}ms\"\n", verb,
        of_server ? fmt::format("{}-{}", library.server, server) : fmt::format("client-{}", client),
        at);
    if (verb == "pause") text += fmt::format("for = \"{}ms\"\n", length);
    if (verb == "step-clock")
      text += fmt::format("step = \"{}{}ms\"\n", chance.below(2) == 0 ? "-" : "", length);
  }
  return text;
}

std::string folder_of(const Library& library) {
  if (library.made_by.empty()) return PICKLOCK_LIBRARIES;
  return fmt::format("{}/{}", PICKLOCK_LIBRARIES_MADE, library.made_by);
}

std::string of_library(const Library& library) {
  return fmt::format(
      "format = 1\n[lock]\nalgorithm = \"{}-program\"\nkey = \"{}\"\n{}{}"
      "program = {}\nfolder = \"{}\"\nuntil = \"120s\"\n",
      library.server, library.key, library.servers, kClients, library.program, folder_of(library));
}

std::string of_model(const Library& library) {
  return fmt::format("format = 1\n[lock]\nalgorithm = \"{}\"\nkey = \"{}\"\n{}{}{}{}", library.name,
                     library.key, library.lock, library.servers, kClients, kOfTheModel);
}

// The part of a run that must be the same of both.
struct Shown {
  // Client by client, and server by server. A repeated attempt counts once: a library connects
  // late, and a few milliseconds decide how often a client is refused before the lock is free.
  std::vector<std::string> commands;
  std::vector<std::string> grants;
  std::vector<std::string> violated;

  bool operator==(const Shown&) const = default;
};

std::string lower(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return small;
}

// The commands of a client to a server.
class Sent {
 public:
  void add(std::string command, std::ptrdiff_t attempt) {
    commands_.push_back(std::move(command));
    for (std::ptrdiff_t size = 1; size <= attempt && std::ssize(commands_) >= 2 * size; ++size) {
      const auto last = commands_.end() - size;
      if (std::equal(last, commands_.end(), last - size)) commands_.erase(last, commands_.end());
    }
  }
  // A library and its lock have scripts of their own. The number is that of their first use.
  std::string script(std::string_view request) {
    std::vector<std::string_view> argv;
    redis::read_request(request, argv);
    const bool whole = lower(argv.at(0)) == "eval";
    const auto number = scripts_.try_emplace(
        whole ? redis::sha1_hex(argv.at(1)) : lower(argv.at(1)), scripts_.size() + 1);
    return fmt::format("script {}", number.first->second);
  }
  const std::vector<std::string>& commands() const { return commands_; }

 private:
  std::vector<std::string> commands_;
  std::map<std::string, std::size_t> scripts_;  // by SHA-1
};

Shown shown(const Library& library, const std::string& text) {
  const Scenario scenario = scenarios::parse(text, "library", scenarios::shipped_vocabulary());
  World world;
  world.set(scenario);
  world.run(1, true);
  const std::vector<std::string> names = world.processes();
  Shown all;
  std::map<std::string, Sent> sent;
  for (const sim::TraceRecord& record : world.trace().records) {
    if (record.kind != sim::TraceKind::sent || record.reply) continue;
    if (record.process >= names.size() || record.peer >= names.size()) continue;
    const sim::Protocol& protocol = *world.trace().protocols[record.protocol];
    if (protocol.command == nullptr || !names[record.process].starts_with("client-")) continue;
    if (names[record.peer] == "resource") continue;
    const std::string_view request = world.trace().payload(record);
    std::string command = lower(protocol.command(request));
    const auto& upkeep = library.upkeep;
    if (command.empty() || std::find(upkeep.begin(), upkeep.end(), command) != upkeep.end())
      continue;
    Sent& here = sent[fmt::format("{} to {}", names[record.process], names[record.peer])];
    // CREATE2 and GETCHILDREN2 answer the Stat of the znode too.
    if (command.ends_with('2')) command.pop_back();
    here.add(command == "eval" || command == "evalsha" ? here.script(request) : command,
             library.attempt);
  }
  for (const auto& [where, those] : sent) {
    for (const std::string& command : those.commands())
      all.commands.push_back(fmt::format("{}: {}", where, command));
  }
  std::map<history::TenureId, std::string> owners;
  for (const history::HistoryEvent& event : world.history()) {
    if (event.what == history::What::acquire_invoked) owners[event.tenure] = names[event.process];
    if (event.what == history::What::entry_created) all.grants.push_back(owners[event.tenure]);
  }
  for (const properties::Verdict& verdict : world.verdicts()) {
    const bool judged =
        std::find(std::begin(scenarios::kJudgedOutside), std::end(scenarios::kJudgedOutside),
                  verdict.property) != std::end(scenarios::kJudgedOutside);
    if (judged && verdict.outcome == properties::Outcome::violated)
      all.violated.emplace_back(name(verdict.property));
  }
  return all;
}

std::string first_difference(const std::vector<std::string>& library,
                             const std::vector<std::string>& model) {
  for (std::size_t i = 0; i < std::max(library.size(), model.size()); ++i) {
    const std::string one = i < library.size() ? library[i] : "nothing";
    const std::string other = i < model.size() ? model[i] : "nothing";
    if (one != other) return fmt::format("number {}: {}, in place of {}", i + 1, one, other);
  }
  return {};
}

const Library kLibraries[] = {
    {.name = "kazoo-lock",
     .program = R"(["/usr/bin/python3", "kazoo_lock.py"])",
     .lock = "ttl = \"10s\"\n",
     .servers = "[servers.zookeeper]\nservers = 1\n",
     .server = "zookeeper",
     .faults = {"pause", "step-clock"},
     // It looks for its folder before it makes it, which the lock does not.
     .upkeep = {"connect", "ping", "close", "exists"},
     // The lock has the heartbeats of another library, so that it loses its connection in a longer
     // pause (docs/limitations.md, "ZooKeeper").
     .longest_pause = 3'000},
    {.name = "mysql-get-lock",
     .program = R"(["/usr/bin/python3", "pymysql_lock.py"])",
     .lock = "",
     .servers = "",
     .server = "mysql",
     .faults = {"pause", "step-clock"},
     .upkeep = {"select", "do", "set autocommit", "begin", "commit", "rollback"}},
    {.name = "redis-py-lock",
     .program = R"(["/usr/bin/python3", "redis_py.py"])",
     .lock = "ttl = \"10s\"\nretry_every = \"100ms\"\n",
     .servers = "",
     .server = "redis",
     .faults = {"pause", "evict", "step-clock"},
     .upkeep = {"client", "script"}},
    {.name = "watchdog",  // of redis-semaphore's Mutex
     .program = R"(["node", "semaphore.mjs"])",
     .lock = "ttl = \"10s\"\nretry_every = \"100ms\"\nrenew_every = \"3s\"\n",
     .servers = "",
     .server = "redis",
     .faults = {"pause", "evict", "step-clock"},
     .upkeep = {},
     .attempt = 2,  // a release may begin between EVALSHA and EVAL of a refresh
     .key = "mutex:order-42",
     .made_by = "node",
     .plans = 5,
     // The library sends the first EVALSHA of a script in vain, and then EVAL. In these plans
     // something comes between the two.
     .differing = {32, 67}},
    {.name = "node-redlock-v4",
     .program = R"(["node", "redlock_4.mjs"])",
     .lock = "retry_jitter = \"0s\"\nattempts = 0\n",
     .servers = "[servers.redis]\nmasters = 3\n",
     .server = "redis",
     .faults = {"pause", "evict", "step-clock"},
     .upkeep = {},
     .masters = 3,
     .attempt = 2,  // a failed one is undone
     .made_by = "node",
     .plans = 5},
    {.name = "node-redlock-v5",
     .program = R"(["node", "redlock_5.mjs"])",
     .lock = "retry_every = \"200ms\"\nretry_jitter = \"0s\"\nattempts = 120\n",
     .servers = "[servers.redis]\nmasters = 3\n",
     .server = "redis",
     .faults = {"pause", "evict", "step-clock"},
     .upkeep = {},
     .masters = 3,
     .made_by = "node",
     .plans = 5},
    {.name = "curator-mutex",
     .program = R"(["java", "-Xmx128m", "-XX:+UseSerialGC", "-cp", ")" CURATOR_JARS
                R"(", "CuratorMutex"])",
     .lock = "ttl = \"10s\"\nstops_at = \"never\"\n",
     .servers = "[servers.zookeeper]\nservers = 1\n",
     .server = "zookeeper",
     .faults = {"pause", "step-clock"},
     .upkeep = {"connect", "ping", "close", "exists"},
     .longest_pause = 3'000,
     .attempt = 2,
     .made_by = "java",
     .plans = 3},
};

// Whether the programs are there.
bool made(const Library& library) {
  if (library.made_by.empty()) return true;
  const std::string command =
      fmt::format("'{}/build' {} '{}'", PICKLOCK_LIBRARIES, library.made_by, folder_of(library));
  return std::system(command.c_str()) == 0;
}

class Libraries : public testing::TestWithParam<Library> {};

INSTANTIATE_TEST_SUITE_P(Catalogue, Libraries, testing::ValuesIn(kLibraries), [](const auto& one) {
  std::string name(one.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Libraries, DoWhatTheirLocksDoUnderTheSameFaults) {
  if (const std::string& why = guests::unsupported(); !why.empty()) GTEST_SKIP() << why;
  const Library& library = GetParam();
  if (!made(library)) GTEST_SKIP() << "conform/libraries/build cannot make the program";
  const std::uint64_t plans = tests_are_whole() ? 200 : tests_are_short() ? 4 : library.plans;
  std::uint64_t differences = 0;
  std::uint64_t broken = 0;
  for (std::uint64_t number = 0; number < plans; ++number) {
    const std::string faults = number == 0 ? "" : plan(library, number);
    const Shown real = shown(library, of_library(library) + faults);
    const Shown model = shown(library, of_model(library) + faults);
    EXPECT_GE(real.commands.size(), 6U) << "a plan under which nothing happens";
    broken += real.violated.empty() ? 0U : 1U;
    const auto& known = library.differing;
    const bool differs = std::find(known.begin(), known.end(), number) != known.end();
    if (real != model) ++differences;
    if ((real != model) == differs) continue;
    ADD_FAILURE() << "plan " << number << (differs ? ", which is known to differ" : "") << "\n"
                  << faults << "commands: " << first_difference(real.commands, model.commands)
                  << "\ngrants: " << first_difference(real.grants, model.grants)
                  << "\nviolated: " << first_difference(real.violated, model.violated);
  }
  std::cout << library.name << ": " << plans << " plans, of which " << broken
            << " broke a property, and " << differences << " differences\n";
}

}  // namespace
}  // namespace picklock::conform
