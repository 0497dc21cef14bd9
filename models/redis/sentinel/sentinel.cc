#include "models/redis/sentinel/sentinel.h"

#include <algorithm>
#include <iterator>

namespace picklock::redis {
namespace {

constexpr std::size_t kIdSize = 40;
constexpr std::uint64_t kDefaultHz = 10;

Milliseconds milliseconds(sim::Duration length) { return length.count() / 1'000'000; }

}  // namespace

void Sentinel::reset(sim::Simulation& simulation, sim::Process& process, const Directory& directory,
                     std::span<const SentinelConfig> configs, std::string_view password) {
  attach(simulation, process);
  directory_ = &directory;
  configs_.assign(configs.begin(), configs.end());
  password_.assign(password);
  timer_.bind<&Sentinel::tick>(simulation.scheduler, &process, *this);
  has_saved_ = false;
  // The connections of these instances ended with the previous run.
  masters_.clear();
  retired_.clear();
  buried_.clear();
  serials_ = dials_ = 0;
  session_ids_ = 0;
  sessions_.clear();
  pubsub_.clear();
  events_.clear();
}

void Sentinel::start(sim::Keeps keeps) {
  random_ = sim::Random(
      simulation().scheduler.record().seed(),
      sim::mixed(process().hash() + process().incarnation()) ^ sim::hash_of("sentinel"));
  const Node* self = directory_->of(process());
  own_ = Address::of(self != nullptr ? *self : Node{&process(), this, kSentinelPort});
  tilt_ = false;
  epoch_ = 0;
  // A Sentinel fsyncs its configuration file after each change, so only a loss of all data loses
  // it.
  if (keeps == sim::Keeps::none) has_saved_ = false;
  for (const SentinelConfig& config : configs_) add_master(config);
  if (has_saved_) {
    load();
  } else {
    const bool lost = keeps == sim::Keeps::none;
    id_ = drawn_id(process(), lost ? process().incarnation() : 0);
    if (!lost) load_first();
    save();
  }
  for (const auto& master : masters_)
    event("+monitor", described(*master) + " quorum " + std::to_string(master->quorum));
  previous_tick_ = now();
  await_tick(1);
}

void Sentinel::halted() {
  for (const auto& master : masters_) {
    master->contact->forget();
    for (const Instances* others : {&master->replicas, &master->sentinels}) {
      for (const auto& other : *others) other->contact->forget();
    }
  }
  // The network may still deliver messages to the links of the dead incarnation.
  std::move(masters_.begin(), masters_.end(), std::back_inserter(buried_));
  masters_.clear();
  for (const Session& session : sessions_) {
    if (session.connected) session.connection->session = nullptr;
  }
  sessions_.clear();
  pubsub_.clear();
}

// ---------------------------------------------------------------- its state

std::string Sentinel::drawn_id(const sim::Process& process, std::uint32_t incarnation) const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  sim::Random random(simulation().scheduler.record().seed(),
                     sim::mixed(process.hash() + incarnation) ^ sim::hash_of("sentinel id"));
  std::string id;
  while (id.size() < kIdSize) id += kDigits[random.below(kDigits.size())];
  return id;
}

// Adds the instances that the configuration file names from before the run.
void Sentinel::load_first() {
  for (const SentinelConfig& config : configs_) {
    Instance& master = *find_master(config.name);
    for (const Node& replica : config.replicas) add_replica(master, Address::of(replica));
    for (const Node& other : config.sentinels)
      add_sentinel(master, Address::of(other), drawn_id(*other.process, 0));
  }
}

void Sentinel::save() {
  has_saved_ = true;
  saved_.id = id_;
  saved_.epoch = epoch_;
  saved_.masters.clear();
  for (const auto& master : masters_) {
    Saved::Master& kept = saved_.masters.emplace_back();
    kept.name = master->name;
    kept.address = master->current_address();
    kept.config_epoch = master->config_epoch;
    kept.leader_epoch = master->leader_epoch;
    for (const auto& replica : master->replicas) {
      // The promoted replica is the master already, and the old master takes its place.
      kept.replicas.push_back(replica->address == kept.address ? master->address
                                                               : replica->address);
    }
    for (const auto& other : master->sentinels)
      kept.sentinels.push_back({other->address, other->run_id});
  }
}

void Sentinel::load() {
  id_ = saved_.id;
  epoch_ = saved_.epoch;
  for (const Saved::Master& kept : saved_.masters) {
    Instance& master = *find_master(kept.name);
    master.address = kept.address;
    master.config_epoch = kept.config_epoch;
    master.leader_epoch = kept.leader_epoch;
    for (const Address& replica : kept.replicas) add_replica(master, replica);
    for (const Saved::Known& other : kept.sentinels) add_sentinel(master, other.address, other.id);
  }
}

