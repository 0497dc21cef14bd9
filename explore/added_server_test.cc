// A kind of server that is added by its record alone: a token ring's desk, which hands out a key
// until its lease ends. Everything between a scenario file and a shrunk counterexample works on it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "keys/key_kinds.h"
#include "models/client/step_of.h"
#include "models/servers/cluster.h"
#include "models/servers/kind.h"
#include "picklock/scenario.h"
#include "sim/caller.h"
#include "sim/service.h"

namespace picklock {
namespace desk {

using namespace std::chrono_literals;
using servers::Specs;

constexpr LockServer kServer{"desk"};

// ---------------------------------------------------------------- settings

struct Spec {
  std::uint32_t spares = 0;  // further desks, which nobody visits
  Duration service{};
};

keys::Key<Specs> spec_table() {
  static const keys::Keys<Spec> of_spec = {
      keys::integer<Spec>(
          "spares", 0, 9, [](auto& spec) -> auto& { return spec.spares; }, "idle desks"),
      keys::duration<Spec>(
          "service", keys::Sign::not_negative, [](auto& spec) -> auto& { return spec.service; },
          "time that a desk needs for one request"),
  };
  return keys::table<Specs>(
      std::string(kServer.key), of_spec,
      [](auto& specs) -> auto& { return specs.template of<Spec>(); },
      "The server of a lock at a desk, process `desk-1`.");
}

// ---------------------------------------------------------------- the server and its client

std::string describe(std::string_view payload, bool) { return std::string(payload); }
std::string_view command(std::string_view payload) { return payload.substr(0, payload.find(' ')); }
constexpr sim::Protocol kProtocol{.name = "desk", .describe = describe, .command = command};

class Client {
 public:
  virtual ~Client() = default;
  // "GRANTED", "TAKEN" or nothing: no answer.
  virtual std::string take(Duration ttl) = 0;
  // Frees the key without asking for its owner. False: no answer.
  virtual bool put_back() = 0;
};

class Desk final : public sim::Service {
 public:
  void reset(const servers::Site& site, sim::Process& process, std::string_view key) {
    attach(site.simulation, process);
    recorder_ = &site.simulation.recorder;
    tenures_ = &site.tenures;
    key_ = site.keys.id(key);
    owner_ = 0;
    has_timer_ = false;
  }
  void start(sim::Keeps) override {
    if (owner_ != 0) await();
  }
  void halted() override { has_timer_ = false; }

 private:
  bool apply(sim::Message& request, sim::Payload& answer) override {
    std::string_view text = request.payload.view();
    if (text == "BACK") {
      if (owner_ != 0) free(history::Cause::command, request.tag, request.role);
      answer.append("FREE");
    } else if (owner_ != 0) {
      answer.append("TAKEN");
    } else {
      std::int64_t ttl = 0;
      text.remove_prefix(text.find(' ') + 1);
      std::from_chars(text.data(), text.data() + text.size(), ttl);
      owner_ = request.tag;
      until_ = simulation().scheduler.local_time(process(), sim::ClockKind::monotonic) + ttl;
      tenures_->granted(owner_, key_);
      note(history::What::entry_created, history::Cause::command, owner_, request.role);
      answer.append("GRANTED");
      await();
    }
    return true;
  }
  void free(history::Cause cause, history::TenureId actor, Role role) {
    note(history::What::entry_removed, cause, actor, role);
    tenures_->removed(owner_, key_);
    owner_ = 0;
  }
  void note(history::What what, history::Cause cause, history::TenureId actor, Role role) {
    const bool made = what == history::What::entry_created;
    recorder_->note({.at = simulation().now(),
                     .what = what,
                     .cause = cause,
                     .role = role,
                     .process = process().id(),
                     .tenure = actor,
                     .owner = made ? 0 : owner_,
                     .key = key_,
                     .until = made ? process().clock().when(sim::ClockKind::monotonic, until_,
                                                            simulation().now())
                                   : sim::kNever});
  }
  void await() {
    sim::Scheduler& scheduler = simulation().scheduler;
    if (!has_timer_) timer_ = scheduler.add_timer(&process(), &Desk::on_time, this, 0);
    has_timer_ = true;
    scheduler.arm_on(timer_, sim::ClockKind::monotonic, until_);
  }
  static void on_time(void* self, std::uint32_t) {
    auto& desk = *static_cast<Desk*>(self);
    const std::int64_t now =
        desk.simulation().scheduler.local_time(desk.process(), sim::ClockKind::monotonic);
    if (desk.owner_ != 0 && now >= desk.until_) desk.free(history::Cause::expiry, 0, Role::none);
  }

