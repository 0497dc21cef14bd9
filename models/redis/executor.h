// Runs one command at a time: refuses it, holds it back, keeps it for EXEC, or invokes it and
// writes its answer. It knows on whose behalf the command under way runs and where its answer goes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/redis/commands.h"
#include "models/redis/effects.h"
#include "models/redis/parts.h"

namespace picklock::redis {

class Executor {
 public:
  enum class Result : std::uint8_t {
    answered,
    silent,      // CLIENT REPLY OFF
    held,        // by CLIENT PAUSE
    blocked,     // answered later
    own_thread,  // must run there
  };

  // A command that has arrived.
  struct Order {
    Session& session;
    Argv argv;
    const Command* command = nullptr;  // that `argv` calls; nullptr: unknown
    history::TenureId tenure = 0;      // on whose behalf; 0: nobody's
    Role role = {};
    bool on_own_thread = false;
  };

  explicit Executor(const Parts& parts)
      : context_(parts),
        lifetime_(parts.lifetime),
        config_(parts.config),
        stats_(parts.stats),
        keys_(parts.keys),
        pause_(parts.pause),
        scripts_(parts.scripts),
        refusals_(parts.refusals),
        slow_readers_(parts.slow_readers),
        effects_(parts.effects),
        propagation_(parts.propagation),
        replication_(parts.replication),
        persistence_(parts.persistence) {}

  void halted();

  // `reply` is room for the reply; the answer is appended to `out`, and so is what is pushed to the
  // same connection with it, in order.
  Result execute(const Order& order, Reply& reply, sim::Payload& out);
  // Runs the command and keeps what its writes come to.
  void invoke(Call& call, const Command& command) {
    if (effects_.wanted()) {
      invoke_and_keep(call, command);
    } else {
      command.run(call);
    }
  }

  // --- commands that come from the master or from the append-only file: nothing refuses them
  void obey(Argv argv, history::TenureId tenure, Role role);
  void obeyed();                                    // all that came with one message
  Session& stream_session() { return of_stream_; }  // in whose name they run

  // The connection whose command is under way; nullptr: none.
  Session* answering() const { return answering_; }
  sim::Payload& answer() const { return *out_; }
  // For a command that writes its answer itself.
  sim::Payload& answer_to(Call& call) const {
    call.written = true;
    return *out_;
  }
  // Room for the words of the commands that EXEC runs.
  std::vector<std::string_view>& queued_words() { return queued_words_; }

 private:
  Result run(Call& call, const Command* command, sim::Payload& out, bool on_own_thread);
  // The command's flags, with those of its transaction or script where these rule.
  std::uint32_t flags_of(const Call& call, const Command* command) const;
  static void refuse(Call& call, std::uint32_t flags, std::string_view text);
  void invoke_and_keep(Call& call, const Command& command);
  void show(const Call& call, const Command& command) const;  // to those that monitor

  const Context& context_;
  Lifetime& lifetime_;
  const Config& config_;
  Stats& stats_;
  Keyspace& keys_;
  PauseGate& pause_;
  ScriptRunner& scripts_;
  Refusals& refusals_;
  SlowReaders& slow_readers_;
  Effects& effects_;
  Propagation& propagation_;
  Replication& replication_;
  Persistence& persistence_;

  Session* answering_ = nullptr;
  sim::Payload* out_ = nullptr;
  Session of_stream_;
  Reply reply_of_stream_;
  std::vector<std::string_view> queued_words_;
};

}  // namespace picklock::redis
