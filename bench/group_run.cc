// Five primaries, each with a replica and three Sentinels, and five clients that contend for one
// lock on a quorum of the primaries. A run has 60 virtual seconds of locks and of the traffic among
// the 25 servers.
//   group_run [RUNS]
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/client/sim_client.h"
#include "models/client/tenures.h"
#include "models/redis/client_end.h"
#include "models/redis/group.h"
#include "models/resource/resource.h"

namespace {

using namespace picklock;
using namespace std::chrono_literals;
using redis::Reply;
using redis::Script;
using redis::Sentinel;
using redis::Server;

constexpr std::size_t kGroups = 5;
constexpr std::size_t kSentinelsEach = 3;
constexpr std::size_t kClients = 5;
constexpr std::size_t kQuorum = 3;
constexpr std::string_view kKey = "lock:1";
constexpr sim::Duration kLasts = 60s;
constexpr sim::Duration kTtl = 10s;
constexpr sim::Duration kPatience = 1s;  // for a command
constexpr sim::Duration kWork = 500ms;
constexpr sim::Duration kPause = 100ms;

const Script kGiveBack(
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 "
    "end");

class World {
 public:
  void run(std::uint64_t seed) {
    build(seed);
    simulation_.scheduler.run();
  }

  std::uint64_t events() const { return simulation_.scheduler.record().events(); }
  std::uint64_t digest() { return simulation_.scheduler.record().digest().value(); }
  std::uint64_t cycles() const { return cycles_; }

 private:
  struct Members {
    sim::Process* primary = nullptr;
    sim::Process* replica = nullptr;
    std::array<sim::Process*, kSentinelsEach> sentinels{};
  };

  void build(std::uint64_t seed) {
    sim::Scheduler& scheduler = simulation_.scheduler;
    cycles_ = 0;
    simulation_.reset(seed);
    simulation_.network.set_latency({.low = 200us, .high = 2ms});
    keys_.reset();
    tenures_.reset(keys_.id(kKey));
    for (std::size_t i = 0; i < kClients; ++i) scheduler.processes().add(numbered("client-", i));
    resource_.reset(simulation_, scheduler.processes().add("resource"), tenures_, {});
    enlist();
    for (std::size_t i = 0; i < kGroups; ++i) build_group(i);
    for (std::size_t i = 0; i < kClients; ++i) start_client(i);
    for (const Members& members : members_) {
      scheduler.processes().start(*members.primary);
      scheduler.processes().start(*members.replica);
      for (sim::Process* sentinel : members.sentinels) scheduler.processes().start(*sentinel);
    }
    end_.bind<&sim::Scheduler::stop>(scheduler, nullptr, scheduler);
    end_.arm(sim::kStart + kLasts);
  }

  // Adds all servers to the directory before any of them is configured with another.
  void enlist() {
    sim::Scheduler& scheduler = simulation_.scheduler;
    directory_.clear();
    for (std::size_t i = 0; i < kGroups; ++i) {
      const std::string name = numbered("redis-", i);
      Members& members = members_[i];
      members.primary = &scheduler.processes().add(name);
      members.replica = &scheduler.processes().add(name + "-replica-1");
      directory_.add({.process = members.primary, .endpoint = &primaries_[i]});
      directory_.add({.process = members.replica, .endpoint = &replicas_[i]});
      for (std::size_t k = 0; k < kSentinelsEach; ++k) {
        members.sentinels[k] = &scheduler.processes().add(numbered(name + "-sentinel-", k));
        directory_.add(
            {members.sentinels[k], &sentinels_[i * kSentinelsEach + k], redis::kSentinelPort});
      }
    }
  }

