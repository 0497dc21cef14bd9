#include "models/redis/persistence.h"

#include <algorithm>
#include <utility>

#include "models/redis/executor.h"
#include "models/redis/propagation.h"
#include "models/redis/replication.h"
#include "models/redis/snapshot.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Precedes the state of the replication stream at the beginning of a dump.
constexpr std::string_view kStateWord = "replication";

std::int64_t requests_in(std::string_view bytes, std::vector<std::string_view>& argv) {
  std::int64_t count = 0;
  while (take_request(bytes, argv)) ++count;
  return count;
}

}  // namespace

void Persistence::reset(sim::Simulation& simulation, sim::Process& process) {
  simulation_ = &simulation;
  process_ = &process;
  if (!disk_.empty()) disk_.clear();
  load_timer_.bind<&Persistence::loaded>(simulation.scheduler, &process, *this);
  fsync_timer_.bind<&Persistence::fsync>(simulation.scheduler, &process, *this);
  cycle_timer_.bind<&Persistence::cycle>(simulation.scheduler, &process, *this);
  has_kernel_phase_ = false;
  saved_changes_ = 0;
  halted();
}

void Persistence::halted() {
  running_ = logs_ = loading_ = false;
  selected_ = kNoDatabase;
  child_ = Child::none;
  save_scheduled_ = rewrite_scheduled_ = false;
}

std::int64_t Persistence::local(sim::ClockKind clock) const {
  return simulation_->scheduler.local_time(*process_, clock);
}

std::uint64_t Persistence::unsaved_changes() const { return keys_.changes() - saved_changes_; }

void Persistence::config_changed() {
  if (loading_) await_load();
  if (!running_) return;
  const bool wanted = config_.keeps_log();
  if (wanted && !logs_) {
    logs_ = true;
    fsynced_at_s_ = now_s();
    rewrite_in_background();
  } else if (!wanted && logs_) {
    fsync();
    logs_ = false;
  }
  propagation_.receivers_changed();
  await_fsync_anew();
  await_cycle();
}

void Persistence::clock_changed() {
  if (!running_) return;
  await_fsync_anew();
  await_cycle();
}

// ---------------------------------------------------------------- a start

void Persistence::begin(sim::Keeps keeps, bool as_replica) {
  saved_at_s_ = fsynced_at_s_ = now_s();
  if (process_->incarnation() == 0) return;
  if (keeps == sim::Keeps::none) disk_.clear();
  if (keeps == sim::Keeps::fsynced) disk_.lose_power();
  keys_.source().begin_reload(as_replica);
}

// If the server is configured to keep a log, it does not load a snapshot, even if there is no log.
void Persistence::load() {
  from_log_ = config_.keeps_log();
  if (process_->incarnation() == 0) {
    run();
    return;
  }
  to_load_ = disk_.empty() ? 0 : commands_to_load();
  load_delay_ns_ = 0;
  loading_ = to_load_ > 0 && config_.key_load_delay_us() > 0;
  if (loading_) {
    await_load();
  } else {
    loaded();
  }
}

// Clients can change the delay of the data that are still to be loaded.
void Persistence::await_load() {
  const std::int64_t delay_ns = std::max<std::int64_t>(config_.key_load_delay_us(), 0) * 1000;
  if (delay_ns == load_delay_ns_) return;
  const std::int64_t now = local(sim::ClockKind::monotonic);
  if (load_delay_ns_ > 0) to_load_ = (load_until_ - now + load_delay_ns_ - 1) / load_delay_ns_;
  load_delay_ns_ = delay_ns;
  load_until_ = now + to_load_ * load_delay_ns_;
  load_timer_.arm_on(sim::ClockKind::monotonic, load_until_);
}

std::int64_t Persistence::commands_to_load() const {
  std::vector<std::string_view> argv;
  std::int64_t count = 0;
  const auto add = [&](std::string_view file) {
    if (const sim::Disk::Content* const content = disk_.find(file))
      count += requests_in(content->bytes, argv);
  };
  if (from_log_) {
    add(kBase);
    add(kLog);
  } else {
    add(kDump);
  }
  return count;
}

void Persistence::loaded() {
  loading_ = false;
  saved_changes_ = keys_.changes();
  ReplicationState state;
  if (from_log_) {
    load_log();
  } else if (disk_.find(kDump) != nullptr) {
    state = load_dump();
  }
  if (!state.id.empty()) replication_.recovered(state.id, state.offset, state.database);
  run();
  if (logs_) await_fsync();  // of what the last incarnation has left
  // Keys of a master's log that died while it was down stay in memory until its cycle finds them.
  keys_.source().end_reload(!from_log_ && !replication_.is_replica());
  await_cycle();
}

