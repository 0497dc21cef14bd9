#include "conform/redis/outcomes/simulated_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

#include "conform/redis/frame.h"
#include "conform/redis/outcomes/info.h"
#include "history/recorded_simulation.h"
#include "models/redis/sentinel/sentinel.h"
#include "models/redis/server.h"
#include "models/redis/wire.h"
#include "sim/simulation.h"

namespace picklock::conform::redis::outcomes {

using namespace picklock::redis;
namespace {

const std::string kObserver = "(observer)";

// One connection of a client, whose thread waits for replies.
class Line final : public sim::Endpoint {
 public:
  void open(sim::Simulation& simulation, sim::Process& self, const Node& node,
            std::uint32_t ordinal) {
    simulation_ = &simulation;
    self_ = &self;
    received_.clear();
    opened_ = ended_ = told_ = false;
    connection_ =
        &simulation.network.dial(self, *this, *node.process, *node.endpoint, protocol(), ordinal);
    while (!opened_ && !ended_) wait(std::chrono::seconds(1));
    refused_ = !opened_;
  }
  bool usable() const { return connection_ != nullptr && opened_ && !ended_; }
  // It has ended, and the client has not received that yet.
  bool over() const { return connection_ != nullptr && opened_ && ended_ && !told_; }
  void tell_end() { told_ = true; }
  bool refused() const { return connection_ == nullptr || refused_; }
  bool ended() const { return ended_; }

  void send(std::span<const std::string_view> argv) {
    sim::Message& message = simulation_->network.make(*connection_, 0);
    write_request(message.payload, argv);
    simulation_->network.send(message);
  }
  std::string& received() { return received_; }

  // Waits for a message. False: the time was over first.
  bool wait(sim::Duration longest) {
    sim::Scheduler& scheduler = simulation_->scheduler;
    waiting_ = scheduler.running();
    const std::int64_t now = scheduler.local_time(*self_, sim::ClockKind::monotonic);
    const bool woken = scheduler.park_until(sim::ClockKind::monotonic, now + longest.count());
    waiting_ = nullptr;
    return woken;
  }

  void on_message(sim::Connection& connection, sim::Message& message) override {
    if (&connection != connection_) return;
    received_ += message.payload.view();
    wake();
  }
  void on_opened(sim::Connection& connection) override {
    if (&connection != connection_) return;
    opened_ = true;
    wake();
  }
  void on_reset(sim::Connection& connection) override {
    if (&connection != connection_) return;
    ended_ = true;
    wake();
  }

 private:
  void wake() {
    if (waiting_ != nullptr)
      simulation_->scheduler.threads().wake(*std::exchange(waiting_, nullptr));
  }

