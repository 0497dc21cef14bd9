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

// The operations that one client repeats.
template <class Specification>
using Program = std::vector<typename Specification::Action>;

// Clients that use a correct object all the time, so that most of them wait for it while few have
// it. `lost_in`: one answer in so many to the last action of a program never comes; 0: none.
template <class Specification>
Operations<Specification> correct_run(const Specification& specification, std::uint32_t count,
                                      const std::vector<Program<Specification>>& programs,
                                      std::uint32_t lost_in = 0) {
  struct Client {
    std::int64_t invoked = 0;
    std::size_t next = 0;
  };
  sim::Random random(1, 1);
  const auto some = [&random](std::uint64_t most) {
    return static_cast<std::int64_t>(1 + random.below(most));
  };
  std::vector<Client> clients(programs.size());
  for (Client& client : clients) client.invoked = some(100);
  typename Specification::State state = specification.initial();
  Operations<Specification> all;
  for (std::int64_t now = 0; all.size() < count; now += some(100)) {
    // The first from a random one on whose action is possible; time passes if there is none.
    const std::uint64_t first = random.below(clients.size());
    for (std::uint64_t i = 0; i < clients.size(); ++i) {
      const std::uint64_t number = (first + i) % clients.size();
      Client& client = clients[number];
      if (client.invoked > now) continue;
      const Program<Specification>& program = programs[number];
      const auto after = specification.apply(state, program[client.next]);
      if (!after) continue;
      state = *after;
      const std::int64_t answered = now + some(500);
      const bool last = client.next + 1 == program.size();
      const bool lost = last && lost_in != 0 && random.below(lost_in) == 0;
      all.push_back({{client.invoked, lost ? kPending : answered}, 0, program[client.next]});
      client = {.invoked = answered + some(500), .next = last ? 0 : client.next + 1};
      break;
    }
  }
  return all;
}

}  // namespace picklock::properties::linearizable
