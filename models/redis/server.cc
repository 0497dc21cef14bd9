#include "models/redis/server.h"

#include <stdexcept>

#include "models/redis/group.h"
#include "models/redis/keyspace_events.h"
#include "models/servers/verbs.h"

namespace picklock::redis {

void Server::reset(history::RecordedSimulation& simulation, sim::Process& process,
                   models::Tenures& tenures, models::Keys& keys, const Directory* directory) {
  attach(simulation, process);
  guard_.reset(simulation, process);
  keys_.reset(simulation, process, tenures, keys);
  keys_.set_mourner({this, &Server::on_forgotten});
  stats_ = {};
  effects_.set_relative_expiry(false);
  redirection_.join(nullptr);
  configuration_.clear();
  connections_.reset();
  loop_.reset();
  blocked_.reset();
  direct_.reset();
  pause_.reset();
  slow_readers_.reset();
  lifetime_.reset();
  forget_process();
  replication_.reset(simulation, process, directory);
  persistence_.reset(simulation, process);
}

void Server::configure(std::span<const std::string_view> file) {
  configuration_.assign(file.begin(), file.end());
  read_configuration();
}

void Server::read_configuration() {
  if (configuration_.empty()) return;
  const std::vector<std::string_view> pairs(configuration_.begin(), configuration_.end());
  Reply reply;
  config_.set(pairs, reply);
  if (reply.is_error()) throw std::invalid_argument(reply.text);
  replication_.replicas().config_changed();
  persistence_.config_changed();
}

// These members do not outlive the process.
void Server::forget_process() {
  connections_.halted();
  monitors_.halted();
  effects_.want(false);
  pubsub_.clear();
  config_.reset();
  scripts_.halted();
  refusals_.halted();
  pause_.halted();
  direct_.halted();
  slow_readers_.halted();
  lifetime_.halted();
  executor_.halted();
}

void Server::start(sim::Keeps keeps) {
  if (process().incarnation() > 0) stats_ = {};
  lifetime_.started();
  read_configuration();
  persistence_.begin(keeps, replication_.will_follow());
  replication_.started();
  persistence_.load();
}

void Server::halted() {
  loop_.halted();
  blocked_.halted();
  if (persistence_.disk().empty() && !replication_.has_copies()) keys_.source().lose();
  keys_.cycle().halted();
  forget_process();
  replication_.halted();
  persistence_.halted();
}

void Server::clock_changed() {
  guard_.clock_changed();
  keys_.deaths().clock_changed();
  persistence_.clock_changed();
  pause_.clock_changed();
}

void Server::strike(const sim::Strike& strike) {
  const std::string& key = strike.fault.key;
  if (models::hits(strike, models::kEvict, process())) {
    const bool down = process().down();  // what it had in memory is gone
    strike.found(!down && evict(key.empty() ? keys_.recorder().lock_key() : std::string_view(key)),
                 down ? models::kServerDown : models::kNoSuchKey);
  }
  if (!models::hits(strike, models::kFailOver, process())) return;
  simulation().nemesis.bring_down(process(), true, false);
  if (!strike.fault.lasts) fail_over(strike.to);
}

void Server::relieve(const sim::Strike& strike) {
  if (models::hits(strike, models::kFailOver, process())) fail_over(strike.to);
}

bool Server::evict(std::string_view key) {
  keys_.clock().freeze();
  keys_.recorder().act_for({});
  Entry* entry = keys_.live(0, key);
  if (entry == nullptr) return false;
  keys_.remove(*entry, history::Cause::eviction);
  if (config_.events().include(EventClass::evicted)) publish_event(parts_, 0, "evicted", key);
  propagation_.forget(0, key);
  return true;
}

void Server::on_forgotten(void* self, std::uint32_t database, std::string_view key) {
  auto& server = *static_cast<Server*>(self);
  publish_expired(server.parts_, server.keys_, database, key);
  server.propagation_.forget(database, key);
}

void Server::fail_over(sim::Process* to) {
  if (Group* const group = replication_.group()) group->fail_over(*this, to);
}

}  // namespace picklock::redis
