#include "compare/make.h"

#include <poll.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compare/part.h"
#include "explore/keeper.h"
#include "explore/strategies/strategy.h"
#include "explore/workers/pool.h"

namespace picklock::compare {
namespace {

using explore::Span;
using explore::workers::Order;
using explore::workers::Pool;
using explore::workers::Pulse;

// Decides how far a comparison goes, never what a run does.
using Clock = std::chrono::steady_clock;

// Long enough to be worth a line of the ledger, and not to keep a user waiting.
constexpr Seconds kPart{0.2};
constexpr std::uint64_t kFirstPart = 16;
constexpr std::uint64_t kMostOfPart = 4096;
// Where every plan is tried, each part begins with the runs that find the steps of the faults.
constexpr std::uint64_t kPartOfEvery = 1024;
// With a time: the runs of a turn, in which every cell gets as many. The first turns are shorter,
// because there may not be time for another.
constexpr std::uint64_t kRunsOfATurn = 8;
// Some tenths of a second: stories are many, and most end long before.
constexpr explore::Shrinker::Limits kShrinking{.runs = 1'000, .events = 1'000'000};
constexpr int kPollMilliseconds = 100;
constexpr std::uint64_t kForEver = UINT64_MAX;
// With a time: so much of it is for plans that are all tried, if these need so much.
constexpr double kShareOfComplete = 0.4;

// The shortest run of a violation, to be shrunk.
struct StoryTask {
  CellName cell;
  Property property{};
  Sighting sighting;
  std::string command;    // that makes its cell again
  Seconds at_most{};      // for shrinking it; 0: as long as it takes
  bool as_it_is = false;  // shrinking it crashed
};

template <typename Archive>
void fields(Archive& archive, StoryTask& task) {
  archive(task.cell, task.property, task.sighting, task.command, task.at_most, task.as_it_is);
}

struct MadeStory {
  Story story;
  Seconds took{};
  Seconds file{};  // of these, once it was shrunk
};

template <typename Archive>
void fields(Archive& archive, MadeStory& made) {
  archive(made.story, made.took, made.file);
}

// The plans of a cell, which are those of its column for every lock.
class PlansOfCell final : public explore::strategies::Strategy {
 public:
  explicit PlansOfCell(Cell& cell) : cell_(cell) {}
  void draw(const explore::Batch&, std::uint64_t run, scenarios::Scenario& into) override {
    scenarios::Scenario drawn = cell_.drawn(run);
    into.faults = std::move(drawn.faults);
    into.seed = drawn.seed;
    into.ties = drawn.ties;
  }

 private:
  Cell& cell_;
};

// The progress of a cell, beside its results.
struct Course {
  std::uint64_t next = 0;  // the first run that was not submitted
  bool busy = false;       // a process is making its runs
  Seconds spent{};         // on its runs
  std::uint64_t made = 0;  // in that time
};

// The violations in the cells of a lock.
struct Telling {
  std::size_t violations = 0;
  std::size_t untold = 0;  // of these, those whose shortest run has no story
};

class Making {
 public:
  Making(Comparison& comparison, Ledger& ledger, const Limits& limits, const Onlooker& onlooker)
      : comparison_(comparison),
        ledger_(ledger),
        limits_(limits),
        onlooker_(onlooker),
        budget_(limits.length.value_or(Seconds::zero()), limits.jobs),
        start_(Clock::now()),
        cells_(comparison.all_cells()),
        courses_(cells_.size()),
        tellings_(comparison.locks().size()),
        maker_(comparison),
        parts_({.workers = limits.jobs}, Order::as_they_come,
               [this](const PartTask& task, Pulse& pulse) { return maker_.make(task, pulse); }),
        stories_({.workers = limits.jobs}, Order::as_they_come,
                 [this](const StoryTask& task, Pulse& pulse) { return shrink(task, pulse); }) {
    for (std::size_t i = 0; i < cells_.size(); ++i)
      courses_[i].next = comparison_.known(cells_[i]).runs;
    for (std::size_t lock = 0; lock < tellings_.size(); ++lock) count_stories(lock);
  }

  Seconds go() {
    for (;;) {
      if (onlooker_.interrupted()) break;
      submit_parts();
      // Stories are told of all runs, so these come first.
      if (parts_.is_idle() && !std::exchange(listed_, true)) list_stories();
      submit_stories();
      if (parts_.is_idle() && stories_.is_idle() && leads_.empty()) {
        if (!is_early()) break;
        listed_ = false;
        continue;
      }
      wait();
      take_parts();
      take_stories();
      tell();
    }
    tell();
    return passed();
  }

 private:
  Seconds passed() const { return Clock::now() - start_; }
  bool by_time() const { return limits_.length.has_value(); }
  // Runs of a cell. The first part of one that tries every plan tells how many these are.
  std::uint64_t wanted(std::size_t number) const {
    if (cells_[number].every > 0)
      return comparison_.known(cells_[number]).all.value_or(courses_[number].next + kFirstPart);
    return by_time() ? kForEver : *limits_.runs;
  }

  // ---------------------------------------------------------------- in a worker

  MadeStory shrink(const StoryTask& task, Pulse& pulse) {
    const Clock::time_point start = Clock::now();
    Clock::time_point shrunk = start;
    Cell& cell = maker_.cell_of(task.cell);
    const Sighting& sighting = task.sighting;
    explore::SearchOptions options{
        .seed = comparison_.options().seed, .properties = {task.property}, .command = task.command};
    options.shrinking = kShrinking;
    explore::Runs runs(cell.drawn(sighting.run), options, std::make_unique<PlansOfCell>(cell));
    bool given_up = task.as_it_is;
    const auto enough = [&] {
      pulse.beat();
      shrunk = Clock::now();
      const bool late = task.at_most > Seconds::zero() && shrunk - start > task.at_most;
      return given_up = given_up || late || pulse.hurried();
    };
    const explore::Find find =
        explore::Keeper(runs)
            .keep({.run = sighting.run, .violation = sighting.violation}, enough)
            .find;
    return {.story = {.sighting = sighting,
                      .faults = static_cast<std::uint32_t>(find.story.faults.size()),
                      .minimal = find.minimal,
                      .given_up = given_up,
                      .title = find.story.title,
                      .text = find.text,
                      .file = {}},
            .took = Clock::now() - start,
            .file = Clock::now() - shrunk};
  }

  // ---------------------------------------------------------------- in their parent

  void submit_parts() {
    while (!listed_ && parts_.is_hungry()) {
      const std::optional<std::size_t> cell = next_cell();
      if (!cell) return;
      parts_.submit(next_part(*cell));
    }
  }

  bool may_make_runs(std::size_t number) const {
    if (!by_time()) return true;
    if (cells_[number].every > 0) return passed() < kShareOfComplete * *limits_.length;
    // On a slow machine the complete cells can take all the time, and a cell without runs would
    // read like one that nothing breaks. One run is not enough, because its faults may strike
    // nothing.
    return courses_[number].next < kRunsOfATurn ||
           budget_.has_time_for_runs(passed(), untold_, violations_);
  }

  // All is made before the time is over.
  bool is_early() const { return by_time() && budget_.has_time_for_more(passed(), violations_); }

  bool is_late_for_stories() const {
    return by_time() && passed() > budget_.end_of_stories(violations_);
  }

  // Without a time, the cell that has had the least of it, so that slow locks do not keep the
  // others waiting; with a time, the one with the fewest runs.
  std::optional<std::size_t> next_cell() const {
    std::optional<std::size_t> least;
    const auto comes_before = [&](std::size_t a, std::size_t b) {
      const Course& one = courses_[a];
      const Course& other = courses_[b];
      // All plans of one fault come first, then those of two.
      const std::uint32_t first = cells_[a].every;
      const std::uint32_t second = cells_[b].every;
      if (by_time() && first != second) return first > 0 && (second == 0 || first < second);
      return by_time() && first == 0 ? one.next < other.next : one.spent < other.spent;
    };
    for (std::size_t i = 0; i < courses_.size(); ++i) {
      const Course& course = courses_[i];
      if (course.busy || course.next >= wanted(i) || !may_make_runs(i)) continue;
      if (waits_for_other_half(i)) continue;
      if (!least || comes_before(i, *least)) least = i;
    }
    return least;
  }

  // The same cell with fencing, or without it. Both stand beside each other and are made together.
  // After a program that was killed, one of them may be ahead, and waits.
  std::optional<std::size_t> other_half(std::size_t number) const {
    if (cells_[number].every > 0) return std::nullopt;
    return cells_[number].fenced ? number - 1 : number + 1;
  }

  bool waits_for_other_half(std::size_t number) const {
    const auto other = other_half(number);
    if (!other) return false;
    const std::uint64_t next = courses_[number].next;
    if (next != courses_[*other].next) return next > courses_[*other].next;
    return cells_[number].fenced || courses_[*other].busy;
  }

  PartTask next_part(std::size_t number) {
    Course& course = courses_[number];
    Course* const other = other_half(number) ? &courses_[*other_half(number)] : nullptr;
    const std::uint64_t from = course.next;
    const bool both = other != nullptr && other->next == from;
    std::uint64_t size = std::min(size_of_part(number), wanted(number) - from);
    if (other != nullptr && !both) size = std::min(size, other->next - from);
    course.busy = true;
    course.next = from + size;
    if (!both) return {.number = number, .items = {from, course.next}};
    other->busy = true;
    other->next = course.next;
    return {.number = number, .items = {2 * from, 2 * course.next}, .fenced = true};
  }

  std::uint64_t size_of_part(std::size_t number) const {
    const Course& course = courses_[number];
    if (cells_[number].every > 0) return kPartOfEvery;
    const bool turns = by_time();
    if (turns && course.next < kRunsOfATurn) return std::max<std::uint64_t>(course.next, 1);
    if (turns) return kRunsOfATurn - course.next % kRunsOfATurn;
    if (course.made == 0) return kFirstPart;
    const double rate = static_cast<double>(course.made) / std::max(course.spent.count(), 1e-6);
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rate * kPart.count()), 1,
                                     kMostOfPart);
  }

