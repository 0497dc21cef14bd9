#include "properties/linearizable/checker.h"

#include "properties/linearizable/search.h"

namespace picklock::properties::linearizable {

template Answer check(const Mutex&, std::span<const Operation<Mutex::Action>>, const Limits&);
template Answer check(const ReentrantLock&, std::span<const Operation<ReentrantLock::Action>>,
                      const Limits&);
template Answer check(const ReadWriteLock&, std::span<const Operation<ReadWriteLock::Action>>,
                      const Limits&);
template Answer check(const Semaphore&, std::span<const Operation<Semaphore::Action>>,
                      const Limits&);
template Answer check(const FencingToken&, std::span<const Operation<FencingToken::Action>>,
                      const Limits&);

}  // namespace picklock::properties::linearizable
