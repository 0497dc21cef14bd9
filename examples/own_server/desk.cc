// The desk, its client and its record. This is the whole of what picklock has to know of a server.
#include "desk.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "keys/key_kinds.h"
#include "models/client/step_of.h"
#include "models/servers/cluster.h"
#include "sim/caller.h"
#include "sim/service.h"

namespace desk {
namespace {

using namespace picklock;
using servers::Specs;
using namespace std::chrono_literals;

// ---------------------------------------------------------------- the protocol
//
//   TAKE 10000 client-1 lock:order-42    GRANTED 7, TAKEN by client-2; the time in milliseconds
//   BACK lock:order-42                   FREE

std::string_view first_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

std::int64_t number_of(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

constexpr sim::Protocol kProtocol{
    .name = "desk",
    .describe = [](std::string_view payload, bool) { return std::string(payload); },
    .command = [](std::string_view payload) { return first_word(payload); }};

// ---------------------------------------------------------------- the server

class Desk final : public sim::Service {
 public:
  void reset(const servers::Site& site, sim::Process& process) {
    attach(site.simulation, process);
    recorder_ = &site.simulation.recorder;
    tenures_ = &site.tenures;
    keys_ = &site.keys;
    lent_.clear();
    grants_ = 0;
    timer_.bind<&Desk::expire>(site.simulation.scheduler, &process, *this);
  }
  // A desk keeps its book through a crash.
  void start(sim::Keeps) override { await(); }
  void halted() override { timer_.leave(); }

 private:
  struct Loan {
    history::KeyId key = 0;
    history::TenureId owner = 0;
    std::string holder;
    std::int64_t until = 0;  // on the monotonic clock of the desk
  };

  bool apply(sim::Message& request, sim::Payload& answer) override {
    std::string_view text = request.payload.view();
    const std::string_view verb = first_word(text);
    const Duration ttl = verb == "TAKE" ? 1ms * number_of(first_word(text)) : 0ms;
    const std::string_view holder = verb == "TAKE" ? first_word(text) : std::string_view();
    const history::KeyId key = keys_->id(text);
    const auto loan =
        std::find_if(lent_.begin(), lent_.end(), [key](const Loan& one) { return one.key == key; });
    if (verb == "BACK") {
      if (loan != lent_.end()) end(loan, history::Cause::command, request.tag, request.role);
      answer.append("FREE");
    } else if (loan != lent_.end()) {
      answer.append(fmt::format("TAKEN by {}", loan->holder));
    } else {
      lent_.push_back({key, request.tag, std::string(holder), now() + ttl.count()});
      tenures_->granted(request.tag, key);
      note(history::What::entry_created, history::Cause::command, lent_.back(), request.tag,
           request.role);
      answer.append(fmt::format("GRANTED {}", ++grants_));
    }
    await();
    return true;
  }

  std::vector<Loan>::iterator end(std::vector<Loan>::iterator loan, history::Cause cause,
                                  history::TenureId actor, Role role) {
    note(history::What::entry_removed, cause, *loan, actor, role);
    tenures_->removed(loan->owner, loan->key);
    return lent_.erase(loan);
  }

  // The judges and the timeline know an entry from here alone.
  void note(history::What what, history::Cause cause, const Loan& loan, history::TenureId actor,
            Role role) {
    const bool made = what == history::What::entry_created;
    recorder_->note({.at = simulation().now(),
                     .what = what,
                     .cause = cause,
                     .role = role,
                     .process = process().id(),
                     .tenure = actor,
                     .owner = made ? 0 : loan.owner,
                     .key = loan.key,
                     .until = made ? process().clock().when(sim::ClockKind::monotonic, loan.until,
                                                            simulation().now())
                                   : sim::kNever});
  }

  std::int64_t now() const {
    return simulation().scheduler.local_time(process(), sim::ClockKind::monotonic);
  }

  // Wakes when the next lease ends.
  void await() {
    if (process().down() || lent_.empty()) return;
    const auto next = std::min_element(
        lent_.begin(), lent_.end(), [](auto& one, auto& other) { return one.until < other.until; });
    timer_.arm_on(sim::ClockKind::monotonic, next->until);
  }
  void expire() {
    for (auto loan = lent_.begin(); loan != lent_.end();) {
      loan = loan->until <= now() ? end(loan, history::Cause::expiry, 0, Role::none) : loan + 1;
    }
    await();
  }

  history::Recorder* recorder_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  models::Keys* keys_ = nullptr;
  std::vector<Loan> lent_;
  std::int64_t grants_ = 0;
  sim::Timer timer_;
};

// ---------------------------------------------------------------- its client

class SimClient final : public servers::EndOf<Connection> {
 public:
  void reset(const servers::Site& site, const servers::Seat& seat, Desk& desk) {
    scheduler_ = &site.simulation.scheduler;
    patience_ = seat.options.command_timeout;
    caller_.reset(site.simulation, seat.process, desk.process(), desk, kProtocol);
  }
  void forget() override { caller_.forget(); }

  Lent take(std::string_view key, std::string_view holder, Duration ttl) override {
    const std::string answer = ask(fmt::format("TAKE {} {} {}", ttl / 1ms, holder, key));
    if (answer.empty()) return {Status::no_answer};
    if (!answer.starts_with("GRANTED ")) return {Status::refused};
    return {Status::done, number_of(std::string_view(answer).substr(8))};
  }
  Status give_back(std::string_view key) override {
    return ask(fmt::format("BACK {}", key)).empty() ? Status::no_answer : Status::done;
  }

 private:
  std::string ask(std::string_view text) {
    const sim::Answer answer =
        caller_.call(models::step_of(Role::none, *scheduler_), patience_,
                     [text](sim::Payload& payload) { payload.append(text); });
    return std::string(answer.bytes());
  }

  sim::Scheduler* scheduler_ = nullptr;
  sim::Caller caller_;
  Duration patience_{};
};

// ---------------------------------------------------------------- the record

keys::Key<Specs> spec_table() {
  static const keys::Keys<Spec> keys = {
      keys::integer<Spec>("spares", 0, 9, keys::at<&Spec::spares>,
                          "further desks, which nobody visits"),
      keys::duration<Spec>("service", keys::Sign::not_negative, keys::at<&Spec::service>,
                           "time that a desk needs for one request"),
  };
  return keys::table<Specs>(
      std::string(kServer.key), keys,
      [](auto& specs) -> auto& { return specs.template of<Spec>(); },
      "The server of a lock at a desk, process `desk-1`.");
}

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
      desks_[used++].reset(site, *process);
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

// A counterexample needs no desk that nobody visits.
std::vector<servers::Smaller> smaller(const Specs& specs) {
  std::vector<servers::Smaller> all;
  for (std::uint32_t gone = 1 + specs.of<Spec>().spares; gone > 1; --gone) {
    all.push_back({.take = [](Specs& some, const models::LockOptions&,
                              const sim::Plan&) { return --some.of<Spec>().spares, true; },
                   .renaming = servers::without("desk-", gone)});
  }
  return all;
}

}  // namespace

constinit const servers::Kind kKind = {
    .server = kServer,
    .title = "a desk",
    .table = spec_table,
    .processes = "`desk-1` to `desk-N`",
    .kinds = kKinds,
    .rows = [](const Specs& specs) -> std::vector<servers::Row> {
      return {{.kind = &kDeskKind, .prefix = "desk-", .count = 1 + specs.of<Spec>().spares}};
    },
    .make_cluster = []() -> std::unique_ptr<servers::Cluster> {
      return std::make_unique<Cluster>();
    },
    .token = "number",
    .lossless = "a desk never loses what it has acknowledged",
    .bounds = [](const Specs& specs, const models::LockOptions&) -> servers::Bounds {
      return {.service = specs.of<Spec>().service};
    },
    .smaller = smaller};

}  // namespace desk
