// Commands on connections that are not on the simulated network: of tests, and of a socket in front
// of the model. A command that cannot run now is kept; its answer then goes into
// `Session::unasked`.
#pragma once

#include <cstdint>
#include <vector>

#include "models/redis/commands.h"
#include "models/redis/parts.h"

namespace picklock::redis {

class DirectCommands {
 public:
  explicit DirectCommands(const Parts& parts)
      : connections_(parts.connections), executor_(parts.executor), pause_(parts.pause) {}

  void reset();  // for a new run
  void halted() { stopped_.clear(); }
  void forget(Session& session);

  // One command, as if it had just arrived; its answer goes to `out`.
  void execute(Session& session, Argv argv, sim::Payload& out, history::TenureId tenure, Role role);
  // Goes on with what was kept, unless clients are paused. A connection that is stopped again
  // meanwhile is at the end of the next round.
  void release();

 private:
  Connections& connections_;
  Executor& executor_;
  PauseGate& pause_;
  std::vector<Session*> stopped_;   // with commands kept, in the order in which they were stopped
  std::vector<Session*> released_;  // those of them that go on now; nullptr: closed
  std::vector<std::string_view> argv_;
  Reply reply_;
};

}  // namespace picklock::redis
