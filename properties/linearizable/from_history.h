// The history of a run as operations for the checker, so that the definition of linearizability can
// be asked for a second opinion beside the judges.
//
// An acquire is answered by acquire_ok. One that failed or whose outcome is unknown is left out of
// the operations of locks, because no later operation depends on it. A belief that ends counts as
// the invocation of a release: from then on the lock may be free, however the release is answered.
// So a loss, a deadline, a crash and a lock that is abandoned release the lock without an answer.
#pragma once

#include "history/history.h"
#include "properties/linearizable/checker.h"
#include "properties/timeline.h"

namespace picklock::properties::linearizable {

// Every acquire and release of every lock, by instants; the object is the key and the owner is the
// tenure, or another one for each of its later beliefs. In order of acquire_ok and of the end of
// the belief.
Operations<ReentrantLock> lock_operations(const history::History& history);

// The same without the nested acquires and releases.
Operations<Mutex> outermost(const Operations<ReentrantLock>& operations);

// The use of resources as a mutex that nobody asks for: a tenure holds it from its first accepted
// operation to its last. The object is the place.
Operations<Mutex> resource_uses(const Timeline& timeline);

// The accepted operations of each resource by their places in the history, with the grants of its
// lock. The object is the place. Tokens are in the order of grants in the timeline. An acquire that
// was not answered with success may be granted at any later time. Operations of tenures that were
// never granted show no token and are left out.
Operations<FencingToken> fencing_operations(const history::History& history,
                                            const Timeline& timeline);

}  // namespace picklock::properties::linearizable
