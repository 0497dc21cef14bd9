// A Redis Sentinel: watches masters and their replicas together with other Sentinels, and replaces
// a master that enough of them find down. It knows the servers only by their answers, and other
// Sentinels by the hellos that all of them publish on the servers (R60-R69).
//
// A world gives each one a process, an address in the directory and its configuration:
//   sentinel.reset(simulation, process, directory, configs);
//   directory.add({&process, &sentinel, kSentinelPort});
#pragma once

#include <deque>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/pubsub.h"
#include "models/redis/sentinel/config.h"
#include "models/redis/sentinel/info.h"
#include "models/redis/sentinel/instance.h"
#include "models/redis/session.h"
#include "picklock/redis.h"
#include "sim/service.h"

namespace picklock::redis {

class Sentinel final : public sim::Service {
 public:
  // Sets the Sentinel up for a new run. The directory must outlive the run. `password`: which it
  // requires, and gives to other Sentinels; empty: none.
  void reset(sim::Simulation& simulation, sim::Process& process, const Directory& directory,
             std::span<const SentinelConfig> configs, std::string_view password = {});

  // --- sim::Program
  void start(sim::Keeps keeps) override;
  void halted() override;
  void on_reset(sim::Connection& connection) override { client_gone(connection); }
  void on_closed(sim::Connection& connection) override { client_gone(connection); }

  // A line of its log, kept on request; the log level does not include role changes.
  struct Event {
    sim::Instant at{};
    std::string line;  // `+sdown master redis-1 10.0.0.4 6379`
  };
  void keep_events(bool keep) { keeps_events_ = keep; }
  const std::vector<Event>& events() const { return events_; }

  // For tests and reports.
  const std::string& id() const { return id_; }
  std::uint64_t current_epoch() const { return epoch_; }
  bool in_tilt() const { return tilt_; }
  const Instance* master(std::string_view name) const { return find_master(name); }

 private:
  friend class Contact;

  using Instances = std::vector<std::unique_ptr<Instance>>;

  // The kind of a request, which decides how its reply is used.
  enum class Asked : std::uint8_t { nothing, ping, info, publish, is_master_down };

  // The state that a configuration file keeps.
  struct Saved {
    struct Known {
      Address address;
      std::string id;
    };
    struct Master {
      std::string name;
      Address address;
      std::uint64_t config_epoch = 0;
      std::uint64_t leader_epoch = 0;
      std::vector<Address> replicas;
      std::vector<Known> sentinels;
    };
    std::string id;
    std::uint64_t epoch = 0;
    std::vector<Master> masters;
  };

  Milliseconds now() const {
    return simulation().scheduler.local_time(process(), sim::ClockKind::wall) / 1'000'000;
  }

  // --- its state
  // A Sentinel that has lost its configuration draws another id.
  std::string drawn_id(const sim::Process& process, std::uint32_t incarnation) const;
  void load_first();
  void load();
  void save();
  Instance& add_master(const SentinelConfig& config);
  Instance* add_replica(Instance& master, const Address& address);
  Instance& add_sentinel(Instance& master, const Address& address, std::string_view id);
  std::unique_ptr<Instance> make_instance(InstanceKind kind, const Address& address,
                                          Instance* master);
  void share_contact(Instance& other);
  // Callbacks of the instance's connections may be running, so it is destroyed later.
  void retire(std::unique_ptr<Instance> instance);
  template <typename Condition>
  bool retire_if(Instances& instances, Condition condition);
  Instance* find_master(std::string_view name) const;
  Instance* find(std::uint32_t serial) const;

  // --- the timer
  void tick();
  void await_tick(std::int64_t milliseconds);
  void check_tilt();
  void handle(Instance& instance);

  // --- watching (watch.cc)
  void connect(Instance& instance);
  const std::string& password_of(const Instance& instance) const;  // empty: it has none
  void ask_periodically(Instance& instance);
  void send(Instance& instance, std::initializer_list<std::string_view> argv,
            Asked asked = Asked::nothing);
  void ping(Instance& instance);
  void answered(std::uint64_t tag, std::string_view reply);
  void ping_answered(Instance& instance, std::string_view reply);
  void is_master_down_answered(Instance& other, std::string_view reply);
  void info_answered(Instance& instance, std::string_view reply);
  void take_info(Instance& instance);
  void take_role(Instance& instance);
  void watch_replica(Instance& replica);
  void watch_claim(Instance& replica);
  void watch_reconfiguration(Instance& replica);
  bool looks_sane(const Instance& master) const;

