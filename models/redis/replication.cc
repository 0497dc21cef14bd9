#include "models/redis/replication.h"

#include <algorithm>
#include <utility>

#include "models/redis/blocked_clients.h"
#include "models/redis/command_loop.h"
#include "models/redis/config.h"
#include "models/redis/connections.h"
#include "models/redis/executor.h"
#include "models/redis/group.h"
#include "models/redis/keyspace.h"
#include "models/redis/persistence.h"
#include "models/redis/propagation.h"
#include "models/redis/snapshot.h"
#include "models/redis/stats.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

constexpr std::size_t kIdLength = 40;
constexpr std::int64_t kRound = 1'000'000'000;
constexpr std::int64_t kTick = kRound / 10;

void blank(std::string& id) { id.assign(kIdLength, '0'); }

}  // namespace

void Replication::reset(sim::Simulation& simulation, sim::Process& process,
                        const Directory* directory) {
  simulation_ = &simulation;
  process_ = &process;
  directory_ = directory;
  drawn_ = false;
  configured_ = nullptr;
  group_ = nullptr;
  dials_ = 0;
  cron_timer_.bind<&Replication::on_cron>(simulation.scheduler, &process, *this);
  turn_timer_.bind<&Replication::on_next_turn>(simulation.scheduler, &process, *this);
  halted();
}

void Replication::draw() {
  if (std::exchange(drawn_, true)) return;
  ids_ = sim::Random(simulation_->scheduler.record().seed(),
                     sim::mixed(process_->hash() ^ sim::hash_of("replication")));
  id_ = fresh_id();
  phase_ = keys_.next_cycle(0) + static_cast<std::int64_t>(ids_.below(10)) * kTick;
}

void Replication::halted() {
  master_ = nullptr;
  blank(id_);
  blank(former_id_);
  former_until_ = -1;
  offset_ = 0;
  backlog_.end();
  selected_ = kNoDatabase;
  attached_.clear();
  good_ = fewest_ = 0;
  rounds_ = 0;
  link_ = Link::none;
  connection_ = nullptr;
  can_resume_ = false;
  postponed_.clear();
  cron_timer_.leave();
  turn_timer_.leave();
}

void Replication::started() {
  if (link_ != Link::none) return;  // it has joined
  const bool again = process_->incarnation() > 0;
  if (again || configured_ != nullptr) draw();
  if (again) id_ = fresh_id();
  if (configured_ == nullptr) return;
  keys_.become_replica();
  master_ = configured_;
  link_ = Link::wanted;
  down_since_ = simulation_->now();
  await_cron();
}

void Replication::join(Replication& other) {
  draw();
  other.draw();
  master_ = directory_->of(*other.process_);
  keys_.become_replica();
  if (!other.backlog_.active()) other.backlog_.begin(other.offset_);
  id_ = other.id_;
  offset_ = other.offset_;
  backlog_.begin(offset_);
  can_resume_ = true;
  connection_ = &simulation_->network.connect(*process_, *this, *other.process_, other.service_,
                                              replication_protocol());
  link_ = Link::connected;
  last_heard_ = simulation_->now();
  ++other.stats_.full_syncs;
  Session& session = other.connections_.of(*connection_);
  session.listening_port = kServerPort;
  other.attach(session, offset_);
  await_cron();
  persistence_.write_dump();
  if (other.config_.syncs_from_disk()) other.persistence_.write_dump();
}

void Replication::recovered(std::string_view id, std::int64_t offset, std::uint32_t database) {
  draw();
  offset_ = offset;
  backlog_.begin(offset_);
  if (is_replica()) {
    id_ = id;
    can_resume_ = true;
    executor_.stream_session().database = database;
  } else {
    former_id_ = id;
    former_until_ = offset + 1;
  }
  propagation_.receivers_changed();
}

std::string Replication::fresh_id() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id(kIdLength, '0');
  for (char& digit : id) digit = kDigits[ids_.below(16)];
  return id;
}

std::int64_t Replication::seconds_since(sim::Instant then) const {
  return (simulation_->now() - then) / std::chrono::seconds(1);
}

// ---------------------------------------------------------------- once a second

