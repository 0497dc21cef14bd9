// A server's state of one connection: the client, its database, queued commands, watched keys and
// subscriptions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/time.h"

namespace picklock::sim {
class Connection;
}

namespace picklock::redis {

struct AttachedReplica;
struct Command;
struct Topic;

// Commands kept for later, with bytes of their own.
class CommandQueue {
 public:
  void clear() {
    bytes_.clear();
    sizes_.clear();
    lengths_.clear();
  }
  std::size_t size() const { return lengths_.size(); }
  bool empty() const { return lengths_.empty(); }

  void add(std::span<const std::string_view> argv) {
    for (std::string_view word : argv) {
      bytes_.append(word);
      sizes_.push_back(word.size());
    }
    lengths_.push_back(argv.size());
  }

  // Calls `visit(argv)` for each command, in order; `argv` is reused. No command may be added
  // meanwhile.
  template <typename Visit>
  void each(std::vector<std::string_view>& argv, Visit visit) const {
    std::size_t word = 0;
    std::size_t at = 0;
    for (std::size_t length : lengths_) {
      argv.clear();
      for (std::size_t i = 0; i < length; ++i) {
        argv.push_back(std::string_view(bytes_).substr(at, sizes_[word]));
        at += sizes_[word++];
      }
      visit(std::span<const std::string_view>(argv));
    }
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> sizes_;    // of the words
  std::vector<std::size_t> lengths_;  // words of each command
};

// A key as it was when the connection began to watch it.
struct Watch {
  std::uint32_t slot = 0;
  std::uint64_t version = 0;
  bool was_alive = false;
};

enum class Replies : std::uint8_t { on, off, skip_this, skip_next };  // CLIENT REPLY

struct Session {
  Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  std::uint64_t id = 0;
  bool connected = false;
  // The connection ends after its present answer. If it wants no replies, there is no answer, and
  // it stays open but is not served.
  bool closing = false;
  bool ended = false;  // the client has closed its end; requests sent before are still served
  bool authenticated = true;
  bool no_evict = false;
  bool monitors = false;
  std::uint8_t protocol = 2;
  Replies replies = Replies::on;
  std::uint32_t database = 0;
  std::string name;
  sim::Instant connected_at{};
  sim::Instant last_command_at{};
  const Command* last_command = nullptr;

  // Requests that have arrived and wait for the end of a CLIENT PAUSE, or for the server's own
  // thread.
  std::uint32_t held = 0;
  std::uint32_t waiting = 0;
  CommandQueue postponed;  // without a connection: held back by CLIENT PAUSE

  // In WAIT, until enough replicas have acknowledged or its time is up.
  bool blocked = false;
  std::int64_t written_until = 0;  // offset of the replication stream after its last command
  std::uint16_t listening_port = 0;
  std::unique_ptr<AttachedReplica> replica;  // nullptr: the client is no replica

  bool in_multi = false;
  bool spoilt = false;  // a command could not be queued: EXEC will discard all (R105)
  bool dirty = false;   // a watched key was changed in a way that its version does not show
  std::uint32_t queued_flags = 0;  // of all queued commands
  CommandQueue queued;
  std::vector<Watch> watches;
  std::vector<Topic*> channels;  // in the order of subscription, as the others
  std::vector<Topic*> patterns;
  std::vector<Topic*> shards;

  void end_transaction() {
    in_multi = spoilt = dirty = false;
    queued_flags = 0;
    queued.clear();
    watches.clear();
  }

  // Whether replies are sent; pushed messages always are.
  bool wants_replies() const { return replies == Replies::on || replies == Replies::skip_next; }

  bool subscribed() const { return !channels.empty() || !patterns.empty() || !shards.empty(); }

  sim::Connection* connection = nullptr;        // nullptr: not on the simulated network
  sim::Instant backlogged_since = sim::kNever;  // its unread output is above the soft limit
  std::string unasked;  // without a connection: what was pushed and not yet fetched
};

}  // namespace picklock::redis