void Persistence::run() {
  logs_ = config_.keeps_log();
  if (logs_ && !(from_log_ && finds_log())) rewrite_log();
  running_ = true;
  propagation_.receivers_changed();
}

Persistence::ReplicationState Persistence::load_dump() {
  std::string_view bytes = disk_.find(kDump)->bytes;
  ReplicationState state;
  std::string_view rest = bytes;
  if (take_request(rest, argv_) && argv_[0] == kStateWord) {
    std::int64_t database = 0;
    state.id = argv_[1];
    strict_integer(argv_[2], state.offset);
    strict_integer(argv_[3], database);
    state.database = static_cast<std::uint32_t>(database);
    bytes = rest;
  }
  load_snapshot(bytes, keys_, config_.compact());
  return state;
}

// An incomplete command or transaction at the end of the log is ignored (R99).
void Persistence::load_log() {
  if (const sim::Disk::Content* const base = disk_.find(kBase))
    load_snapshot(base->bytes, keys_, config_.compact());
  const sim::Disk::Content* const log = disk_.find(kLog);
  if (log == nullptr) return;
  const std::size_t size = log->bytes.size();
  std::size_t whole = 0;
  bool in_transaction = false;
  for (std::string_view rest = log->bytes; take_request(rest, argv_);) {
    if (same_word(argv_[0], "multi")) in_transaction = true;
    if (same_word(argv_[0], "exec")) in_transaction = false;
    if (!in_transaction) whole = size - rest.size();
  }
  if (whole < size) disk_.truncate(kLog, whole);
  auto piece = log->pieces.begin();
  for (std::string_view rest = log->bytes; !rest.empty();) {
    const std::size_t at = whole - rest.size();
    while (piece->end <= at) ++piece;
    take_request(rest, argv_);
    executor_.obey(argv_, piece->tag, piece->role);
  }
  executor_.stream_session() = {};
}

// ---------------------------------------------------------------- the log

void Persistence::log(Effects& effects, history::TenureId tenure, Role role) {
  bytes_.clear();
  effects.write(bytes_, Effects::Receiver::file, selected_);
  if (bytes_.size() == 0) return;
  disk_.append(kLog, bytes_.view(), tenure, role);
  const Config::Fsync policy = config_.fsync();
  if (policy == Config::Fsync::always ||
      (policy == Config::Fsync::every_second && now_s() > fsynced_at_s_)) {
    fsync();
  } else {
    await_fsync();
  }
}

void Persistence::fsync() {
  disk_.fsync(kLog);
  fsynced_at_s_ = now_s();
  fsync_timer_.disarm();
}

// Seconds are those of the wall clock: the first write of a second is fsynced with all writes
// before it, later ones when the server's cycle finds that the next second has begun. Without fsync
// the kernel writes data back after half a minute, which it checks every five seconds (R95).
void Persistence::await_fsync() {
  if (fsync_timer_.armed()) return;
  constexpr std::int64_t kKernelRound = 5 * kSecond;
  constexpr std::int64_t kKernelDelay = 30 * kSecond;
  if (!std::exchange(has_kernel_phase_, true)) {
    sim::Random random(simulation_->scheduler.record().seed(),
                       sim::mixed(process_->hash() ^ sim::hash_of("write-back")));
    kernel_phase_ = static_cast<std::int64_t>(random.below(kKernelRound));
  }
  const std::int64_t now = local(sim::ClockKind::monotonic);
  const std::int64_t from = now + kKernelDelay - kernel_phase_;
  std::int64_t at = kernel_phase_ + (from / kKernelRound + 1) * kKernelRound;
  if (config_.fsync() == Config::Fsync::every_second)
    at = std::min(at, cycle_of(fsynced_at_s_ + 1));
  fsync_timer_.arm_on(sim::ClockKind::monotonic, at);
}

// The policy or a clock has changed.
void Persistence::await_fsync_anew() {
  if (!fsync_timer_.armed()) return;
  fsync_timer_.disarm();
  await_fsync();
}

// The server's first cycle, from now on, at which its wall clock shows this second.
std::int64_t Persistence::cycle_of(std::int64_t second) const {
  if (second >= INT64_MAX / kSecond) return INT64_MAX;
  const sim::Instant at =
      process_->clock().when(sim::ClockKind::wall, second * kSecond, simulation_->now());
  return at == sim::kNever ? INT64_MAX : keys_.cycle().next_from(at);
}

