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

constexpr std::int64_t kRound = 1'000'000'000;
constexpr std::int64_t kTick = kRound / std::int64_t{Stream::kPhases};

}  // namespace

std::string Replication::host_of_peer(const Session& session) const {
  const std::string_view machine = directory_ == nullptr ? "" : directory_->machine();
  if (!machine.empty()) return std::string(machine);
  return session.connection == nullptr ? "127.0.0.1" : host_of(session.connection->client().id());
}

std::uint16_t Replication::own_port() const {
  const Node* own = directory_ == nullptr ? nullptr : directory_->of(*process_);
  return own == nullptr ? kServerPort : own->port;
}

void Replication::reset(sim::Simulation& simulation, sim::Process& process,
                        const Directory* directory) {
  simulation_ = &simulation;
  process_ = &process;
  directory_ = directory;
  stream_.reset(simulation.scheduler.record().seed(), process.hash());
  replicas_.reset(simulation, process);
  configured_ = nullptr;
  group_ = nullptr;
  dials_ = 0;
  cron_timer_.bind<&Replication::on_cron>(simulation.scheduler, &process, *this);
  halted();
}

void Replication::halted() {
  master_ = nullptr;
  stream_.end();
  replicas_.halted();
  rounds_ = 0;
  link_ = Link::none;
  connection_ = nullptr;
  can_resume_ = false;
  postponed_.clear();
  cron_timer_.leave();
}

void Replication::started() {
  if (link_ != Link::none) return;  // it has joined
  const bool again = process_->incarnation() > 0;
  if (again || configured_ != nullptr) stream_.draw();
  if (again) stream_.id = stream_.fresh_id();
  if (configured_ == nullptr) return;
  keys_.source().become_replica();
  master_ = configured_;
  link_ = Link::wanted;
  down_since_ = simulation_->now();
  await_round();
}

void Replication::join(Replication& other) {
  stream_.draw();
  other.stream_.draw();
  master_ = directory_->of(*other.process_);
  keys_.source().become_replica();
  if (!other.stream_.backlog.active()) other.stream_.backlog.begin(other.stream_.offset);
  stream_.id = other.stream_.id;
  stream_.offset = other.stream_.offset;
  stream_.backlog.begin(stream_.offset);
  can_resume_ = true;
  connection_ = &simulation_->network.connect(*process_, *this, *other.process_, other.service_,
                                              replication_protocol());
  link_ = Link::connected;
  last_heard_ = simulation_->now();
  ++other.stats_.full_syncs;
  Session& session = other.connections_.of(*connection_);
  session.authenticated = true;
  session.listening_port = own_port();
  other.replicas_.attach(session, stream_.offset);
  await_round();
  persistence_.write_dump();
  if (other.config_.syncs_from_disk()) other.persistence_.write_dump();
}

void Replication::recovered(std::string_view id, std::int64_t offset, std::uint32_t database) {
  stream_.draw();
  stream_.offset = offset;
  stream_.backlog.begin(stream_.offset);
  if (is_replica()) {
    stream_.id = id;
    can_resume_ = true;
    executor_.stream_session().database = database;
  } else {
    stream_.former_id = id;
    stream_.former_until = offset + 1;
  }
  propagation_.receivers_changed();
}

std::int64_t Replication::seconds_since(sim::Instant then) const {
  return (simulation_->now() - then) / std::chrono::seconds(1);
}

// ---------------------------------------------------------------- once a second

void Replication::await_round() {
  if (cron_timer_.armed() || process_->down()) return;
  const std::int64_t now = simulation_->scheduler.local_time(*process_, sim::ClockKind::monotonic);
  const std::int64_t phase =
      keys_.cycle().next(0) + static_cast<std::int64_t>(stream_.phase()) * kTick;
  const std::int64_t rounds = now < phase ? 0 : (now - phase) / kRound + 1;
  cron_timer_.arm_on(sim::ClockKind::monotonic, phase + rounds * kRound);
}

void Replication::on_cron() {
  cron();
  if (is_replica() || !replicas_.none()) await_round();
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
    if (link_ == Link::connected) send_ack(stream_.offset);
  }
  replicas_.look_after(rounds_);
}

// ---------------------------------------------------------------- a change of roles

void Replication::lead() {
  if (!is_replica()) return;
  hang_up();
  master_ = nullptr;
  link_ = Link::none;
  stream_.branch(stream_.fresh_id());
  replicas_.drop_all();
  replicas_.select_anew();
  keys_.source().become_master();
  if (group_ != nullptr) group_->promoted(*process_);
  service_.tell("becomes the primary");
  propagation_.receivers_changed();
}

void Replication::follow(const Node& node) {
  stream_.draw();
  const bool was_master = !is_replica();
  if (was_master) {
    blocked_.unblock_all();
    if (!stream_.backlog.active()) stream_.backlog.begin(stream_.offset);
    can_resume_ = true;
    keys_.source().become_replica();
  }
  hang_up();
  replicas_.drop_all();
  master_ = &node;
  link_ = Link::wanted;
  down_since_ = simulation_->now();
  propagation_.receivers_changed();
  if (was_master) service_.tell("becomes a replica of " + node.process->name());
  dial();
  await_round();
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
      if (refused && !answer.starts_with("-NOAUTH")) break;
      if (config_.password_of_master().empty()) {
        ++answers_;
      } else {
        say({"AUTH", config_.password_of_master()});
      }
      say({"REPLCONF", "listening-port", std::to_string(own_port())});
      say({"REPLCONF", "capa", "eof", "capa", "psync2"});
      return;
    case 1:
      if (refused) break;
      return;
    case 2:
      return;
    case 3:
      if (can_resume_) {
        say({"PSYNC", stream_.id, std::to_string(stream_.offset + 1)});
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
    if (id != stream_.id) {
      stream_.branch(std::string(id));
      replicas_.drop_all();
    }
    if (!stream_.backlog.active()) stream_.backlog.begin(stream_.offset);
    link_ = Link::connected;
    return;
  }
  next_id_.assign(line.substr(kEverything.size(), Stream::kIdLength));
  strict_integer(line.substr(kEverything.size() + Stream::kIdLength + 1), next_offset_);
  // The data of its own replicas may differ now.
  replicas_.drop_all();
  stream_.backlog.end();
  can_resume_ = false;
  link_ = Link::transfer;
}

void Replication::take_over(std::string_view snapshot) {
  Reply bulk;
  read_reply(snapshot, bulk);
  service_.tell("takes over all data of " + master_->process->name());
  keys_.source().wipe();
  load_snapshot(bulk.text, keys_, config_.compact());
  stream_.id = next_id_;
  stream_.forget_former();
  stream_.offset = next_offset_;
  stream_.backlog.begin(stream_.offset);
  can_resume_ = true;
  link_ = Link::connected;
  executor_.stream_session() = {};
  persistence_.write_dump();
  if (persistence_.logs()) persistence_.rewrite_log();
  send_ack(stream_.offset);
}

bool Replication::has_copies() const { return group_ != nullptr && group_->replicas() > 0; }

// A requested acknowledgement does not include the request itself.
void Replication::obey(std::string_view bytes, history::TenureId tenure, Role role) {
  std::string_view rest = bytes;
  for (;;) {
    const auto done = static_cast<std::int64_t>(bytes.size() - rest.size());
    if (!take_request(rest, argv_)) break;
    if (same_word(argv_[0], "replconf")) {
      send_ack(stream_.offset + done);
    } else {
      executor_.obey(argv_, tenure, role);
    }
  }
  executor_.obeyed();
  // Its own replicas get the stream unchanged.
  replicas_.feed(bytes, tenure, role);
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
