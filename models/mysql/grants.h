// Who has the lock on one server: whoever has its name from GET_LOCK, alone may change its row, or
// has committed a row that says so and is not over. For the record of a run, of which no server and
// no client knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "history/recorded_simulation.h"
#include "models/mysql/engine.h"
#include "models/tenures.h"
#include "picklock/client.h"
#include "sim/simulation.h"

namespace picklock::mysql {

class Grants {
 public:
  // By whose clock what is committed is over: the server's, or its clients', which agree.
  enum class OverBy : std::uint8_t { server, clients };
  // `place`: as which process entries are recorded.
  void reset(history::RecordedSimulation& simulation, const sim::Process& place,
             models::Tenures& tenures, std::string_view lock_key, OverBy over_by);

  // What has just been done, and on whose behalf.
  struct Doing {
    history::Cause cause = history::Cause::command;
    SessionId session = 0;  // 0: the server by itself
    history::TenureId tenure = 0;
    std::uint8_t role = 0;
    bool asks = false;  // for the lock, and has been answered
  };
  // `tenure_of`: on whose behalf a session has last spoken; of session 0, who has committed last.
  template <typename TenureOf>
  void look(Engine& engine, const Doing& doing, TenureOf tenure_of) {
    std::optional<Holder> holder = find(engine, now());
    if (holder) holder->tenure = tenure_of(holder->session);
    decide(holder, doing);
  }
  // Whoever had it by a session has it no longer.
  void sessions_end(history::Cause cause) {
    if (holder_ && holder_->session != 0) forget(cause);
  }
  // Nobody asks this server any more.
  void forget(history::Cause cause) { decide(std::nullopt, {.cause = cause}); }

  bool held() const { return holder_.has_value(); }
  // When what is committed is over by itself, in microseconds since 1970; 0: never. It is to be
  // looked at again then.
  std::int64_t over_at() const { return holder_ ? holder_->until : 0; }
  void arm(sim::TimerId timer) const;
  // It is, and has not been looked at since.
  bool is_over() const { return over_at() != 0 && over_at() <= now(); }

 private:
  struct Holder {
    SessionId session = 0;  // 0: a committed row says so
    std::string says{};     // the row's owner and time
    std::int64_t until = 0;
    history::TenureId tenure = 0;
  };

  std::int64_t now() const;
  sim::Instant instant(std::int64_t at) const;
  std::optional<Holder> find(Engine& engine, std::int64_t now) const;
  void decide(const std::optional<Holder>& found, const Doing& doing);
  void note(history::What what, const Doing& doing, history::TenureId owner,
            std::int64_t until) const;

  history::RecordedSimulation* simulation_ = nullptr;
  const sim::Process* place_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  std::string key_;
  OverBy over_by_{};
  std::optional<Holder> holder_;
};

}  // namespace picklock::mysql