  sim::Simulation* simulation_ = nullptr;
  sim::Process* self_ = nullptr;
  sim::Connection* connection_ = nullptr;
  sim::Thread* waiting_ = nullptr;
  std::string received_;
  bool opened_ = false;
  bool ended_ = false;
  bool told_ = false;
  bool refused_ = false;
};

class SimulatedSide final : public Side {
 public:
  SimulatedSide(const Group& group, std::uint64_t seed) : group_(group) {
    simulation_.reset(seed);
    keys_.reset();
    tenures_.reset(keys_.id("lock"));
    sim::Scheduler& scheduler = simulation_.scheduler;
    names_.emplace_back("master");
    for (int i = 1; i <= group.replicas; ++i) names_.push_back("replica-" + std::to_string(i));
    for (const std::string& name : names_) {
      scheduler.processes().add(name);
      servers_.emplace_back();
    }
    for (int i = 1; i <= group.sentinels; ++i) {
      names_.push_back("sentinel-" + std::to_string(i));
      scheduler.processes().add(names_.back());
      sentinels_.emplace_back();
    }
    self_ = &scheduler.processes().add("situation");
    // Under some seeds the machine is busy, like a real one. With stopped clocks nobody would
    // notice.
    constexpr std::uint64_t kBusyOneIn = 4;
    const bool busy = !group.clocks_stand && seed % kBusyOneIn == 0;
    simulation_.network.set_latency({.low = std::chrono::microseconds(20),
                                     .high = std::chrono::microseconds(busy ? 40'000 : 60)});
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (i < servers_.size()) {
        directory_.add({.process = &process(i), .endpoint = &servers_[i]});
      } else {
        directory_.add({&process(i), &sentinels_[i - servers_.size()], kSentinelPort});
      }
    }
    const SentinelConfig config{.name = std::string(kGroupName),
                                .master = *directory_.of(process(0)),
                                .quorum = static_cast<std::uint32_t>(group.sentinels / 2 + 1),
                                .down_after = kDownAfter,
                                .failover_timeout = kFailoverTimeout};
    for (std::size_t i = 0; i < sentinels_.size(); ++i)
      sentinels_[i].reset(simulation_, process(servers_.size() + i), directory_, {&config, 1});
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      servers_[i].reset(simulation_, process(i), tenures_, keys_, &directory_);
      servers_[i].configure(configuration_file(i == 0));
      if (i == 0) continue;
      servers_[i].replication().configure(directory_.of(process(0)));
      servers_[i].replication().join(servers_[0].replication());
    }
    for (std::size_t i = 0; i <= names_.size(); ++i) scheduler.processes().start(process(i));
    skews_.assign(names_.size(), Duration(0));
  }

  Outcome tell(const Situation& situation) {
    Outcome outcome;
    simulation_.scheduler.threads().spawn(
        *self_,
        [&] {
          outcome = outcomes::run(situation, *this);
          simulation_.scheduler.stop();
        },
        true);
    simulation_.scheduler.run();
    return outcome;
  }

  void begin(const Group&) override {
    for (std::size_t i = servers_.size(); i < names_.size(); ++i) settle(names_[i]);
    begun_ = simulation_.now();
  }

  Duration now() override {
    return std::chrono::duration_cast<Duration>(simulation_.now() - begun_);
  }

  void pass(Duration time) override {
    constexpr Duration kSlice(5);
    while (time > Duration(0)) {
      const Duration slice = std::min(time, kSlice);
      simulation_.scheduler.sleep(slice);
      hold_clocks();
      time -= slice;
    }
  }

  void send(const std::string& client, const std::string& node, const Words& words) override {
    hold_clocks();
    Line& line = lines_[{client, node}];
    if (line.over()) return;
    if (!line.usable()) line.open(simulation_, *self_, node_called(node), ++dials_);
    if (!line.usable()) return;
    const Words addressed = with_addresses(words);
    const std::vector<std::string_view> argv(addressed.begin(), addressed.end());
    line.send(argv);
  }

  std::string receive(const std::string& client, const std::string& node,
                      Duration patience) override {
    Line& line = lines_[{client, node}];
    if (line.refused()) return std::string(kRefused);
    const sim::Instant deadline = simulation_.now() + patience;
    for (;;) {
      std::string_view bytes = line.received();
      Frame frame;
      switch (take_frame(bytes, frame)) {
        case Framing::whole:
          line.received().erase(0, line.received().size() - bytes.size());
          return shown(frame);
        case Framing::malformed:
          throw std::runtime_error("no reply of Redis: " + line.received());
        case Framing::partial:
          if (line.ended()) {
            line.tell_end();
            return std::string(kClosed);
          }
          if (simulation_.now() >= deadline) return std::string(kNoReply);
          line.wait(deadline - simulation_.now());
      }
    }
  }

  void act(Deed deed, const std::string& node) override {
    sim::Scheduler& scheduler = simulation_.scheduler;
    sim::Process& target = process(index_of(node));
    switch (deed) {
      case Deed::stop:
        return scheduler.processes().pause(target);
      case Deed::go_on:
        return scheduler.processes().resume(target);
      case Deed::kill:
        return kill(target);
      case Deed::restart:
        kill(target);
        return scheduler.processes().restart(target, sim::Keeps::all);
      case Deed::tear:
        return tear(servers_[index_of(node)].persistence().disk());
      case Deed::listen:
        return listen(node);
    }
  }

  void skew(const std::string& node, Duration ahead) override {
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      if (!node.empty() && names_[i] != node) continue;
      if (!group_.clocks_stand)
        simulation_.scheduler.processes().step_clock(process(i), ahead - skews_[i]);
      skews_[i] = ahead;
    }
    hold_clocks();
  }

