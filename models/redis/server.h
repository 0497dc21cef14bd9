// One Redis server: a command loop over a keyspace, one command at a time, in the order of arrival.
// Commands that run an interpreter or take time run on a thread of the server's own, and what
// arrives meanwhile waits for them; once a script has gone on for too long, it is answered BUSY
// (R84).
#pragma once

#include <deque>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/redis/commands.h"
#include "models/redis/config.h"
#include "models/redis/effects.h"
#include "models/redis/keyspace.h"
#include "models/redis/lua.h"
#include "models/redis/persistence.h"
#include "models/redis/pubsub.h"
#include "models/redis/replication.h"
#include "models/redis/session.h"
#include "picklock/redis.h"
#include "sim/service.h"

namespace picklock::redis {

// What CLIENT PAUSE holds back.
enum class Pause : std::uint8_t { none, writes, all };

// What INFO counts, since the start of the process.
struct Stats {
  std::uint64_t connections = 0;
  std::uint64_t commands = 0;
  std::uint64_t errors = 0;
  std::uint64_t full_syncs = 0;
  std::uint64_t partial_syncs = 0;
  std::uint64_t refused_partial_syncs = 0;
};

class Group;

class Server final : public sim::Service, private ScriptHost {
 public:
  // Empty, for a new run. Without a directory it knows no other servers.
  void reset(history::RecordedSimulation& simulation, sim::Process& process,
             models::Tenures& tenures, models::Keys& keys, const Directory* directory = nullptr);
  // As its configuration file has it, from every start on: names and values by turns. Throws
  // std::invalid_argument with what CONFIG SET would answer.
  void configure(std::span<const std::string_view> file);

  // Its machine is gone: another of its group takes its place, the foremost if none is named.
  void fail_over(sim::Process* to);

  // --- sim::Program
  void start(sim::Keeps keeps) override;
  void halted() override;
  void clock_changed() override;
  void strike(const sim::Strike& strike) override;
  void relieve(const sim::Strike& strike) override;
  void on_reset(sim::Connection& connection) override;
  void on_closed(sim::Connection& connection) override;

  // --- connections
  // One that is not on the simulated network: for tests, and for a socket in front of the model.
  Session& connect();
  void disconnect(Session& session);
  std::span<Session* const> sessions() const { return connected_; }  // in the order of arrival

  // One command on behalf of a tenure (0: nobody's), as if it had just arrived; its answer, and
  // what is pushed to the same connection with it, in order, go to `out`. Scripts included: the
  // caller provides the stack. What CLIENT PAUSE holds back is answered into `Session::unasked`.
  void execute(Session& session, Argv argv, sim::Payload& out, history::TenureId tenure = 0,
               Role role = {});

  void join_group(Group& group) { group_ = &group; }

  // For tests.
  Keyspace& keyspace() { return keyspace_; }

  // --- for commands
  PubSub& pubsub() { return pubsub_; }
  Config& config() { return config_; }
  void config_changed();
  Stats& stats() { return stats_; }
  std::int64_t uptime_seconds() const;
  const sim::Process& machine() const { return process(); }
  std::uint64_t seed() const { return simulation().scheduler.seed(); }
  sim::Instant now() const { return simulation().now(); }
  // For a command that writes its answer itself.
  sim::Payload& answer_to(Call& call) {
    call.written = true;
    return *out_;
  }
  std::vector<std::string_view>& queued_words() { return queued_words_; }
  // A frame that nobody asked for, of bulk strings.
  void push(Session& session, std::initializer_list<std::string_view> words);
  // The server ends the connection, behind what it has sent. Of the one whose command is under way:
  // behind the answer.
  void close(Session& session);
  Session* answering() const { return answering_; }

  // --- persistence
  Persistence& persistence() { return persistence_; }
  void shut_down();  // the process ends as soon as the command under way is over