void Persistence::put(std::string_view file) {
  disk_.replace(file, bytes_.view());
  disk_.fsync(file);
}

void Persistence::rewrite_log() {
  bytes_.clear();
  take_snapshot(keys_, bytes_);
  put(kBase);
  bytes_.clear();
  put(kLog);
  selected_ = kNoDatabase;
}

// ---------------------------------------------------------------- snapshots

void Persistence::write_dump() {
  bytes_.clear();
  if (replication_.stream().backlog.active()) {
    const Digits offset(replication_.stream().offset);
    const Digits database(replication_.is_replica() ? executor_.stream_session().database : 0);
    const std::string_view state[] = {kStateWord, replication_.id(), offset.view(),
                                      database.view()};
    write_request(bytes_, state);
  }
  take_snapshot(keys_, bytes_);
  put(kDump);
}

void Persistence::save() {
  write_dump();
  saved_changes_ = keys_.changes();
  saved_at_s_ = now_s();
}

void Persistence::flushed() {
  if (has_save_points()) save();
}

void Persistence::save_in_background() {
  write_dump();
  child_ = Child::snapshot;
  child_changes_ = keys_.changes();
  save_scheduled_ = false;
  await_cycle();
}

void Persistence::rewrite_in_background() {
  rewrite_log();
  if (child_ == Child::none) child_ = Child::rewrite;
  rewrite_scheduled_ = false;
  await_cycle();
}

void Persistence::schedule_save() {
  save_scheduled_ = true;
  await_cycle();
}

void Persistence::schedule_rewrite() {
  rewrite_scheduled_ = true;
  await_cycle();
}

void Persistence::finish(bool save) {
  if (logs_) fsync();
  if (save) write_dump();
}

// ---------------------------------------------------------------- the server's cycle

void Persistence::changed() {
  if (running_) await_cycle();
}

// In whole seconds: a save is due when more time than the save point's has passed since the last
// snapshot.
bool Persistence::save_is_due(std::int64_t& due_s) const {
  due_s = INT64_MAX;
  for (const Config::SavePoint& point : config_.save_points()) {
    if (unsaved_changes() >= static_cast<std::uint64_t>(point.changes))
      due_s = std::min(due_s, saved_at_s_ + point.seconds + 1);
  }
  return due_s <= now_s();
}

void Persistence::await_cycle() {
  std::int64_t due_s = 0;
  const bool at_once =
      child_ != Child::none || save_scheduled_ || rewrite_scheduled_ || save_is_due(due_s);
  const std::int64_t at = cycle_of(at_once ? now_s() : due_s);
  if (at != INT64_MAX) {
    cycle_timer_.arm_on(sim::ClockKind::monotonic, at);
  } else {
    cycle_timer_.disarm();
  }
}

void Persistence::cycle() {
  if (std::exchange(child_, Child::none) == Child::snapshot) {
    saved_changes_ = child_changes_;
    saved_at_s_ = now_s();
  }
  std::int64_t due_s = 0;
  if (rewrite_scheduled_) {
    rewrite_in_background();
  } else if (save_scheduled_ || save_is_due(due_s)) {
    save_in_background();
  }
  await_cycle();
}

// ---------------------------------------------------------------- INFO

std::string Persistence::report() const {
  std::string text;
  const auto field = [&text](std::string_view name, std::string_view value) {
    text.append(name).append(":").append(value).append("\r\n");
  };
  const auto number = [&](std::string_view name, std::uint64_t value) {
    field(name, std::to_string(value));
  };
  const auto size_of = [this](std::string_view file) {
    const sim::Disk::Content* const content = disk_.find(file);
    return content == nullptr ? 0 : content->bytes.size();
  };
  // Clients check that loading is over before they continue.
  number("loading", loading_ ? 1 : 0);
  number("async_loading", 0);
  number("rdb_changes_since_last_save", unsaved_changes());
  number("rdb_bgsave_in_progress", child_ == Child::snapshot ? 1 : 0);
  field("rdb_last_save_time", std::to_string(saved_at_s_));
  field("rdb_last_bgsave_status", "ok");
  number("aof_enabled", logs_ ? 1 : 0);
  number("aof_rewrite_in_progress", child_ == Child::rewrite ? 1 : 0);
  number("aof_rewrite_scheduled", rewrite_scheduled_ ? 1 : 0);
  field("aof_last_bgrewrite_status", "ok");
  field("aof_last_write_status", "ok");
  if (logs_) {
    number("aof_current_size", size_of(kBase) + size_of(kLog));
    number("aof_base_size", size_of(kBase));
  }
  return text;
}

}  // namespace picklock::redis
