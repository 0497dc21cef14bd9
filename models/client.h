// What a lock algorithm may use of the machine it runs on: its Redis servers, its clocks, sleep,
// threads, and chance. One object per thread. Nothing here knows of the simulator: the same
// algorithm, as the same object code, runs over real sockets and real clocks.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "models/lease_store/client.h"
#include "models/lock_options.h"
#include "models/redis/client.h"
#include "models/step.h"

namespace picklock::models {

struct Lease;

class Client {
 public:
  virtual ~Client() = default;

  virtual std::string_view name() const = 0;

  virtual redis::Client& redis(std::size_t server = 0) = 0;
  virtual std::size_t redis_servers() const = 0;
  // To read from: the first replica of the server, or the server itself where it has none.
  virtual redis::Client& redis_replica(std::size_t server = 0) = 0;
  virtual lease_store::Client& lease_store() = 0;

  virtual Duration monotonic_now() = 0;  // since an arbitrary instant; never steps
  virtual Duration wall_now() = 0;       // since 1970, by a clock that may be stepped
  virtual void sleep(Duration length) = 0;

  // Another thread of this process, of the same tenure. It may outlive the thread that starts it,
  // and what that one owns.
  virtual void spawn(std::function<void(Client&)> body) = 0;

  virtual Duration random_between(Duration low, Duration high) = 0;
  virtual std::string fresh_token() = 0;    // no two are equal, on no machine
  virtual std::string machine_token() = 0;  // machine and thread: the same after a restart

  // A named point of the algorithm that faults can be anchored to.
  virtual void mark(std::string_view name) = 0;
  // The algorithm has learned that this lease is lost: its holder no longer believes in it.
  virtual void lost(const Lease& lease) = 0;
};

}  // namespace picklock::models