  // --- replication
  Effects& effects() { return effects_; }
  Replication& replication() { return replication_; }
  bool has_config_file() const { return directory_ != nullptr; }
  const Node* node_at(std::string_view host, std::uint16_t port) const {
    return directory_ == nullptr ? nullptr : directory_->find(host, port);
  }
  std::string host_of_peer(const Session& session) const {
    return session.connection == nullptr ? "127.0.0.1" : host_of(session.connection->client().id());
  }
  Session& session_of(sim::Connection& connection);
  Session& master_session() { return master_session_; }  // in whose name the stream's commands run
  // One command of the master's stream.
  void obey(Argv argv, history::TenureId tenure, Role role);
  bool occupied() const { return !waiting_.empty(); }  // its own thread has something to do
  void receivers_changed();                            // of what writes come to
  void obeyed();  // all that came with one message of the stream
  void promoted();
  void evict(std::string_view key);
  using Service::tell;
  // The connection gets no answer until so many replicas have acknowledged what it has written, or
  // the time is up (0: never), by the server's wall clock.
  void block(Call& call, std::int64_t replicas, std::int64_t timeout_ms);
  void serve_waiters();
  void unblock_all();  // with an error: the server is a replica from now on (R48)
  // Runs it, and keeps what it comes to.
  void invoke(Call& call, const Command& command) {
    if (effects_.wanted()) {
      invoke_and_keep(call, command);
    } else {
      command.run(call);
    }
  }

  Pause paused() const { return paused_; }
  void pause_clients(std::int64_t until_ms, Pause what);
  void unpause_clients();

  Lua& lua();
  bool has_lua() const { return lua_ != nullptr; }
  void run_script(Call& call, const Lua::Compiled& script, bool read_only, Argv keys, Argv args);
  // Lets time pass while nobody is served, but for what a script that has taken too long lets
  // through. Outside a run the server's clock is set on instead.
  void spend(sim::Duration time) override;
  // The script under way: whether there is one, has called a command that writes, is to end.
  bool script_running() const { return script_call_ != nullptr; }
  bool script_wrote() const { return script_wrote_; }
  bool script_kill_wanted() const override { return script_kill_wanted_; }
  void want_script_kill() { script_kill_wanted_ = true; }

 private:
  using Service::simulation;

  enum class Outcome : std::uint8_t {
    answered,
    silent,      // CLIENT REPLY OFF
    held,        // by CLIENT PAUSE
    blocked,     // answered later
    own_thread,  // must run there
  };

  bool apply(sim::Message& request, sim::Payload& answer) override;

  // --- from a script
  void run_command(Argv argv, Reply& reply) override;
  void speak(std::uint8_t protocol) override { script_session_.protocol = protocol; }

  void forget_process();
  void read_configuration();
  void end_scripts();

  // --- one command
  Outcome carry_out(Session& session, Argv argv, const Command* command, Reply& reply,
                    sim::Payload& out, history::TenureId tenure, Role role, bool on_own_thread);
  Outcome run(Call& call, const Command* command, sim::Payload& out, bool on_own_thread);
  // Why it is refused, for now; empty: it is not.
  std::string_view refusal(const Call& call, const Command* command, std::uint32_t flags);
  static void refuse(Call& call, std::uint32_t flags, std::string_view text);
  bool holds_back(std::uint32_t flags) const;

  // --- messages that wait
  bool must_wait(const Session& session) const {
    return session.held > 0 || session.waiting > 0 || session.blocked ||
           (!waiting_.empty() && !busy_);
  }
  bool belongs_on_own_thread(const Session& session, const Command* command) const;
  void put_off(sim::Message& request, Session& session);
  void hold(sim::Message& request, Session& session);
  void serve(sim::Message& request, Session& session);
  void serve_waiting();
  void finish(sim::Message& request, sim::Message& reply, Session& session, Outcome outcome);
  void run_own_thread();
  static Session* session_behind(const sim::Message& request) {
    return static_cast<Session*>(request.connection->session);
  }

  // --- connections
  Session& open_session();
  void hang_up(Session& session);
  void client_gone(sim::Connection& connection);

