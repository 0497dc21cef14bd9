#include "models/redis/server.h"

#include <algorithm>
#include <utility>

#include "models/redis/wire.h"

namespace picklock::models::redis {
namespace {

// The text ends where a C string does (R104).
std::string_view shown(std::string_view word, std::size_t longest) {
  word = word.substr(0, longest);
  return word.substr(0, word.find('\0'));
}

std::string unknown_command(Argv argv) {
  constexpr std::size_t kLongest = 128;
  std::string words;
  for (std::string_view word : argv.subspan(1)) {
    if (words.size() >= kLongest) break;
    const std::string_view part = shown(word, kLongest - words.size());
    words.append("'").append(part).append("' ");
  }
  std::string text = "ERR unknown command '";
  text.append(shown(argv[0], kLongest)).append("', with args beginning with: ").append(words);
  return text;
}

}  // namespace

void Server::reset(sim::Simulation& simulation, sim::Process& process, Tenures& tenures,
                   Keys& keys) {
  attach(simulation, process);
  keyspace_.reset(simulation, process, tenures, keys);
  for (Session* session : connected_) session->connected = false;
  connected_.clear();
  session_ids_ = 0;
  waiting_.clear();
  own_thread_ = nullptr;
  end_scripts();
  answering_ = nullptr;
  out_ = nullptr;
}

void Server::start(sim::Keeps keeps) {
  if (process().incarnation() > 0) keyspace_.restarted(keeps == sim::Keeps::all);
}

void Server::halted() {
  for (sim::Message* request : waiting_) simulation().network.release(*request);
  waiting_.clear();
  own_thread_ = nullptr;
  end_scripts();
  answering_ = nullptr;
  out_ = nullptr;
  for (Session* session : connected_) session->connected = false;
  connected_.clear();
  keyspace_.halted();
}

void Server::clock_changed() { keyspace_.clock_changed(); }

bool Server::evict(std::string_view key) {
  keyspace_.freeze();
  keyspace_.act_for(0, 0);
  Entry* entry = keyspace_.live(0, key);
  if (entry == nullptr) return false;
  keyspace_.remove(*entry, sim::Cause::eviction);
  return true;
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
  *free = Session{};
  free->id = ++session_ids_;
  free->connected = true;
  free->connected_at = free->last_command_at = simulation().now();
  connected_.push_back(free);
  return *free;
}

Session& Server::connect() { return open_session(); }

void Server::disconnect(Session& session) {
  if (!session.connected) return;
  session.connected = false;
  if (session.connection != nullptr) session.connection->session = nullptr;
  connected_.erase(std::find(connected_.begin(), connected_.end(), &session));
}

Session& Server::session_of(sim::Connection& connection) {
  if (connection.session == nullptr) {
    Session& session = open_session();
    session.connection = &connection;
    connection.session = &session;
  }
  return *static_cast<Session*>(connection.session);
}

void Server::on_reset(sim::Connection& connection) {
  if (connection.session != nullptr) disconnect(*static_cast<Session*>(connection.session));
}

void Server::push(Session& session, const Reply& frame) {
  if (&session == answering_ && out_ != nullptr) {
    write_reply(*out_, frame, session.protocol);
  } else if (session.connection == nullptr) {
    sim::Payload bytes;
    write_reply(bytes, frame, session.protocol);
    session.unasked += bytes.view();
  } else {
    sim::Message& message = simulation().network.make(*session.connection, 1);
    write_reply(message.payload, frame, session.protocol);
    simulation().network.send_when_running(message);
  }
}

// ---------------------------------------------------------------- the command loop

bool Server::apply(sim::Message& request, sim::Payload& answer) {
  Session& session = session_of(*request.connection);
  if (!read_request(request.payload.view(), argv_)) {
    reply_.set_error("ERR Protocol error");
    write_reply(answer, reply_);
    return true;
  }
  const Command* command = command_named(argv_[0]);
  // What arrives behind a command that has yet to run on the own thread waits for its turn.
  if (!waiting_.empty() || (command != nullptr && command->is(kOwnStack))) {
    request.taken = true;
    waiting_.push_back(&request);
    if (own_thread_ == nullptr) {
      own_thread_ = &simulation().scheduler.spawn_deep(process(), [this] { run_own_thread(); });
    } else {
      simulation().scheduler.wake(*own_thread_);
    }
    return false;
  }
  execute(session, argv_, answer, request.tenure, request.role);
  return true;
}

// An interpreter needs a deeper stack than the fiber that happens to be blocking when a request
// arrives.
void Server::run_own_thread() {
  for (;;) {
    while (!waiting_.empty()) {
      sim::Message& request = *waiting_.front();
      read_request(request.payload.view(), own_argv_);
      sim::Message& reply = reply_to(request);
      execute(session_of(*request.connection), own_argv_, reply.payload, request.tenure,
              request.role);
      waiting_.erase(waiting_.begin());
      answer(request, reply);
      simulation().network.release(request);
      simulation().scheduler.obey();
    }
    simulation().scheduler.park();
  }
}

void Server::execute(Session& session, Argv argv, sim::Payload& out, sim::TenureId tenure,
                     std::uint8_t role) {
  keyspace_.freeze();
  keyspace_.act_for(tenure, role);
  // One may be answered while another's script takes too long (R84).
  Session* const before = std::exchange(answering_, &session);
  sim::Payload* const out_before = std::exchange(out_, &out);
  Call call{.server = *this,
            .keys = keyspace_,
            .session = session,
            .argv = argv,
            .reply = own_thread_ != nullptr && simulation().scheduler.running() == own_thread_
                         ? own_reply_
                         : reply_};
  perform(call, out);
  answering_ = before;
  out_ = out_before;
}

void Server::perform(Call& call, sim::Payload& out) {
  const Command* command = command_named(call[0]);
  if (command == nullptr || command->run == nullptr) {
    call.reply.set_error(unknown_command(call.argv));
  } else if (!command->takes(call.words())) {
    call.reply.set_error("ERR wrong number of arguments for '" + std::string(command->name) +
                         "' command");
  } else {
    command->run(call);
  }
  write_reply(out, call.reply, call.session.protocol);
}

// ---------------------------------------------------------------- scripts

Lua& Server::lua() {
  if (lua_ == nullptr) lua_ = std::make_shared<Lua>();
  return *lua_;
}

// One that is parked in the middle of a script is not used again.
void Server::end_scripts() {
  if (std::exchange(script_call_, nullptr) != nullptr) lua_.reset();
  if (lua_ != nullptr) lua_->reset();
}

void Server::run_script(Call& call, const Lua::Compiled& script, bool read_only, Argv keys,
                        Argv args) {
  script_call_ = &call;
  script_session_.database = call.session.database;
  script_session_.protocol = 2;
  script_read_only_ = read_only;
  script_wrote_ = script_kill_wanted_ = false;
  const std::shared_ptr<Lua> lua = lua_;
  try {
    lua->run(script, keys, args, *this, call.reply);
  } catch (...) {
    if (script_call_ == &call) end_scripts();
    throw;
  }
  script_call_ = nullptr;
}

// Texts inside scripts differ from those outside (R76, R77).
void Server::run_command(Argv argv, Reply& reply) {
  const Command* command = command_named(argv[0]);
  if (command == nullptr) {
    reply.set_error("ERR Unknown Redis command called from script");
  } else if (!command->takes(argv.size())) {
    reply.set_error("ERR Wrong number of args calling Redis command from script");
  } else if (command->is(kNoScript)) {
    reply.set_error("ERR This Redis command is not allowed from script");
  } else if (script_read_only_ && (command->is(kWrite) || command->is(kMayReplicate))) {
    reply.set_error("ERR Write commands are not allowed from read-only scripts.");  // R85
  } else {
    if (command->is(kWrite)) script_wrote_ = true;
    Call call{.server = *this,
              .keys = keyspace_,
              .session = script_session_,
              .argv = argv,
              .reply = reply};
    command->run(call);
  }
}

void Server::spend(sim::Duration time) {
  // Whatever happens meanwhile, the command goes on where it was.
  struct Resumed {
    Keyspace& keys;
    std::int64_t now_ms = keys.now_ms();
    sim::TenureId actor = keys.actor();
    std::uint8_t role = keys.role();
    ~Resumed() {
      keys.hold_cycle(false);
      keys.freeze_at(now_ms);
      keys.act_for(actor, role);
    }
  };
  const Resumed resumed{keyspace_};
  keyspace_.hold_cycle(true);
  sim::Scheduler& scheduler = simulation().scheduler;
  if (scheduler.running() != nullptr && scheduler.running() == own_thread_) {
    scheduler.sleep(time);
  } else {
    scheduler.step_clock(process(), time);
  }
}

}  // namespace picklock::models::redis
