// The pool of worker processes: tasks in, results out.
//
//   Pool<Span, Block> pool({.workers = 4}, Order::as_submitted,
//                          [&](const Span& runs, Pulse& pulse) { ... });
//   for (; !pool.is_idle(); poll(...), pool.update()) {
//     while (pool.is_hungry() && ...) pool.submit(...);
//     while (const auto done = pool.next()) ...
//   }
//
// - Results come in the order in which their tasks were submitted, or as they come.
// - A worker keeps its memory from one task to the next. The result of a task may not depend on it.
// - If a task crashes its process or throws, it is reported with the way it ended, and another
//   process continues. If the task covers a span of items, only the item in progress is reported.
//   The items before and after it run again as tasks of their own.
// - A worker that gives no sign of life for some time is killed, which counts as its crash. A
//   worker that needs too much memory gets std::bad_alloc.
// - SIGINT and SIGTERM do not reach workers. They end with the pool, and with their parent, however
//   it ends.
#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explore/not_deterministic.h"
#include "explore/span.h"
#include "explore/workers/crew.h"
#include "explore/workers/wire.h"

namespace picklock::explore::workers {

inline Span& span_of(Span& span) { return span; }

// A task that can be done in parts has a function `span_of` beside it.
template <typename Task>
concept Divisible = requires(Task& task) {
  { span_of(task) } -> std::same_as<Span&>;
};

enum class Order : std::uint8_t { as_submitted, as_they_come };

struct Crash {
  std::string how;                    // "SIGSEGV", "exit status 1", or what was thrown
  std::optional<std::uint64_t> item;  // that was under way; nullopt: none, or the task has none
};

// Tasks and results can be sent (explore/workers/wire.h).
template <typename Task, typename Result>
class Pool {
 public:
  using Work = std::function<Result(const Task& task, Pulse& pulse)>;

  // A task that ended. If a task crashed, its parts follow one another.
  struct Done {
    Task task;
    std::optional<Result> result;  // nullopt: it crashed
    Crash crash{};
    bool last = true;  // no further part of what was submitted follows
  };

  // Workers are forked when there are tasks for them, and see the memory of that moment.
  Pool(const Options& options, Order order, const Work& work)
      : order_(order), crew_(options, [work](std::string_view task, Pulse& pulse) {
          return to_wire(work(from_wire<Task>(task), pulse));
        }) {}

  void submit(Task task) {
    submitted_.push_back({Part{.task = std::move(task)}});
    waiting_.push_back({std::prev(submitted_.end()), submitted_.back().begin()});
    give();
  }

  // Whether a worker would take a further task at once.
  bool is_hungry() const { return waiting_.empty() && crew_.has_room(); }
  // Whether everything that was submitted has been returned.
  bool is_idle() const { return submitted_.empty(); }

  // The next task that has ended; nullopt: none has yet. Throws NotDeterministic if the task did.
  std::optional<Done> next() {
    for (auto parts = submitted_.begin(); parts != submitted_.end(); ++parts) {
      if (parts->front().ended) return take(parts);
      if (order_ == Order::as_submitted) break;
    }
    return std::nullopt;
  }

  // Adds the descriptors to poll before update().
  void watch(std::vector<pollfd>& all) const { crew_.watch(all); }
  void update() {
    for (Crew::Ended& one : crew_.update()) end(std::move(one));
    give();
  }

  // Tells all tasks, now and later, to return as soon as they can with the results so far.
  void hurry() { crew_.hurry(); }
  // Items that workers began.
  std::uint64_t begun() const { return crew_.begun(); }

 private:
  struct Part {
    Task task;
    bool ended = false;
    std::optional<Result> result{};
    Crash crash{};
    std::string differs{};
  };
  using Parts = std::list<Part>;
  struct Place {
    typename std::list<Parts>::iterator parts;
    typename Parts::iterator part;
  };

  void give() {
    for (; !waiting_.empty() && crew_.has_room(); waiting_.pop_front()) {
      given_.emplace(next_number_, waiting_.front());
      crew_.give(next_number_++, to_wire(waiting_.front().part->task));
    }
  }

  void end(Crew::Ended&& one) {
    const auto given = given_.find(one.task);
    const Place place = given->second;
    given_.erase(given);
    place.part->ended = true;
    switch (one.how) {
      case Crew::Ended::How::result:
        place.part->result = from_wire<Result>(one.bytes);
        break;
      case Crew::Ended::How::differs:
        place.part->differs = std::move(one.bytes);
        break;
      case Crew::Ended::How::crash:
        place.part->crash = {.how = std::move(one.bytes), .item = one.item};
        if constexpr (Divisible<Task>) {
          if (one.item) divide(place, *one.item);
        }
        break;
    }
  }

  // The rest of the task comes before all other tasks.
  void divide(const Place& place, std::uint64_t item) {
    const Span whole = span_of(place.part->task);
    const auto insert = [&](typename Parts::iterator before, const Span& span) {
      Part part{.task = place.part->task};
      span_of(part.task) = span;
      return Place{place.parts, place.parts->insert(before, std::move(part))};
    };
    if (item + 1 < whole.to)
      waiting_.push_front(insert(std::next(place.part), {item + 1, whole.to}));
    if (whole.from < item) waiting_.push_front(insert(place.part, {whole.from, item}));
    span_of(place.part->task) = {item, item + 1};
  }

  Done take(typename std::list<Parts>::iterator parts) {
    Part part = std::move(parts->front());
    if (!part.differs.empty()) throw NotDeterministic(part.differs);
    parts->pop_front();
    const bool last = parts->empty();
    if (last) submitted_.erase(parts);
    return {.task = std::move(part.task),
            .result = std::move(part.result),
            .crash = std::move(part.crash),
            .last = last};
  }

  const Order order_;
  std::list<Parts> submitted_;  // and not returned
  std::deque<Place> waiting_;   // for a worker
  std::map<std::uint64_t, Place> given_;
  std::uint64_t next_number_ = 0;
  Crew crew_;
};

}  // namespace picklock::explore::workers
