// The real server's side of a comparison: raw sockets, one per connection of a sequence, and one
// more for steering and fences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conform/redis/frame.h"
#include "conform/redis/real_server.h"
#include "conform/redis/sequence.h"
#include "conform/socket.h"

namespace picklock::conform::redis {

class RealSide {
 public:
  // A server of our own, with a steered clock.
  explicit RealSide(Stop stop = {});
  // A user's server, which must be empty unless it may be flushed, and is left empty.
  RealSide(const Address& address, bool flush, Stop stop = {});
  RealSide(const RealSide&) = delete;
  RealSide& operator=(const RealSide&) = delete;
  ~RealSide();

  bool steers_clock() const { return own_ != nullptr; }
  const std::string& version() const { return version_; }

  // Every wait may throw Interrupted, or ServerEnded.

  // Begins with an empty keyspace and fresh connections, at kEpochMs.
  void begin(const Sequence& sequence);
  void reconnect(std::uint32_t connection);
  std::int64_t id(std::uint32_t connection) const { return ids_[connection]; }

  void send(std::uint32_t connection, const std::vector<std::string>& words);
  void pass(std::int64_t ms);
  // A CLIENT PAUSE has expired on the clock; returns once the server has noticed that.
  void await_pause_end();

  // Returns this many bytes, or fewer if no more will come.
  std::string receive(std::uint32_t connection, std::size_t size);
  // One frame; nothing if none will come, or if it is not a frame.
  std::optional<Frame> receive_frame(std::uint32_t connection);
  // Returns once everything that the commands so far have caused has arrived, at every connection.
  void fence();
  // The same if the last command on this connection has no answer.
  void fence_behind(std::uint32_t connection);
  // All received bytes that were not taken yet.
  std::string rest(std::uint32_t connection);
  // Whether the server closes it, as expected, with nothing left to read.
  bool ended(std::uint32_t connection);
  // Whether it is known to be closed.
  bool closed(std::uint32_t connection) const { return sockets_[connection].ended(); }

  // Throws ServerEnded if the server is gone; connects again if it has only closed our connection.
  void look_for_end();

  // Whether an awaited answer did not come in time since the sequence began.
  bool lost_patience() const { return lost_patience_; }
  // Shortens all later waits, for when many sequences are tried.
  void be_hasty(bool hasty) { hasty_ = hasty; }

 private:
  std::string ask(Socket& socket, const std::vector<std::string>& words);
  void ask_of_control(const std::vector<std::string>& words);
  void restart();
  void empty();
  std::string server_name() const;
  bool more(std::uint32_t connection);
  void connect(std::uint32_t connection);

  Stop stop_;
  std::unique_ptr<RealServer> own_;
  Address address_;
  std::string version_;
  Socket control_;
  std::vector<Socket> sockets_;
  std::vector<std::int64_t> ids_;
  std::int64_t now_ms_ = kEpochMs;
  std::uint64_t fences_ = 0;
  bool lost_control_ = false;  // the connection had to be made again
  bool lost_patience_ = false;
  bool hasty_ = false;
  bool used_ = false;        // a sequence has begun
  bool paused_ = false;      // a CLIENT PAUSE may have been sent
  bool configured_ = false;  // or a CONFIG SET
};

}  // namespace picklock::conform::redis