  void build_group(std::size_t index) {
    const Members& members = members_[index];
    redis::Group& group = groups_[index];
    primaries_[index].reset(simulation_, *members.primary, tenures_, keys_, &directory_);
    replicas_[index].reset(simulation_, *members.replica, tenures_, keys_, &directory_);
    group.reset(members.primary->name(), primaries_[index], directory_);
    group.add_replica(replicas_[index]);
    for (std::size_t k = 0; k < kSentinelsEach; ++k) {
      redis::SentinelConfig config{.name = group.name(),
                                   .master = *directory_.of(*members.primary),
                                   .quorum = kSentinelsEach / 2 + 1};
      config.replicas.push_back(*directory_.of(*members.replica));
      for (std::size_t other = 0; other < kSentinelsEach; ++other) {
        if (other != k) config.sentinels.push_back(*directory_.of(*members.sentinels[other]));
      }
      Sentinel& sentinel = sentinels_[index * kSentinelsEach + k];
      sentinel.reset(simulation_, *members.sentinels[k], directory_, {&config, 1});
      group.add_sentinel(sentinel);
    }
  }

  void start_client(std::size_t index) {
    sim::Process& process =
        simulation_.scheduler.processes().at(static_cast<sim::ProcessId>(index));
    const models::LockOptions options{.command_timeout = kPatience};
    ends_[index].reset(simulation_, process, groups_, servers::FindBy::monitors, options);
    machines_[index].reset(simulation_, process, resource_, options, kPatience, tenures_);
    machines_[index].connect(ends_[index]);
    simulation_.scheduler.threads().spawn(
        process, [this, index] { client(machines_[index]); }, true);
  }

  void client(models::ClientMachine& machine) {
    models::SimClient self(machine);
    for (;;) {
      simulation_.scheduler.running()->tag = tenures_.begin();
      const std::string token = self.fresh_token();
      std::size_t granted = 0;
      for (std::size_t i = 0; i < kGroups; ++i) {
        const Reply reply =
            redis::server(self, i).set(kKey, token, {.nx = true, .px = kTtl}, Role::acquire);
        if (reply.ok()) ++granted;
      }
      if (granted >= kQuorum) self.sleep(kWork);
      for (std::size_t i = 0; i < kGroups; ++i) give_back(redis::server(self, i), token);
      if (granted >= kQuorum) ++cycles_;
      self.sleep(kPause);
    }
  }

  static void give_back(redis::Client& redis, std::string_view token) {
    const Reply reply = redis.evalsha(kGiveBack, {kKey}, {token}, Role::release);
    if (reply.is_error() && reply.text.starts_with("NOSCRIPT"))
      redis.eval(kGiveBack, {kKey}, {token}, Role::release);
  }

  static std::string numbered(std::string_view name, std::size_t index) {
    return std::string(name) + std::to_string(index + 1);
  }

  history::RecordedSimulation simulation_;
  sim::Timer end_;
  models::Tenures tenures_;
  models::Keys keys_;
  models::Resource resource_;
  redis::Directory directory_;
  std::array<Members, kGroups> members_;
  std::array<Server, kGroups> primaries_;
  std::array<Server, kGroups> replicas_;
  std::array<Sentinel, kGroups * kSentinelsEach> sentinels_;
  std::array<redis::Group, kGroups> groups_;
  std::array<redis::ClientEnd, kClients> ends_;
  std::array<models::ClientMachine, kClients> machines_;
  std::uint64_t cycles_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t runs = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 20;
  if (argc > 2 || runs == 0) {
    std::fputs("group_run [RUNS]\n", stderr);
    return 2;
  }
  World world;
  std::uint64_t seed = 0;
  while (seed < 3) world.run(++seed);  // warms up: later runs allocate nothing
  std::uint64_t events = 0;
  std::uint64_t cycles = 0;
  std::uint64_t digests = 0;
  const auto started = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < runs; ++i) {
    world.run(++seed);
    events += world.events();
    cycles += world.cycles();
    digests ^= world.digest();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  const auto count = static_cast<double>(runs);
  const std::chrono::duration<double> each = kLasts;
  std::printf(
      "picklock groups runs=%llu us/run=%.0f events/run=%.0f ns/event=%.1f cycles/run=%.1f "
      "virtual_s/s=%.0f sum=%016llx\n",
      static_cast<unsigned long long>(runs), took.count() * 1e6 / count,
      static_cast<double>(events) / count, took.count() * 1e9 / static_cast<double>(events),
      static_cast<double>(cycles) / count, count * each.count() / took.count(),
      static_cast<unsigned long long>(digests));
}
