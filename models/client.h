// What a lock algorithm may use of the machine it runs on: its lock servers, its clocks, sleep,
// threads, semaphores, and chance. One object per thread. Nothing here knows of the simulator: the
// same algorithm, as the same object code, runs over real sockets and real clocks.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "models/lease_store/client.h"
#include "models/lock_options.h"
#include "models/mysql/client.h"
#include "models/redis/client.h"
#include "models/semaphore.h"
#include "models/step.h"
#include "models/zookeeper/client.h"

namespace picklock::models {

struct Lease;

class Client {
 public:
  virtual ~Client() = default;

  virtual std::string_view name() const = 0;
  // Which of its process's threads that ask for locks it is: 1, 2 and so on.
  virtual std::uint32_t thread() const = 0;

  virtual redis::Client& redis(std::size_t server = 0) = 0;
  virtual std::size_t redis_servers() const = 0;
  // To read from: the first replica of the server, or the server itself where it has none.
  virtual redis::Client& redis_replica(std::size_t server = 0) = 0;
  virtual lease_store::Client& lease_store() = 0;
  // The session that the threads of this process share.
  virtual zookeeper::Client& zookeeper() = 0;
  // The pool that they share.
  virtual mysql::Client& mysql() = 0;

  virtual Duration monotonic_now() = 0;  // since an arbitrary instant; never steps
  virtual Duration wall_now() = 0;       // since 1970, by a clock that may be stepped
  virtual void sleep(Duration length) = 0;
  virtual bool sleep_interruptibly(Duration length) = 0;  // false: the thread was interrupted

  // Another thread of this process, of the same tenure. It may outlive the thread that starts it,
  // and what that one owns.
  virtual void spawn(std::function<void(Client&)> body) = 0;
  // Without a permit, for the threads of this process.
  virtual std::unique_ptr<Semaphore> semaphore(Awaits what) = 0;

  // For whom this thread acts is on record beside what it sends. A thread that serves several
  // acquires of its process says for which of them it is about to act.
  virtual Tenancy tenancy() const = 0;
  virtual void act_for(Tenancy tenancy) = 0;

  virtual Duration random_between(Duration low, Duration high) = 0;
  virtual std::string fresh_token() = 0;    // no two are equal, on no machine
  virtual std::string machine_token() = 0;  // machine and thread: the same after a restart

  // A named point of the algorithm that faults can be anchored to.
  virtual void mark(std::string_view name) = 0;
  // The algorithm has learned that this lease is lost: its holder no longer believes in it.
  virtual void lost(const Lease& lease) = 0;
  // A mutex of this process that stands in front of the lock was locked, or was freed.
  virtual void local_mutex(std::string_view key, bool locked) = 0;
  // The holder of this lease believes in it until `options.clock` shows `deadline`, and no longer;
  // what was said before is void.
  virtual void believe_until(const Lease& lease, Duration deadline) = 0;
};

}  // namespace picklock::models
