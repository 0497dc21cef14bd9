// The search of the checker, for any specification.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "properties/linearizable/checker.h"
#include "properties/linearizable/entries.h"

namespace picklock::properties::linearizable {

// Which operations have taken effect, as exactly as if each was listed (Entries::lane).
struct LiftedSet {
  std::vector<std::uint64_t> lanes;
  std::uint64_t hash = 0;

  explicit LiftedSet(std::uint32_t lane_count) : lanes((std::size_t{lane_count} + 63) / 64) {}

  void toggle(std::uint32_t operation, std::uint32_t lane) {
    lanes[lane / 64] ^= std::uint64_t{1} << lane % 64;
    hash ^= mixed(std::uint64_t{operation} + 0x9e3779b97f4a7c15ull);
  }
};

// The configurations from which no order leads to the end. A hash alone could take one for another
// and call a good history bad, so everything is compared.
template <class Specification>
class DeadEnds {
 public:
  using State = typename Specification::State;

  explicit DeadEnds(std::size_t words) : words_(words) {}

  std::size_t size() const { return states_.size(); }

  bool contains(std::uint32_t due, const LiftedSet& lifted, const State& state) const {
    return !table_.empty() && table_[place(due, lifted, state)] != 0;
  }

  void insert(std::uint32_t due, const LiftedSet& lifted, const State& state) {
    if (2 * (size() + 1) > table_.size()) grow();
    std::uint32_t& number = table_[place(due, lifted, state)];
    if (number != 0) return;
    dues_.push_back(due);
    hashes_.push_back(hash(lifted, state));
    lanes_.insert(lanes_.end(), lifted.lanes.begin(), lifted.lanes.end());
    states_.push_back(state);
    number = static_cast<std::uint32_t>(size());
  }

 private:
  static std::uint64_t hash(const LiftedSet& lifted, const State& state) {
    return mixed(lifted.hash ^ Specification::hash(state));
  }

  // Where it is in the table, or would be.
  std::size_t place(std::uint32_t due, const LiftedSet& lifted, const State& state) const {
    const std::uint64_t wanted = hash(lifted, state);
    const std::size_t mask = table_.size() - 1;
    std::size_t at = wanted & mask;
    while (table_[at] != 0) {
      const std::size_t one = table_[at] - 1;
      if (hashes_[one] == wanted && dues_[one] == due && states_[one] == state &&
          std::equal(lifted.lanes.begin(), lifted.lanes.end(),
                     lanes_.begin() + static_cast<std::ptrdiff_t>(one * words_))) {
        break;
      }
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    table_.assign(std::max<std::size_t>(64, 2 * table_.size()), 0);
    const std::size_t mask = table_.size() - 1;
    for (std::uint32_t number = 1; number <= size(); ++number) {
      std::size_t at = hashes_[number - 1] & mask;
      while (table_[at] != 0) at = (at + 1) & mask;
      table_[at] = number;
    }
  }

  std::size_t words_;
  std::vector<std::uint32_t> table_;  // numbers from 1; 0: free
  std::vector<std::uint32_t> dues_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint64_t> lanes_;
  std::vector<State> states_;
};

// The operations of one object.
template <class Specification>
class Search {
 public:
  using State = typename Specification::State;
  using Action = typename Specification::Action;

  // `chosen` are the positions of the object's operations.
  Search(const Specification& specification, std::span<const Operation<Action>> operations,
         std::span<const std::uint32_t> chosen)
      : specification_(specification),
        chosen_(chosen),
        entries_(intervals(operations, chosen)),
        lifted_(entries_.lanes()),
        dead_ends_(lifted_.lanes.size()) {
    is_lifted_.resize(chosen.size());
    actions_.reserve(chosen.size());
    for (const std::uint32_t i : chosen) actions_.push_back(operations[i].action);
  }

  // Adds what it finds to the answer.
  void run(const Limits& limits, Answer& answer) {
    State state = specification_.initial();
    Point point{.due = entries_.due()};
    std::uint32_t furthest = 0;
    while (point.due != kNoOperation) {
      if (const std::uint32_t late = entries_.deadline(point.due); late > furthest) {
        furthest = late;
        answer.stuck = chosen_[point.due];
      }
      std::uint32_t next = kNoOperation;
      std::optional<State> after = try_next(point, state, next);
      answer.steps += std::exchange(steps_, 0);
      if (answer.steps > limits.steps) return give_up(answer);
      if (!after) {
        if (!leave(limits, answer, point, state)) return;
        continue;
      }
      lift(next);
      const std::uint32_t due = next == point.due ? entries_.due() : point.due;
      if (due != kNoOperation && dead_ends_.contains(due, lifted_, *after)) {
        put_back(next);
        point.branched = true;
        continue;
      }
      if (next != point.due) point.tried = entries_.deadline(next);
      path_.push_back({next, point, std::exchange(state, std::move(*after))});
      point = {.due = due};
    }
    for (const Taken& taken : path_) answer.order.push_back(chosen_[taken.operation]);
  }

 private:
  // A configuration on the path, and how far its candidates have been tried.
  struct Point {
    std::uint32_t due = kNoOperation;
    std::uint32_t cursor = 0;  // in list number `list`
    std::uint64_t list = 0;    // 0: none yet
    std::uint32_t tried = 0;   // the deadline of the candidate that was taken last
    bool started = false;
    bool branched = false;  // some candidate was possible
  };
  struct Taken {
    std::uint32_t operation = 0;
    Point point;
    State before;
  };