void Replication::await_cron() {
  if (cron_timer_.armed() || process_->down()) return;
  const std::int64_t now = simulation_->scheduler.local_time(*process_, sim::ClockKind::monotonic);
  const std::int64_t rounds = now < phase_ ? 0 : (now - phase_) / kRound + 1;
  cron_timer_.arm_on(sim::ClockKind::monotonic, phase_ + rounds * kRound);
}

void Replication::on_cron() {
  cron();
  if (is_replica() || !attached_.empty()) await_cron();
}

void Replication::cron() {
  ++rounds_;
  const std::int64_t timeout = config_.replication_timeout_seconds();
  if (is_replica()) {
    const bool waits = link_ != Link::none && link_ != Link::wanted;
    if (waits && seconds_since(last_heard_) > timeout) {
      hang_up();
      lost();
    }
    if (link_ == Link::wanted && !persistence_.loading()) dial();
    if (link_ == Link::connected) send_ack(offset_);
  }
  if (attached_.empty()) return;
  const auto ping_every = static_cast<std::uint64_t>(config_.replica_ping_seconds());
  if (!is_replica() && rounds_ % ping_every == 0) {
    sim::Payload ping;
    constexpr std::string_view kPing[] = {"ping"};
    write_request(ping, kPing);
    feed(ping.view(), 0, Role::none);
  }
  for (Session* session : std::vector<Session*>(attached_)) {
    const AttachedReplica& replica = *session->replica;
    if (replica.streaming && seconds_since(replica.acknowledged_at) > timeout)
      connections_.close(*session);
  }
  start_waiting();
  count_good();
}

// ---------------------------------------------------------------- as a master

void Replication::propagate(Effects& effects, history::TenureId tenure, Role role) {
  if (!wants_effects()) return;
  sim::Payload bytes;
  effects.write(bytes, Effects::Receiver::replica, selected_);
  if (bytes.size() > 0) feed(bytes.view(), tenure, role);
}