  // Whether its shortest run was shrunk before.
  bool is_told(const Known& known, Property property, const Sighting& sighting) const {
    const auto told = known.stories.find(property);
    return told != known.stories.end() && told->second.sighting == sighting &&
           (by_time() || !told->second.given_up);
  }

  // Violations that are to have a story of their own. Where every plan is tried, only broken
  // promises are: the drawn runs tell the others.
  template <typename Visit>
  void each_violation(const CellName& cell, const Visit& visit) const {
    for (std::size_t p = 0; p < kPropertyCount; ++p) {
      const PropertyCount& count = comparison_.known(cell).measures.properties[p];
      const auto property = static_cast<Property>(p);
      if (!count.smallest || (cell.every > 0 && !count.smallest->broken)) continue;
      if (comparison_.teller(cell, property) == cell) visit(property, count);
    }
  }

  // A violation in one cell can take the story from others of its lock.
  void count_stories(std::size_t lock) {
    Telling& telling = tellings_[lock];
    untold_ -= telling.untold;
    violations_ -= telling.violations;
    telling = {};
    for (const CellName& cell : cells_) {
      if (cell.lock != lock) continue;
      const Known& known = comparison_.known(cell);
      each_violation(cell, [&](Property property, const PropertyCount& count) {
        ++telling.violations;
        if (!is_told(known, property, *count.smallest)) ++telling.untold;
      });
    }
    untold_ += telling.untold;
    violations_ += telling.violations;
  }

