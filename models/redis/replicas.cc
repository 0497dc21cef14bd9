#include "models/redis/replicas.h"

#include <algorithm>
#include <utility>

#include "models/redis/blocked_clients.h"
#include "models/redis/config.h"
#include "models/redis/connections.h"
#include "models/redis/persistence.h"
#include "models/redis/propagation.h"
#include "models/redis/replication.h"
#include "models/redis/snapshot.h"
#include "models/redis/stats.h"
#include "models/redis/wire.h"

namespace picklock::redis {

void Replicas::reset(sim::Simulation& simulation, sim::Process& process) {
  simulation_ = &simulation;
  turn_timer_.bind<&Replicas::on_next_turn>(simulation.scheduler, &process, *this);
}

void Replicas::halted() {
  attached_.clear();
  selected_ = kNoDatabase;
  good_ = fewest_ = 0;
  turn_timer_.leave();
}

std::int64_t Replicas::seconds_since(sim::Instant then) const {
  return (simulation_->now() - then) / std::chrono::seconds(1);
}

void Replicas::look_after(std::uint64_t round) {
  if (attached_.empty()) return;
  const auto ping_every = static_cast<std::uint64_t>(config_.replica_ping_seconds());
  if (leads() && round % ping_every == 0) {
    sim::Payload ping;
    constexpr std::string_view kPing[] = {"ping"};
    write_request(ping, kPing);
    feed(ping.view(), 0, Role::none);
  }
  for (Session* session : std::vector<Session*>(attached_)) {
    const AttachedReplica& replica = *session->replica;
    if (replica.streaming &&
        seconds_since(replica.acknowledged_at) > config_.replication_timeout_seconds())
      connections_.close(*session);
  }
  start_waiting();
  count_good();
}

// ---------------------------------------------------------------- the stream

bool Replicas::leads() const { return !replication_.is_replica(); }

bool Replicas::wants_effects() const { return leads() && stream_.backlog.active(); }

void Replicas::propagate(Effects& effects, history::TenureId tenure, Role role) {
  if (!wants_effects()) return;
  sim::Payload bytes;
  effects.write(bytes, Effects::Receiver::replica, selected_);
  if (bytes.size() > 0) feed(bytes.view(), tenure, role);
}

void Replicas::feed(std::string_view bytes, history::TenureId tenure, Role role) {
  if (!stream_.backlog.active()) return;
  stream_.offset += static_cast<std::int64_t>(bytes.size());
  stream_.backlog.add(bytes, tenure, role);
  for (Session* session : attached_) {
    AttachedReplica& replica = *session->replica;
    if (replica.state == AttachedReplica::State::waiting) continue;
    if (replica.streaming) {
      send_to(*session, bytes, tenure, role);
    } else {
      replica.kept.push_back({std::string(bytes), tenure, role});
    }
  }
}

void Replicas::send_to(Session& session, std::string_view bytes, history::TenureId tenure,
                       Role role) {
  if (session.connection == nullptr) {
    session.unasked += bytes;
    return;
  }
  sim::Message& message = simulation_->network.make(*session.connection, 1);
  message.tag = tenure;
  message.role = role;
  message.payload.append(bytes);
  simulation_->network.send_when_running(message);
}

AttachedReplica& Replicas::attach(Session& session, std::int64_t offset) {
  if (session.replica == nullptr) session.replica = std::make_unique<AttachedReplica>();
  AttachedReplica& replica = *session.replica;
  replica.state = AttachedReplica::State::online;
  replica.streaming = replica.heeded = true;
  replica.acknowledged = offset;
  replica.since = replica.acknowledged_at = simulation_->now();
  if (std::find(attached_.begin(), attached_.end(), &session) == attached_.end())
    attached_.push_back(&session);
  propagation_.receivers_changed();
  count_good();
  replication_.await_round();
  return replica;
}

void Replicas::psync(Session& session, std::string_view id, std::int64_t offset) {
  if (session.replica != nullptr) return;
  stream_.draw();
  if (stream_.reaches(id, offset)) {
    ++stats_.partial_syncs;
    send_to(session, "+CONTINUE " + stream_.id + "\r\n");
    attach(session, offset - 1);
    stream_.backlog.each_from(offset, [&](std::string_view bytes, history::TenureId tenure,
                                          Role role) { send_to(session, bytes, tenure, role); });
    return;
  }
  ++stats_.full_syncs;
  if (id != "?") ++stats_.refused_partial_syncs;
  if (!stream_.backlog.active()) {
    if (leads()) {
      stream_.id = stream_.fresh_id();
      stream_.forget_former();
    }
    stream_.backlog.begin(stream_.offset);
  }
  AttachedReplica& replica = attach(session, -1);
  replica.state = AttachedReplica::State::waiting;
  replica.streaming = false;
  count_good();
  if (config_.sync_delay_seconds() == 0) send_everything(session);
}

// All waiting replicas are served together when the first of them has waited for long enough (R44).
void Replicas::start_waiting() {
  const std::int64_t delay = config_.sync_delay_seconds();
  const bool due = std::any_of(attached_.begin(), attached_.end(), [&](const Session* session) {
    return session->replica->state == AttachedReplica::State::waiting &&
           seconds_since(session->replica->since) >= delay;
  });
  if (!due) return;
  for (Session* session : attached_) {
    if (session->replica->state == AttachedReplica::State::waiting) send_everything(*session);
  }
}

void Replicas::send_everything(Session& session) {
  AttachedReplica& replica = *session.replica;
  constexpr std::uint64_t kOneIn = 6;
  const bool from_disk = config_.syncs_from_disk();
  replica.state = AttachedReplica::State::online;
  replica.streaming = from_disk;
  replica.heeded = from_disk || stream_.chance().below(kOneIn) != 0;
  replica.acknowledged_at = simulation_->now();
  selected_ = kNoDatabase;  // a replica that begins here does not know it
  send_to(session, "+FULLRESYNC " + stream_.id + " " + std::to_string(stream_.offset) + "\r\n");
  if (from_disk) persistence_.save();
  sim::Payload snapshot;
  take_snapshot(keys_, snapshot);
  sim::Payload bulk;
  write_bulk(bulk, snapshot.view());
  send_to(session, bulk.view());
  count_good();
}

// After a snapshot that goes straight to the socket, the stream begins when the replica has
// acknowledged the snapshot. If the acknowledgement comes before the master has noticed that all is
// sent, only the next one counts, a second later (R43).
void Replicas::acknowledged(Session& session, std::int64_t offset) {
  AttachedReplica& replica = *session.replica;
  if (replica.state == AttachedReplica::State::waiting || !std::exchange(replica.heeded, true))
    return;
  replica.acknowledged = std::max(replica.acknowledged, offset);
  replica.acknowledged_at = simulation_->now();
  if (!replica.streaming) {
    replica.streaming = true;
    for (const AttachedReplica::Piece& piece : std::exchange(replica.kept, {}))
      send_to(session, piece.bytes, piece.tenure, piece.role);
  }
  blocked_.serve();
}

// One turn of the event loop reads what a replica sent, and the next one finds the end of its
// connection. A master that was stopped finds both when it continues, so clients that are quick
// enough are served as if its replicas were still there (R67).
bool Replicas::ends_later(const Session& session) {
  constexpr sim::Duration kSameTurn = std::chrono::microseconds(1);
  if (simulation_->now() - session.replica->acknowledged_at > kSameTurn) return false;
  if (turn_timer_.armed()) return true;
  // In nanoseconds; a turn is quick unless the machine is busy.
  constexpr std::uint64_t kOneIn = 4;
  const std::uint64_t longest = stream_.chance().below(kOneIn) == 0 ? 20'000'000 : 200'000;
  const auto turn = static_cast<std::int64_t>(stream_.chance().below(longest));
  turn_timer_.arm(simulation_->now() + sim::Duration(turn));
  return true;
}

void Replicas::on_next_turn() {
  for (Session* session : std::vector<Session*>(attached_)) {
    if (session->ended && session->waiting == 0) connections_.disconnect(*session);
  }
}

void Replicas::detached(Session& session) {
  std::erase(attached_, &session);
  session.replica.reset();
  count_good();
}

void Replicas::drop_all() {
  for (Session* session : std::vector<Session*>(attached_)) connections_.close(*session);
}

std::int64_t Replicas::acknowledged_by(std::int64_t offset) const {
  return std::count_if(attached_.begin(), attached_.end(), [&](const Session* session) {
    return session->replica->state == AttachedReplica::State::online &&
           session->replica->acknowledged >= offset;
  });
}

void Replicas::ask_for_acknowledgements() {
  sim::Payload bytes;
  constexpr std::string_view kAsk[] = {"REPLCONF", "GETACK", "*"};
  write_request(bytes, kAsk);
  feed(bytes.view(), 0, Role::none);
}

std::int64_t Replicas::lag_seconds(const AttachedReplica& replica) const {
  return seconds_since(replica.acknowledged_at);
}

// Lag is counted in whole seconds, once a second (R56).
void Replicas::count_good() {
  good_ = std::count_if(attached_.begin(), attached_.end(), [&](const Session* session) {
    const AttachedReplica& replica = *session->replica;
    return replica.state == AttachedReplica::State::online &&
           lag_seconds(replica) <= config_.most_lag_seconds();
  });
}

void Replicas::config_changed() {
  fewest_ = config_.most_lag_seconds() != 0 ? config_.fewest_replicas() : 0;
}

}  // namespace picklock::redis
