#include "explore/campaign.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <deque>
#include <set>
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
// Between looks at what other processes have done.
constexpr Seconds kPatience{0.5};
// Parts that are made ahead while the finds of one decide whether they are needed.
constexpr std::size_t kMostParts = 16;

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

// A part under way.
struct Part {
  enum class Source : std::uint8_t {
    here,    // this process makes it
    store,   // another one has
    others,  // others are to make it
  };
  struct MadeBatch {
    Batch batch;
    Block block;
    std::vector<CrashedRun> crashed;
  };

  Batch first;  // of its batches
  Span runs;
  std::uint64_t number = 0;
  Source source = Source::here;
  std::uint64_t submitted = 0;   // the first run that was not
  std::deque<MadeBatch> made{};  // batches whose results the search does not have
  bool complete = false;         // every batch was made
  bool written = false;
  PartResult result{};  // of all its batches, if it is shared

  bool is_submitted() const { return submitted == runs.to; }
};

class Campaign {
 public:
  Campaign(Search& search, const Limits& limits, const Onlooker& onlooker, SharedParts* shared)
      : search_(search),
        strategy_(search.runs().strategy()),
        limits_(limits),
        onlooker_(onlooker),
        shared_(shared),
        start_(Clock::now()),
        runs_({.workers = limits.jobs, .ahead = 2}, workers::Order::as_submitted,
              [this](const Batch& batch, Pulse& pulse) { return make_runs(batch, pulse); }),
        leads_({}, workers::Order::as_submitted,
               [this](const LeadTask& task, Pulse& pulse) { return follow(task, pulse); }) {}

  Ending go() {
    submit_runs();
    follow_leads();
    while (!over()) {
      wait();
      take_runs();
      pass_results();
      follow_leads();
      look_at_the_clock();
      submit_runs();
      tell();
    }
    tell();
    ending_.took = passed();
    ending_.complete = ending_.missing.empty() && (decided_ || (ended_ && !dropped_));
    return ending_;
  }

 private:
  Seconds passed() const { return Clock::now() - start_; }
  bool is(SharedParts::Role role) const { return shared_ != nullptr && shared_->role() == role; }
  bool makes_report() const { return !is(SharedParts::Role::shard); }