  // The shortest first run of every violation; what was shrunk before stays. Broken promises come
  // first, in case that there is no time for all.
  void list_stories() {
    for (const CellName& cell : cells_) {
      const Known& known = comparison_.known(cell);
      each_violation(cell, [&](Property property, const PropertyCount& count) {
        if (is_told(known, property, *count.smallest)) return;
        leads_.push_back({.cell = cell,
                          .property = property,
                          .sighting = *count.smallest,
                          .command = command(comparison_, cell)});
      });
    }
    std::stable_sort(leads_.begin(), leads_.end(), [](const StoryTask& one, const StoryTask& two) {
      return std::pair(!one.sighting.broken, one.cell.fenced) <
             std::pair(!two.sighting.broken, two.cell.fenced);
    });
    to_shrink_ = leads_.size();
  }

  void submit_stories() {
    if (listed_ && is_late_for_stories()) {
      leads_.clear();
      to_shrink_ = 0;
      return;
    }
    for (; !leads_.empty() && stories_.is_hungry(); leads_.pop_front()) {
      StoryTask& task = leads_.front();
      if (by_time()) {
        task.at_most = budget_.share_of_a_story(passed(), leads_.size(), violations_);
      }
      stories_.submit(std::move(task));
    }
  }

  void wait() {
    polled_.clear();
    parts_.watch(polled_);
    stories_.watch(polled_);
    poll(polled_.data(), polled_.size(), kPollMilliseconds);
    parts_.update();
    stories_.update();
    if (listed_ && is_late_for_stories()) stories_.hurry();
  }

