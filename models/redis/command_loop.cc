#include "models/redis/command_loop.h"

#include <algorithm>
#include <utility>

#include "models/redis/blocked_clients.h"
#include "models/redis/connections.h"
#include "models/redis/direct_commands.h"
#include "models/redis/pause_gate.h"
#include "models/redis/replication.h"
#include "models/redis/script_runner.h"
#include "models/redis/socket_wire.h"
#include "models/redis/wire.h"

namespace picklock::redis {

void CommandLoop::reset() {
  waiting_.clear();
  held_.clear();
  released_.clear();
  halted();
}

void CommandLoop::halted() {
  for (std::vector<sim::Message*>* queue : {&waiting_, &held_}) {
    for (sim::Message* request : *queue) service_.simulation().network.release(*request);
    queue->clear();
  }
  own_thread_ = nullptr;
  own_thread_idle_ = false;
  parsed_ = nullptr;
}

bool CommandLoop::on_own_thread() const {
  const sim::Thread* const running = service_.simulation().scheduler.running();
  return running != nullptr && running == own_thread_;
}

bool CommandLoop::must_wait(const Session& session) const {
  return session.held > 0 || session.waiting > 0 || session.blocked ||
         (occupied() && !scripts_.too_long());
}

// The executor would decide the same in any case: a short cut for scripts.
bool CommandLoop::belongs_on_own_thread(const Session& session, const Command* command) const {
  if (scripts_.too_long() || session.in_multi || !pause_.open()) return false;
  return command != nullptr && command->is(kOwnStack) && command->takes(argv_.size());
}

bool CommandLoop::apply(sim::Message& request, sim::Payload& answer) {
  Session& session = connections_.of(*request.connection);
  blocked_.time_out();
  if (session.closing) return false;
  if (must_wait(session)) {
    put_off(request, session);
    return false;
  }
  Result result = Result::answered;
  const Command* command = nullptr;
  if (read_request(request.payload.view(), argv_)) {
    command = command_called(argv_);
    if (belongs_on_own_thread(session, command)) {
      result = Result::own_thread;
    } else {
      result = executor_.execute({.session = session,
                                  .argv = argv_,
                                  .command = command,
                                  .tenure = request.tag,
                                  .role = request.role},
                                 reply_, answer);
    }
  } else {
    result = refuse(request, session, answer);
  }
  switch (result) {
    case Result::answered:
      if (!session.closing) return true;
      answer_and_hang_up(request, answer.view(), session);
      return false;
    case Result::silent:
      return false;
    case Result::held:
      hold(request, session);
      return false;
    case Result::blocked:
      blocked_.keep(request);
      return false;
    case Result::own_thread:
      put_off(request, session);
      if (occupied() && waiting_.front() == &request) {
        std::swap(argv_, own_argv_);
        parsed_ = &request;
        parsed_command_ = command;
      }
      return false;
  }
  return false;
}

// It is no request (R108).
CommandLoop::Result CommandLoop::refuse(const sim::Message& request, Session& session,
                                        sim::Payload& answer) {
  refuse_bytes(request.payload.view(), answer);
  session.closing = true;
  return Result::answered;
}

void CommandLoop::answer_and_hang_up(sim::Message& request, std::string_view answer,
                                     Session& session) {
  sim::Message& reply = service_.reply_to(request);
  reply.payload.append(answer);
  service_.answer(request, reply);
  if (session.connected) connections_.hang_up(session);
}

void CommandLoop::hold(sim::Message& request, Session& session) {
  request.taken = true;
  held_.push_back(&request);
  ++session.held;
}

// The request comes behind what the server has yet to do.
void CommandLoop::put_off(sim::Message& request, Session& session) {
  if (session.held > 0 || session.blocked) {
    hold(request, session);
    return;
  }
  request.taken = true;
  waiting_.push_back(&request);
  ++session.waiting;
  sim::Scheduler& scheduler = service_.simulation().scheduler;
  if (own_thread_ == nullptr) {
    own_thread_ = &scheduler.threads().spawn_deep(service_.process(), [this] { run_own_thread(); });
  } else if (own_thread_idle_) {
    scheduler.threads().wake(*own_thread_);
  }
}

void CommandLoop::finish(sim::Message& request, sim::Message& reply, Session& session,
                         Executor::Result result) {
  sim::Network& network = service_.simulation().network;
  if (result == Result::answered) {
    service_.answer(request, reply);
  } else {
    network.release(reply);
  }
  network.release(request);
  if (service_.process().down() || !session.connected) return;
  if (session.closing && result == Result::answered) {
    connections_.hang_up(session);
  } else if (session.ended && session.waiting == 0) {
    connections_.disconnect(session);
  }
}

// ---------------------------------------------------------------- the server's own thread

// An interpreter needs a deeper stack than the fiber that happens to be blocking when a request
// arrives.
void CommandLoop::run_own_thread() {
  sim::Scheduler& scheduler = service_.simulation().scheduler;
  for (;;) {
    while (occupied()) run_first_waiting();
    replication_.catch_up();
    own_thread_idle_ = true;
    scheduler.park();
    own_thread_idle_ = false;
  }
}

void CommandLoop::run_first_waiting() {
  sim::Network& network = service_.simulation().network;
  sim::Message& request = *waiting_.front();
  Session* const session = Connections::behind(request);
  const bool parsed = std::exchange(parsed_, nullptr) == &request;
  if (session == nullptr) {  // closed meanwhile
    waiting_.erase(waiting_.begin());
    network.release(request);
    return;
  }
  Result result = Result::held;
  sim::Message& reply = service_.reply_to(request);
  if (session->held == 0 && !parsed && !read_request(request.payload.view(), own_argv_)) {
    result = refuse(request, *session, reply.payload);
  } else if (session->held == 0) {
    if (!parsed) parsed_command_ = command_called(own_argv_);
    result = executor_.execute({.session = *session,
                                .argv = own_argv_,
                                .command = parsed_command_,
                                .tenure = request.tag,
                                .role = request.role,
                                .on_own_thread = true},
                               own_reply_, reply.payload);
  }
  waiting_.erase(waiting_.begin());
  --session->waiting;
  if (result == Result::blocked) {
    network.release(reply);
    blocked_.keep(request);
  } else if (result == Result::held) {
    network.release(reply);
    hold(request, *session);
    if (session->ended) connections_.disconnect(*session);
  } else {
    finish(request, reply, *session, result);
  }
  service_.simulation().scheduler.obey();
}

// ---------------------------------------------------------------- requests that go on

// A request that was taken earlier, on whatever fiber runs.
void CommandLoop::serve(sim::Message& request, Session& session) {
  sim::Message& reply = service_.reply_to(request);
  const Result result = read_request(request.payload.view(), argv_)
                            ? executor_.execute({.session = session,
                                                 .argv = argv_,
                                                 .command = command_called(argv_),
                                                 .tenure = request.tag,
                                                 .role = request.role},
                                                reply_, reply.payload)
                            : refuse(request, session, reply.payload);
  if (result == Result::answered || result == Result::silent) {
    finish(request, reply, session, result);
    return;
  }
  service_.simulation().network.release(reply);
  if (result == Result::held) {
    hold(request, session);
  } else if (result == Result::blocked) {
    blocked_.keep(request);
  } else {
    put_off(request, session);
  }
}

void CommandLoop::serve_waiting(const Session& except) {
  for (std::size_t i = 1; i < waiting_.size();) {
    sim::Message& request = *waiting_[i];
    Session* const session = Connections::behind(request);
    if (session == &except) {
      ++i;
      continue;
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    if (session == nullptr) {
      service_.simulation().network.release(request);
      continue;
    }
    --session->waiting;
    if (session->held > 0) {
      hold(request, *session);
    } else {
      serve(request, *session);
    }
    service_.simulation().scheduler.obey();
  }
}

// Connection by connection, in the order in which they were stopped.
void CommandLoop::release_held() {
  released_.swap(held_);
  for (const sim::Message* request : released_) {
    if (Session* session = Connections::behind(*request)) session->held = 0;
  }
  for (std::size_t first = 0; first < released_.size(); ++first) {
    if (released_[first] == nullptr) continue;
    const sim::Connection* const connection = released_[first]->connection;
    for (std::size_t i = first; i < released_.size(); ++i) {
      if (released_[i] == nullptr || released_[i]->connection != connection) continue;
      release(*std::exchange(released_[i], nullptr));
    }
  }
  released_.clear();
  // The process was stopped over it, and goes on with the rest when it runs again.
  if (!held_.empty() && pause_.open()) pause_.release_later();
}

void CommandLoop::release(sim::Message& request) {
  Session* const session = Connections::behind(request);
  if (session == nullptr || service_.process().down()) {
    service_.simulation().network.release(request);
  } else if (service_.process().paused()) {
    hold(request, *session);
  } else if (must_wait(*session)) {
    put_off(request, *session);
  } else {
    serve(request, *session);
  }
}

void CommandLoop::go_on_with(Session& session) {
  if (session.held > 0) {
    std::vector<sim::Message*> mine;
    std::erase_if(held_, [&](sim::Message* request) {
      if (Connections::behind(*request) != &session) return false;
      mine.push_back(request);
      return true;
    });
    session.held = 0;
    for (sim::Message* request : mine) {
      if (!session.connected) {
        service_.simulation().network.release(*request);
      } else if (must_wait(session)) {
        put_off(*request, session);
      } else {
        serve(*request, session);
      }
    }
  }
  direct_.release();
}

}  // namespace picklock::redis
