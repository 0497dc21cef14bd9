#include "compare/make.h"

#include <fmt/format.h>
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
#include "explore/servant.h"
#include "scenarios/writer.h"

namespace picklock::compare {
namespace {

using explore::Servant;
using Json = nlohmann::ordered_json;

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

struct Task {
  CellName cell;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::optional<Property> property{};  // to be shrunk, instead of runs
  bool as_it_is = false;               // a shorter story crashed what shrinks it
};

// Makes parts and shrinks stories, in a process of its own.
class Maker {
 public:
  // `give_up`: from when on stories stay as they are.
  Maker(Comparison& comparison, std::function<bool()> give_up)
      : comparison_(comparison), give_up_(std::move(give_up)) {}

  static std::string request(const Comparison& comparison, const Task& task) {
    Json json = {{"cell", {task.cell.lock, task.cell.column, task.cell.fenced}},
                 {"from", task.from},
                 {"to", task.to}};
    if (!task.property) return json.dump();
    const auto index = static_cast<std::size_t>(*task.property);
    json["sighting"] = to_json(*comparison.known(task.cell).measures.properties[index].smallest);
    json["command"] = command(comparison, task.cell);
    json["as_it_is"] = task.as_it_is;
    return json.dump();
  }

  std::string answer(const std::string& request) {
    const Json json = Json::parse(request);
    const Json& cell = json.at("cell");
    take({.lock = cell.at(0), .column = cell.at(1), .fenced = cell.at(2)});
    try {
      return json.contains("sighting") ? shrink(json) : make_runs(json.at("from"), json.at("to"));
    } catch (const explore::NotDeterministic& error) {
      return Json{{"differs", error.what()}}.dump();
    }
  }

 private:
  void take(const CellName& name) {
    if (cell_ && name_ == name) return;
    name_ = name;
    cell_ = comparison_.cell(name);
  }

  std::string make_runs(std::uint64_t from, std::uint64_t to) {
    Measures measures;
    for (std::uint64_t run = from; run < to; ++run) cell_->make(run, measures);
    return to_json(measures).dump();
  }

  std::string shrink(const Json& json) {
    const Sighting sighting = sighting_from(json.at("sighting"));
    explore::SearchOptions options{.seed = comparison_.options().seed,
                                   .properties = {sighting.violation.property},
                                   .command = json.at("command")};
    options.draw = [&](std::uint64_t run, sim::Plan& plan) { plan = cell_->drawn(run).faults; };
    options.shrinking = kShrinking;
    explore::Runs runs(cell_->drawn(sighting.run), options);
    bool given_up = json.at("as_it_is");
    const auto enough = [&] { return given_up = given_up || give_up_(); };
    const explore::Find find =
        explore::Keeper(runs)
            .keep({.run = sighting.run, .violation = sighting.violation}, enough)
            .find;
    return Json{{"faults", find.story.faults.size()},
                {"minimal", find.minimal},
                {"given_up", given_up},
                {"title", find.story.title},
                {"text", find.text}}
        .dump();
  }

  Comparison& comparison_;
  const std::function<bool()> give_up_;
  CellName name_;
  std::unique_ptr<Cell> cell_;
};

// The progress of a cell, beside its results.
struct Course {
  std::uint64_t next = 0;  // the first run that no process is making
  bool busy = false;       // a process is making its runs
  Seconds spent{};         // on its runs
  std::uint64_t made = 0;  // in that time
  std::deque<Task> again;  // parts of one that crashed
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
        running_(std::max(1U, limits.jobs)) {
    for (std::size_t i = 0; i < cells_.size(); ++i)
      courses_[i].next = comparison_.known(cells_[i]).runs;
  }

  Seconds go() {
    for (;;) {
      if (onlooker_.interrupted()) break;
      fill();
      if (std::none_of(running_.begin(), running_.end(), [](const Slot& one) { return one.busy; }))
        break;
      wait();
      for (Slot& slot : running_) {
        if (slot.busy) look_at(slot);
      }
      tell();
    }
    tell();
    return passed();
  }

