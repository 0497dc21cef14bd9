// A small world for tests: servers that log what they apply and echo it, and clients that run a
// script and log the outcomes. Every link takes 100 us unless a test says otherwise. Test-only.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/caller.h"
#include "sim/service.h"
#include "sim/simulation.h"
#include "testing/agenda.h"

// Tests write the fields of a fault that matter and no others.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace picklock::sim {

using namespace std::chrono_literals;

// Roles of steps, as a layer above would name them.
inline constexpr Role kAsk{1};
inline constexpr Role kTell{2};

// A verb that the servers carry out themselves.
inline constexpr Verb kOfServers{12};

inline constexpr Duration kWay = 100us;

constexpr Duration since_start(Instant at) { return at - kStart; }

inline std::string_view first_word(std::string_view payload) {
  return payload.substr(0, payload.find(' '));
}

inline const Protocol kEcho{.name = "echo", .command = &first_word};

class EchoServer final : public Service {
 public:
  EchoServer(Simulation& simulation, std::string_view name) {
    attach(simulation, simulation.scheduler.processes().add(name));
  }

  void start(Keeps keeps) override { starts.push_back(keeps); }
  void strike(const Strike& strike) override { strikes.push_back(told("struck", strike)); }
  void relieve(const Strike& strike) override { strikes.push_back(told("relieved", strike)); }
  using Service::tell;
  void on_reset(Connection&) override { resets.push_back(since_start(simulation().now())); }

  // The requests that it applied, joined by spaces.
  std::string applied() const {
    std::string all;
    for (const auto& [at, bytes] : log) all += all.empty() ? bytes : " " + bytes;
    return all;
  }

  std::string reply;  // instead of the echo
  std::vector<std::pair<Duration, std::string>> log;
  std::vector<Duration> resets;
  std::vector<Keeps> starts;
  std::vector<std::string> strikes;  // e.g. "2s struck client-1 key to server-2"

 protected:
  bool apply(Message& request, Payload& answer) override {
    const std::string_view bytes = request.payload.view();
    log.emplace_back(since_start(simulation().now()), bytes);
    answer.append(reply.empty() ? bytes : std::string_view(reply));
    return true;
  }

 private:
  std::string told(std::string_view what, const Strike& strike) const {
    std::string text = std::to_string(since_start(simulation().now()) / 1s) + "s ";
    text.append(what).append(" ").append(strike.target.name()).append(" ").append(strike.fault.key);
    if (strike.to != nullptr) text.append(" to ").append(strike.to->name());
    return text;
  }
};

// The outcome of a client's request, and when it came.
struct Told {
  Answer::Status status{};
  std::string bytes;
  Duration at{};

  bool operator==(const Told&) const = default;
};

class EchoClient final : public Program {
 public:
  using Script = std::function<void(EchoClient&)>;

  EchoClient(Simulation& simulation, std::string_view name)
      : simulation_(simulation), process_(simulation.scheduler.processes().add(name)) {
    process_.set_program(this);
  }

  void start(Keeps) override { run(script); }
  void halted() override {
    for (auto& [server, caller] : callers_) caller.forget();
  }

  // Starts another thread of this client; the run lasts as long as it does.
  Thread& run(const Script& body) {
    return simulation_.scheduler.threads().spawn(
        process_,
        [this, body] {
          if (body) body(*this);
        },
        true);
  }

  Answer::Status ask(EchoServer& server, std::string_view text, Duration patience = {},
                     Role role = kAsk) {
    const Answer answer =
        caller(server).call(role, patience, [text](Payload& payload) { payload.append(text); });
    told.push_back({answer.status(), std::string(answer.bytes()), since_start(simulation_.now())});
    return answer.status();
  }

  // Sends several requests at once, each from a thread of its own.
  void ask_beside(EchoServer& server, std::string text, Duration patience = {}) {
    run([&server, text = std::move(text), patience](EchoClient& self) {
      self.ask(server, text, patience);
    });
  }

  void sleep(Duration length) { simulation_.scheduler.sleep(length); }
  void mark(std::string_view name) { simulation_.nemesis.mark(process_, name); }
  void note_time() { times.push_back(since_start(simulation_.now())); }

