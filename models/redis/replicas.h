// The replicas of one server: what each has been sent, and how far it has acknowledged (R40, R44).
// A replica may have replicas too, which get the stream of its primary unchanged.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"
#include "models/redis/effects.h"
#include "models/redis/parts.h"
#include "models/redis/session.h"
#include "models/redis/stream.h"
#include "sim/simulation.h"

namespace picklock::redis {

// A replica as its master knows it.
struct AttachedReplica {
  enum class State : std::uint8_t {
    waiting,  // the snapshot is still to be made
    online,   // the snapshot has been sent
  };
  State state = State::waiting;
  bool streaming = false;
  bool heeded = false;  // its acknowledgements count
  std::int64_t acknowledged = 0;
  sim::Instant since{};  // since when it has been waiting
  sim::Instant acknowledged_at{};
  struct Piece {
    std::string bytes;
    history::TenureId tenure = 0;
    Role role{};
  };
  std::vector<Piece> kept;  // the stream until it is streaming
};

class Replicas {
 public:
  Replicas(const Parts& parts, Stream& stream)
      : config_(parts.config),
        stats_(parts.stats),
        keys_(parts.keys),
        connections_(parts.connections),
        blocked_(parts.blocked),
        propagation_(parts.propagation),
        replication_(parts.replication),
        persistence_(parts.persistence),
        stream_(stream) {}

  void reset(sim::Simulation& simulation, sim::Process& process);  // for a new run
  void halted();
  void config_changed();
  void look_after(std::uint64_t round);  // once a second

  // --- the stream
  bool wants_effects() const;
  void propagate(Effects& effects, history::TenureId tenure, Role role);
  void feed(std::string_view bytes, history::TenureId tenure, Role role);
  // The next effects name their database again.
  void select_anew() { selected_ = kNoDatabase; }

  // --- one replica
  bool none() const { return attached_.empty(); }
  AttachedReplica& attach(Session& session, std::int64_t offset);
  void psync(Session& session, std::string_view id, std::int64_t offset);
  void acknowledged(Session& session, std::int64_t offset);
  // Whether the server notices the end of the link to this replica only later, and then detaches
  // it.
  bool ends_later(const Session& session);
  void detached(Session& session);
  void drop_all();
  // The lag that the server reports; a replica without acknowledgement lags since it was attached.
  std::int64_t lag_seconds(const AttachedReplica& replica) const;

  // --- how many
  // How many have acknowledged this offset (R51).
  std::int64_t acknowledged_by(std::int64_t offset) const;
  void ask_for_acknowledgements();
  // Whether writes are refused: `min-replicas-to-write`, as last counted (R56).
  bool too_few() const { return good_ < fewest_ && leads(); }
  std::int64_t good() const { return good_; }

 private:
  bool leads() const;
  void send_to(Session& session, std::string_view bytes, history::TenureId tenure = 0,
               Role role = {});
  void send_everything(Session& session);
  void start_waiting();
  void count_good();
  void on_next_turn();
  std::int64_t seconds_since(sim::Instant then) const;

  const Config& config_;
  Stats& stats_;
  Keyspace& keys_;
  Connections& connections_;
  BlockedClients& blocked_;
  Propagation& propagation_;
  Replication& replication_;
  Persistence& persistence_;
  Stream& stream_;
  sim::Simulation* simulation_ = nullptr;
  std::vector<Session*> attached_;
  std::int64_t selected_ = kNoDatabase;
  std::int64_t good_ = 0;
  std::int64_t fewest_ = 0;  // 0: any number will do
  sim::Timer turn_timer_;
};

}  // namespace picklock::redis
