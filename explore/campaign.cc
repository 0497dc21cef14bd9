#include "explore/campaign.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "explore/child.h"
#include "explore/workers.h"

namespace picklock::explore {
namespace {

// Decides how long a search goes on, never what a run does.
using Clock = std::chrono::steady_clock;

// A run that is under way when time is up may take that long to end by itself.
constexpr Seconds kGrace{1};
// Finds of the last moment are shrunk for as long again as the search took, or at least this long.
constexpr Seconds kLeastShrinking{10};
constexpr int kPollMilliseconds = 100;

// Follows one lead up in a process of its own: a story may crash what the run it came from did not.
class Follower {
 public:
  Follower() {
    void* memory = mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    enough_ = new (memory) std::atomic<bool>(false);
  }
  ~Follower() {
    child_.reset();
    munmap(enough_, sizeof *enough_);
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  bool idle() const { return child_ == nullptr; }
  void give_up() { *enough_ = true; }

  void follow(Lead lead, Runs& runs) {
    lead_ = std::move(lead);
    start(runs, true);
  }

  void watch(std::vector<pollfd>& all) const {
    if (child_) all.push_back({.fd = child_->descriptor(), .events = POLLIN, .revents = 0});
  }

  // Adds what has come of it to the search, if it has.
  void update(Search& search) {
    if (!child_ || child_->read()) return;
    std::string how = child_->died_of();
    const std::string answer = std::move(child_->received());
    child_.reset();
    if (how.empty() && answer.empty()) how = "exit status 0";
    if (how.empty() && answer.starts_with(kDiffers)) throw NotDeterministic(answer.substr(1));
    if (how.empty()) {
      search.add(kept_from(answer.substr(1), search.scenario()));
    } else if (shrinks_) {
      // A simpler story ends the process: this one stays as it is.
      start(search.runs(), false);
    } else {
      throw NotDeterministic(fmt::format(
          "run {} of {} with seed {} is not deterministic: made again it ends its process: {}",
          lead_.run + 1, search.scenario().name, search.options().seed, how));
    }
  }

 private:
  static constexpr char kKept = '=';
  static constexpr char kDiffers = '!';

  void start(Runs& runs, bool shrinks) {
    shrinks_ = shrinks;
    child_ = std::make_unique<Child>([this, &runs](const Child::Send& send) {
      try {
        const auto kept = Keeper(runs).keep(lead_, [this] { return !shrinks_ || enough_->load(); });
        send(kKept + to_text(kept));
      } catch (const NotDeterministic& error) {
        send(kDiffers + std::string(error.what()));
      }
    });
  }

  std::atomic<bool>* enough_ = nullptr;
  std::unique_ptr<Child> child_;
  Lead lead_;
  bool shrinks_ = true;
};

class Campaign {
 public:
  Campaign(Search& search, const Limits& limits, const Onlooker& onlooker)
      : search_(search),
        limits_(limits),
        onlooker_(onlooker),
        start_(Clock::now()),
        workers_(limits.jobs, limits.runs,
                 [this](std::uint64_t run, Block& block) { search_.runs().make(run, block); }) {}

  Seconds go() {
    while (!over()) {
      wait();
      workers_.update();
      take_runs();
      follow_leads();
      look_at_the_clock();
      tell();
    }
    return passed();
  }

 private:
  Seconds passed() const { return Clock::now() - start_; }
  bool over() const { return workers_.over() && follower_.idle(); }

  void wait() {
    polled_.clear();
    workers_.watch(polled_);
    follower_.watch(polled_);
    poll(polled_.data(), polled_.size(), kPollMilliseconds);
  }

  void take_runs() {
    while (search_.tally().crashed < kMostCrashes) {
      std::optional<Workers::Made> made = workers_.next();
      if (!made) return;
      for (const Workers::CrashedRun& crash : made->crashed)
        search_.take_crash(crash.run, crash.how);
      search_.take(made->block);
    }
    workers_.drop();
  }

  void follow_leads() {
    follower_.update(search_);
    if (!follower_.idle()) return;
    if (std::optional<Lead> lead = search_.next_lead())
      follower_.follow(std::move(*lead), search_.runs());
  }

  void look_at_the_clock() {
    const Seconds now = passed();
    if (onlooker_.interrupted()) {
      workers_.stop(true);
      follower_.give_up();
    }
    if (!limits_.length || now < *limits_.length) return;
    workers_.stop(now > *limits_.length + kGrace);
    if (now > *limits_.length + std::max(*limits_.length, kLeastShrinking)) follower_.give_up();
  }

  void tell() {
    for (; told_finds_ < search_.finds().size(); ++told_finds_)
      onlooker_.found(search_.finds()[told_finds_]);
    for (; told_crashes_ < search_.crashes().size(); ++told_crashes_)
      onlooker_.crashed(search_.crashes()[told_crashes_]);
    onlooker_.progress({.runs = workers_.begun(),
                        .passed = passed(),
                        .found = search_.finds().size(),
                        .shrinking = workers_.over()});
  }

  Search& search_;
  const Limits limits_;
  const Onlooker& onlooker_;
  const Clock::time_point start_;
  Workers workers_;
  Follower follower_;
  std::vector<pollfd> polled_;
  std::size_t told_finds_ = 0;
  std::size_t told_crashes_ = 0;
};

}  // namespace

Seconds make(Search& search, const Limits& limits, const Onlooker& onlooker) {
  return Campaign(search, limits, onlooker).go();
}

}  // namespace picklock::explore
