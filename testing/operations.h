// Operations for the tests of the linearizability checker: written by hand, drawn, or made by a
// lock that is correct; and the definition of linearizability as plainly as possible. Test-only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "properties/linearizable/checker.h"
#include "sim/random.h"

namespace picklock::properties::linearizable {

// Operations written by hand, with the times of their invocations and answers.
template <class Specification>
class Script {
 public:
  using Action = typename Specification::Action;

  explicit Script(Specification specification = {}) : specification_(specification) {}

  Script& does(std::int64_t invoked, std::int64_t answered, Action action,
               std::uint32_t object = 0) {
    operations_.push_back({{invoked, answered}, object, action});
    return *this;
  }
  Script& leaves_open(std::int64_t invoked, Action action, std::uint32_t object = 0) {
    return does(invoked, kPending, action, object);
  }

  Answer answer(const Limits& limits = {}) const {
    return check(specification_, operations_, limits);
  }
  bool is_linearizable() const { return answer().opinion == Opinion::linearizable; }

 private:
  Specification specification_;
  Operations<Specification> operations_;
};

// Whether the object answers so if the operations take effect in this order.
template <class Specification>
bool is_legal(const Specification& specification, const Operations<Specification>& operations,
              const std::vector<std::uint32_t>& order) {
  std::optional<typename Specification::State> state = specification.initial();
  for (const std::uint32_t i : order) {
    state = specification.apply(*state, operations[i].action);
    if (!state) return false;
  }
  return true;
}

// Whether no operation takes effect before one that was answered before its invocation.
template <class Specification>
bool keeps_time(const Operations<Specification>& operations,
                const std::vector<std::uint32_t>& order) {
  std::int64_t latest = INT64_MIN;  // invocation so far
  for (const std::uint32_t i : order) {
    if (operations[i].interval.answered < latest) return false;
    latest = std::max(latest, operations[i].interval.invoked);
  }
  return true;
}

// Whether the order proves that the operations of one object are linearizable.
template <class Specification>
bool proves(const Specification& specification, const Operations<Specification>& operations,
            const std::vector<std::uint32_t>& order) {
  const std::set<std::uint32_t> in_order(order.begin(), order.end());
  if (in_order.size() != order.size()) return false;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    if (operations[i].interval.answered != kPending && !in_order.contains(i)) return false;
  }
  return is_legal(specification, operations, order) && keeps_time<Specification>(operations, order);
}

// The definition: some order of all answered operations and some of the pending ones is a proof.
template <class Specification>
bool some_order_proves(const Specification& specification,
                       const Operations<Specification>& operations) {
  const auto count = static_cast<std::uint32_t>(operations.size());
  for (std::uint32_t chosen = 0; chosen < 1U << count; ++chosen) {
    std::vector<std::uint32_t> order;
    bool all_answered = true;
    for (std::uint32_t i = 0; i < count; ++i) {
      if ((chosen >> i & 1U) != 0) {
        order.push_back(i);
      } else if (operations[i].interval.answered != kPending) {
        all_answered = false;
      }
    }
    if (!all_answered) continue;
    do {
      if (proves(specification, operations, order)) return true;
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return false;
}

// Clients that acquire a correct lock, hold it for a while and release it, all of them at all
// times: while one holds it the others wait. `lost_in`: one release in so many is never answered;
// 0: none.
inline Operations<Mutex> contended(std::uint32_t count, std::uint32_t clients, std::uint64_t seed,
                                   std::uint32_t lost_in = 0) {
  sim::Random random(seed, 1);
  const auto some = [&random] { return static_cast<std::int64_t>(1 + random.below(1000)); };
  std::vector<std::int64_t> invoked(clients);
  for (std::int64_t& one : invoked) one = some();
  Operations<Mutex> all;
  std::int64_t free = 0;  // since when
  while (all.size() + 2 <= count) {
    auto client = static_cast<std::uint32_t>(random.below(clients));
    for (std::uint32_t other = 0; invoked[client] > free && other < clients; ++other) {
      if (invoked[other] < invoked[client]) client = other;
    }
    const std::int64_t acquired = std::max(free, invoked[client]) + some();
    const std::int64_t releases = acquired + some();
    free = releases + some();
    const std::int64_t released = free + some();
    const bool lost = lost_in != 0 && random.below(lost_in) == 0;
    const Owner owner = client + 1;
    all.push_back({{invoked[client], acquired}, 0, {Mutex::Verb::acquire, owner}});
    all.push_back({{releases, lost ? kPending : released}, 0, {Mutex::Verb::release, owner}});
    invoked[client] = released + some();
  }
  return all;
}

}  // namespace picklock::properties::linearizable
