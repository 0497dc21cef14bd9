#include "models/mysql/server.h"

#include <algorithm>

#include "history/recorded_simulation.h"
#include "models/mysql/tables.h"
#include "models/mysql/version.h"
#include "models/servers/verbs.h"
#include "picklock/client.h"

namespace picklock::mysql {
namespace {

using namespace std::chrono_literals;
using sim::Duration;

constexpr std::int64_t kNever = INT64_MAX;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMicrosecond = 1000;

// As in the kernel: this many probes without an answer, this far apart, end a connection
// (net.ipv4.tcp_keepalive_probes, tcp_keepalive_intvl).
constexpr Duration kProbes = 9 * 75s;
constexpr Duration kPurgeAfter = 100ms;  // versions that no snapshot needs
constexpr std::size_t kFew = 8;          // sessions: to look at each is cheaper than an index
constexpr Duration kFlushEvery = 1s;     // without flush_at_commit

bool changes_rows(const Statement& statement) {
  return is_of_rows(statement.op) &&
         (statement.op != Op::select || statement.locking != Locking::none);
}

std::string_view variable_of(Isolation isolation) {
  switch (isolation) {
    case Isolation::read_committed:
      return "READ-COMMITTED";
    case Isolation::repeatable_read:
      return "REPEATABLE-READ";
    case Isolation::serializable:
      break;
  }
  return "SERIALIZABLE";
}

}  // namespace

void Server::reset(history::RecordedSimulation& simulation, sim::Process& process,
                   std::span<Server* const> group, models::Tenures& tenures,
                   std::span<const std::string> lock_keys, const Settings& settings,
                   Grants::OverBy over_by, models::Keys* any) {
  attach(simulation, process);
  recorder_ = &simulation.recorder;
  tenures_ = &tenures;
  group_.assign(group.begin(), group.end());
  settings_ = settings;
  lock_keys_.assign(lock_keys.begin(), lock_keys.end());
  number_ =
      static_cast<std::uint32_t>(std::find(group.begin(), group.end(), this) - group.begin()) + 1;
  primary_ = number_ <= settings.primaries;
  source_ = in_ring() ? group_[(number_ + group.size() - 2) % group.size()] : group_.front();
  relayed_.clear();
  sources_.clear();
  received_ = 0;
  applier_ = 0;
  logged_ = false;
  binlog_.clear();
  durable_ = 0;
  forget_sessions();
  followers_.clear();
  follower_ = nullptr;
  known_locks_.reset(simulation, process, tenures, lock_keys, settings.rows, over_by);
  grants_ = &known_locks_;
  if (any != nullptr) {
    any_lock_.reset(simulation, process, tenures, *any, over_by);
    grants_ = &any_lock_;
  }
  load();
}

// Loads what the disk has: the tables as created, and everything committed since.
void Server::load() {
  engine_.reset(settings_.variant);
  for (const Schema& schema : schemas()) engine_.create(schema);
  for (const std::string& lock : lock_keys_) engine_.apply(rows_at_first(lock, settings_.rows));
  grants_->forget_rows();
  for (const Logged& logged : binlog_) {
    engine_.apply(logged.changes);
    grants_->committed(logged.changes, logged.tenure);
  }
  if (settings_.flush_at_commit && settings_.fsync > Duration::zero()) engine_.wait_for_disk();
  engine_.set_pick([this](std::size_t among) {
    return static_cast<std::size_t>(chance_.below(static_cast<std::uint32_t>(among)));
  });
}

void Server::start(sim::Keeps keeps) {
  sim::Scheduler& scheduler = simulation().scheduler;
  chance_ =
      sim::Random(scheduler.record().seed(),
                  sim::mixed(process().hash() ^ sim::hash_of("waiters") ^ process().incarnation()));
  timer_.bind<&Server::on_time>(scheduler, &process(), *this);
  timer_.join();
  expiry_timer_.bind<&Server::on_expiry>(scheduler, &process(), *this);
  expiry_timer_.join();
  armed_ = kNever;
  expires_ = 0;
  purge_at_ = flush_at_ = kNever;
  if (process().incarnation() > 0) {
    if (keeps == sim::Keeps::none) binlog_.clear();
    if (keeps == sim::Keeps::fsynced) binlog_.resize(std::min(durable_, binlog_.size()));
    durable_ = binlog_.size();
    if (in_ring()) {
      sources_.resize(binlog_.size());
      received_ = 0;
      for (const Source& source : sources_) received_ = std::max(received_, source.position);
    }
    load();
    if (primary_) look({.cause = history::Cause::restart});
  }
  if (!primary_ || in_ring()) {
    caller_.reset(simulation(), process(), source_->process(), *source_, binlog_protocol(), 1);
    caller_.listen(
        {.self = this,
         .came = [](void* self, std::string_view bytes,
                    history::TenureId by) { static_cast<Server*>(self)->came(bytes, by); },
         .lost =
             [](void* self) {
               auto& mine = *static_cast<Server*>(self);
               if (mine.follower_ != nullptr)
                 mine.simulation().scheduler.threads().wake(*mine.follower_);
             }});
    scheduler.threads().spawn(process(), [this] { follow(); });
  }
}

// All locks are lost (M24); what was committed is on the disk.
void Server::halted() {
  for (auto& [id, link] : links_) forget(link, false);
  forget_sessions();
  followers_.clear();
  caller_.forget();
  follower_ = nullptr;
  relayed_.clear();
  applier_ = 0;
  logged_ = false;
  grants_->sessions_end(history::Cause::restart);
}

void Server::forget_sessions() {
  links_.clear();
  deadlines_.clear();
  writing_.clear();
  flushing_.clear();
}

// ---------------------------------------------------------------- statements

bool Server::apply(sim::Message& message, sim::Payload& answer) {
  sim::Connection& connection = *message.connection;
  if (&connection.protocol() == &binlog_protocol()) {
    serve_replica(connection, message.payload.view());
    return false;
  }
  // A partition may have held this message back until its session was over.
  if (connection.session == &over_) return false;
  const std::optional<Statement> statement = read_statement(message.payload.view());
  Link& link = link_of(connection);
  // A client has only one request in flight.
  if (!statement || link.asked != nullptr) return false;
  link.tenure = message.tag;
  link.role = message.role;
  if (statement->op == Op::read_only) {
    write(Answer{.rows = {{std::int64_t{primary_ ? 0 : 1}}}}, answer);
    return true;
  }
  if (statement->op == Op::about_session) {
    write(about(link), answer);
    return true;
  }
  if (statement->op == Op::reset_session) {
    engine_.renew(link.id);
    link.row_limit = settings_.lock_wait_timeout.count();
    link.since = now();
    write(Answer{}, answer);
    settle({.cause = history::Cause::session_end, .session = link.id});
    return true;
  }
  if (!primary_ && changes_rows(*statement)) {
    write(Answer{.error = Error::is_read_only}, answer);
    return true;
  }
  return execute(link, message, *statement, answer);
}

// A session whose client is gone gets no answer, but its statement is executed all the same (M48).
bool Server::execute(Link& link, sim::Message& message, const Statement& statement,
                     sim::Payload& answer) {
  // After a step of the clock or a restart, a row may have expired before its timer fires. Record
  // the expiry first: a client that acquires now takes the lock from nobody.
  if (grants_->any_is_over()) look({.cause = history::Cause::expiry});
  const SessionId id = link.id;
  link.op = statement.op;
  link.writes_work = statement.table == kWork && statement.op != Op::select;
  link.inserts_for_good = statement.table == kLocks && statement.op == Op::insert;
  link.client = message.connection->client().id();
  link.thread = message.thread;
  link.since = now();
  if (statement.op == Op::set_lock_wait_timeout) link.row_limit = row_limit(statement.number);
  grants_->note_names(statement, engine_);
  const std::optional<Answer> done = engine_.execute(id, statement, wall_clock());
  if (done) {
    note_write(link, *done);
    note_refusal(id, *done, false);
    write(*done, answer);
  } else {
    message.taken = true;
    link.asked = &message;
    link.limit = statement.op == Op::get_lock
                     ? (statement.number < 0 ? kNever : statement.number * kSecond)
                     : link.row_limit;
    list_due(link);
  }
  // A killed session loses its locks by its end: nobody has released them.
  if (statement.op == Op::kill) {
    settle({.cause = history::Cause::session_end, .session = id});
  } else {
    settle({.session = id,
            .tenure = link.tenure,
            .role = link.role,
            .asks = done && done->ok() && link.role == Role::acquire});
  }
  return done.has_value();
}

Answer Server::about(const Link& link) const {
  const bool of_mysql = settings_.variant == Variant::mysql;
  Row row(kAbouts);
  const auto set = [&row](About about, Value value) {
    row[static_cast<std::size_t>(about)] = std::move(value);
  };
  set(About::connection_id, std::int64_t{link.id});
  set(About::version, std::string(of_mysql ? kVariantServerVersion : kServerVersion));
  set(About::isolation, std::string(variable_of(engine_.isolation(link.id))));
  set(About::lock_wait_timeout, link.row_limit / kSecond);
  set(About::wait_timeout, std::int64_t{settings_.wait_timeout / 1s});
  set(About::autocommit, std::int64_t{engine_.commits_by_itself(link.id) ? 1 : 0});
  set(About::read_only, std::int64_t{primary_ ? 0 : 1});
  return {.rows = {std::move(row)}};
}

std::int64_t Server::row_limit(std::int64_t seconds) const {
  const std::int64_t least = settings_.variant == Variant::mysql ? 1 : 0;
  const std::int64_t most = settings_.lock_wait_timeout.count();
  const std::int64_t wanted = std::max(seconds, least);
  return wanted > most / kSecond ? most : wanted * kSecond;
}

// The outcome of the work is known once it is committed.
void Server::note_write(Link& link, const Answer& answer) {
  if (link.writes_work && answer.affected > 0) {
    if (link.writes.empty()) writing_.push_back(link.id);
    link.writes.push_back({link.client, link.thread, link.tenure});
  }
  link.writes_work = false;
}

// For the record: what the server did to a client that waited for the lock.
void Server::note_refusal(SessionId id, const Answer& answer, bool waited) {
  const auto found = links_.find(id);
  if (found == links_.end()) return;
  const Link& link = found->second;
  if (link.role != Role::acquire) return;
  const bool victim = answer.error == Error::deadlock || answer.error == Error::named_lock_deadlock;
  const bool in_vain = waited && link.inserts_for_good && answer.error == Error::duplicate &&
                       !grants_->held(tenures_->key(link.tenure));
  if (!victim && !in_vain) return;
  recorder_->note({.at = simulation().now(),
                   .what = victim ? history::What::deadlock_broken : history::What::refused_free,
                   .role = link.role,
                   .process = process().id(),
                   .peer = link.client,
                   .thread = link.thread,
                   .tenure = link.tenure,
                   .key = tenures_->key(link.tenure)});
}

std::vector<Engine::Finished> Server::begin_to_settle(const Grants::Doing& doing) {
  std::vector<Engine::Finished> finished = engine_.finished();
  for (const Engine::Finished& one : finished) {
    if (const auto link = links_.find(one.session); link != links_.end())
      note_write(link->second, one.answer);
  }
  log_commits();
  for (const SessionId id : engine_.flushing())
    flushing_.emplace_back(now() + settings_.fsync.count(), id);
  look(doing);
  return finished;
}

// Handles all consequences of what the engine has just done. A row passes from one session to the
// next, and a session without a connection passes it on at once. Thousands may wait for it, so
// such sessions are nested here and not on the stack.
void Server::settle(const Grants::Doing& doing) {
  struct Settling {
    std::vector<Engine::Finished> finished;
    std::size_t next = 0;
    std::optional<Answer> applied{};  // the answer to the session that applies what has come
  };
  std::vector<Settling> nested;
  nested.push_back({begin_to_settle(doing)});
  while (!nested.empty()) {
    Settling& latest = nested.back();
    if (latest.next == latest.finished.size()) {
      const std::optional<Answer> applied = std::move(latest.applied);
      nested.pop_back();
      end_killed();
      await();
      if (!applied) continue;
      step_taken(*applied);
      go_on_applying();
      continue;
    }
    const Engine::Finished one = std::move(latest.finished[latest.next++]);
    if (applier_ != 0 && one.session == applier_) latest.applied = one.answer;
    note_refusal(one.session, one.answer, true);
    if (!answer_late(one) && close(one.session))
      nested.push_back({begin_to_settle({.cause = history::Cause::session_end})});
    if (process().down()) return;
  }
}

// Ends sessions that a statement of another session has killed.
void Server::end_killed() {
  for (const SessionId id : engine_.killed()) {
    const auto found = links_.find(id);
    if (found == links_.end()) continue;
    forget(found->second, true);
    unlist(found->second);
    links_.erase(found);
  }
}

// Sends the late answer to a statement that has waited. False: its connection is gone, which the
// server notices only now.
bool Server::answer_late(const Engine::Finished& done) {
  const auto found = links_.find(done.session);
  if (found == links_.end() || found->second.asked == nullptr) return true;
  Link& link = found->second;
  sim::Message& request = *std::exchange(link.asked, nullptr);
  link.since = now();
  list_due(link);
  if (link.connection == nullptr || link.killed) {
    simulation().network.release(request);
    return false;
  }
  sim::Message& reply = reply_to(request);
  write(done.answer, reply.payload);
  answer(request, reply);
  if (!process().down()) simulation().network.release(request);
  return true;
}

// Writes are recorded at the group's one place, wherever they are made.
void Server::log_commits() {
  for (Engine::Committed& commit : engine_.committed()) {
    if (applier_ != 0 && commit.session == applier_) {
      log_relayed();
      continue;
    }
    history::TenureId by = 0;
    if (const auto found = links_.find(commit.session); found != links_.end()) {
      Link& link = found->second;
      by = link.tenure;
      for (const Write& one : link.writes) {
        recorder_->note({.at = simulation().now(),
                         .what = history::What::write_accepted,
                         .role = Role::write,
                         .process = group_.front()->process().id(),
                         .peer = one.client,
                         .thread = one.thread,
                         .tenure = one.tenure});
      }
      link.writes.clear();
    }
    append({std::move(commit.changes), by});
  }
  // Nothing remains of what was rolled back.
  std::erase_if(writing_, [this](SessionId id) {
    const auto found = links_.find(id);
    if (found == links_.end()) return true;
    const bool over = engine_.is_open(id) && !engine_.in_transaction(id);
    if (over) found->second.writes.clear();
    return found->second.writes.empty();
  });
}

void Server::append(Logged logged) {
  const bool deletes = std::any_of(logged.changes.begin(), logged.changes.end(),
                                   [](const Change& change) { return !change.row; });
  if (deletes && purge_at_ == kNever) purge_at_ = now() + kPurgeAfter.count();
  grants_->committed(logged.changes, logged.tenure);
  if (in_ring()) {
    if (sources_.size() == binlog_.size()) sources_.push_back({.origin = number_});
    grants_->committed_in_ring(logged.changes, sources_.back().origin != number_);
  }
  binlog_.push_back(std::move(logged));
  if (settings_.flush_at_commit) {
    durable_ = binlog_.size();
  } else if (flush_at_ == kNever) {
    flush_at_ = now() + kFlushEvery.count();
  }
  for (sim::Connection* follower : followers_) publish(binlog_.size() - 1, *follower);
}

void Server::look(const Grants::Doing& doing) {
  if (!primary_) return;
  const Grants* const first = grants_->look(engine_, doing, [this](SessionId session) {
    const auto found = links_.find(session);
    return found == links_.end() ? 0 : found->second.tenure;
  });
  if (first == nullptr) return;
  if (first->over_at() == expires_) return;
  expires_ = first->over_at();
  first->arm(expiry_timer_);
}

// ---------------------------------------------------------------- sessions

Server::Link& Server::link_of(sim::Connection& connection) {
  if (connection.session != nullptr) return *static_cast<Link*>(connection.session);
  const SessionId id = engine_.open();
  if (settings_.isolation != Isolation::repeatable_read)
    engine_.execute(id, {.op = Op::set_isolation, .isolation = settings_.isolation}, 0);
  Link& link = links_[id];
  link.id = id;
  link.row_limit = settings_.lock_wait_timeout.count();
  link.connection = &connection;
  connection.session = &link;
  deadlines_.insert({link.listed, &link});
  list_due(link);
  return link;
}

// A server notices the end of a connection when it reads from it: at once if the session is idle.
// During a wait for a name it reads at every whole second; during a wait for a row it does not,
// until it has the row (M20, M48, M49).
void Server::hung_up(sim::Connection& connection) {
  std::erase(followers_, &connection);
  if (connection.session == nullptr) return;
  Link& link = *static_cast<Link*>(connection.session);
  connection.session = nullptr;
  if (&link == &over_) return;
  link.connection = nullptr;
  if (link.asked == nullptr) {
    end(link.id, history::Cause::session_end);
  } else if (link.op == Op::get_lock) {
    link.noticed_at = link.since + ((now() - link.since) / kSecond + 1) * kSecond;
    list_due(link);
    await();
  }
}

// A request in flight gets no answer. `says_so`: reset the connection, so that the client learns of
// it.
void Server::forget(Link& link, bool says_so) {
  if (link.asked != nullptr) simulation().network.release(*link.asked);
  link.asked = nullptr;
  if (link.connection == nullptr) return;
  link.connection->session = &over_;
  if (says_so && link.connection->usable()) simulation().network.shut(*link.connection);
}

void Server::end(SessionId id, history::Cause cause) {
  if (close(id)) settle({.cause = cause});
}

// False: there is no such session.
bool Server::close(SessionId id) {
  const auto found = links_.find(id);
  if (found == links_.end()) return false;
  forget(found->second, true);
  unlist(found->second);
  links_.erase(found);
  engine_.close(id);
  return true;
}

void Server::strike(const sim::Strike& strike) {
  if (strike.fault.verb == models::kKillSession)
    strike.found(kill_session(strike.target), models::kNoSession);
  if (!models::hits(strike, models::kFailOver, process())) return;
  simulation().nemesis.bring_down(process(), true, false);
  if (!strike.fault.lasts) fail_over(strike.to);
}

void Server::relieve(const sim::Strike& strike) {
  if (models::hits(strike, models::kFailOver, process())) fail_over(strike.to);
}

bool Server::kill_session(const sim::Process& client) {
  std::vector<SessionId> killed;
  for (auto& [id, link] : links_) {
    if (link.connection == nullptr || &link.connection->client() != &client) continue;
    // A commit that has begun is not interrupted.
    link.killed = engine_.waits_for_disk(id);
    killed.push_back(id);
  }
  for (const SessionId id : killed) {
    if (process().down()) break;
    const auto found = links_.find(id);
    if (found != links_.end() && !found->second.killed) end(id, history::Cause::session_end);
  }
  return !killed.empty();
}

// ---------------------------------------------------------------- time

std::int64_t Server::now() const {
  return simulation().scheduler.local_time(process(), sim::ClockKind::monotonic);
}

std::int64_t Server::wall_clock() const {
  return simulation().scheduler.local_time(process(), sim::ClockKind::wall) / kMicrosecond;
}

std::int64_t Server::due(const Link& link) const {
  const auto after = [&link](std::int64_t time) {
    return time >= kNever - link.since ? kNever : link.since + time;
  };
  if (link.asked != nullptr) {
    if (engine_.waits_for_disk(link.id)) return kNever;
    return std::min(after(link.limit), link.noticed_at);
  }
  const std::int64_t idle = after(settings_.wait_timeout.count());
  if (settings_.keepalive == Duration::zero()) return idle;
  return std::min(idle, after(link.asked_kernel_at + (settings_.keepalive + kProbes).count()));
}

// Whatever makes a session due earlier calls this.
void Server::list_due(Link& link) {
  const std::int64_t time = due(link);
  if (time < link.listed) list_at(link, time);
}

void Server::list_at(Link& link, std::int64_t time) {
  auto entry = deadlines_.extract({link.listed, &link});
  entry.value().time = link.listed = time;
  deadlines_.insert(std::move(entry));
}

// When the next session is due. Lists those anew that were listed too early.
std::int64_t Server::next_due() {
  if (links_.size() <= kFew) {
    std::int64_t next = kNever;
    for (const auto& [id, link] : links_) next = std::min(next, due(link));
    return next;
  }
  while (!deadlines_.empty()) {
    Link& link = *deadlines_.begin()->link;
    const std::int64_t time = due(link);
    if (time == link.listed) return time;
    list_at(link, time);
  }
  return kNever;
}

void Server::await() {
  if (process().down()) return;
  std::int64_t next = std::min(purge_at_, flush_at_);
  if (!flushing_.empty()) next = std::min(next, flushing_.front().first);
  next = std::min(next, next_due());
  if (next == armed_) return;
  armed_ = next;
  if (next == kNever) {
    timer_.disarm();
  } else {
    timer_.arm_on(sim::ClockKind::monotonic, next);
  }
}

void Server::on_time() {
  armed_ = kNever;
  while (!flushing_.empty() && flushing_.front().first <= now()) {
    const SessionId id = flushing_.front().second;
    flushing_.pop_front();
    if (!engine_.is_open(id)) continue;
    const auto link = links_.find(id);
    engine_.flushed(id);
    if (link != links_.end()) list_due(link->second);
    const history::TenureId by = id == applier_ && !relayed_.empty() ? relayed_.front().by : 0;
    settle({.session = id,
            .tenure = link == links_.end() ? by : link->second.tenure,
            .role = link == links_.end() ? Role::none : link->second.role});
    if (process().down()) return;
  }
  if (flush_at_ <= now()) {
    durable_ = binlog_.size();
    flush_at_ = kNever;
  }
  if (purge_at_ <= now()) {
    purge_at_ = engine_.purge() ? kNever : now() + kSecond;
    settle({});
    if (process().down()) return;
  }
  for (const SessionId id : overdue()) {
    if (const auto found = links_.find(id); found != links_.end() && due(found->second) <= now())
      pass_due(found->second);
    if (process().down()) return;
  }
  await();
}

// In the order in which they have begun.
std::vector<SessionId> Server::overdue() const {
  std::vector<SessionId> over;
  const std::int64_t until = now();
  for (auto one = deadlines_.begin(); one != deadlines_.end() && one->time <= until; ++one) {
    if (due(*one->link) <= until) over.push_back(one->link->id);
  }
  std::sort(over.begin(), over.end());
  return over;
}

void Server::pass_due(Link& link) {
  const SessionId id = link.id;
  if (link.asked == nullptr) {
    // An idle client is alive as long as its kernel answers for it.
    const bool idle = now() - link.since >= settings_.wait_timeout.count();
    if (idle || unreachable(link)) {
      end(id, history::Cause::session_end);
    } else {
      link.asked_kernel_at = now() - link.since;
    }
  } else if (link.noticed_at <= now()) {
    end(id, history::Cause::session_end);
  } else {
    engine_.time_out(id);
    settle({.session = id, .tenure = link.tenure, .role = link.role});
  }
}

bool Server::unreachable(const Link& link) const {
  if (link.connection == nullptr) return true;
  sim::Process& client = link.connection->client();
  return client.silent() || simulation().network.is_found_blocked(process(), client) ||
         simulation().network.is_found_blocked(client, process());
}

}  // namespace picklock::mysql
