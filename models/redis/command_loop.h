// Takes the requests that come to a server over the simulated network, one at a time and in the
// order of arrival. Commands that run an interpreter or take time run on a thread of the server's
// own, and what arrives meanwhile waits for them; once a script has taken too long, what waits is
// answered (R84). A connection that is paused or blocked has its requests held.
#pragma once

#include <vector>

#include "models/redis/commands.h"
#include "models/redis/executor.h"
#include "models/redis/parts.h"
#include "sim/service.h"

namespace picklock::redis {

class CommandLoop {
 public:
  explicit CommandLoop(const Parts& parts)
      : service_(parts.service),
        connections_(parts.connections),
        executor_(parts.executor),
        pause_(parts.pause),
        blocked_(parts.blocked),
        scripts_(parts.scripts),
        direct_(parts.direct),
        replication_(parts.replication) {}

  void reset();  // for a new run
  void halted();

  // A request has arrived. True: `answer` is its answer; otherwise it needs none, or gets it later.
  bool apply(sim::Message& request, sim::Payload& answer);
  // A request that was taken earlier is over: sends its reply and lets go of both.
  void finish(sim::Message& request, sim::Message& reply, Session& session,
              Executor::Result result);

  bool occupied() const { return !waiting_.empty(); }  // its own thread has something to do
  bool on_own_thread() const;                          // the caller runs there

  // --- what goes on
  void release_held();                        // clients are no longer paused
  void go_on_with(Session& session);          // the connection is no longer blocked
  void serve_waiting(const Session& except);  // that of the script that has taken too long

 private:
  using Result = Executor::Result;

  bool must_wait(const Session& session) const;
  bool belongs_on_own_thread(const Session& session, const Command* command) const;
  void hold(sim::Message& request, Session& session);
  void put_off(sim::Message& request, Session& session);
  void serve(sim::Message& request, Session& session);
  void release(sim::Message& request);
  Result refuse(const sim::Message& request, Session& session, sim::Payload& answer);
  void answer_and_hang_up(sim::Message& request, std::string_view answer, Session& session);
  void run_own_thread();
  void run_first_waiting();

  sim::Service& service_;
  Connections& connections_;
  Executor& executor_;
  PauseGate& pause_;
  BlockedClients& blocked_;
  ScriptRunner& scripts_;
  DirectCommands& direct_;
  Replication& replication_;

  std::vector<sim::Message*> waiting_;    // what is for the own thread, and what came behind it
  const sim::Message* parsed_ = nullptr;  // the first of them, if its words are in own_argv_
  const Command* parsed_command_ = nullptr;
  sim::Thread* own_thread_ = nullptr;
  bool own_thread_idle_ = false;

  std::vector<sim::Message*> held_;
  std::vector<sim::Message*> released_;  // those of them that go on now; nullptr: has gone on

  std::vector<std::string_view> argv_;
  std::vector<std::string_view> own_argv_;
  Reply reply_;
  Reply own_reply_;
};

}  // namespace picklock::redis