  history::Recorder* recorder_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  history::KeyId key_ = 0;
  history::TenureId owner_ = 0;  // 0: the key is free
  std::int64_t until_ = 0;       // on the desk's clock
  sim::TimerId timer_ = 0;
  bool has_timer_ = false;
};

class SimClient final : public servers::EndOf<Client> {
 public:
  void reset(const servers::Site& site, const servers::Seat& seat, Desk& desk) {
    scheduler_ = &site.simulation.scheduler;
    patience_ = seat.options.command_timeout;
    caller_.reset(site.simulation, seat.process, desk.process(), desk, kProtocol);
  }
  void forget() override { caller_.forget(); }
  std::string take(Duration ttl) override { return ask(fmt::format("TAKE {}", ttl.count())); }
  bool put_back() override { return !ask("BACK").empty(); }

 private:
  std::string ask(std::string_view text) {
    const sim::Answer answer =
        caller_.call(models::step_of(Role::none, *scheduler_), patience_,
                     [text](sim::Payload& payload) { payload.append(text); });
    return answer.ok() ? std::string(answer.bytes()) : std::string();
  }

  sim::Scheduler* scheduler_ = nullptr;
  sim::Caller caller_;
  Duration patience_{};
};

// ---------------------------------------------------------------- the record

constexpr servers::ProcessKind kDeskKind = {
    .name = "desk",
    .singular = "desk",
    .standing = servers::Standing::primary,
    .forgets = "a desk forgets nothing",
    .drawn = {FaultClass::pause, FaultClass::partition, FaultClass::crash},
    .drawn_at_messages = servers::kFaultsAtRequests,
    .keeps = [](const Specs&, std::string_view, sim::Keeps) { return sim::Keeps::all; }};
constexpr std::array<const servers::ProcessKind*, 1> kKinds = {&kDeskKind};

class Cluster final : public servers::ClusterOf<SimClient> {
 public:
  void build(const servers::Site& site) override {
    begin();
    std::size_t used = 0;
    for (sim::Process* process : serving(site, kDeskKind, setting().specs->of<Spec>().service)) {
      if (used == desks_.size()) desks_.emplace_back();
      desks_[used++].reset(site, *process, setting().lock_key);
    }
  }
  SimClient& connect(const servers::Site& site, const servers::Seat& seat) override {
    SimClient& end = next_end();
    end.reset(site, seat, desks_.front());
    return end;
  }

 private:
  std::deque<Desk> desks_;
};

std::vector<servers::Row> rows(const Specs& specs) {
  return {{.kind = &kDeskKind, .prefix = "desk-", .count = 1 + specs.of<Spec>().spares}};
}

std::vector<servers::Smaller> smaller(const Specs& specs) {
  std::vector<servers::Smaller> all;
  for (std::uint32_t gone = 1 + specs.of<Spec>().spares; gone > 1; --gone) {
    all.push_back({.take = [](Specs& some, const models::LockOptions&,
                              const sim::Plan&) { return --some.of<Spec>().spares, true; },
                   .renaming = servers::without("desk-", gone)});
  }
  return all;
}

const servers::Kind kKind = {
    .server = kServer,
    .title = "a desk",
    .table = spec_table,
    .processes = "`desk-1` to `desk-N`",
    .kinds = kKinds,
    .rows = rows,
    .make_cluster = []() -> std::unique_ptr<servers::Cluster> {
      return std::make_unique<Cluster>();
    },
    .token = "number",
    .lossless = "a desk never loses what it has acknowledged",
    .bounds = [](const Specs& specs, const models::LockOptions&) -> servers::Bounds {
      return {.service = specs.of<Spec>().service};
    },
    .smaller = smaller};

const bool kAdded = (servers::add(kKind), true);

}  // namespace desk

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

// Its release does not ask who holds the key.
class DeskLock final : public Lock {
 public:
  static constexpr LockServer server = desk::kServer;
  using Lock::Lock;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string answer = self.connection<desk::Client>().take(settings().ttl);
    if (answer.empty()) return Acquired::unknown();
    if (answer != "GRANTED") return std::nullopt;
    return Lease{.key = std::string(key), .ttl = settings().ttl};
  }
  Released release(Client& self, const Lease&) override {
    return self.connection<desk::Client>().put_back() ? Released::ok : Released::unknown;
  }
};

