// Runs written by hand for the tests of reports: A-01 as the simulator would record it, and pieces
// to build others from. The times and the order are those of docs/facts/failures.md A-01.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "history/history.h"
#include "picklock/client.h"
#include "scenarios/run.h"

namespace picklock::reports::testing {

using history::What;
using picklock::Property;
using picklock::Role;
using sim::Instant;
using sim::TraceKind;

inline constexpr Instant at_us(std::int64_t microseconds) {
  return sim::kStart + std::chrono::microseconds(microseconds);
}
inline constexpr Instant at_ms(std::int64_t milliseconds) { return at_us(milliseconds * 1000); }

inline std::string as_it_is(std::string_view payload, bool) { return std::string(payload); }
inline std::string_view refusal_of_set(std::string_view request, std::string_view answer) {
  return request.starts_with("SET ") && answer == "nil" ? "refused" : "";
}
inline constexpr sim::Protocol kPlainText{
    .name = "text", .describe = as_it_is, .gloss = refusal_of_set};

// Records a run event by event. Times must not go backwards.
class RunBuilder {
 public:
  explicit RunBuilder(std::vector<std::string> processes) {
    run.processes = std::move(processes);
    run.keys = {"lock:order-42"};
    run.trace.protocols = {&kPlainText};
    for (std::size_t i = 0; i < kPropertyCount; ++i) {
      run.verdicts[i].property = static_cast<Property>(i);
    }
  }

  std::uint32_t happens(history::HistoryEvent event) {
    record({.at = event.at,
            .kind = TraceKind::recorded,
            .process = event.process,
            .peer = event.peer,
            .message = static_cast<std::uint32_t>(run.history.size()),
            .tag = event.tenure});
    run.history.push_back(event);
    return static_cast<std::uint32_t>(run.history.size() - 1);
  }

  std::uint32_t client(Instant at, What what, sim::ProcessId process, history::TenureId tenure) {
    return happens(
        {.at = at, .what = what, .process = process, .thread = process + 1, .tenure = tenure});
  }

  std::uint32_t send(Instant at, sim::ProcessId from, sim::ProcessId to, Role role,
                     history::TenureId tenure, std::string_view text) {
    return send({.at = at, .role = role, .process = from, .peer = to, .tag = tenure}, text);
  }

  // `request` 0: unasked.
  std::uint32_t answer(Instant at, std::uint32_t request, sim::ProcessId from, sim::ProcessId to,
                       Role role, history::TenureId tenure, std::string_view text) {
    return send({.at = at,
                 .role = role,
                 .reply = true,
                 .process = from,
                 .peer = to,
                 .answers = request,
                 .tag = tenure},
                text);
  }

  std::uint32_t send(sim::TraceRecord sent, std::string_view text) {
    sent.kind = TraceKind::sent;
    sent.message = next_message_++;
    sent.payload_at = static_cast<std::uint32_t>(run.trace.bytes.size());
    sent.payload_size = static_cast<std::uint32_t>(text.size());
    run.trace.bytes += text;
    record(sent);
    return sent.message;
  }

  void message(Instant at, TraceKind kind, std::uint32_t number, sim::ProcessId from,
               sim::ProcessId to) {
    const auto& records = run.trace.records;
    const bool reply =
        std::any_of(records.begin(), records.end(), [&](const sim::TraceRecord& sent) {
          return sent.kind == TraceKind::sent && sent.message == number && sent.reply;
        });
    record(
        {.at = at, .kind = kind, .reply = reply, .process = from, .peer = to, .message = number});
  }

  void process(Instant at, TraceKind kind, sim::ProcessId process) {
    record({.at = at, .kind = kind, .process = process});
  }

  // A message by a server about itself.
  void tell(Instant at, sim::ProcessId process, std::string_view what) {
    sim::TraceRecord told{.at = at, .kind = TraceKind::told, .process = process};
    told.payload_at = static_cast<std::uint32_t>(run.trace.bytes.size());
    told.payload_size = static_cast<std::uint32_t>(what.size());
    run.trace.bytes += what;
    record(told);
  }

