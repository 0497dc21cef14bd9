#include "compare/make.h"

#include <poll.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "explore/keeper.h"
#include "explore/strategies/strategy.h"
#include "explore/workers/pool.h"

namespace picklock::compare {
namespace {

using explore::workers::Order;
using explore::workers::Pool;
using explore::workers::Pulse;
using explore::workers::Span;

// Decides how far a comparison goes, never what a run does.
using Clock = std::chrono::steady_clock;

// Long enough to be worth a line of the ledger, and not to keep a user waiting.
constexpr Seconds kPart{0.2};
constexpr std::uint64_t kFirstPart = 16;
constexpr std::uint64_t kMostOfPart = 4096;
// The share of a given time that runs may use; the rest is for shrinking.
constexpr double kShareOfRuns = 0.7;
// Some tenths of a second: stories are many, and most end long before.
constexpr explore::Shrinker::Limits kShrinking{.runs = 1'000, .events = 1'000'000};
constexpr int kPollMilliseconds = 100;
constexpr std::uint64_t kForEver = UINT64_MAX;

// Consecutive runs of a cell.
struct PartTask {
  std::size_t number = 0;  // of the cell
  Span runs;
};
Span& span_of(PartTask& task) { return task.runs; }

struct MadePart {
  std::string measures;  // as JSON
  Seconds took{};
};

template <typename Archive>
void fields(Archive& archive, MadePart& made) {
  archive(made.measures, made.took);
}

// The shortest run of a violation, to be shrunk.
struct StoryTask {
  CellName cell;
  Property property{};
  bool as_it_is = false;  // shrinking it crashed
};

// The plans of a cell, which are those of its column for every lock.
class PlansOfCell final : public explore::strategies::Strategy {
 public:
  explicit PlansOfCell(Cell& cell) : cell_(cell) {}
  void draw(std::uint64_t run, sim::Plan& plan) override { plan = cell_.drawn(run).faults; }

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

class Making {
 public:
  Making(Comparison& comparison, Ledger& ledger, const Limits& limits, const Onlooker& onlooker)
      : comparison_(comparison),
        ledger_(ledger),
        limits_(limits),
        onlooker_(onlooker),
        start_(Clock::now()),
        cells_(comparison.cells()),
        courses_(cells_.size()),
        parts_({.workers = limits.jobs}, Order::as_they_come,
               [this](const PartTask& task, Pulse& pulse) { return make_part(task, pulse); }),
        stories_({.workers = limits.jobs}, Order::as_they_come,
                 [this](const StoryTask& task, Pulse& pulse) { return shrink(task, pulse); }) {
    for (std::size_t i = 0; i < cells_.size(); ++i)
      courses_[i].next = comparison_.known(cells_[i]).runs;
  }

  Seconds go() {
    for (;;) {
      if (onlooker_.interrupted()) break;
      submit_parts();
      // Stories are told of all runs, so these come first.
      if (parts_.is_idle() && !std::exchange(listed_, true)) list_stories();
      if (parts_.is_idle() && stories_.is_idle()) break;
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
  std::uint64_t wanted() const { return by_time() ? kForEver : *limits_.runs; }

  // ---------------------------------------------------------------- in a worker

  MadePart make_part(const PartTask& task, Pulse& pulse) {
    const Clock::time_point start = Clock::now();
    Cell& cell = cell_of(cells_[task.number]);
    Measures measures;
    for (std::uint64_t run = task.runs.from; run < task.runs.to; ++run) {
      pulse.begin(run);
      cell.make(run, measures);
    }
    return {.measures = to_json(measures).dump(), .took = Clock::now() - start};
  }

  Story shrink(const StoryTask& task, Pulse& pulse) {
    Cell& cell = cell_of(task.cell);
    const Sighting sighting = sighting_of(task);
    explore::SearchOptions options{.seed = comparison_.options().seed,
                                   .properties = {task.property},
                                   .command = command(comparison_, task.cell)};
    options.shrinking = kShrinking;
    explore::Runs runs(cell.drawn(sighting.run), options, std::make_unique<PlansOfCell>(cell));
    bool given_up = task.as_it_is;
    const auto enough = [&] {
      pulse.beat();
      return given_up = given_up || pulse.hurried();
    };
    const explore::Find find =
        explore::Keeper(runs)
            .keep({.run = sighting.run, .violation = sighting.violation}, enough)
            .find;
    return {.sighting = sighting,
            .faults = static_cast<std::uint32_t>(find.story.faults.size()),
            .minimal = find.minimal,
            .given_up = given_up,
            .title = find.story.title,
            .text = find.text,
            .file = {}};
  }

  Cell& cell_of(const CellName& name) {
    if (!cell_ || cell_name_ != name) cell_ = comparison_.cell(name);
    cell_name_ = name;
    return *cell_;
  }

  const Sighting& sighting_of(const StoryTask& task) const {
    const Measures& measures = comparison_.known(task.cell).measures;
    return *measures.properties[static_cast<std::size_t>(task.property)].smallest;
  }

  // ---------------------------------------------------------------- in their parent

  void submit_parts() {
    while (!listed_ && parts_.is_hungry()) {
      const std::optional<std::size_t> cell = next_cell();
      if (!cell) return;
      parts_.submit(next_part(*cell));
    }
  }

  bool may_make_runs() const { return !by_time() || passed() < *limits_.length * kShareOfRuns; }

  // The cell that has had the least of it, so that slow locks do not keep the others waiting.
  std::optional<std::size_t> next_cell() const {
    std::optional<std::size_t> least;
    for (std::size_t i = 0; i < courses_.size(); ++i) {
      const Course& course = courses_[i];
      if (course.busy || course.next >= wanted() || !may_make_runs()) continue;
      if (!least || course.spent < courses_[*least].spent) least = i;
    }
    return least;
  }

  PartTask next_part(std::size_t number) {
    Course& course = courses_[number];
    course.busy = true;
    std::uint64_t size = kFirstPart;
    if (course.made > 0) {
      const double rate = static_cast<double>(course.made) / std::max(course.spent.count(), 1e-6);
      size = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rate * kPart.count()), 1,
                                       kMostOfPart);
    }
    const std::uint64_t from = course.next;
    course.next = from + std::min(size, wanted() - from);
    return {.number = number, .runs = {from, course.next}};
  }

  // The shortest first run of every violation; what was shrunk before stays.
  void list_stories() {
    for (const CellName& cell : cells_) {
      const Known& known = comparison_.known(cell);
      for (std::size_t p = 0; p < kPropertyCount; ++p) {
        const PropertyCount& count = known.measures.properties[p];
        if (!count.smallest) continue;
        const auto property = static_cast<Property>(p);
        const auto told = known.stories.find(property);
        const bool stands = told != known.stories.end() &&
                            told->second.sighting == *count.smallest &&
                            (by_time() || !told->second.given_up);
        if (stands) continue;
        stories_.submit({.cell = cell, .property = property});
        ++to_shrink_;
      }
    }
  }

  void wait() {
    polled_.clear();
    parts_.watch(polled_);
    stories_.watch(polled_);
    poll(polled_.data(), polled_.size(), kPollMilliseconds);
    parts_.update();
    stories_.update();
    if (by_time() && passed() > *limits_.length) stories_.hurry();
  }

  void take_parts() {
    while (const auto done = parts_.next()) {
      const PartTask& task = done->task;
      Course& course = courses_[task.number];
      if (done->last) course.busy = false;
      Part part{.from = task.runs.from, .to = task.runs.to, .measures = {}};
      if (done->result) {
        course.spent += done->result->took;
        course.made += part.to - part.from;
        part.measures = measures_from(nlohmann::ordered_json::parse(done->result->measures));
      } else {
        if (!done->crash.item)
          throw std::runtime_error("a process that makes runs ended: " + done->crash.how);
        part.measures.made = part.measures.crashed = 1;
        part.crash = done->crash.how;
      }
      add_part(cells_[task.number], part);
    }
  }

  // Parts of a cell come one after the other.
  void add_part(const CellName& cell, const Part& part) {
    Known& known = comparison_.known(cell);
    known.measures.add(part.measures);
    known.runs = part.to;
    if (!part.crash.empty()) known.crashes[part.from] = part.crash;
    ledger_.write(comparison_.label(cell), part);
  }

  void take_stories() {
    while (auto done = stories_.next()) {
      StoryTask& task = done->task;
      if (done->result) {
        --to_shrink_;
        ledger_.write(comparison_.label(task.cell), task.property, *done->result);
        comparison_.known(task.cell).stories[task.property] = std::move(*done->result);
      } else if (!std::exchange(task.as_it_is, true)) {
        stories_.submit(task);
      } else {
        --to_shrink_;  // it ends its process however it is made
      }
    }
  }

  void tell() {
    Progress progress{.to_shrink = to_shrink_, .passed = passed()};
    for (const CellName& cell : cells_) {
      const Known& known = comparison_.known(cell);
      progress.runs += std::min(known.runs, wanted());
      progress.stories += known.stories.size();
    }
    if (!by_time()) progress.all = *limits_.runs * cells_.size();
    onlooker_.progress(progress);
  }

  Comparison& comparison_;
  Ledger& ledger_;
  const Limits limits_;
  const Onlooker& onlooker_;
  const Clock::time_point start_;
  const std::vector<CellName> cells_;
  std::vector<Course> courses_;  // of each cell
  Pool<PartTask, MadePart> parts_;
  Pool<StoryTask, Story> stories_;  // its workers are forked when all runs are known
  bool listed_ = false;             // no further run is begun
  std::size_t to_shrink_ = 0;       // stories
  std::vector<pollfd> polled_;

  // In a worker: the cell of its latest task.
  CellName cell_name_;
  std::unique_ptr<Cell> cell_;
};

}  // namespace

Seconds make(Comparison& comparison, Ledger& ledger, const Limits& limits,
             const Onlooker& onlooker) {
  return Making(comparison, ledger, limits, onlooker).go();
}

}  // namespace picklock::compare