void Replication::feed(std::string_view bytes, history::TenureId tenure, Role role) {
  if (!backlog_.active()) return;
  offset_ += static_cast<std::int64_t>(bytes.size());
  backlog_.add(bytes, tenure, role);
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

void Replication::send_to(Session& session, std::string_view bytes, history::TenureId tenure,
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

AttachedReplica& Replication::attach(Session& session, std::int64_t offset) {
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
  await_cron();
  return replica;
}

void Replication::psync(Session& session, std::string_view id, std::int64_t offset) {
  if (session.replica != nullptr) return;
  draw();
  const bool ours = id == id_ || (id == former_id_ && offset <= former_until_);
  if (ours && backlog_.reaches(offset)) {
    ++stats_.partial_syncs;
    send_to(session, "+CONTINUE " + id_ + "\r\n");
    attach(session, offset - 1);
    backlog_.each_from(offset, [&](std::string_view bytes, history::TenureId tenure, Role role) {
      send_to(session, bytes, tenure, role);
    });
    return;
  }
  ++stats_.full_syncs;
  if (id != "?") ++stats_.refused_partial_syncs;
  if (!backlog_.active()) {
    if (!is_replica()) {
      id_ = fresh_id();
      blank(former_id_);
      former_until_ = -1;
    }
    backlog_.begin(offset_);
  }
  AttachedReplica& replica = attach(session, -1);
  replica.state = AttachedReplica::State::waiting;
  replica.streaming = false;
  count_good();
  if (config_.sync_delay_seconds() == 0) send_everything(session);
}

// All waiting replicas are served together when the first of them has waited for long enough (R44).
void Replication::start_waiting() {
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

void Replication::send_everything(Session& session) {
  AttachedReplica& replica = *session.replica;
  constexpr std::uint64_t kOneIn = 6;
  const bool from_disk = config_.syncs_from_disk();
  replica.state = AttachedReplica::State::online;
  replica.streaming = from_disk;
  replica.heeded = from_disk || ids_.below(kOneIn) != 0;
  replica.acknowledged_at = simulation_->now();
  selected_ = kNoDatabase;  // a replica that begins here does not know it
  send_to(session, "+FULLRESYNC " + id_ + " " + std::to_string(offset_) + "\r\n");
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
void Replication::acknowledged(Session& session, std::int64_t offset) {
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
bool Replication::ends_later(const Session& session) {
  constexpr sim::Duration kSameTurn = std::chrono::microseconds(1);
  if (simulation_->now() - session.replica->acknowledged_at > kSameTurn) return false;
  if (turn_timer_.armed()) return true;
  // In nanoseconds; a turn is quick unless the machine is busy.
  constexpr std::uint64_t kOneIn = 4;
  const std::uint64_t longest = ids_.below(kOneIn) == 0 ? 20'000'000 : 200'000;
  const auto turn = static_cast<std::int64_t>(ids_.below(longest));
  turn_timer_.arm(simulation_->now() + sim::Duration(turn));
  return true;
}

void Replication::on_next_turn() {
  for (Session* session : std::vector<Session*>(attached_)) {
    if (session->ended && session->waiting == 0) connections_.disconnect(*session);
  }
}

void Replication::detached(Session& session) {
  std::erase(attached_, &session);
  session.replica.reset();
  count_good();
}

void Replication::drop_replicas() {
  for (Session* session : std::vector<Session*>(attached_)) connections_.close(*session);
}

std::int64_t Replication::acknowledged_by(std::int64_t offset) const {
  return std::count_if(attached_.begin(), attached_.end(), [&](const Session* session) {
    return session->replica->state == AttachedReplica::State::online &&
           session->replica->acknowledged >= offset;
  });
}

void Replication::ask_for_acknowledgements() {
  sim::Payload bytes;
  constexpr std::string_view kAsk[] = {"REPLCONF", "GETACK", "*"};
  write_request(bytes, kAsk);
  feed(bytes.view(), 0, Role::none);
}

std::int64_t Replication::lag_seconds(const AttachedReplica& replica) const {
  return seconds_since(replica.acknowledged_at);
}

// Lag is counted in whole seconds, once a second (R56).
void Replication::count_good() {
  good_ = std::count_if(attached_.begin(), attached_.end(), [&](const Session* session) {
    const AttachedReplica& replica = *session->replica;
    return replica.state == AttachedReplica::State::online &&
           lag_seconds(replica) <= config_.most_lag_seconds();
  });
}

void Replication::config_changed() {
  fewest_ = config_.most_lag_seconds() != 0 ? config_.fewest_replicas() : 0;
}

// ---------------------------------------------------------------- a change of roles

void Replication::lead() {
  if (!is_replica()) return;
  hang_up();
  master_ = nullptr;
  link_ = Link::none;
  // Its replicas resume from here and need not be sent everything.
  former_id_ = std::exchange(id_, fresh_id());
  former_until_ = offset_ + 1;
  drop_replicas();
  selected_ = kNoDatabase;
  keys_.become_master();
  if (group_ != nullptr) group_->promoted(*process_);
  service_.tell("becomes the primary");
  propagation_.receivers_changed();
}

void Replication::follow(const Node& node) {
  draw();
  const bool was_master = !is_replica();
  if (was_master) {
    blocked_.unblock_all();
    if (!backlog_.active()) backlog_.begin(offset_);
    can_resume_ = true;
    keys_.become_replica();
  }
  hang_up();
  drop_replicas();
  master_ = &node;
  link_ = Link::wanted;
  down_since_ = simulation_->now();
  propagation_.receivers_changed();
  if (was_master) service_.tell("becomes a replica of " + node.process->name());
  dial();
  await_cron();
}

// ---------------------------------------------------------------- as a replica

void Replication::dial() {
  link_ = Link::dialling;
  last_heard_ = simulation_->now();
  connection_ = &simulation_->network.dial(*process_, *this, *master_->process, *master_->endpoint,
                                           replication_protocol(), ++dials_);
}

void Replication::hang_up() {
  if (connection_ != nullptr) simulation_->network.close(*std::exchange(connection_, nullptr));
}

void Replication::lost() {
  connection_ = nullptr;
  if (link_ == Link::connected) down_since_ = simulation_->now();
  link_ = Link::wanted;
}

void Replication::say(std::initializer_list<std::string_view> words) {
  sim::Message& message = simulation_->network.make(*connection_, 0);
  write_request(message.payload, {words.begin(), words.size()});
  simulation_->network.send_when_running(message);
}

void Replication::on_opened(sim::Connection& connection) {
  if (&connection != connection_) return;
  last_heard_ = simulation_->now();
  link_ = Link::handshake;
  answers_ = 0;
  say({"PING"});
}

// A lost link that was connected is dialed again at once, one that was not in the next round.
void Replication::on_reset(sim::Connection& connection) {
  if (&connection != connection_) return;
  const bool was_connected = link_ == Link::connected;
  lost();
  if (was_connected) dial();
}

void Replication::on_message(sim::Connection& connection, sim::Message& message) {
  if (&connection != connection_) return;
  last_heard_ = simulation_->now();
  const std::string_view bytes = message.payload.view();
  if (link_ == Link::handshake) {
    shake_hands(bytes);
  } else if (link_ == Link::transfer) {
    take_over(bytes);
  } else if (link_ == Link::connected) {
    if (loop_.occupied() || !postponed_.empty()) {
      postponed_.push_back({std::string(bytes), message.tag, message.role});
    } else {
      obey(bytes, message.tag, message.role);
    }
  }
}

void Replication::shake_hands(std::string_view answer) {
  const bool refused = !answer.starts_with('+');
  switch (answers_++) {
    case 0:
      if (refused) break;
      say({"REPLCONF", "listening-port", std::to_string(kServerPort)});
      say({"REPLCONF", "capa", "eof", "capa", "psync2"});
      return;
    case 1:
      return;
    case 2:
      if (can_resume_) {
        say({"PSYNC", id_, std::to_string(offset_ + 1)});
      } else {
        say({"PSYNC", "?", "-1"});
      }
      return;
    default:
      if (refused) break;
      answered_to_psync(answer.substr(0, answer.find('\r')));
      return;
  }
  hang_up();
  lost();
}

void Replication::answered_to_psync(std::string_view line) {
  constexpr std::string_view kContinue = "+CONTINUE ";
  constexpr std::string_view kEverything = "+FULLRESYNC ";
  if (line.starts_with(kContinue)) {
    const std::string_view id = line.substr(kContinue.size());
    if (id != id_) {
      former_id_ = std::exchange(id_, std::string(id));
      former_until_ = offset_ + 1;
      drop_replicas();
    }
    if (!backlog_.active()) backlog_.begin(offset_);
    link_ = Link::connected;
    return;
  }
  next_id_.assign(line.substr(kEverything.size(), kIdLength));
  strict_integer(line.substr(kEverything.size() + kIdLength + 1), next_offset_);
  // The data of its own replicas may differ now.
  drop_replicas();
  backlog_.end();
  can_resume_ = false;
  link_ = Link::transfer;
}

void Replication::take_over(std::string_view snapshot) {
  Reply bulk;
  read_reply(snapshot, bulk);
  service_.tell("takes over all data of " + master_->process->name());
  keys_.wipe();
  load_snapshot(bulk.text, keys_);
  id_ = next_id_;
  blank(former_id_);
  former_until_ = -1;
  offset_ = next_offset_;
  backlog_.begin(offset_);
  can_resume_ = true;
  link_ = Link::connected;
  executor_.stream_session() = {};
  persistence_.write_dump();
  if (persistence_.logs()) persistence_.rewrite_log();
  send_ack(offset_);
}

// A requested acknowledgement does not include the request itself.
void Replication::obey(std::string_view bytes, history::TenureId tenure, Role role) {
  std::string_view rest = bytes;
  for (;;) {
    const auto done = static_cast<std::int64_t>(bytes.size() - rest.size());
    if (!take_request(rest, argv_)) break;
    if (same_word(argv_[0], "replconf")) {
      send_ack(offset_ + done);
    } else {
      executor_.obey(argv_, tenure, role);
    }
  }
  executor_.obeyed();
  // Its own replicas get the stream unchanged.
  feed(bytes, tenure, role);
  blocked_.serve();
}

void Replication::catch_up() {
  for (const AttachedReplica::Piece& piece : std::exchange(postponed_, {})) {
    if (link_ == Link::connected) obey(piece.bytes, piece.tenure, piece.role);
  }
}

void Replication::send_ack(std::int64_t offset) {
  say({"REPLCONF", "ACK", std::to_string(offset)});
}

}  // namespace picklock::redis
