// The real server's side of a comparison: raw sockets, one per connection of a sequence, and one
// more to steer and to fence with.
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
  // A user's, which must be empty unless it may be flushed, and is left empty.
  RealSide(const Address& address, bool flush, Stop stop = {});
  RealSide(const RealSide&) = delete;
  RealSide& operator=(const RealSide&) = delete;
  ~RealSide();

  bool steers_clock() const { return own_ != nullptr; }
  const std::string& version() const { return version_; }

  // Every wait may throw Interrupted, or ServerEnded.

  // Empty, with fresh connections, at kEpochMs.
  void begin(const Sequence& sequence);
  void reconnect(std::uint32_t connection);
  std::int64_t id(std::uint32_t connection) const { return ids_[connection]; }

  void send(std::uint32_t connection, const std::vector<std::string>& words);
  void pass(std::int64_t ms);
  // A CLIENT PAUSE is over by the clock, and the server has noticed when this returns.
  void await_pause_end();

  // As many bytes as asked for, or fewer if no more will come.
  std::string receive(std::uint32_t connection, std::size_t size);
  // One frame; nothing where none will come or it is none.
  std::optional<Frame> receive_frame(std::uint32_t connection);
  // When it returns, all that the commands so far have caused has come, to every connection.
  void fence();
  // Likewise, also where what was last sent to this connection has no answer.
  void fence_behind(std::uint32_t connection);
  // Whatever has come and was not yet taken.
  std::string rest(std::uint32_t connection);
  // Whether the server closes it, as it is expected to, with nothing left to read.
  bool ended(std::uint32_t connection);
  // Whether it was found to be closed.
  bool closed(std::uint32_t connection) const { return sockets_[connection].ended(); }

  // Throws ServerEnded if the server is gone; if it has only hung up on us, connects again.
  void look_for_end();

  // An answer that was waited for did not come in time, since the sequence began.
  bool lost_patience() const { return lost_patience_; }
  // From now on it is not waited for as long, as where many sequences are tried.
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
  bool paused_ = false;      // somebody may have sent CLIENT PAUSE
  bool configured_ = false;  // or CONFIG SET
};

}  // namespace picklock::conform::redis