  bool holds(Condition condition, const std::string& node) override {
    const std::string replication = info(node);
    switch (condition) {
      case Condition::link_up:
        return field(replication, "master_link_status") == "up";
      case Condition::link_down:
        return field(replication, "master_link_status") == "down";
      case Condition::master:
        return field(replication, "role") == "master";
      case Condition::replica:
        return field(replication, "role") == "slave";
      case Condition::streaming: {
        std::size_t others = 0;
        for (Server& one : servers_) others += one.process().down() ? 0u : 1u;
        return count(replication, ",state=online,") == others - 1;
      }
      case Condition::caught_up: {
        if (field(replication, "master_link_status") != "up") return false;
        const std::string its_masters = info(name_at(field(replication, "master_host")));
        return field(replication, "master_replid") == field(its_masters, "master_replid") &&
               number(field(replication, "slave_repl_offset")) >=
                   number(field(its_masters, "master_repl_offset"));
      }
    }
    return false;
  }

  Words heard(const std::string& node) override {
    std::string& received = lines_[{kObserver + " listens", node}].received();
    const std::size_t end = number(field(info(node), "master_repl_offset"));
    const std::size_t size = end - std::exchange(heard_until_[node], end);
    while (received.size() < size) lines_[{kObserver + " listens", node}].wait(Duration(1));
    std::string_view rest = std::string_view(received).substr(0, size);
    Words commands;
    std::vector<std::string_view> argv;
    while (take_request(rest, argv)) {
      std::string command;
      for (std::string_view word : argv) command.append(command.empty() ? "" : " ").append(word);
      if (command != "ping") commands.push_back(std::move(command));
    }
    received.erase(0, size);
    return commands;
  }

