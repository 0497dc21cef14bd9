#include "models/redis/server.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "history/recorded_simulation.h"
#include "models/redis/wire.h"
#include "models/verbs.h"
#include "picklock/client.h"

namespace picklock::redis {
namespace {

// What the kernel takes before the server's own buffers fill: 38 MB were pending where the limit is
// 32 (R91).
constexpr std::uint64_t kSocketBuffers = 6'000'000;

constexpr std::uint32_t kOfQueue = kRead | kWrite | kMayGrow | kMayReplicate | kOwnStack;

std::string unknown_command(Argv argv) {
  const Command* container = command_named(argv[0]);
  if (container != nullptr && container->known() && !container->subcommands.empty()) {
    std::string text = "ERR unknown subcommand '";
    return text.append(shown(argv[1])).append("'. Try ").append(upper(argv[0])).append(" HELP.");
  }
  std::string words;
  for (std::string_view word : argv.subspan(1)) {
    if (words.size() >= kLongestShown) break;
    const std::string_view part = shown(word, kLongestShown - words.size());
    words.append("'").append(part).append("' ");
  }
  std::string text = "ERR unknown command '";
  text.append(shown(argv[0])).append("', with args beginning with: ").append(words);
  return text;
}

std::string wrong_number(const Command& command) {
  return "ERR wrong number of arguments for '" + std::string(command.name) + "' command";
}

std::string not_while_subscribed(const Command& command) {
  return "ERR Can't execute '" + std::string(command.name) +
         "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
         "context";
}

}  // namespace

void Server::reset(history::RecordedSimulation& simulation, sim::Process& process,
                   models::Tenures& tenures, models::Keys& keys, const Directory* directory) {
  attach(simulation, process);
  directory_ = directory;
  keyspace_.reset(simulation, process, tenures, keys);
  keyspace_.set_mourner({this, &Server::on_forgotten});
  stats_ = {};
  session_ids_ = 0;
  has_pause_timer_ = has_backlog_timer_ = has_blocked_timer_ = has_shutdown_timer_ = false;
  waiting_.clear();
  held_.clear();
  configuration_.clear();
  group_ = nullptr;
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
  config_changed();
}

void Server::config_changed() {
  replication_.config_changed();
  persistence_.config_changed();
}

// What does not outlive the process.
void Server::forget_process() {
  for (Session* session : connected_) {
    session->connected = false;
    session->replica.reset();
  }
  connected_.clear();
  blocked_.clear();
  effects_.want(false);
  master_session_ = {};
  pubsub_.clear();
  config_.reset();
  own_thread_ = nullptr;
  own_thread_idle_ = false;
  parsed_ = nullptr;
  end_scripts();
  short_of_memory_ = false;
  paused_ = Pause::none;
  stopped_.clear();
  overrun_.clear();
  backlog_awaited_ = going_down_ = false;
  answering_ = nullptr;
  out_ = nullptr;
}

void Server::start(sim::Keeps keeps) {
  if (process().incarnation() > 0) stats_ = {};
  started_at_ = simulation().now();
  read_configuration();
  persistence_.begin(keeps, replication_.will_follow());
  replication_.started();
  persistence_.load();
}

void Server::halted() {
  for (std::vector<sim::Message*>* queue : {&waiting_, &held_}) {
    for (sim::Message* request : *queue) simulation().network.release(*request);
    queue->clear();
  }
  for (const Blocked& blocked : blocked_) simulation().network.release(*blocked.request);
  keyspace_.halted();
  forget_process();
  replication_.halted();
  persistence_.halted();
}

void Server::clock_changed() {
  keyspace_.clock_changed();
  persistence_.clock_changed();
  if (paused_ == Pause::none) return;
  await_pause_end();
  if (answering_ == nullptr && pause_over()) end_pause();
}

// As an event of its own: a process does not end amid a command.
void Server::shut_down() {
  going_down_ = true;
  if (!std::exchange(has_shutdown_timer_, true)) {
    shutdown_timer_ = simulation().scheduler.add_timer(&process(), &Server::on_shutdown, this, 0);
  }
  simulation().scheduler.arm(shutdown_timer_, now());
}

void Server::on_shutdown(void* self, std::uint32_t) {
  auto& server = *static_cast<Server*>(self);
  server.simulation().network.crash(server.process(), false, false);
  server.simulation().scheduler.halt(server.process(), false);
}

void Server::strike(const sim::Strike& strike) {
  const std::string& key = strike.fault.key;
  if (models::hits(strike, models::kEvict, process()))
    evict(key.empty() ? keyspace_.lock_key() : std::string_view(key));
  if (!models::hits(strike, models::kFailOver, process())) return;
  simulation().nemesis.bring_down(process(), true, false);
  if (!strike.fault.lasts) fail_over(strike.to);
}

void Server::relieve(const sim::Strike& strike) {
  if (models::hits(strike, models::kFailOver, process())) fail_over(strike.to);
}

void Server::evict(std::string_view key) {
  keyspace_.freeze();
  keyspace_.act_for(0, Role::none);
  Entry* entry = keyspace_.live(0, key);
  if (entry != nullptr) keyspace_.remove(*entry, history::Cause::eviction);
}

std::int64_t Server::uptime_seconds() const {
  return (simulation().now() - started_at_) / std::chrono::seconds(1);
}

// ---------------------------------------------------------------- connections

Session& Server::open_session() {
  Session* free = nullptr;
  for (Session& session : sessions_) {
    if (!session.connected) {
      free = &session;
      break;
    }
  }
  if (free == nullptr) free = &sessions_.emplace_back();
  *free = Session();
  free->id = ++session_ids_;
  free->connected = true;
  free->authenticated = config_.password().empty();
  free->connected_at = free->last_command_at = simulation().now();
  connected_.push_back(free);
  ++stats_.connections;
  return *free;
}

Session& Server::connect() { return open_session(); }

void Server::disconnect(Session& session) {
  if (!session.connected) return;
  session.connected = false;
  PubSub::forget(session);
  if (session.replica != nullptr) replication_.detached(session);
  if (session.blocked) {
    const auto mine = std::find_if(blocked_.begin(), blocked_.end(),
                                   [&](const Blocked& one) { return one.session == &session; });
    if (mine->request != nullptr) simulation().network.release(*mine->request);
    blocked_.erase(mine);
  }
  if (session.connection != nullptr) session.connection->session = nullptr;
  connected_.erase(std::find(connected_.begin(), connected_.end(), &session));
  std::erase(stopped_, &session);
  std::replace(released_sessions_.begin(), released_sessions_.end(), &session,
               static_cast<Session*>(nullptr));
}

Session& Server::session_of(sim::Connection& connection) {
  if (connection.session == nullptr) {
    Session& session = open_session();
    session.connection = &connection;
    connection.session = &session;
  }
  return *static_cast<Session*>(connection.session);
}

// What it sent before and has not been looked at yet is served first, unless the server knows it
// already and holds it back.
void Server::client_gone(sim::Connection& connection) {
  if (connection.session == nullptr) return;
  Session& session = *static_cast<Session*>(connection.session);
  if (session.waiting > 0 || (session.replica != nullptr && replication_.ends_later(session))) {
    session.ended = true;
  } else {
    disconnect(session);
  }
}

void Server::on_reset(sim::Connection& connection) { client_gone(connection); }
void Server::on_closed(sim::Connection& connection) { client_gone(connection); }

void Server::hang_up(Session& session) {
  sim::Connection* connection = session.connection;
  disconnect(session);
  if (connection != nullptr) simulation().network.shut(*connection);
}

void Server::close(Session& session) {
  if (&session == answering_) {
    session.closing = true;
  } else {
    hang_up(session);
  }
}

void Server::push(Session& session, std::initializer_list<std::string_view> words) {
  if (session.closing) {
    // A deaf one is written to, after all, and so it ends.
    const bool noted = std::find(overrun_.begin(), overrun_.end(), &session) != overrun_.end();
    if (&session != answering_ && !noted) overrun_.push_back(&session);
    return;
  }
  const auto write = [&](sim::Payload& out) {
    write_push(out, words.size(), session.protocol);
    for (std::string_view word : words) write_bulk(out, word);
  };
  if (&session == answering_) {
    write(*out_);
  } else if (session.connection == nullptr) {
    sim::Payload bytes;
    write(bytes);
    session.unasked += bytes.view();
  } else {
    sim::Message& message = simulation().network.make(*session.connection, 1);
    write(message.payload);
    message.tag = keyspace_.actor();
    simulation().network.send_unasked(message);
    watch_backlog(session);
  }
}

// ---------------------------------------------------------------- subscribers that do not read

bool Server::overrun(Session& session) {
  const Config::OutputLimit& limit = config_.subscriber_limit();
  const std::uint64_t unread = session.connection->unread();
  const std::uint64_t pending = unread > kSocketBuffers ? unread - kSocketBuffers : 0;
  if (limit.hard != 0 && pending >= limit.hard) return true;
  if (limit.soft == 0 || pending < limit.soft) {
    session.backlogged_since = sim::kNever;
    return false;
  }
  if (session.backlogged_since == sim::kNever) session.backlogged_since = now();
  return now() - session.backlogged_since > std::chrono::seconds(limit.soft_seconds);
}

void Server::watch_backlog(Session& session) {
  if (session.connection->unread() <= kSocketBuffers) return;
  if (overrun(session)) {
    if (std::find(overrun_.begin(), overrun_.end(), &session) == overrun_.end())
      overrun_.push_back(&session);
  } else if (session.backlogged_since != sim::kNever && !backlog_awaited_) {
    if (!has_backlog_timer_) {
      backlog_timer_ =
          simulation().scheduler.add_timer(&process(), &Server::on_backlog_time, this, 0);
      has_backlog_timer_ = true;
    }
    backlog_awaited_ = true;
    simulation().scheduler.arm(
        backlog_timer_, now() + std::chrono::seconds(config_.subscriber_limit().soft_seconds) +
                            std::chrono::milliseconds(1));
  }
}

void Server::on_backlog_time(void* self, std::uint32_t) {
  auto& server = *static_cast<Server*>(self);
  server.backlog_awaited_ = false;
  for (Session* session : server.connected_) {
    if (session->backlogged_since != sim::kNever) server.watch_backlog(*session);
  }
  server.drop_overrun();
}

void Server::drop_overrun() {
  while (!overrun_.empty()) {
    Session& session = *overrun_.back();
    overrun_.pop_back();
    if (session.connected) hang_up(session);
  }
}

// ---------------------------------------------------------------- one command

// In the order of the real server: unknown, wrong number of words, no password, out of memory,
// listening, busy. A command that is refused spoils the transaction it was meant for (R105).
std::string_view Server::refusal(const Call& call, const Command* command, std::uint32_t flags) {
  const Session& session = call.session;
  if (command == nullptr || !command->known()) return refusal_ = unknown_command(call.argv);
  if (!command->takes(call.words())) return refusal_ = wrong_number(*command);
  if (!session.authenticated && !config_.password().empty() && !command->is(kUngated))
    return "NOAUTH Authentication required.";
  if (session.in_multi && command->is(kNotInMulti))
    return "ERR Command not allowed inside a transaction";
  if (short_of_memory_ && config_.max_memory() != 0 && !script_running()) {
    if ((flags & kMayGrow) != 0 || (session.in_multi && !command->is(kEndsMulti)))
      return kOutOfMemory;
  }
  if ((flags & kWrite) != 0 && !script_running()) {
    if (replication_.too_few_replicas()) return kTooFewReplicas;
    if (replication_.is_replica()) return kReadOnly;  // R50: before the next but one
  }
  if (session.protocol == 2 && session.subscribed() && !command->is(kSubscribed))
    return refusal_ = not_while_subscribed(*command);
  // Scripts may run then if they say so.
  const bool stale_is_fine =
      (flags & kStale) != 0 && (!command->is(kRunsScript) || flags != command->flags);
  if (replication_.is_replica() && replication_.link() != Replication::Link::connected &&
      !config_.serves_stale_data() && !stale_is_fine) {
    return "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.";
  }
  if (persistence_.loading() && !command->is(kLoading))
    return "LOADING Redis is loading the dataset in memory";  // R100
  if (busy_ && !command->is(kWhileBusy)) return kBusy;
  return {};
}

void Server::refuse(Call& call, std::uint32_t flags, std::string_view text) {
  if (call.session.in_multi) call.session.spoilt = true;
  if ((flags & kRunsQueue) == 0) {
    call.reply.set_error(text);
    return;
  }
  if (text.starts_with("ERR ")) text.remove_prefix(4);
  call.reply.set_error("EXECABORT Transaction discarded because of: " + std::string(text));
  call.session.end_transaction();
}

bool Server::holds_back(std::uint32_t flags) const {
  return paused_ == Pause::all || (flags & (kWrite | kMayReplicate)) != 0;
}

Server::Outcome Server::run(Call& call, const Command* command, sim::Payload& out,
                            bool on_own_thread) {
  Session& session = call.session;
  std::uint32_t flags = command != nullptr ? command->flags : 0;
  if (session.in_multi && (flags & kRunsQueue) != 0) flags |= session.queued_flags & kOfQueue;
  if ((flags & kRunsScript) != 0 && call.words() > 1 &&
      (paused_ != Pause::none || config_.max_memory() != 0 || replication_.is_replica() ||
       replication_.too_few_replicas())) {
    flags = flags_with_script(*this, *command, call.argv);
  }
  if (!script_running() && config_.max_memory() != 0) {
    // While clients are paused nobody looks.
    short_of_memory_ = paused_ == Pause::none && keyspace_.used_memory() > config_.max_memory();
  }
  session.last_command = command;
  if (const std::string_view text = refusal(call, command, flags); !text.empty()) {
    refuse(call, flags, text);
  } else if (paused_ != Pause::none && holds_back(flags)) {
    return Outcome::held;
  } else if (session.in_multi && (flags & kNotQueued) == 0) {
    if (!session.spoilt) {
      session.queued.add(call.argv);
      session.queued_flags |= flags;
    }
    call.reply.set_status("QUEUED");
  } else if (!on_own_thread && (flags & kOwnStack) != 0) {
    return Outcome::own_thread;
  } else {
    invoke(call, *command);
  }
  ++stats_.commands;
  session.last_command_at = simulation().now();
  if (session.blocked) return Outcome::blocked;
  if (!call.written) {
    if (call.reply.is_error()) ++stats_.errors;
    if (session.wants_replies()) write_reply(out, call.reply, session.protocol);
  }
  if (session.replies == Replies::skip_next) {
    session.replies = Replies::skip_this;
  } else if (session.replies == Replies::skip_this) {
    session.replies = Replies::on;
  }
  return out.size() != 0 ? Outcome::answered : Outcome::silent;
}

Server::Outcome Server::carry_out(Session& session, Argv argv, const Command* command, Reply& reply,
                                  sim::Payload& out, history::TenureId tenure, Role role,
                                  bool on_own_thread) {
  if (going_down_) return Outcome::silent;
  keyspace_.freeze();
  keyspace_.act_for(tenure, role);
  if (role == Role::acquire && tenure != 0 && answering_ == nullptr) keyspace_.arrived(tenure);
  Session* const before = std::exchange(answering_, &session);
  sim::Payload* const out_before = std::exchange(out_, &out);
  Call call{.server = *this, .keys = keyspace_, .session = session, .argv = argv, .reply = reply};
  const Outcome outcome = run(call, command, out, on_own_thread);
  if (effects_.wanted()) {
    if (before == nullptr && effects_.size() > 0) hand_on_effects();
    const bool queued = session.in_multi && command != nullptr && !command->is(kNotQueued);
    if (!queued) session.written_until = replication_.offset();
  }
  if (!config_.save_points().empty()) persistence_.changed();
  answering_ = before;
  out_ = out_before;
  if (outcome == Outcome::blocked) replication_.ask_for_acknowledgements();
  if (!overrun_.empty()) drop_overrun();
  return outcome;
}

void Server::execute(Session& session, Argv argv, sim::Payload& out, history::TenureId tenure,
                     Role role) {
  if (paused_ != Pause::none && pause_over()) end_pause();
  if (session.closing) return;
  if (!session.postponed.empty() || session.blocked ||
      carry_out(session, argv, command_called(argv), reply_, out, tenure, role, true) ==
          Outcome::held) {
    if (session.postponed.empty()) stopped_.push_back(&session);
    session.postponed.add(argv);
  }
  if (session.closing && out.size() > 0) hang_up(session);
  if (paused_ == Pause::none) release_postponed();
}

// ---------------------------------------------------------------- the command loop

// What would come of it there in any case: a short cut for scripts.
bool Server::belongs_on_own_thread(const Session& session, const Command* command) const {
  if (busy_ || session.in_multi || paused_ != Pause::none) return false;
  return command != nullptr && command->is(kOwnStack) && command->takes(argv_.size());
}

bool Server::apply(sim::Message& request, sim::Payload& answer) {
  Session& session = session_of(*request.connection);
  if (!blocked_.empty()) time_out_blocked();
  if (session.closing) return false;
  if (must_wait(session)) {
    put_off(request, session);
    return false;
  }
  Outcome outcome = Outcome::answered;
  const Command* command = nullptr;
  if (read_request(request.payload.view(), argv_)) {
    command = command_called(argv_);
    outcome =
        belongs_on_own_thread(session, command)
            ? Outcome::own_thread
            : carry_out(session, argv_, command, reply_, answer, request.tag, request.role, false);
  } else {
    reply_.set_error("ERR Protocol error");
    write_reply(answer, reply_);
    session.closing = true;  // R108
  }
  switch (outcome) {
    case Outcome::answered:
      if (!session.closing) return true;
      {
        sim::Message& reply = reply_to(request);
        reply.payload.append(answer.view());
        Service::answer(request, reply);
        if (session.connected) hang_up(session);
      }
      return false;
    case Outcome::silent:
      return false;
    case Outcome::held:
      hold(request, session);
      return false;
    case Outcome::blocked:
      keep_blocked(request);
      return false;
    case Outcome::own_thread:
      put_off(request, session);
      if (!waiting_.empty() && waiting_.front() == &request) {
        std::swap(argv_, own_argv_);
        parsed_ = &request;
        parsed_command_ = command;
      }
      return false;
  }
  return false;
}

void Server::hold(sim::Message& request, Session& session) {
  request.taken = true;
  held_.push_back(&request);
  ++session.held;
}

// Behind what the server has yet to do.
void Server::put_off(sim::Message& request, Session& session) {
  if (session.held > 0 || session.blocked) {
    hold(request, session);
    return;
  }
  request.taken = true;
  waiting_.push_back(&request);
  ++session.waiting;
  if (own_thread_ == nullptr) {
    own_thread_ = &simulation().scheduler.spawn_deep(process(), [this] { run_own_thread(); });
  } else if (own_thread_idle_) {
    simulation().scheduler.wake(*own_thread_);
  }
}

// A request that has waited.
void Server::finish(sim::Message& request, sim::Message& reply, Session& session, Outcome outcome) {
  if (outcome == Outcome::answered) {
    answer(request, reply);
  } else {
    simulation().network.release(reply);
  }
  simulation().network.release(request);
  if (process().down() || !session.connected) return;
  if (session.closing && outcome == Outcome::answered) {
    hang_up(session);
  } else if (session.ended && session.waiting == 0) {
    disconnect(session);
  }
}

// An interpreter needs a deeper stack than the fiber that happens to be blocking when a request
// arrives.
void Server::run_own_thread() {
  sim::Scheduler& scheduler = simulation().scheduler;
  for (;;) {
    while (!waiting_.empty()) {
      sim::Message& request = *waiting_.front();
      Session* const session = session_behind(request);
      const bool parsed = std::exchange(parsed_, nullptr) == &request;
      if (session == nullptr) {  // closed meanwhile
        waiting_.erase(waiting_.begin());
        simulation().network.release(request);
        continue;
      }
      Outcome outcome = Outcome::held;
      sim::Message& reply = reply_to(request);
      if (session->held == 0) {
        if (!parsed) {
          read_request(request.payload.view(), own_argv_);
          parsed_command_ = command_called(own_argv_);
        }
        outcome = carry_out(*session, own_argv_, parsed_command_, own_reply_, reply.payload,
                            request.tag, request.role, true);
      }
      waiting_.erase(waiting_.begin());
      --session->waiting;
      if (outcome == Outcome::blocked) {
        simulation().network.release(reply);
        keep_blocked(request);
      } else if (outcome == Outcome::held) {
        simulation().network.release(reply);
        hold(request, *session);
        if (session->ended) disconnect(*session);
      } else {
        finish(request, reply, *session, outcome);
      }
      scheduler.obey();
    }
    replication_.catch_up();
    own_thread_idle_ = true;
    scheduler.park();
    own_thread_idle_ = false;
  }
}

// A request that was taken earlier, on whatever fiber runs.
void Server::serve(sim::Message& request, Session& session) {
  sim::Message& reply = reply_to(request);
  read_request(request.payload.view(), argv_);
  const Outcome outcome = carry_out(session, argv_, command_called(argv_), reply_, reply.payload,
                                    request.tag, request.role, false);
  switch (outcome) {
    case Outcome::answered:
    case Outcome::silent:
      finish(request, reply, session, outcome);
      break;
    case Outcome::held:
      simulation().network.release(reply);
      hold(request, session);
      break;
    case Outcome::blocked:
      simulation().network.release(reply);
      keep_blocked(request);
      break;
    case Outcome::own_thread:
      simulation().network.release(reply);
      put_off(request, session);
      break;
  }
}

// A script has gone on for too long: those that have waited for it are answered, but for its own
// connection.
void Server::serve_waiting() {
  const Session* const own = &script_call_->session;
  for (std::size_t i = 1; i < waiting_.size();) {
    sim::Message& request = *waiting_[i];
    Session* const session = session_behind(request);
    if (session == own) {
      ++i;
      continue;
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    if (session == nullptr) {
      simulation().network.release(request);
      continue;
    }
    --session->waiting;
    if (session->held > 0) {
      hold(request, *session);
    } else {
      serve(request, *session);
    }
    simulation().scheduler.obey();
  }
}

}  // namespace picklock::redis
