#include "models/redis/direct_commands.h"

#include <algorithm>
#include <utility>

#include "models/redis/connections.h"
#include "models/redis/executor.h"
#include "models/redis/pause_gate.h"

namespace picklock::redis {

void DirectCommands::reset() {
  stopped_.clear();
  released_.clear();
}

void DirectCommands::forget(Session& session) {
  std::erase(stopped_, &session);
  std::replace(released_.begin(), released_.end(), &session, static_cast<Session*>(nullptr));
}

void DirectCommands::execute(Session& session, Argv argv, sim::Payload& out,
                             history::TenureId tenure, Role role) {
  pause_.look_at_clock();
  if (session.closing) return;
  const auto held = [&] {
    return executor_.execute({.session = session,
                              .argv = argv,
                              .command = command_called(argv),
                              .tenure = tenure,
                              .role = role,
                              .on_own_thread = true},
                             reply_, out) == Executor::Result::held;
  };
  if (!session.postponed.empty() || session.blocked || held()) {
    if (session.postponed.empty()) stopped_.push_back(&session);
    session.postponed.add(argv);
  }
  if (session.closing && out.size() > 0) connections_.hang_up(session);
  release();
}

void DirectCommands::release() {
  if (!released_.empty()) return;  // it is under way
  while (pause_.open()) {
    // A client that waits would stop again at once, for ever.
    const auto ready = std::stable_partition(stopped_.begin(), stopped_.end(),
                                             [](const Session* one) { return one->blocked; });
    if (ready == stopped_.end()) return;
    released_.assign(ready, stopped_.end());
    stopped_.erase(ready, stopped_.end());
    for (Session* const& session : released_) {
      if (session == nullptr) continue;
      CommandQueue commands;
      std::swap(commands, session->postponed);
      commands.each(argv_, [&](Argv argv) {
        if (session == nullptr) return;  // closed meanwhile
        sim::Payload bytes;
        execute(*session, argv, bytes, 0, Role::none);
        if (session != nullptr) session->unasked += bytes.view();
      });
    }
    released_.clear();
  }
}

}  // namespace picklock::redis