  // A process that shares the parts finishes those that it has begun.
  bool may_submit() const {
    if (dropped_ || ended_) return false;
    if (!stopped_) return true;
    return shared_ != nullptr && !parts_.empty() && !parts_.back().is_submitted();
  }
  bool has_results() const {
    if (parts_.empty()) return false;
    const Part& first = parts_.front();
    return first.source == Part::Source::store || first.complete || !first.made.empty();
  }
  bool runs_are_over() const {
    return dropped_ || (runs_.is_idle() && !may_submit() && !has_results() && !deciding_);
  }
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
    while (may_submit() && runs_.is_hungry() && !(deciding_ && parts_.size() >= kMostParts)) {
      if (between_parts()) look_at_signs();
      if (!may_submit()) return;
      std::optional<Batch> batch = strategy_.next();
      if (!batch) return no_batch();
      ended_ = batch->runs.from >= limits_.runs;
      if (ended_) return;
      batch->runs.to = std::min(batch->runs.to, limits_.runs);
      if (between_parts() && !begin_part(*batch)) {
        pass_results();
        continue;
      }
      submit(parts_.back(), std::move(*batch));
      ended_ = parts_.back().runs.to == limits_.runs && parts_.back().is_submitted();
    }
  }

  bool between_parts() const { return parts_.empty() || parts_.back().is_submitted(); }

  // Returns whether it is made here.
  bool begin_part(const Batch& first) {
    const Span runs = {first.part.from, std::min(first.part.to, limits_.runs)};
    Part part{.first = first, .runs = runs, .number = next_part_++, .submitted = runs.from};
    begun_to_ = runs.to;
    waits_since_.reset();
    if (shared_ != nullptr) part.source = source_of(part);
    if (part.source != Part::Source::here) {
      part.submitted = runs.to;
      strategy_.leave_out(first);
    }
    parts_.push_back(std::move(part));
    return parts_.back().source == Part::Source::here;
  }

  Part::Source source_of(const Part& part) const {
    if (shared_->has(part.runs)) return Part::Source::store;
    if (is(SharedParts::Role::merge) || (makes_report() && signs_.stop))
      return Part::Source::others;
    const bool ours = is(SharedParts::Role::all) || shared_->shard().has(part.number);
    return ours ? Part::Source::here : Part::Source::others;
  }

  void submit(Part& part, Batch&& batch) {
    part.submitted = batch.runs.to;
    making_.push_back({&part, batch});
    runs_.submit(std::move(batch));
  }

  // There may be one once the results of others are taken.
  void no_batch() {
    if (has_results() || deciding_) return;
    if (is_waited_for() && !parts_.empty()) return help();
    ended_ = runs_.is_idle();
  }

  // Further parts depend on parts of others. These may be under way, or nobody may be making them:
  // after a moment they are made here as well.
  // Requires: a part of a strategy that waits is one batch.
  void help() {
    if (!waits_since_) waits_since_ = passed();
    if (passed() > updated_ + kPatience) {
      shared_->update();
      updated_ = passed();
      for (Part& part : parts_) {
        if (part.source == Part::Source::others && shared_->has(part.runs))
          part.source = Part::Source::store;
      }
    }
    if (passed() < *waits_since_ + kPatience) return;
    // Processes that wait begin at different parts.
    const Shard& shard = shared_->shard();
    const std::size_t first = parts_.size() * shard.index / shard.count;
    for (std::size_t i = 0; i < parts_.size() && runs_.is_hungry(); ++i) {
      Part& part = parts_[(first + i) % parts_.size()];
      if (part.source != Part::Source::others) continue;
      part.source = Part::Source::here;
      submit(part, Batch(part.first));
    }
  }

  void take_runs() {
    while (!dropped_ && !hurried_) {
      std::optional<workers::Pool<Batch, MadeRuns>::Done> done = runs_.next();
      if (!done) return;
      if (!done->result) {
        if (!done->crash.item)
          throw std::runtime_error("a process that makes runs ended: " + done->crash.how);
        made_.crashed.push_back({*done->crash.item, done->crash.how});
      } else {
        made_.block.add(done->result->block);
        // No run after it counts.
        hurried_ = done->result->end < done->task.runs.to;
      }
      if (done->last || hurried_) take_batch();
      if (hurried_) return pass_results();
    }
  }

  void take_batch() {
    auto [part, batch] = std::move(making_.front());
    making_.pop_front();
    if (shared_ != nullptr) part->result.add(made_.block, made_.crashed);
    part->complete = !hurried_ && batch.runs.to == part->runs.to;
    made_.batch = std::move(batch);
    part->made.push_back(std::exchange(made_, {}));
  }

  // Hands results to the search, in the order of the runs.
  void pass_results() {
    while (!parts_.empty() && !deciding_ && !dropped_) {
      Part& part = parts_.front();
      if (part.source == Part::Source::others && is_waited_for()) return write_parts();
      if (part.source == Part::Source::others) {
        leave_gap(part);
      } else if (part.source == Part::Source::store) {
        pass_stored(part);
      } else {
        for (; !part.made.empty(); part.made.pop_front()) pass_batch(part.made.front());
        if (hurried_) drop();
        if (!part.complete) return;
        end_part(part);
      }
      parts_.pop_front();
    }
  }

  bool is_waited_for() const { return is(SharedParts::Role::shard) && strategy_.waits(); }

  // The search is told of the crashes of a block before the block.
  void pass(const Batch& batch, const Block& block, const std::vector<CrashedRun>& crashed) {
    crashed_ += crashed.size();
    for (const Sighting& one : block.sightings) {
      if (!one.limit) broken_.insert(one.violation.property);
    }
    if (!makes_report() || has_gap_) return;
    for (const CrashedRun& one : crashed) search_.take_crash(batch, one.run, one.how);
    search_.take(block);
  }

  void pass_batch(const Part::MadeBatch& made) {
    pass(made.batch, made.block, made.crashed);
    if (!hurried_) strategy_.take(made.batch, made.block);
  }

  // A shard needs the results of others only if further parts depend on them.
  void pass_stored(const Part& part) {
    if ((!makes_report() && !strategy_.waits()) || has_gap_) return;
    const std::optional<PartResult> result = shared_->find(part.runs);
    Batch whole = part.first;
    whole.runs = part.runs;
    pass(whole, result->block, result->crashed);
    strategy_.take_part(whole, result->block);
    decide(part);
  }

  // The runs before it count, and none after it.
  void leave_gap(const Part& part) {
    if (!makes_report()) return;
    has_gap_ = true;
    if (signs_.stop) {
      ending_.stopped_by_user = true;
      return drop();
    }
    std::vector<Span>& missing = ending_.missing;
    if (!missing.empty() && missing.back().to == part.runs.from) {
      missing.back().to = part.runs.to;
    } else {
      missing.push_back(part.runs);
    }
  }

  void end_part(Part& part) {
    Block rest;
    strategy_.end_part(shared_ != nullptr && !part.written ? part.result.block : rest);
    if (shared_ != nullptr) {
      write(part);
      rest.tally.kept = part.result.block.tally.kept;
    }
    if (makes_report()) search_.take(rest);
    decide(part);
  }

  void write(Part& part) {
    if (std::exchange(part.written, true)) return;
    shared_->keep(part.runs, part.result);
    ++ending_.parts;
  }

  // Those that are made, while an earlier one is not.
  void write_parts() {
    for (Part& part : parts_) {
      if (part.source != Part::Source::here || !part.complete || part.written) continue;
      strategy_.end_part(part.result.block);
      write(part);
    }
  }

  // Whether the search ends with this part. Everyone decides the same: nothing depends on the time.
  // A shard does not know all parts before it, so it may decide so later, but not too early.
  void decide(const Part& part) {
    const bool enough_crashes = crashed_ >= kMostCrashes;
    if (makes_report()) {
      deciding_ = limits_.stop_after > 0 && !has_gap_;
      if (enough_crashes) end_with(part);
    } else if (enough_crashes || (limits_.stop_after > 0 && broken_.size() >= limits_.stop_after)) {
      // Each property that was broken is a find of its own.
      end_with(part);
    }
    decided_run_ = part.runs.to;
  }

  void end_with(const Part& part) {
    decided_ = true;
    if (shared_ != nullptr) shared_->enough(part.runs.to);
    drop();
  }

  void drop() {
    dropped_ = true;
    runs_.hurry();
  }

  // One after the other: the next lead depends on the finds before it.
  void follow_leads() {
    if (!makes_report()) return;
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
    if (!leads_.is_idle() || !ending_.missing.empty()) return;
    if (std::optional<Lead> lead = search_.next_lead())
      return leads_.submit({.lead = std::move(*lead)});
    if (!std::exchange(deciding_, false)) return;
    if (search_.finds().size() >= limits_.stop_after) {
      decided_ = true;
      if (shared_ != nullptr) shared_->enough(decided_run_);
      drop();
    } else {
      pass_results();
    }
  }

  void look_at_signs() {
    if (shared_ == nullptr) return;
    if (!looked_ || passed() > *looked_ + kPatience) {
      signs_ = shared_->signs();
      looked_ = passed();
    }
    // A report covers all that was made until then.
    if (!makes_report()) stopped_ = stopped_ || signs_.stop;
    // A report decides by itself what is enough, unless parts are missing.
    if ((!makes_report() || has_gap_) && begun_to_ >= signs_.enough) ended_ = true;
  }

  void look_at_the_clock() {
    const Seconds now = passed();
    const bool interrupted = onlooker_.interrupted();
    const bool late = limits_.length && now >= *limits_.length;
    stopped_ = stopped_ || interrupted || late;
    const bool waits_no_longer = shared_ == nullptr && late && now > *limits_.length + kGrace;
    if (interrupted || waits_no_longer) runs_.hurry();
    if (interrupted && shared_ != nullptr) drop();
    if (interrupted || (shared_ == nullptr && late &&
                        now > *limits_.length + std::max(*limits_.length, kLeastShrinking)))
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
  strategies::Strategy& strategy_;
  const Limits limits_;
  const Onlooker& onlooker_;
  SharedParts* const shared_;
  const Clock::time_point start_;
  workers::Pool<Batch, MadeRuns> runs_;
  workers::Pool<LeadTask, Keeper::Kept> leads_;
  std::deque<Part> parts_;                      // in the order of their runs
  std::deque<std::pair<Part*, Batch>> making_;  // submitted, and not taken
  std::uint64_t next_part_ = 0;
  Part::MadeBatch made_;           // the parts of the next batch, as far as they have come
  bool ended_ = false;             // no further run is wanted
  bool stopped_ = false;           // no further run is begun
  bool hurried_ = false;           // the last batch was cut off
  bool dropped_ = false;           // no further run counts
  bool decided_ = false;           // because the search has shown enough
  bool deciding_ = false;          // whether it has: its leads are being followed up
  bool has_gap_ = false;           // no further part can be told of
  std::uint64_t decided_run_ = 0;  // the end of the part that decides
  std::uint64_t crashed_ = 0;      // runs that were passed on
  std::set<Property> broken_;      // by them
  std::uint64_t begun_to_ = 0;     // the first run of the next part
  StoreSigns signs_;
  std::optional<Seconds> looked_;  // at them
  std::optional<Seconds> waits_since_;
  Seconds updated_{};
  Ending ending_;
  std::vector<pollfd> polled_;
  std::size_t told_finds_ = 0;
  std::size_t told_limits_ = 0;
  std::size_t told_crashes_ = 0;
};

}  // namespace

Ending make(Search& search, const Limits& limits, const Onlooker& onlooker, SharedParts* shared) {
  return Campaign(search, limits, onlooker, shared).go();
}

}  // namespace picklock::explore