  // --- subscribers that do not read (R91)
  void watch_backlog(Session& session);
  bool overrun(Session& session);
  void drop_overrun();
  static void on_backlog_time(void* self, std::uint32_t);

  // --- what writes come to
  void invoke_and_keep(Call& call, const Command& command);
  void hand_on_effects();
  static void on_forgotten(void* self, std::uint32_t database, std::string_view key);
  static void on_shutdown(void* self, std::uint32_t);

  // --- WAIT
  struct Blocked {
    Session* session = nullptr;
    sim::Message* request = nullptr;  // nullptr: not on the simulated network
    std::int64_t replicas = 0;
    std::int64_t until_ms = 0;  // 0: for ever
  };
  void keep_blocked(sim::Message& request);
  void unblock(const Blocked& blocked, const Reply& reply);
  void time_out_blocked();
  void await_blocked_end();
  void go_on_with(Session& session);
  static void on_blocked_end(void* self, std::uint32_t);

  // --- CLIENT PAUSE
  bool pause_over() const;
  void await_pause_end();
  void end_pause();
  void release_held();
  void release_postponed();
  static void on_pause_end(void* self, std::uint32_t);

  const Directory* directory_ = nullptr;
  Group* group_ = nullptr;  // nullptr: it is alone
  Keyspace keyspace_;
  Effects effects_;
  Replication replication_{*this};
  Persistence persistence_{*this};
  Session master_session_;
  PubSub pubsub_;
  Config config_;
  std::vector<std::string> configuration_;  // its file: names and values by turns
  Stats stats_;
  std::deque<Session> sessions_;  // every one there ever was; reused when closed
  std::vector<Session*> connected_;
  std::uint64_t session_ids_ = 0;
  sim::Instant started_at_{};

  std::shared_ptr<Lua> lua_;       // a script that is yet to be unwound holds its own
  Call* script_call_ = nullptr;    // the command that runs a script
  Session script_session_;         // in whose name its commands run
  std::int64_t script_began_ = 0;  // by the process's monotonic clock
  bool script_read_only_ = false;
  bool script_allows_oom_ = false;
  bool script_wrote_ = false;
  bool script_kill_wanted_ = false;
  bool busy_ = false;             // the script has taken too long: others are answered
  bool short_of_memory_ = false;  // when a command last began while there was a limit (R106)

  std::vector<sim::Message*> waiting_;    // what is for the own thread, and what came behind it
  const sim::Message* parsed_ = nullptr;  // the first of them, if its words are in own_argv_
  const Command* parsed_command_ = nullptr;
  sim::Thread* own_thread_ = nullptr;
  bool own_thread_idle_ = false;

  Pause paused_ = Pause::none;
  std::int64_t paused_until_ms_ = 0;
  std::vector<sim::Message*> held_;
  std::vector<sim::Message*> released_;
  std::vector<Session*> stopped_;            // those with commands postponed, in that order
  std::vector<Session*> released_sessions_;  // of them, those that go on now; nullptr: closed
  sim::TimerId pause_timer_ = 0;
  bool has_pause_timer_ = false;

  std::vector<Blocked> blocked_;
  sim::TimerId blocked_timer_ = 0;
  bool has_blocked_timer_ = false;

  bool going_down_ = false;
  sim::TimerId shutdown_timer_ = 0;
  bool has_shutdown_timer_ = false;

  std::vector<Session*> overrun_;  // to be closed after the command under way
  sim::TimerId backlog_timer_ = 0;
  bool has_backlog_timer_ = false;
  bool backlog_awaited_ = false;

  Session* answering_ = nullptr;  // whose command is under way, and where its answer goes
  sim::Payload* out_ = nullptr;
  std::vector<std::string_view> argv_;
  std::vector<std::string_view> own_argv_;
  std::vector<std::string_view> queued_words_;
  std::string refusal_;
  Reply reply_;
  Reply own_reply_;
};

}  // namespace picklock::redis
