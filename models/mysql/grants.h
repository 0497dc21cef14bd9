// The holder of the lock on one server: the session that has its name from GET_LOCK, or that alone
// can change all its rows, or the client that has committed an unexpired row of it. For the record
// of a run; no server and no client uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/client/tenures.h"
#include "models/mysql/engine.h"
#include "picklock/client.h"
#include "sim/simulation.h"

namespace picklock::mysql {

class Grants {
 public:
  // The clock that decides when a committed row expires: the server's, or its clients', which
  // agree.
  enum class OverBy : std::uint8_t { server, clients };
  // `place`: the process as which entries are recorded.
  void reset(history::RecordedSimulation& simulation, const sim::Process& place,
             models::Tenures& tenures, const models::NamedKey& lock, std::uint32_t rows,
             OverBy over_by);

  // The server's latest action, and on whose behalf it acted.
  struct Doing {
    history::Cause cause = history::Cause::command;
    SessionId session = 0;  // 0: the server itself
    history::TenureId tenure = 0;
    Role role{};
    bool asks = false;  // it requested the lock, and has its answer
  };
  // A transaction has committed on behalf of this tenure, here or at the server that this one
  // follows.
  void committed(const Changes& changes, history::TenureId by);
  // The same with several primaries. `elsewhere`: another primary has made these changes.
  void committed_in_ring(const Changes& changes, bool elsewhere);
  // The tables are about to be loaded again: no row has an owner.
  void forget_rows() { row_ = {}; }
  // `tenure_of`: the tenure of a session's last statement.
  template <typename TenureOf>
  void look(Engine& engine, const Doing& doing, TenureOf tenure_of) {
    std::optional<Holder> holder = find(engine, now());
    if (holder && holder->session != 0) holder->tenure = tenure_of(holder->session);
    decide(holder, doing);
  }
  // A holder by its session loses the lock.
  void sessions_end(history::Cause cause) {
    if (holder_ && holder_->session != 0) forget(cause);
  }
  // Clients no longer use this server but its successor. An entry that the successor finds expired
  // is not lost by the failover.
  void pass_to(const Grants& successor);

  history::KeyId id() const { return id_; }
  const std::string& name() const { return key_; }
  bool held() const { return holder_.has_value(); }
  // Nothing is known of it that is not so for any lock.
  bool is_free() const { return !held() && row_.says.empty() && !copied_; }
  // When the committed row expires, in microseconds since 1970; 0: never. Call look() again then.
  std::int64_t over_at() const { return holder_ ? holder_->until : 0; }
  void arm(sim::Timer& timer) const;
  // The lock has expired, and look() has not been called since.
  bool is_over() const { return over_at() != 0 && over_at() <= now(); }

 private:
  struct Holder {
    SessionId session = 0;  // 0: held by a committed row
    std::string says{};     // the row's owner and time
    std::int64_t until = 0;
    history::TenureId tenure = 0;
  };

  // The row that is the lock, and the tenure that has made it what it is.
  struct CommittedRow {
    std::string says{};
    std::int64_t until = 0;
    history::TenureId owner = 0;
  };

  void forget(history::Cause cause) { decide(std::nullopt, {.cause = cause}); }
  std::int64_t now() const;
  sim::Instant instant(std::int64_t at) const;
  std::optional<Holder> find(Engine& engine, std::int64_t now) const;
  bool has_row(std::string_view key) const;
  bool has_other_rows(Engine& engine, SessionId owner) const;
  bool has_other_rows(Engine& engine) const;
  static CommittedRow read(std::string_view table, const Row& row);
  void decide(const std::optional<Holder>& found, const Doing& doing);
  void note(history::What what, const Doing& doing, history::TenureId owner, std::int64_t until,
            bool passes = false) const;

  history::RecordedSimulation* simulation_ = nullptr;
  const sim::Process* place_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  history::KeyId id_ = 0;
  std::string key_;
  std::vector<std::string> other_rows_;  // of a lock of several rows: all but the first
  bool copied_ = false;  // another primary has committed the lock's row as it is now
  OverBy over_by_{};
  CommittedRow row_;
  std::optional<Holder> holder_;
};

}  // namespace picklock::mysql