 private:
  sim::Process& process(std::size_t index) {
    return simulation_.scheduler.processes().at(static_cast<sim::ProcessId>(index));
  }
  std::size_t index_of(std::string_view name) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }
  const Node& node_called(std::string_view name) { return *directory_.of(process(index_of(name))); }
  std::string name_at(std::string_view host) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (host_of(process(i).id()) == host) return names_[i];
    }
    return {};
  }

  void kill(sim::Process& target) {
    if (target.down()) return;
    simulation_.network.crash(target, false, false);
    simulation_.scheduler.processes().halt(target, false);
  }
  static void tear(sim::Disk& disk) {
    constexpr std::size_t kBytes = 5;  // fewer than any command has
    disk.truncate(Persistence::kLog, disk.find(Persistence::kLog)->bytes.size() - kBytes);
  }

  std::string info(const std::string& node) {
    send(kObserver, node, {"INFO", "replication"});
    return receive(kObserver, node, std::chrono::seconds(30));
  }

  void settle(const std::string& sentinel) {
    const std::string known = "slaves=" + std::to_string(group_.replicas) +
                              ",sentinels=" + std::to_string(group_.sentinels);
    for (;;) {
      send(kObserver, sentinel, {"INFO", "sentinel"});
      if (receive(kObserver, sentinel, std::chrono::seconds(30)).find(known) != std::string::npos)
        return;
      pass(Duration(100));
    }
  }

  // The later one of two lines about the same setting counts.
  std::vector<std::string_view> configuration_file(bool of_master) const {
    std::map<std::string_view, std::string_view> lines = {
        {"repl-diskless-sync", "no"},
        {"repl-diskless-sync-delay", "0"},
        {"appendonly", group_.append_only ? "yes" : "no"}};
    const auto add = [&lines](const Words& more) {
      for (const std::string_view line : more) {
        const std::size_t blank = line.find(' ');
        lines[line.substr(0, blank)] = line.substr(blank + 1);
      }
    };
    add(group_.settings);
    if (of_master) add(group_.master_settings);
    std::vector<std::string_view> file;
    for (const auto& [name, value] : lines) {
      file.push_back(name);
      file.push_back(value);
    }
    return file;
  }

  // Sets stopped clocks back before anybody can see that they have moved.
  void hold_clocks() {
    if (!group_.clocks_stand) return;
    sim::Scheduler& scheduler = simulation_.scheduler;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      const std::int64_t wanted = (kStart + skews_[i].count()) * 1'000'000;
      const std::int64_t shows = scheduler.local_time(process(i), sim::ClockKind::wall);
      if (shows != wanted)
        scheduler.processes().step_clock(process(i), sim::Duration(wanted - shows));
    }
  }

  Words with_addresses(Words words) {
    for (std::string& word : words) {
      if (word.starts_with(kHostWord)) {
        word = node_called(word.substr(kHostWord.size())).host();
      } else if (word.starts_with(kPortWord)) {
        word = std::to_string(node_called(word.substr(kPortWord.size())).port);
      }
    }
    return words;
  }

  std::string shown(const Frame& frame) {
    if (frame.null) return "nil";
    if (!frame.aggregate()) return (frame.error() ? "-" : "") + frame.text;
    if (frame.elements.size() == 2) {
      std::string name = name_at(frame.elements[0].text);
      if (!name.empty()) return name;
    }
    std::string text = "[";
    for (const Frame& element : frame.elements)
      text += (&element == &frame.elements.front() ? "" : ", ") + shown(element);
    return text + "]";
  }

  void listen(const std::string& node) {
    const std::string name = kObserver + " listens";
    send(name, node, {"PSYNC", "?", "-1"});
    Line& line = lines_[{name, node}];
    std::string& received = line.received();
    const auto whole = [&] {
      const std::size_t first = received.find("\r\n");
      if (first == std::string::npos) return false;
      Reply snapshot;
      std::string_view rest = std::string_view(received).substr(first + 2);
      return read_reply(rest, snapshot);
    };
    while (!whole()) line.wait(Duration(1));
    const std::string answer = received.substr(0, received.find("\r\n"));
    heard_until_[node] = number(std::string_view(answer).substr(answer.rfind(' ') + 1));
    received.clear();
  }

  const Group& group_;
  history::RecordedSimulation simulation_;
  models::Tenures tenures_;
  models::Keys keys_;
  Directory directory_;
  std::deque<Server> servers_;
  std::deque<Sentinel> sentinels_;
  Words names_;  // of the master and the replica, in this order
  sim::Process* self_ = nullptr;
  std::vector<Duration> skews_;
  sim::Instant begun_{};
  std::uint32_t dials_ = 0;
  std::map<std::pair<std::string, std::string>, Line> lines_;
  std::map<std::string, std::size_t> heard_until_;
};

}  // namespace

bool can_be_simulated(const Situation& situation) {
  const auto unknown = [](const std::string& node, const Words& words) {
    if (node.starts_with("sentinel-")) return false;
    const std::vector<std::string_view> argv(words.begin(), words.end());
    const Command* command = command_called(argv);
    return command == nullptr || !command->known();
  };
  return std::none_of(situation.steps.begin(), situation.steps.end(), [&](const Step& step) {
    if (const auto* ask = std::get_if<Ask>(&step)) return unknown(ask->node, ask->words);
    if (const auto* send = std::get_if<Send>(&step)) return unknown(send->node, send->words);
    return false;
  });
}

Outcome simulated(const Situation& situation, std::uint64_t seed) {
  SimulatedSide side(situation.group, seed);
  return side.tell(situation);
}

}  // namespace picklock::conform::redis::outcomes
