#include "explore/campaign.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "explore/workers/pool.h"

namespace picklock::explore {
namespace {

using workers::Pulse;

// Decides how long a search lasts, never what a run does.
using Clock = std::chrono::steady_clock;

// A run in progress when time is up may take that long to end by itself.
constexpr Seconds kGrace{1};
// Finds of the last moment are shrunk for as long again as the search took, or at least this long.
constexpr Seconds kLeastShrinking{10};
constexpr int kPollMilliseconds = 100;
// The runs of a task; fewer if it was told to hurry.
struct MadeRuns {
  Block block;
  std::uint64_t end = 0;  // the first run that is not of it
};

template <typename Archive>
void fields(Archive& archive, MadeRuns& made) {
  archive(made.block, made.end);
}

// A lead to be followed up. A shrunk scenario may crash although its original run did not.
struct LeadTask {
  Lead lead;
  bool as_it_is = false;  // shrinking it crashed
};

template <typename Archive>
void fields(Archive& archive, LeadTask& task) {
  archive(task.lead, task.as_it_is);
}

class Campaign {
 public:
  Campaign(Search& search, const Limits& limits, const Onlooker& onlooker)
      : search_(search),
        limits_(limits),
        onlooker_(onlooker),
        start_(Clock::now()),
        runs_({.workers = limits.jobs, .ahead = 2}, workers::Order::as_submitted,
              [this](const Batch& batch, Pulse& pulse) { return make_runs(batch, pulse); }),
        leads_({}, workers::Order::as_submitted,
               [this](const LeadTask& task, Pulse& pulse) { return follow(task, pulse); }) {}

  Seconds go() {
    submit_runs();
    while (!over()) {
      wait();
      take_runs();
      follow_leads();
      look_at_the_clock();
      submit_runs();
      tell();
    }
    return passed();
  }

 private:
  Seconds passed() const { return Clock::now() - start_; }
  bool runs_are_over() const { return dropped_ || (runs_.is_idle() && (stopped_ || ended_)); }
  bool over() const { return runs_are_over() && leads_.is_idle(); }

  // ---------------------------------------------------------------- in a worker

  MadeRuns make_runs(const Batch& batch, Pulse& pulse) {
    MadeRuns made;
    for (made.end = batch.runs.from; made.end < batch.runs.to && !pulse.hurried(); ++made.end) {
      pulse.begin(made.end);
      search_.runs().make(batch, made.end, made.block);
    }
    return made;
  }

  Keeper::Kept follow(const LeadTask& task, Pulse& pulse) {
    return Keeper(search_.runs()).keep(task.lead, [&] {
      pulse.beat();
      return task.as_it_is || pulse.hurried();
    });
  }

  // ---------------------------------------------------------------- in their parent

  void wait() {
    polled_.clear();
    runs_.watch(polled_);
    leads_.watch(polled_);
    poll(polled_.data(), polled_.size(), kPollMilliseconds);
    runs_.update();
    leads_.update();
  }

  void submit_runs() {
    while (!stopped_ && !dropped_ && !ended_ && runs_.is_hungry()) {
      std::optional<Batch> batch = search_.runs().strategy().next();
      // Without one, it may have one once the results of others are taken.
      if (!batch && !runs_.is_idle()) return;
      ended_ = !batch || batch->runs.from >= limits_.runs;
      if (ended_) return;
      batch->runs.to = std::min(batch->runs.to, limits_.runs);
      ended_ = batch->runs.to == limits_.runs;
      submitted_.push_back(*batch);
      runs_.submit(std::move(*batch));
    }
  }

  void take_runs() {
    while (!dropped_) {
      std::optional<workers::Pool<Batch, MadeRuns>::Done> done = runs_.next();
      if (!done) return;
      if (!done->result) {
        if (!done->crash.item)
          throw std::runtime_error("a process that makes runs ended: " + done->crash.how);
        crashed_.emplace_back(*done->crash.item, done->crash.how);
      } else {
        block_.add(done->result->block);
        dropped_ = done->result->end < done->task.runs.to;  // no run after it counts
      }
      if (done->last || dropped_) take_block();
    }
  }

  // The search is told of the crashes of a block before the block.
  void take_block() {
    const Batch batch = std::move(submitted_.front());
    submitted_.pop_front();
    for (const auto& [run, how] : crashed_) search_.take_crash(batch, run, how);
    search_.take(block_);
    if (!dropped_) search_.runs().strategy().take(batch, block_);
    crashed_.clear();
    block_ = {};
    dropped_ = dropped_ || search_.tally().crashed >= kMostCrashes;
    if (dropped_) runs_.hurry();
  }

  // One after the other: the next lead depends on the finds before it.
  void follow_leads() {
    while (std::optional<workers::Pool<LeadTask, Keeper::Kept>::Done> done = leads_.next()) {
      LeadTask& task = done->task;
      if (done->result) {
        Find& find = done->result->find;
        find.story = story_from(find.text, find.violation.property, search_.scenario());
        search_.add(std::move(*done->result));
      } else if (!std::exchange(task.as_it_is, true)) {
        leads_.submit(std::move(task));
      } else {
        throw NotDeterministic(fmt::format(
            "run {} of {} with seed {} is not deterministic: made again it ends its process: {}",
            task.lead.run + 1, search_.scenario().name, search_.options().seed, done->crash.how));
      }
    }
    if (!leads_.is_idle()) return;
    if (std::optional<Lead> lead = search_.next_lead()) leads_.submit({.lead = std::move(*lead)});
  }

  void look_at_the_clock() {
    const Seconds now = passed();
    const bool interrupted = onlooker_.interrupted();
    const bool late = limits_.length && now >= *limits_.length;
    stopped_ = stopped_ || interrupted || late;
    if (interrupted || (late && now > *limits_.length + kGrace)) runs_.hurry();
    if (interrupted || (late && now > *limits_.length + std::max(*limits_.length, kLeastShrinking)))
      leads_.hurry();
  }

  void tell() {
    for (; told_finds_ < search_.finds().size(); ++told_finds_)
      onlooker_.found(search_.finds()[told_finds_]);
    for (; told_limits_ < search_.limits().size(); ++told_limits_)
      onlooker_.limit(search_.limits()[told_limits_]);
    for (; told_crashes_ < search_.crashes().size(); ++told_crashes_)
      onlooker_.crashed(search_.crashes()[told_crashes_]);
    onlooker_.progress({.runs = runs_.begun(),
                        .passed = passed(),
                        .found = search_.finds().size(),
                        .shrinking = runs_are_over()});
  }

  Search& search_;
  const Limits limits_;
  const Onlooker& onlooker_;
  const Clock::time_point start_;
  workers::Pool<Batch, MadeRuns> runs_;
  workers::Pool<LeadTask, Keeper::Kept> leads_;
  std::deque<Batch> submitted_;  // and not taken
  bool ended_ = false;           // no further run is wanted
  bool stopped_ = false;         // no further run is begun
  bool dropped_ = false;         // no further run counts
  Block block_;                  // the parts of the next block, as far as they have come
  std::vector<std::pair<std::uint64_t, std::string>> crashed_;  // runs of it, and how they ended
  std::vector<pollfd> polled_;
  std::size_t told_finds_ = 0;
  std::size_t told_limits_ = 0;
  std::size_t told_crashes_ = 0;
};

}  // namespace

Seconds make(Search& search, const Limits& limits, const Onlooker& onlooker) {
  return Campaign(search, limits, onlooker).go();
}

}  // namespace picklock::explore
