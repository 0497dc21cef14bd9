// One server's part in replication. As a master it sends the effects of its writes to its replicas
// after it has answered them (R40), and knows how far each has acknowledged. As a replica it dials
// its master, receives everything or what it missed (R44, R45), and executes the stream. REPLICAOF
// changes the role at run time (R34, R46).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"
#include "models/redis/directory.h"
#include "models/redis/parts.h"
#include "models/redis/replicas.h"
#include "models/redis/session.h"
#include "models/redis/stream.h"
#include "sim/service.h"

namespace picklock::redis {

class Group;

class Replication final : private sim::Endpoint {
 public:
  // The state of a replica's link to its master.
  enum class Link : std::uint8_t {
    none,    // it is a master
    wanted,  // it will try once a second
    dialling,
    handshake,
    transfer,  // the snapshot is in flight
    connected,
  };

  explicit Replication(const Parts& parts)
      : service_(parts.service),
        config_(parts.config),
        stats_(parts.stats),
        keys_(parts.keys),
        connections_(parts.connections),
        executor_(parts.executor),
        loop_(parts.loop),
        blocked_(parts.blocked),
        propagation_(parts.propagation),
        persistence_(parts.persistence),
        replicas_(parts, stream_) {}

  void reset(sim::Simulation& simulation, sim::Process& process, const Directory* directory);
  void started();  // the process starts and follows the master that its configuration names
  void halted();
  // Sets the master that the configuration file names. nullptr: the server starts as a master.
  void configure(const Node* master) { configured_ = master; }
  // CONFIG REWRITE: the present role survives a restart.
  void keep_configuration() { configured_ = master_; }
  bool will_follow() const { return configured_ != nullptr; }  // when the process starts
  // The loaded data are this state of the history `id`. The server may resume from there, or as a
  // master let its replicas do so (R45).
  void recovered(std::string_view id, std::int64_t offset, std::uint32_t database);
  // Makes the server a replica that has long been in step with its master, for the beginning of a
  // run.
  void join(Replication& master);
  // The servers that it belongs to, which are told when it leads; nullptr: it is alone.
  void join_group(Group& group) { group_ = &group; }
  Group* group() const { return group_; }
  bool has_copies() const;  // whether another server of its group may have the data

  // The address of the machine at the other end.
  std::string host_of_peer(const Session& session) const;
  std::uint16_t own_port() const;
  // Without a directory, which is the server's configuration file too, it knows no other servers.
  bool has_directory() const { return directory_ != nullptr; }
  const Node* node_at(std::string_view host, std::uint16_t port) const {
    return directory_ == nullptr ? nullptr : directory_->find(host, port);
  }

  bool is_replica() const { return master_ != nullptr; }
  const Node* master() const { return master_; }
  Link link() const { return link_; }
  const std::string& id() {
    stream_.draw();
    return stream_.id;
  }
  const Stream& stream() const { return stream_; }
  Replicas& replicas() { return replicas_; }
  sim::Instant last_heard() const { return last_heard_; }
  sim::Instant down_since() const { return down_since_; }

  // Once a second from now on, as long as there is a primary or a replica.
  void await_round();

  // --- a change of roles
  void lead();                    // REPLICAOF NO ONE
  void follow(const Node& node);  // REPLICAOF host port

  // Executes the part of the stream that a running script has delayed.
  void catch_up();

 private:
  void on_message(sim::Connection& connection, sim::Message& message) override;
  void on_opened(sim::Connection& connection) override;
  void on_reset(sim::Connection& connection) override;

  void cron();
  void on_cron();

  // --- as a replica
  void dial();
  void hang_up();
  void lost();
  void say(std::initializer_list<std::string_view> words);
  void shake_hands(std::string_view answer);
  void answered_to_psync(std::string_view line);
  void take_over(std::string_view snapshot);
  void obey(std::string_view bytes, history::TenureId tenure, Role role);
  void send_ack(std::int64_t offset);

  std::int64_t seconds_since(sim::Instant then) const;

  sim::Service& service_;
  const Config& config_;
  Stats& stats_;
  Keyspace& keys_;
  Connections& connections_;
  Executor& executor_;
  CommandLoop& loop_;
  BlockedClients& blocked_;
  Propagation& propagation_;
  Persistence& persistence_;
  sim::Simulation* simulation_ = nullptr;
  sim::Process* process_ = nullptr;
  const Directory* directory_ = nullptr;
  Group* group_ = nullptr;
  const Node* configured_ = nullptr;
  const Node* master_ = nullptr;  // nullptr: it is a master
  Stream stream_;
  Replicas replicas_;

  std::uint64_t rounds_ = 0;  // of the timer

  Link link_ = Link::none;
  sim::Connection* connection_ = nullptr;
  std::uint32_t dials_ = 0;
  std::uint32_t answers_ = 0;  // in the handshake
  bool can_resume_ = false;    // its data are a state of the stream
  std::string next_id_;        // of the snapshot under way
  std::int64_t next_offset_ = 0;
  sim::Instant last_heard_{};
  sim::Instant down_since_{};
  std::vector<AttachedReplica::Piece> postponed_;
  std::vector<std::string_view> argv_;

  sim::Timer cron_timer_;
};

}  // namespace picklock::redis
