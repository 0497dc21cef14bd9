// TCP-like connections between processes: ordered in each direction, never across two connections.
// Latency is drawn per direction of a link from a stream of its own. Messages stopped by a
// partition or a hold are delivered late, in order, after healing; or the connection breaks when
// its patience ends.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "sim/message.h"
#include "sim/priorities.h"
#include "sim/random.h"
#include "sim/scheduler.h"

namespace picklock::sim {

// Uniform in [low, high]; one message in `tail_one_in` takes a heavy tail from high up to tail_high
// instead.
struct Latency {
  Duration low = std::chrono::microseconds(500);
  Duration high = std::chrono::microseconds(500);
  std::uint32_t tail_one_in = 0;
  Duration tail_high{};
  Duration slack{};  // that priorities may add

  Duration draw(Random& random) const {
    if (tail_one_in > 0 && random.below(tail_one_in) == 0)
      return random.heavy_tailed(high, tail_high);
    return random.between(low, high);
  }
};

// The receiver at one end of a connection.
class Endpoint {
 public:
  virtual void on_message(Connection& connection,
                          Message& message) = 0;  // freed on return unless taken
  virtual void on_opened(Connection&) {}
  virtual void on_reset(Connection& connection) = 0;  // nothing more will come or go
  virtual void on_closed(Connection&) {}  // the client closed its end after all that it had sent

 protected:
  ~Endpoint() = default;
};

class alignas(64) Connection {
 public:
  Process& client() const { return *end_[0]; }
  Process& server() const { return *end_[1]; }
  const Protocol& protocol() const { return *protocol_; }
  bool usable() const { return !broken_ && !closed_; }
  // Bytes that the server has sent unasked and the client's process has not taken up.
  std::uint64_t unread() const { return unread_; }

  void* session = nullptr;  // what its server keeps for it

 private:
  friend class FetchAhead;
  friend class Network;

  // The fields that every message of a direction needs: both directions share a cache line.
  struct Way {
    Instant last_due{};
    const Latency* latency = nullptr;
    Random random;
  };
  // Whether a direction is stopped, and the messages held there.
  struct Direction {
    std::uint32_t blocks = 0;  // partitions in force
    bool hold = false;
    Instant behind{};  // held messages arrive until then; no message may overtake them
    std::uint32_t first_held = 0, last_held = 0;  // messages, slot + 1
    Instant held_since = kNever;
  };

  Process* end_[2] = {};
  Endpoint* endpoint_[2] = {};
  std::uint64_t hash_ = 0;
  std::uint32_t incarnation_[2] = {};
  bool plain_ = false;  // open at both ends, and nothing is stopped on it: the usual case
  bool open_ = false;
  bool broken_ = false;
  bool closed_ = false;     // closed by the client, which wants no more answers
  bool shut_ = false;       // closed by the server, which serves nothing more on it
  bool stale_ = false;      // one end has crashed since
  bool foreground_ = true;  // a run lasts as long as its messages
  Way way_[2];
  const Protocol* protocol_ = nullptr;
  std::uint32_t index_ = 0;
  std::uint64_t unread_ = 0;
  Direction direction_[2];
};

class Network {
 public:
  explicit Network(Scheduler& scheduler) : scheduler_(scheduler) { scheduler.set_network(this); }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  void reset();

  void set_latency(const Latency& everywhere) { default_latency_ = everywhere; }
  void set_latency(const Process& from, const Process& to, const Latency& latency);
  // With these a message of low priority uses some of the slack of its latency.
  Priorities& priorities() { return priorities_; }
  const Priorities& priorities() const { return priorities_; }
  // Of a traced run: the messages, by their numbers, that took more than the least time because of
  // their priorities.
  struct Waited {
    std::uint32_t message = 0;
    Duration by{};
  };
  const std::vector<Waited>& waited() const { return waited_; }
  // Is told of each message before it leaves, while it can still be changed. nullptr: nobody is.
  class Watcher {
   public:
    virtual void leaves(Message& message) = 0;

   protected:
    ~Watcher() = default;
  };
  void set_watcher(Watcher* watcher) { watcher_ = watcher; }
  void set_patience(Duration patience) { patience_ = patience; }  // 0: connections wait for ever

  // An established connection, as if opened before the run began.
  Connection& connect(Process& client, Endpoint& client_end, Process& server, Endpoint& server_end,
                      const Protocol& protocol, std::uint32_t ordinal = 0);
  // Requests a connection; the client's end receives on_opened or on_reset, or nothing. `ordinal`
  // distinguishes the connections of one client end, so that their latencies are drawn from streams
  // of their own.
  Connection& dial(Process& client, Endpoint& client_end, Process& server, Endpoint& server_end,
                   const Protocol& protocol, std::uint32_t ordinal);
  // The client closes: requests in flight still arrive, answers do not. The server is notified
  // after these requests.
  void close(Connection& connection);
  // The server closes: requests in flight are lost. The client is notified, as of a reset, after
  // everything sent before.
  void shut(Connection& connection);