std::unique_ptr<Instance> Sentinel::make_instance(InstanceKind kind, const Address& address,
                                                  Instance* master) {
  auto made = std::make_unique<Instance>();
  const Milliseconds time = now();
  made->serial = ++serials_;
  made->kind = kind;
  made->address = address;
  made->contact = std::make_shared<Contact>(*this, time);
  made->master = master;
  made->last_published_at = made->last_hello_at = made->last_down_reply_at = time;
  made->role_reported = kind;
  made->role_reported_at = made->replica_config_changed_at = time;
  if (master != nullptr) made->down_after = master->down_after;
  return made;
}

Instance& Sentinel::add_master(const SentinelConfig& config) {
  masters_.push_back(make_instance(InstanceKind::master, Address::of(config.master), nullptr));
  Instance& master = *masters_.back();
  master.name = config.name;
  master.quorum = config.quorum;
  master.down_after = milliseconds(config.down_after);
  master.failover_timeout = milliseconds(config.failover_timeout);
  master.parallel_syncs = config.parallel_syncs;
  return master;
}

Instance* Sentinel::add_replica(Instance& master, const Address& address) {
  for (const auto& known : master.replicas) {
    if (known->address == address) return nullptr;
  }
  master.replicas.push_back(make_instance(InstanceKind::replica, address, &master));
  Instance& replica = *master.replicas.back();
  replica.name = address.host + ':' + std::to_string(address.port);
  return &replica;
}

Instance& Sentinel::add_sentinel(Instance& master, const Address& address, std::string_view id) {
  master.sentinels.push_back(make_instance(InstanceKind::sentinel, address, &master));
  Instance& other = *master.sentinels.back();
  other.name.assign(id);
  other.run_id.assign(id);
  share_contact(other);
  return other;
}

void Sentinel::share_contact(Instance& other) {
  for (const auto& master : masters_) {
    if (master.get() == other.master) continue;
    for (const auto& match : master->sentinels) {
      if (match->run_id != other.run_id) continue;
      other.contact = match->contact;
      return;
    }
  }
}

void Sentinel::retire(std::unique_ptr<Instance> instance) {
  Instance* const master = instance->master;
  if (master != nullptr && master->promoted_replica == instance.get())
    master->promoted_replica = nullptr;
  bool shared = false;
  for (const auto& watched : masters_) {
    for (const auto& other : watched->sentinels)
      shared = shared || (other != nullptr && other->contact == instance->contact);
  }
  if (!shared) instance->contact->close();
  retired_.push_back(std::move(instance));
}

Instance* Sentinel::find_master(std::string_view name) const {
  for (const auto& master : masters_) {
    if (master->name == name) return master.get();
  }
  return nullptr;
}

Instance* Sentinel::find(std::uint32_t serial) const {
  for (const auto& master : masters_) {
    if (master->serial == serial) return master.get();
    for (const Instances* others : {&master->replicas, &master->sentinels}) {
      for (const auto& other : *others) {
        if (other->serial == serial) return other.get();
      }
    }
  }
  return nullptr;
}

// ---------------------------------------------------------------- the timer

void Sentinel::await_tick(std::int64_t milliseconds) {
  const std::int64_t from = simulation().scheduler.local_time(process(), sim::ClockKind::monotonic);
  timer_.arm_on(sim::ClockKind::monotonic, from + milliseconds * 1'000'000);
}

void Sentinel::tick() {
  retired_.clear();
  check_tilt();
  Instance* promoted = nullptr;
  for (const auto& master : masters_) {
    handle(*master);
    for (const auto& replica : master->replicas) handle(*replica);
    for (const auto& other : master->sentinels) handle(*other);
    if (master->failover_state == FailoverState::update_config) promoted = master.get();
  }
  if (promoted != nullptr) switch_to_promoted(*promoted);
  // Drawn anew each time, so that Sentinels started together do not always request votes at the
  // same time.
  const std::uint64_t hz = kDefaultHz + random_.below(kDefaultHz);
  await_tick(static_cast<std::int64_t>(1000 / hz));
}

// Timeouts mean nothing after the process was stopped or its clock was set: for a while the
// Sentinel only observes.
void Sentinel::check_tilt() {
  const Milliseconds time = now();
  const Milliseconds passed = time - previous_tick_;
  if (passed < 0 || passed > kTiltTrigger) {
    tilt_ = true;
    tilt_since_ = time;
    event("+tilt", "#tilt mode entered");
  }
  previous_tick_ = time;
}

void Sentinel::handle(Instance& instance) {
  connect(instance);
  ask_periodically(instance);
  if (tilt_) {
    if (now() - tilt_since_ < kTiltPeriod) return;
    tilt_ = false;
    event("-tilt", "#tilt mode exited");
  }
  check_subjectively_down(instance);
  if (instance.kind != InstanceKind::master) return;
  check_objectively_down(instance);
  if (start_failover_if_needed(instance)) ask_others(instance, true);
  drive_failover(instance);
  ask_others(instance, false);
}

}  // namespace picklock::redis