const std::string kStory = R"(format = 1
title = "t"
source = "s"

[lock]
algorithm = "picklock::DeskLock"
ttl = "10s"

[servers.desk]
spares = 2
service = "1ms"

[clients]
count = 3
hold = "4s"
)";

Scenario story(const std::string& more = {}) {
  return Scenario::from_text(kStory + more, &own_lock<DeskLock>());
}

std::string error_of(const std::string& more) {
  try {
    story(more);
  } catch (const BadInput& error) {
    return error.what();
  }
  return {};
}

TEST(AddedServer, IsReadCheckedAndWritten) {
  EXPECT_THAT(story().text(), HasSubstr("[servers.desk]\nspares = 2\nservice = \"1ms\"\n"));
  EXPECT_THAT(error_of("[[fault]]\npause = \"desk-9\"\nat = \"1s\"\nfor = \"1s\"\n"),
              HasSubstr("desk-"));
  EXPECT_THAT(error_of("[[fault]]\nfail-over = \"desk-1\"\nat = \"1s\"\n"),
              HasSubstr("only a primary can fail over to a replica"));
  EXPECT_EQ(error_of("[[fault]]\npause = \"desk-3\"\nat = \"1s\"\nfor = \"1s\"\n"), "");
  EXPECT_THAT(error_of("[servers.resource]\nfencing = \"after\"\n"),
              HasSubstr("which takes the number of each grant"));
  EXPECT_THAT(error_of("[servers.redis]\nmasters = 3\n"), HasSubstr("desk"));
}

TEST(AddedServer, RunsTheSameEachTime) {
  const RunResult run = picklock::run(story());
  EXPECT_EQ(run.grants, 3U);
  EXPECT_THAT(run.surprises, ::testing::IsEmpty());
  EXPECT_THAT(run.text, HasSubstr("GRANTED"));
  EXPECT_EQ(picklock::run(story()).digest, run.digest);
}

TEST(AddedServer, IsContendedFor) {
  EXPECT_EQ(picklock::run(contention<DeskLock>({.clients = 3, .cycles = 2})).grants, 6U);
}

TEST(AddedServer, IsPausedAtAStepAndRecovers) {
  const RunResult run = picklock::run(
      story("[[fault]]\npause = \"desk-1\"\nbefore = \"acquire.applied\"\nby = \"client-1\"\n"
            "for = \"2s\"\n"));
  EXPECT_EQ(run.grants, 3U);
  EXPECT_TRUE(run.as_expected()) << run.text;
}

TEST(AddedServer, IsSearchedAndItsCounterexampleShrunk) {
  const std::string folder = ::testing::TempDir() + "picklock-added-server";
  setenv("PICKLOCK_OUT", folder.c_str(), 1);
  const SearchResult found =
      search(story(), {.runs = 2000, .faults = {.classes = {FaultClass::pause}, .most = 2}});
  unsetenv("PICKLOCK_OUT");
  ASSERT_EQ(found.outcome, SearchResult::Outcome::violated) << found.text;
  EXPECT_THAT(found.text, HasSubstr("own-release"));
  const Scenario shrunk = Scenario::from_file(found.file, &own_lock<DeskLock>());
  std::filesystem::remove_all(folder);
  EXPECT_THAT(shrunk.text(), Not(HasSubstr("spares")));
  EXPECT_TRUE(picklock::run(shrunk).violated(Property::own_release));
}

}  // namespace
}  // namespace picklock
