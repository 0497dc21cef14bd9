// Processes that make the runs of a search, block by block, each in a world of its own. Results
// return in the order of the runs, for any number of processes: a search covers the runs from the
// first to some last one, without gaps. A run that ends its process is reported and left out, and
// another process continues.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explore/child.h"
#include "explore/runs.h"

namespace picklock::explore {

class Workers {
 public:
  // Makes a run and adds it to the block.
  using Make = std::function<void(std::uint64_t run, Block& block)>;

  // Runs 0 to `runs` - 1. Throws std::system_error if no process can be made.
  Workers(unsigned jobs, std::uint64_t runs, Make make);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  struct CrashedRun {
    std::uint64_t run = 0;
    std::string how;
  };
  // A block, behind the runs of it that crashed.
  struct Made {
    std::vector<CrashedRun> crashed;
    Block block;
  };
  // The next in order; nullopt: it has not come yet. Throws NotDeterministic where a worker did,
  // and std::runtime_error where one ended outside of any run.
  std::optional<Made> next();

  // Adds the descriptors to poll before calling update().
  void watch(std::vector<pollfd>& all) const;
  // Takes in what has come.
  void update();

  // No further block is begun; `now`: those under way end with the present run.
  void stop(bool now);
  // The same, and what has not been returned never will be.
  void drop();
  // Everything has been returned that will be.
  bool over() const;
  // Runs begun, by all.
  std::uint64_t begun() const;

  static constexpr std::uint64_t kBlock = 64;

 private:
  struct Shared;
  struct Slot;

  struct Came {
    Block block;
    std::uint64_t end = 0;  // the first run that is not of it
  };

  bool all_done() const;
  void start(unsigned worker, std::optional<std::uint64_t> block);
  void work(unsigned worker, std::optional<std::uint64_t> block, const Child::Send& send);
  bool make_block(unsigned worker, std::uint64_t block, const Child::Send& send);
  void take_messages(std::string& received);
  void bury(unsigned worker);

  std::uint64_t runs_;
  Make make_;
  const std::size_t mapped_;  // bytes of memory that all of them see
  Shared* shared_ = nullptr;
  Slot* slots_ = nullptr;                         // of each worker
  std::vector<std::unique_ptr<Child>> children_;  // nullptr: it is done
  std::map<std::uint64_t, Came> came_;            // by number, until those before have come
  std::map<std::uint64_t, std::map<std::uint64_t, std::string>> crashed_;  // by block, by run
  std::uint64_t next_ = 0;                                                 // block to be returned
  bool dropped_ = false;
  std::optional<std::uint64_t> last_;  // block that ended early: none after it counts
  std::string differs_;                // what a worker has seen of a run that differs from itself
  std::string broken_;                 // how one ended that should not have
};

}  // namespace picklock::explore
