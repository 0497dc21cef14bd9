// One worker process and the connection to it. The process ends when its parent ends, however that
// ends; SIGINT and SIGTERM are left to the parent.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace picklock::explore::workers {

// A message between a worker and its parent.
struct Frame {
  enum class Kind : std::uint32_t {
    task,
    result,
    threw,    // the task threw this, and the worker ends
    differs,  // the task threw NotDeterministic
  };
  Kind kind{};
  std::string bytes;
};

// One end of a connection.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  int descriptor() const { return descriptor_; }
  // Waits until everything is written. False: the other end is closed.
  bool send(Frame::Kind kind, std::string_view bytes);
  // Takes in what has come, without waiting. False: nothing more will come.
  bool receive();
  // The next whole frame that was taken in.
  std::optional<Frame> next();
  // Waits for the next frame. nullopt: the other end is closed.
  std::optional<Frame> wait();

 private:
  const int descriptor_;
  std::string received_;
};

class Process {
 public:
  // Forks and runs `body` in the child, which exits when `body` returns. `memory`: the most bytes
  // of data that it may have; std::bad_alloc is thrown beyond.
  // Throws std::system_error.
  Process(const std::function<void(Channel&)>& body, std::uint64_t memory);
  ~Process();  // kills it
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  Channel& channel() { return *channel_; }
  const Channel& channel() const { return *channel_; }
  void kill();
  // Waits for its end: "SIGSEGV", "exit status 1". Requires: it ends by itself or was killed.
  std::string died_of();

 private:
  pid_t id_ = -1;
  std::optional<Channel> channel_;
};

}  // namespace picklock::explore::workers
