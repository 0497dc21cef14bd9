// The worker processes of a pool (explore/workers/pool.h), which knows tasks and results by number
// and as bytes. A worker is started when there is a task for it. One that crashed or was killed is
// replaced, and the tasks that it had not begun go to its successor.
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explore/workers/process.h"

namespace picklock::explore::workers {

using Seconds = std::chrono::duration<double>;

struct Options {
  unsigned workers = 1;
  // Tasks that a worker holds: with 2, it has the next one when it ends one.
  unsigned ahead = 1;
  // A worker that gives no sign of life for so long hangs and is killed.
  Seconds patience{300};
  // The most bytes of data of a worker.
  std::uint64_t memory = 8'000'000'000;
};

// Memory that a worker shares with its parent.
struct Board {
  static constexpr std::uint64_t kNoItem = UINT64_MAX;
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> item{kNoItem};  // under way
    std::atomic<std::uint64_t> begun{0};       // items
    std::atomic<std::uint64_t> beats{0};
  };

  explicit Board(unsigned workers);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  const std::size_t size;                // bytes
  std::atomic<bool>* hurried = nullptr;  // of all workers
  Slot* slots = nullptr;                 // of each worker
};

// The signs of life of a task in its worker.
class Pulse {
 public:
  Pulse(Board& board, Board::Slot& slot) : board_(board), slot_(slot) {}

  // Call before each item of a task: if the process ends or hangs, this item is blamed.
  void begin(std::uint64_t item) {
    slot_.item = item;
    ++slot_.begun;
    beat();
  }
  void beat() { ++slot_.beats; }
  // Whether the task is to return as soon as it can, with the result so far.
  bool hurried() const { return *board_.hurried; }

 private:
  Board& board_;
  Board::Slot& slot_;
};

class Crew {
 public:
  using Work = std::function<std::string(std::string_view task, Pulse& pulse)>;

  struct Ended {
    enum class How : std::uint8_t { result, crash, differs };
    std::uint64_t task = 0;
    How how{};
    std::string bytes;                  // the result, or words on its end
    std::optional<std::uint64_t> item;  // of a crash: the item that was under way
  };

  Crew(const Options& options, Work work);

  // Whether a worker would take one more task.
  bool has_room() const;
  // Throws std::system_error if no process can be made.
  void give(std::uint64_t task, std::string bytes);
  // The tasks that have ended since the last call.
  std::vector<Ended> update();

  void watch(std::vector<pollfd>& all) const;
  void hurry() { *board_.hurried = true; }
  std::uint64_t begun() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Given {
    std::uint64_t task = 0;
    std::string bytes;
  };
  struct Worker {
    std::unique_ptr<Process> process;  // nullptr: none yet
    std::deque<Given> given;           // the first is under way
    std::size_t sent = 0;              // of these
    std::uint64_t beats = 0;           // at the last look
    Clock::time_point since{};         // then they changed
    bool hung = false;                 // so it was killed
    std::string last_words;            // what its task threw
  };

  void start(std::size_t index);
  static void send_tasks(Worker& worker);
  void work(Channel& channel, Board::Slot& slot);
  void take_frames(Worker& worker, std::vector<Ended>& ended);
  void look_for_life(Worker& worker, const Board::Slot& slot);
  void bury(std::size_t index, std::vector<Ended>& ended);

  const Options options_;
  const Work work_;
  Board board_;
  std::vector<Worker> workers_;
};

}  // namespace picklock::explore::workers