  // A message to fill; then send() or release().
  Message& make(Connection& connection, std::uint8_t direction);
  void send(Message& message);
  void release(Message& message) {
    message.next = free_;
    free_ = message.slot + 1;
  }
  // Sends now, or when the sender's process runs again.
  void send_when_running(Message& message);
  // The same for an unasked message; it counts as unread until the client's process handles it.
  void send_unasked(Message& message);

  // The receiver was paused just before it handled the message, which is delivered again when its
  // process runs.
  void hand_over_later(Message& message);

  // --- faults
  // Several cuts of one direction may be in force. `stopped`, if given, names the cut and is set as
  // soon as the cut has stopped a message. Unblocking ends the cut of that name, or any of them.
  void block(Process& from, Process& to, bool* stopped = nullptr);
  void unblock(Process& from, Process& to, const bool* stopped = nullptr);
  bool blocked(const Process& from, const Process& to) const;
  // The same for a process that acts on it, so that the cut has had an effect.
  bool is_found_blocked(const Process& from, const Process& to) const;
  // Whether no message passes between the two: a cut has stopped one, and no connection is open.
  bool is_apart(const Process& one, const Process& other) const;
  // Whether there has been any connection between the two.
  bool has_connected(const Process& one, const Process& other) const;
  bool release_hold(Process& from, Process& to);
  // Breaks the connections of a crashed process: in silence, or by a reset after the bytes that its
  // kernel still had to send. If the host is gone, those bytes are lost too.
  void crash(Process& process, bool host, bool silent);

  // The process needs less time for each message than before: those that wait for their turn have
  // it sooner.
  void catch_up(Process& process);

  // --- the scheduler's side
  void deliver(std::uint32_t slot, const Event& event);
  void send_kept(std::uint32_t slot, const Event& event);
  void forget(std::uint32_t slot);
  std::uint64_t mark(std::uint32_t slot) const { return messages_[slot].mark; }

 private:
  friend class FetchAhead;

  struct Cut {
    ProcessId from = 0;
    ProcessId to = 0;
    bool* stopped = nullptr;
  };
  struct LinkLatency {
    ProcessId from = 0;
    ProcessId to = 0;
    Latency latency;
  };

  // Messages in which the kernels tell each other of a connection.
  Message& make_signal(Connection& connection, int direction, MessageKind kind);
  Connection& add(Process& client, Endpoint& client_end, Process& server, Endpoint& server_end,
                  const Protocol& protocol, std::uint32_t ordinal);
  // A run lasts while a message is in flight.
  void hold_open(const Connection& connection) { scheduler_.hold_open(connection.foreground_); }
  void let_go(const Connection& connection) { scheduler_.let_go(connection.foreground_); }
  void enqueue(Message& message, Instant due);
  [[gnu::noinline]] Duration send_altered(Message& message);
  [[gnu::noinline]] Duration wait_of(const Message& message);
  [[gnu::noinline]] void deliver_unusual(Message& message, const Event& event);
  bool arrives(Message& message);
  bool is_received(Message& message, Process& receiver);
  bool has_turn(Message& message, Process& receiver, bool farewell);
  static void refresh(Connection& connection);
  const Cut* first_cut(const Process& from, const Process& to) const;
  template <typename Accepts>
  bool any_connection(const Process& one, const Process& other, Accepts accepts) const;
  void keep_back(Connection& connection, Connection::Direction& direction, Message& message);
  void flush(Connection& connection, std::uint8_t direction);
  void lose(Message& message);
  void reset_connection(Connection& connection, int end_that_hears);
  void drop_held(Connection& connection, std::uint8_t direction);
  [[gnu::noinline]] void trace(TraceKind kind, const Message& message);
  void out_of_patience(std::uint32_t connection);

  Scheduler& scheduler_;
  Priorities priorities_;
  Watcher* watcher_ = nullptr;
  std::vector<Waited> waited_;
  Latency default_latency_;
  std::deque<LinkLatency> link_latency_;
  Duration patience_{};
  Slots<Timer> patience_timers_;  // one for each time that messages began to be held
  std::size_t patience_timers_used_ = 0;
  Slots<Message> messages_;
  std::uint32_t free_ = 0;  // first of a list, slot + 1
  std::size_t used_ = 0;
  std::uint32_t numbered_ = 0;
  Slots<Connection> connections_;
  std::size_t connections_used_ = 0;
  std::vector<Cut> cuts_;  // in force, the oldest first
};

}  // namespace picklock::sim