  // --- judging (judge.cc)
  void check_subjectively_down(Instance& instance);
  void check_objectively_down(Instance& master);
  void ask_others(Instance& master, bool forced);
  // Returns its vote, old or new; empty: it has none.
  std::string_view vote(Instance& master, std::uint64_t epoch, std::string_view candidate);
  std::string leader_of(Instance& master, std::uint64_t epoch);
  void raise_epoch(std::uint64_t epoch);

  // --- failing over (failover.cc)
  bool start_failover_if_needed(Instance& master);
  void start_failover(Instance& master);
  void drive_failover(Instance& master);
  void wait_start(Instance& master);
  void select_replica(Instance& master);
  void send_no_one(Instance& master);
  void wait_promotion(Instance& master);
  void reconfigure_replicas(Instance& master);
  void reconfigure(Instance& replica, std::string_view event);
  void detect_end(Instance& master);
  void abort_failover(Instance& master, std::string_view event);
  void enter(Instance& master, FailoverState state);
  void promotion_seen(Instance& replica);
  void switch_to_promoted(Instance& master);
  void switch_address(Instance& master, const Address& address);
  void send_replicaof(Instance& instance, const Address* master);  // nullptr: NO ONE

  // --- hellos (hello.cc)
  void say_hello(Instance& instance);
  void say_hello_soon(Instance& master);
  void heard(std::string_view message);
  void take_hello(std::string_view hello);
  Instance& meet(Instance& master, const Address& address, std::string_view id);

  // --- events (events.cc)
  static std::string described(const Instance& instance);
  std::string process_at(const Address& address) const;
  void event(std::string_view name, std::string_view text, bool logged = true);
  void event(std::string_view name, const Instance& instance) { event(name, described(instance)); }
  void log(std::string line);
  void push(Session& session, std::initializer_list<std::string_view> words);

  // --- answering (answers.cc)
  bool apply(sim::Message& request, sim::Payload& answer) override;
  Session& session_of(sim::Connection& connection);
  void client_gone(sim::Connection& connection);
  void quit(sim::Message& request);
  using Argv = std::span<const std::string_view>;
  void run(Session& session, Argv argv, sim::Payload& out);
  void run_subscription(Session& session, Argv argv, sim::Payload& out);
  void run_sentinel(Argv argv);
  void answer_hello(Session& session, Argv argv);
  void answer_client(Session& session, Argv argv);
  void answer_info(Argv argv);
  void answer_is_master_down(Argv argv);
  void answer_failover(Argv argv);
  void answer_quorum(const Instance& master);
  Instance* named_master(std::string_view name);  // nullptr: the reply says so
  void describe(const Instance& instance, Reply& reply) const;
  void describe_all(const Instances& instances);

  const Directory* directory_ = nullptr;
  std::vector<SentinelConfig> configs_;
  std::string password_;
  sim::Random random_;
  sim::Timer timer_;

  Saved saved_;
  bool has_saved_ = false;
  std::string id_;
  Address own_;
  std::uint64_t epoch_ = 0;
  Instances masters_;
  Instances retired_;
  Instances buried_;  // masters of incarnations that have crashed
  std::uint32_t serials_ = 0;
  std::uint32_t dials_ = 0;
  bool tilt_ = false;
  Milliseconds tilt_since_ = 0;
  Milliseconds previous_tick_ = 0;

  std::deque<Session> sessions_;  // of clients; reused when closed
  std::uint64_t session_ids_ = 0;
  PubSub pubsub_;

  bool keeps_events_ = false;
  std::vector<Event> events_;

  std::vector<std::string_view> argv_;
  Reply reply_;
  ServerInfo info_;
  std::string text_;
};

template <typename Condition>
bool Sentinel::retire_if(Instances& instances, Condition condition) {
  bool any = false;
  for (auto& instance : instances) {
    if (!condition(*instance)) continue;
    any = true;
    retire(std::move(instance));
  }
  std::erase(instances, nullptr);
  return any;
}

}  // namespace picklock::redis