  Process& process() { return process_; }
  Simulation& simulation() { return simulation_; }

  // Opened when first used: an established connection, as of before the run.
  Caller& caller(EchoServer& server) {
    for (auto& [of, caller] : callers_) {
      if (of == &server) return caller;
    }
    auto& [of, made] = callers_.emplace_back();
    of = &server;
    made.reset(simulation_, process_, server.process(), server, kEcho);
    return made;
  }

  Script script;
  std::vector<Told> told;
  std::vector<Duration> times;

 private:
  Simulation& simulation_;
  Process& process_;
  std::deque<std::pair<EchoServer*, Caller>> callers_;
};

// Clients come first: client i is process i.
class EchoWorld final : public Observer {
 public:
  explicit EchoWorld(std::uint32_t client_count = 1, std::uint32_t server_count = 1,
                     std::uint64_t seed = 1, bool tracing = false) {
    simulation.scheduler.record().set_observer(this);
    simulation.reset(seed, tracing);
    simulation.network.set_latency({.low = kWay, .high = kWay});
    for (std::uint32_t i = 0; i < client_count; ++i)
      clients.emplace_back(simulation, "client-" + std::to_string(i + 1));
    for (std::uint32_t i = 0; i < server_count; ++i)
      servers.emplace_back(simulation, "server-" + std::to_string(i + 1));
  }

  // Starts every process and runs to the end, under the plan given.
  void run(Plan faults = {}) {
    plan = std::move(faults);
    simulation.nemesis.reset(plan, 0, static_cast<std::uint32_t>(clients.size()));
    for (ProcessId id = 0; id < simulation.scheduler.processes().count(); ++id)
      simulation.scheduler.processes().start(simulation.scheduler.processes().at(id));
    simulation.scheduler.run();
  }

  // Schedules an action from outside the processes.
  void at(Duration when, std::function<void()> what) {
    agenda_.add(when, [this, act = std::move(what)] {
      simulation.scheduler.let_go();
      act();
    });
    simulation.scheduler.hold_open();
    agenda_.arm(simulation.scheduler);
  }

  std::uint64_t digest() { return simulation.scheduler.record().digest().value(); }

  void begin() override { occurrences.clear(); }
  void receive(const Occurrence& occurrence) override { occurrences.push_back(occurrence); }

  EchoClient& client(std::size_t number = 1) { return clients[number - 1]; }
  EchoServer& server(std::size_t number = 1) { return servers[number - 1]; }

  Simulation simulation;
  std::vector<Occurrence> occurrences;
  std::deque<EchoClient> clients;
  std::deque<EchoServer> servers;
  Plan plan;

 private:
  Agenda agenda_;
};

// Sends one text every `apart`, each from a thread of its own.
inline void send_apart(EchoWorld& world, std::initializer_list<const char*> texts, Duration apart,
                       Duration patience = {}) {
  world.client().script = [&world, sent = std::vector<std::string>(texts.begin(), texts.end()),
                           apart, patience](EchoClient& self) {
    for (const std::string& text : sent) {
      self.ask_beside(world.server(), text, patience);
      self.sleep(apart);
    }
  };
}

inline void ask_once(EchoWorld& world, Duration patience = {}) {
  world.client().script = [&world, patience](EchoClient& self) {
    self.ask(world.server(), "x", patience);
  };
}

inline Fault on_request(Verb verb, std::uint32_t nth, std::optional<Duration> lasts = {}) {
  return {.verb = verb,
          .target = "client-1",
          .trigger = {.role = kAsk, .phase = Phase::sent, .nth = nth},
          .lasts = lasts};
}

inline Fault on_answer(Verb verb, std::uint32_t nth, std::optional<Duration> lasts = {}) {
  Fault fault = on_request(verb, nth, lasts);
  fault.trigger.phase = Phase::applied;
  return fault;
}

inline Fault crash_of_server(Duration at, std::optional<Duration> lasts = {}) {
  return {.verb = Verb::crash,
          .target = "server-1",
          .trigger = {.at = kStart + at},
          .lasts = lasts,
          .keeps = Keeps::all};
}

}  // namespace picklock::sim