 private:
  struct Slot {
    std::unique_ptr<Servant> servant;
    bool busy = false;
    Task task;
    std::size_t cell = 0;
    Clock::time_point since{};
  };

  Seconds passed() const { return Clock::now() - start_; }
  bool by_time() const { return limits_.length.has_value(); }
  std::uint64_t wanted() const { return by_time() ? kForEver : *limits_.runs; }

  // ---------------------------------------------------------------- what is next

  void fill() {
    for (Slot& slot : running_) {
      if (slot.busy) continue;
      std::optional<std::size_t> cell = next_cell();
      if (cell) {
        start(slot, *cell, next_part(*cell));
        continue;
      }
      // Stories are told of all runs, so these come first.
      const bool making = std::any_of(running_.begin(), running_.end(), [](const Slot& other) {
        return other.busy && !other.task.property;
      });
      if (making) return;
      if (!listed_) list_stories();
      if (stories_.empty()) return;
      const auto [index, task] = stories_.front();
      stories_.pop_front();
      start(slot, index, task);
    }
  }

  bool may_make_runs() const { return !by_time() || passed() < *limits_.length * kShareOfRuns; }

  // The cell that has had the least of it, so that slow locks do not keep the others waiting.
  std::optional<std::size_t> next_cell() {
    std::optional<std::size_t> least;
    for (std::size_t i = 0; i < courses_.size(); ++i) {
      const Course& course = courses_[i];
      if (course.busy) continue;
      const bool more = course.next < wanted() && !listed_ && may_make_runs();
      if (!more && course.again.empty()) continue;
      if (!least || course.spent < courses_[*least].spent) least = i;
    }
    return least;
  }

  Task next_part(std::size_t index) {
    Course& course = courses_[index];
    course.busy = true;
    if (!course.again.empty()) {
      const Task task = course.again.front();
      course.again.pop_front();
      return task;
    }
    std::uint64_t size = kFirstPart;
    if (course.made > 0) {
      const double rate = static_cast<double>(course.made) / std::max(course.spent.count(), 1e-6);
      size = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rate * kPart.count()), 1,
                                       kMostOfPart);
    }
    const std::uint64_t from = course.next;
    course.next = from + std::min(size, wanted() - from);
    return {.cell = cells_[index], .from = from, .to = course.next};
  }

