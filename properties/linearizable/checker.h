// Decides whether operations on shared objects are linearizable: whether each object could have
// given the same answers if every operation had taken effect at one instant between its invocation
// and its answer.
//
//   using linearizable::Mutex;
//   check(Mutex{}, {{{.invoked = 0, .answered = 1}, 0, {Mutex::Verb::acquire, 7}}}).opinion
//
// The algorithm is the search of Wing and Gong (1993) with the memory of configurations and the
// just-in-time order of Lowe (Testing for linearizability, 2017). It uses no recursion.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "properties/linearizable/operations.h"
#include "properties/linearizable/specifications.h"

namespace picklock::properties::linearizable {

enum class Opinion : std::uint8_t { linearizable, not_linearizable, unknown };

// A search that reaches a limit ends with `unknown`.
struct Limits {
  // How many are remembered for an object. One counts more if its state is large or if more than
  // 512 operations are open at once. The default needs less than 100 MB.
  std::uint64_t configurations = 1U << 19U;
  std::uint64_t steps = 1U << 30U;
};

struct Answer {
  Opinion opinion = Opinion::linearizable;
  std::uint64_t steps = 0;           // actions that were tried
  std::uint64_t configurations = 0;  // dead ends that were remembered, for all objects
  // An order in which the operations can have taken effect, object after object. Pending operations
  // that need not have taken effect are left out. Empty unless linearizable.
  std::vector<std::uint32_t> order{};
  // The first operation that has no effect by its answer in any order that was tried;
  // meaningful only if not linearizable.
  std::uint32_t stuck = 0;
};

template <class Specification>
using Operations = std::vector<Operation<typename Specification::Action>>;

// Checks object after object and stops at the first that is not linearizable.
template <class Specification>
Answer check(const Specification& specification,
             std::span<const Operation<typename Specification::Action>> operations,
             const Limits& limits = {});

template <class Specification>
Answer check(const Specification& specification, const Operations<Specification>& operations,
             const Limits& limits = {}) {
  return check(specification,
               std::span<const Operation<typename Specification::Action>>(operations), limits);
}

// Compiled in checker.cc. For a specification of your own include properties/linearizable/search.h.
extern template Answer check(const Mutex&, std::span<const Operation<Mutex::Action>>,
                             const Limits&);
extern template Answer check(const ReentrantLock&,
                             std::span<const Operation<ReentrantLock::Action>>, const Limits&);
extern template Answer check(const ReadWriteLock&,
                             std::span<const Operation<ReadWriteLock::Action>>, const Limits&);
extern template Answer check(const Semaphore&, std::span<const Operation<Semaphore::Action>>,
                             const Limits&);
extern template Answer check(const FencingToken&, std::span<const Operation<FencingToken::Action>>,
                             const Limits&);

}  // namespace picklock::properties::linearizable