  // A command and its answer, half a millisecond each way; `applied` does the work of the server in
  // between.
  template <class Applied>
  void exchange(Instant at, sim::ProcessId from, sim::ProcessId to, Role role,
                history::TenureId tenure, std::string_view text, std::string_view answer,
                Applied applied) {
    constexpr sim::Duration kWay = std::chrono::microseconds(500);
    const std::uint32_t request = send(at, from, to, role, tenure, text);
    message(at + kWay, TraceKind::delivered, request, from, to);
    applied(at + kWay);
    const std::uint32_t back = this->answer(at + kWay, request, to, from, role, tenure, answer);
    message(at + 2 * kWay, TraceKind::delivered, back, to, from);
  }

  void violate(Property property, std::vector<properties::Witness> witnesses) {
    properties::Verdict& verdict = run.verdicts[static_cast<std::size_t>(property)];
    verdict.outcome = properties::Outcome::violated;
    verdict.count = static_cast<std::uint32_t>(witnesses.size());
    verdict.witnesses = std::move(witnesses);
  }

  // Any other record; the functions above use it.
  void record(sim::TraceRecord record) { run.trace.records.push_back(record); }

  scenarios::Run run;

 private:
  std::uint32_t next_message_ = 1;
};

// client-1 sleeps through the end of its lease and deletes its successor's entry.
inline scenarios::Run blind_delete() {
  enum : sim::ProcessId { client_1, client_2, client_3, redis, resource };
  RunBuilder b({"client-1", "client-2", "client-3", "redis-1", "resource"});
  scenarios::Scenario& scenario = b.run.scenario;
  scenario.name = "ttl-expiry-blind-delete";
  scenario.title =
      "Client-1 is stopped past the end of its lease and deletes its successor's entry";
  scenario.source = "failures.md A-01";
  scenario.lock.algorithm = "set-px-blind-delete";
  sim::Fault pause;
  pause.target = "client-1";
  pause.trigger.role = Role::write;
  pause.trigger.nth = 2;
  pause.lasts = std::chrono::seconds(9);
  scenario.faults = {pause};

  const auto ask = [&](Instant at, sim::ProcessId who, history::TenureId tenure) {
    b.client(at, What::acquire_invoked, who, tenure);
  };
  const auto set = [&](Instant at, sim::ProcessId who, history::TenureId tenure, bool free) {
    const std::string token = std::to_string(tenure) + "f2ac91be7d3405816cc0a4e97b1d2";
    b.exchange(at, who, redis, Role::acquire, tenure, "SET lock:order-42 " + token + " NX PX 10000",
               free ? "OK" : "nil", [&](Instant then) {
                 if (!free) return;
                 b.happens({.at = then,
                            .what = What::entry_created,
                            .role = Role::acquire,
                            .process = redis,
                            .tenure = tenure,
                            .until = then + std::chrono::seconds(10)});
               });
    std::uint32_t granted = 0;
    if (free) granted = b.client(at + std::chrono::milliseconds(1), What::acquire_ok, who, tenure);
    return granted;
  };
  const auto write = [&](Instant at, sim::ProcessId who, history::TenureId tenure) {
    std::uint32_t accepted = 0;
    b.exchange(at, who, resource, Role::write, tenure, "WRITE order-42", "ok", [&](Instant then) {
      accepted = b.happens({.at = then,
                            .what = What::write_accepted,
                            .process = resource,
                            .peer = who,
                            .tenure = tenure});
    });
    return accepted;
  };
  const auto del = [&](Instant at, sim::ProcessId who, history::TenureId tenure,
                       history::TenureId owner) {
    std::uint32_t removed = 0;
    b.client(at, What::release_invoked, who, tenure);
    const auto invoked = static_cast<std::uint32_t>(b.run.history.size() - 1);
    b.exchange(at, who, redis, Role::release, tenure, "DEL lock:order-42", owner != 0 ? "1" : "0",
               [&](Instant then) {
                 if (owner == 0) return;
                 removed = b.happens({.at = then,
                                      .what = What::entry_removed,
                                      .role = Role::release,
                                      .process = redis,
                                      .tenure = tenure,
                                      .owner = owner});
               });
    b.client(at + std::chrono::milliseconds(1), What::release_ok, who, tenure);
    return std::pair{invoked, removed};
  };

  ask(at_ms(0), client_1, 1);
  const std::uint32_t first = set(at_ms(0), client_1, 1, true);
  write(at_ms(1), client_1, 1);
  ask(at_ms(1050), client_2, 2);
  bool asked = false;
  for (std::int64_t ms = 1050; ms < 3001; ms += 50) {
    const bool third = ms % 100 == 0;
    if (third && ms < 2100) continue;
    if (third && !asked) {
      ask(at_ms(ms), client_3, 3);
      asked = true;
    }
    set(at_ms(ms), third ? client_3 : client_2, third ? 3U : 2U, false);
  }
  b.happens({.at = at_us(3001500), .what = What::fault_fired, .process = client_1});
  b.run.fired = {{.fault = 0, .at = at_us(3001500)}};
  b.process(at_us(3001500), TraceKind::paused, client_1);
  for (std::int64_t ms = 3050; ms < 10001; ms += 50) {
    const bool third = ms % 100 == 0;
    set(at_ms(ms), third ? client_3 : client_2, third ? 3U : 2U, false);
  }
  const std::uint32_t expired = b.happens({.at = at_us(10001500),
                                           .what = What::entry_removed,
                                           .cause = history::Cause::expiry,
                                           .process = redis,
                                           .owner = 1});
  const std::uint32_t second = set(at_ms(10050), client_2, 2, true);
  const std::uint32_t wrote_2 = write(at_ms(10051), client_2, 2);
  for (std::int64_t ms = 10100; ms < 12000; ms += 100) set(at_ms(ms), client_3, 3, false);
  set(at_ms(12000), client_3, 3, false);
  b.process(at_us(12001500), TraceKind::resumed, client_1);
  b.happens({.at = at_us(12001500), .what = What::fault_ended, .process = client_1});
  const std::uint32_t stale = write(at_us(12001500), client_1, 1);
  const auto [ended_1, removed_2] = del(at_us(12002500), client_1, 1, 2);
  const std::uint32_t third = set(at_ms(12100), client_3, 3, true);
  const std::uint32_t wrote_3 = write(at_ms(12101), client_3, 3);
  const std::uint32_t wrote_2_again = write(at_ms(13051), client_2, 2);
  const auto [ended_2, removed_3] = del(at_ms(13052), client_2, 2, 3);
  const std::uint32_t wrote_3_again = write(at_ms(15101), client_3, 3);
  const auto [ended_3, nothing] = del(at_ms(15102), client_3, 3, 0);
  static_cast<void>(nothing);
  static_cast<void>(wrote_3_again);
  b.happens({.at = at_ms(42002), .what = What::horizon});

  b.violate(Property::mutual_exclusion, {{second, first}, {third, second}});
  b.violate(Property::resource_exclusion, {{stale, wrote_2}, {wrote_2_again, wrote_3}});
  b.violate(Property::no_stale_write, {{stale, wrote_2}, {wrote_2_again, wrote_3}});
  b.violate(Property::own_release, {{removed_2, removed_2}, {removed_3, removed_3}});
  b.violate(Property::loss_noticed,
            {{ended_1, expired}, {ended_2, removed_2}, {ended_3, removed_3}});
  b.run.met = {FaultClass::pause};
  b.run.patience = std::chrono::milliseconds(30600);
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    const auto property = static_cast<Property>(i);
    scenarios::Promised& promised = b.run.promised[i];
    promised.promised = property >= Property::not_stuck;
    if (property == Property::available) promised.premise = "the server is up and the key is free";
    if (property < Property::loss_noticed) promised.beyond = b.run.met;
  }
  b.run.digest = 0x01f3a97c55d0e2b4;
  b.run.events = 1912;
  b.run.ended = at_ms(42002);
  b.run.grants = 3;
  b.run.longest_wait = {.length = std::chrono::milliseconds(10001), .process = client_3};
  return std::move(b.run);
}

// A-01 with a twin that releases by script, which keeps all promises that a pause leaves possible.
inline scenarios::Outcome blind_delete_and_twin() {
  scenarios::Outcome outcome{.run = blind_delete(), .twins = {}};
  scenarios::Run twin = outcome.run;
  twin.twin = "lock.algorithm = set-px-lua-delete";
  twin.scenario.lock.algorithm = "set-px-lua-delete";
  twin.digest = 0xa0b1c2d3e4f50617;
  twin.trace = {};
  for (const Property property : {Property::own_release}) {
    twin.verdicts[static_cast<std::size_t>(property)] = {.property = property, .witnesses = {}};
  }
  outcome.twins.push_back(std::move(twin));
  return outcome;
}

}  // namespace picklock::reports::testing