  // The shortest first run of every violation; what was shrunk before stays.
  void list_stories() {
    listed_ = true;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      Known& known = comparison_.known(cells_[i]);
      for (std::size_t p = 0; p < kPropertyCount; ++p) {
        const PropertyCount& count = known.measures.properties[p];
        if (!count.smallest) continue;
        const auto property = static_cast<Property>(p);
        const auto told = known.stories.find(property);
        const bool stands = told != known.stories.end() &&
                            told->second.sighting == *count.smallest &&
                            (by_time() || !told->second.given_up);
        if (!stands) stories_.push_back({i, Task{.cell = cells_[i], .property = property}});
      }
    }
  }

  void start(Slot& slot, std::size_t cell, const Task& task) {
    if (!slot.servant) {
      slot.servant = std::make_unique<Servant>(
          [maker = std::make_shared<Maker>(comparison_, [this] {
             return by_time() && passed() > *limits_.length;
           })](const std::string& request) { return maker->answer(request); });
    }
    slot.task = task;
    slot.cell = cell;
    slot.since = Clock::now();
    slot.busy = true;
    slot.servant->ask(Maker::request(comparison_, task));
  }

  // ---------------------------------------------------------------- what has come of it

  void look_at(Slot& slot) {
    const bool lives = slot.servant->read();
    if (const auto answer = slot.servant->answer()) {
      slot.busy = false;
      const Json json = Json::parse(*answer);
      if (json.contains("differs"))
        throw explore::NotDeterministic(json.at("differs").get<std::string>());
      if (slot.task.property) {
        add_story(slot.task, json);
      } else {
        Course& course = courses_[slot.cell];
        course.busy = false;
        course.spent += Clock::now() - slot.since;
        course.made += slot.task.to - slot.task.from;
        add_part(slot.cell,
                 {.from = slot.task.from, .to = slot.task.to, .measures = measures_from(json)});
      }
    }
    if (lives) return;
    std::string how = slot.servant->died_of();
    slot.servant.reset();
    if (std::exchange(slot.busy, false)) died(slot, how.empty() ? "exit status 0" : how);
  }

  void died(Slot& slot, const std::string& how) {
    if (!slot.task.property) {
      courses_[slot.cell].busy = false;
      return crashed(slot, how);
    }
    // A simpler story ends the process: this one stays as it is.
    if (std::exchange(slot.task.as_it_is, true)) return;
    stories_.push_front({slot.cell, slot.task});
  }

  // Which of its runs it was is found by halves.
  void crashed(const Slot& slot, const std::string& how) {
    Task left = slot.task;
    if (left.to - left.from == 1) {
      Measures measures;
      measures.made = measures.crashed = 1;
      add_part(slot.cell, {.from = left.from, .to = left.to, .measures = measures, .crash = how});
      return;
    }
    Task right = left;
    left.to = right.from = left.from + (left.to - left.from) / 2;
    std::deque<Task>& again = courses_[slot.cell].again;
    again.push_front(right);
    again.push_front(left);
  }

  // Parts of a cell come one after the other.
  void add_part(std::size_t cell, const Part& part) {
    Known& known = comparison_.known(cells_[cell]);
    known.measures.add(part.measures);
    known.runs = part.to;
    if (!part.crash.empty()) known.crashes[part.from] = part.crash;
    ledger_.write(comparison_.label(cells_[cell]), part);
  }

  void add_story(const Task& task, const Json& json) {
    Known& known = comparison_.known(task.cell);
    const auto index = static_cast<std::size_t>(*task.property);
    Story story{.sighting = *known.measures.properties[index].smallest,
                .faults = json.at("faults"),
                .minimal = json.at("minimal"),
                .given_up = json.at("given_up"),
                .title = json.at("title"),
                .text = json.at("text"),
                .file = {}};
    ledger_.write(comparison_.label(task.cell), *task.property, story);
    known.stories[*task.property] = std::move(story);
  }

  void wait() {
    polled_.clear();
    for (const Slot& slot : running_) {
      if (slot.busy)
        polled_.push_back({.fd = slot.servant->descriptor(), .events = POLLIN, .revents = 0});
    }
    poll(polled_.data(), polled_.size(), kPollMilliseconds);
  }

  void tell() {
    Progress progress{.passed = passed()};
    for (const CellName& cell : cells_) {
      const Known& known = comparison_.known(cell);
      progress.runs += std::min(known.runs, wanted());
      progress.stories += known.stories.size();
    }
    if (!by_time()) progress.all = *limits_.runs * cells_.size();
    if (listed_) {
      progress.to_shrink = stories_.size();
      for (const Slot& slot : running_) progress.to_shrink += slot.busy ? 1U : 0U;
    }
    onlooker_.progress(progress);
  }

  Comparison& comparison_;
  Ledger& ledger_;
  const Limits limits_;
  const Onlooker& onlooker_;
  const Clock::time_point start_;
  const std::vector<CellName> cells_;
  std::vector<Course> courses_;  // of each cell
  std::vector<Slot> running_;
  bool listed_ = false;                               // no further run is begun
  std::deque<std::pair<std::size_t, Task>> stories_;  // to be shrunk: the cell's number, and what
  std::vector<pollfd> polled_;
};

}  // namespace

Seconds make(Comparison& comparison, Ledger& ledger, const Limits& limits,
             const Onlooker& onlooker) {
  return Making(comparison, ledger, limits, onlooker).go();
}

}  // namespace picklock::compare