  void take_parts() {
    std::set<std::size_t> locks;
    while (const auto done = parts_.next()) {
      const PartTask& task = done->task;
      Course& course = courses_[task.number];
      if (done->last) course.busy = false;
      if (done->last && task.fenced) courses_[task.number + 1].busy = false;
      if (done->result) {
        take_runs(task, *done->result);
      } else {
        if (!done->crash.item)
          throw std::runtime_error("a process that makes runs ended: " + done->crash.how);
        take_crash(task, *done->crash.item, done->crash.how);
      }
      locks.insert(cells_[task.number].lock);
    }
    for (const std::size_t lock : locks) count_stories(lock);
  }

  void take_runs(PartTask task, const MadePart& made) {
    Course& course = courses_[task.number];
    task.items.to = made.end;
    if (made.all) course.next = std::min(course.next, *made.all);
    const explore::Span runs = runs_of(task, false);
    course.spent += made.took;
    course.made += runs.to - runs.from;
    if (cells_[task.number].every == 0) {
      const explore::Span fenced = task.fenced ? runs_of(task, true) : explore::Span{};
      budget_.ran(made.took, runs.to - runs.from + fenced.to - fenced.from);
    }
    add_measures(task.number, runs, made.measures, made.all);
    if (task.fenced) add_measures(task.number + 1, runs_of(task, true), made.fenced, std::nullopt);
  }

  void add_measures(std::size_t number, const explore::Span& runs, const std::string& measures,
                    std::optional<std::uint64_t> all) {
    if (runs.from == runs.to && !all) return;
    Part part;
    part.from = runs.from;
    part.to = runs.to;
    part.measures = measures_from(nlohmann::ordered_json::parse(measures));
    part.all = all;
    add_part(cells_[number], part);
  }

  void take_crash(const PartTask& task, std::uint64_t item, const std::string& how) {
    Part part;
    part.from = task.fenced ? item / 2 : item;
    part.to = part.from + 1;
    part.measures.made = part.measures.crashed = 1;
    part.crash = how;
    add_part(cells_[task.number + (task.fenced ? item % 2 : 0)], part);
  }

  // Parts of a cell come one after the other.
  void add_part(const CellName& cell, const Part& part) {
    Known& known = comparison_.known(cell);
    known.measures.add(part.measures);
    known.runs = part.to;
    if (part.all) known.all = part.all;
    if (!part.crash.empty()) known.crashes[part.from] = part.crash;
    ledger_.write(comparison_.label(cell), part);
  }

  void take_stories() {
    while (auto done = stories_.next()) {
      StoryTask& task = done->task;
      if (done->result) {
        add_story(task, std::move(*done->result));
      } else if (!std::exchange(task.as_it_is, true)) {
        stories_.submit(std::move(task));
        continue;
      }  // otherwise it ends its process however it is made
      if (to_shrink_ > 0) --to_shrink_;
    }
  }

  void add_story(const StoryTask& task, MadeStory&& made) {
    budget_.told(made.took, made.file);
    ledger_.write(comparison_.label(task.cell), task.property, made.story);
    comparison_.known(task.cell).stories[task.property] = std::move(made.story);
    count_stories(task.cell.lock);
  }

  void tell() {
    Progress progress{.to_shrink = to_shrink_, .passed = passed()};
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const Known& known = comparison_.known(cells_[i]);
      progress.runs += std::min(known.runs, wanted(i));
      progress.stories += known.stories.size();
      if (!by_time()) progress.all += wanted(i);
    }
    onlooker_.progress(progress);
  }

  Comparison& comparison_;
  Ledger& ledger_;
  const Limits limits_;
  const Onlooker& onlooker_;
  Budget budget_;
  const Clock::time_point start_;
  const std::vector<CellName> cells_;
  std::vector<Course> courses_;    // of each cell
  std::vector<Telling> tellings_;  // of each lock
  PartMaker maker_;                // in a worker
  Pool<PartTask, MadePart> parts_;
  Pool<StoryTask, MadeStory> stories_;
  bool listed_ = false;          // no further run is begun
  std::deque<StoryTask> leads_;  // to be submitted
  std::size_t to_shrink_ = 0;    // stories, submitted or not
  std::size_t untold_ = 0;       // of all cells
  std::size_t violations_ = 0;   // of all cells
  std::vector<pollfd> polled_;
};

}  // namespace

std::function<bool()> once_passed(Seconds length) {
  return [length, start = Clock::now()] { return Clock::now() - start > length; };
}

Seconds make(Comparison& comparison, Ledger& ledger, const Limits& limits,
             const Onlooker& onlooker) {
  return Making(comparison, ledger, limits, onlooker).go();
}

}  // namespace picklock::compare