  static std::vector<Interval> intervals(std::span<const Operation<Action>> operations,
                                         std::span<const std::uint32_t> chosen) {
    std::vector<Interval> all;
    all.reserve(chosen.size());
    for (const std::uint32_t i : chosen) all.push_back(operations[i].interval);
    return all;
  }

  // The next possible operation, and the state after it. The operation that is due comes first, and
  // then the others by their deadlines, so that no operation takes effect earlier than it must. By
  // order of invocation the operations that wait longest would come first, which are those that
  // took effect last.
  std::optional<State> try_next(Point& point, const State& state, std::uint32_t& next) {
    if (!point.started) {
      point.started = true;
      next = point.due;
      ++steps_;
      if (std::optional<State> after = specification_.apply(state, actions_[next])) return after;
    }
    if (point.list != list_) find_place(point);
    for (std::uint32_t i = point.cursor; i < candidates_.size(); ++i) {
      next = candidates_[i];
      if (is_lifted_[next] != 0) continue;
      ++steps_;
      if (std::optional<State> after = specification_.apply(state, actions_[next])) {
        point.cursor = i + 1;
        return after;
      }
    }
    point.cursor = static_cast<std::uint32_t>(candidates_.size());
    return std::nullopt;
  }

  // Another list was made since the last candidate was tried.
  void find_place(Point& point) {
    if (list_due_ != point.due) list_candidates(point.due);
    point.list = list_;
    const auto later = std::upper_bound(candidates_.begin(), candidates_.end(), point.tried,
                                        [this](std::uint32_t tried, std::uint32_t operation) {
                                          return tried < entries_.deadline(operation);
                                        });
    point.cursor = static_cast<std::uint32_t>(later - candidates_.begin());
  }

  // The operations that may take effect before the one that is due. The list serves this
  // configuration and those that the path reaches from it while that operation is due.
  void list_candidates(std::uint32_t due) {
    candidates_.clear();
    for (std::uint32_t entry = entries_.first(); entries_.is_invocation(entry);
         entry = entries_.next(entry)) {
      if (entries_.operation(entry) != due) candidates_.push_back(entries_.operation(entry));
    }
    std::sort(candidates_.begin(), candidates_.end(), [this](std::uint32_t a, std::uint32_t b) {
      return entries_.deadline(a) < entries_.deadline(b);
    });
    ++list_;
    list_due_ = due;
    list_depth_ = path_.size();
  }

  // Goes back from a configuration whose candidates have all failed; false: the search is over. A
  // configuration without any possible action costs as little to try again as to look up, and
  // there are many of them where clients wait, so it is not remembered.
  bool leave(const Limits& limits, Answer& answer, Point& point, State& state) {
    if (point.branched) {
      weight_ += 1 + lifted_.lanes.size() / 8;
      if constexpr (requires { Specification::weight(state); })
        weight_ += Specification::weight(state);
      if (weight_ > limits.configurations) {
        give_up(answer);
        return false;
      }
      ++answer.configurations;
      dead_ends_.insert(point.due, lifted_, state);
    }
    if (path_.empty()) {
      answer.opinion = Opinion::not_linearizable;
      return false;
    }
    Taken& taken = path_.back();
    put_back(taken.operation);
    point = taken.point;
    point.branched = true;
    state = std::move(taken.before);
    path_.pop_back();
    if (path_.size() < list_depth_) list_due_ = kNoOperation;  // it lacks what is put back
    return true;
  }

  static void give_up(Answer& answer) { answer.opinion = Opinion::unknown; }

  void lift(std::uint32_t operation) {
    entries_.lift(operation);
    is_lifted_[operation] = 1;
    lifted_.toggle(operation, entries_.lane(operation));
  }
  void put_back(std::uint32_t operation) {
    entries_.put_back(operation);
    is_lifted_[operation] = 0;
    lifted_.toggle(operation, entries_.lane(operation));
  }

  const Specification& specification_;
  std::span<const std::uint32_t> chosen_;
  std::vector<Action> actions_;
  std::vector<std::uint8_t> is_lifted_;
  Entries entries_;
  LiftedSet lifted_;
  DeadEnds<Specification> dead_ends_;
  std::vector<Taken> path_;
  std::uint64_t steps_ = 0;
  std::uint64_t weight_ = 0;               // of what is remembered
  std::vector<std::uint32_t> candidates_;  // by deadline
  std::uint64_t list_ = 1;                 // its number
  std::uint32_t list_due_ = kNoOperation;
  std::size_t list_depth_ = 0;  // of the path where it was made
};

template <class Specification>
Answer check(const Specification& specification,
             std::span<const Operation<typename Specification::Action>> operations,
             const Limits& limits) {
  std::vector<std::uint32_t> by_object(operations.size());
  for (std::uint32_t i = 0; i < by_object.size(); ++i) by_object[i] = i;
  const auto object = [&](std::uint32_t i) { return operations[i].object; };
  std::stable_sort(by_object.begin(), by_object.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return object(a) < object(b); });
  Answer answer;
  bool unknown = false;
  for (auto first = by_object.begin(); first != by_object.end();) {
    const auto last = std::find_if(first, by_object.end(),
                                   [&](std::uint32_t i) { return object(i) != object(*first); });
    Search<Specification>(specification, operations, {first, last}).run(limits, answer);
    if (answer.opinion == Opinion::not_linearizable) break;
    unknown = unknown || answer.opinion == Opinion::unknown;
    answer.opinion = Opinion::linearizable;
    first = last;
  }
  if (answer.opinion == Opinion::linearizable && unknown) answer.opinion = Opinion::unknown;
  if (answer.opinion != Opinion::linearizable) answer.order.clear();
  return answer;
}

}  // namespace picklock::properties::linearizable
