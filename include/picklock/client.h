// The machine as a lock sees it: its servers, its clocks, sleep, threads, semaphores, and random
// numbers. This interface names no server and does not depend on the simulator: the same object
// code of a lock also runs over real sockets and real clocks.
//
// Every call blocks the calling thread only. A lock never reads another clock, never starts a
// thread of its own and never draws a random number elsewhere; otherwise its runs cannot be
// repeated. No function of this interface throws, except where it says so.
//
//   const std::string token = self.fresh_token();
//   const Duration asked_at = self.monotonic_now();
//   self.mark("before-the-request");
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>

namespace picklock {

// Every length of time, and every instant as the time since the epoch of its clock, in nanoseconds.
using Duration = std::chrono::nanoseconds;

// Steps: the purpose of a command, not the command itself. A fault is anchored to a role, so that
// the same plan hits DEL in one lock and a script in another.
enum class Role : std::uint8_t {
  none,       // the role of the verb (acquire, release) in which the command is sent
  acquire,    // requests the lock
  renew,      // extends a lease that is held
  check,      // asks who holds the lock
  release,    // releases the lock
  write,      // changes the protected resource, or saves the work's progress
  subscribe,  // begins to wait for a message
  watch,      // begins to wait for a change
  upkeep,     // no step, whatever verb it is sent in: loads a script, asks for replicas
  read,       // reads the protected resource
  command,    // of a program from outside: nobody knows what it is for
};

inline constexpr std::array<std::string_view, 11> kRoleNames = {
    "none",      "acquire", "renew",  "check", "release", "write",
    "subscribe", "watch",   "upkeep", "read",  "command"};
static_assert(kRoleNames.size() == static_cast<std::size_t>(Role::command) + 1 &&
              !kRoleNames.back().empty());

constexpr std::string_view name(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

// The role of this name that a fault can be anchored to: neither `none` nor `upkeep`.
constexpr std::optional<Role> role_named(std::string_view word) {
  for (std::size_t i = 1; i < kRoleNames.size(); ++i) {
    if (kRoleNames[i] == word && static_cast<Role>(i) != Role::upkeep) return static_cast<Role>(i);
  }
  return std::nullopt;
}

// Whether a step of this role is a request to the protected resource.
constexpr bool is_for_resource(Role role) { return role == Role::write || role == Role::read; }

// A kind of server, by its key in a scenario file. Each server's header has its own.
struct LockServer {
  std::string_view key;

  constexpr bool operator==(const LockServer&) const = default;
};

// A tenure, as the record of a run numbers it; 0: none.
enum class Tenancy : std::uint32_t {};

// The reason of a wait: an action of another thread of its process, or a message that the lock
// may be free. Waits for news are recorded, and they alone can be interrupted.
enum class Awaits : std::uint8_t { threads, news };

// Permits that the threads of one process pass to each other.
class Semaphore {
 public:
  enum class Woken : std::uint8_t { by_permit, by_time, by_interrupt };

  virtual ~Semaphore() = default;

  // Takes a permit, or waits for one; a negative patience never ends. Waiting threads are served in
  // the order in which they came.
  virtual Woken acquire(Duration patience) = 0;
  // Never blocks, so that watches and listeners may call it.
  virtual void release() = 0;

  static constexpr Duration kForever{-1};
};

struct Lease;

// Facts of which no message tells, for the judges of a run: the belief of a holder, and the acquire
// for which a thread acts. Nothing here reaches a server.
//
//   if (gone) self.witness().record_loss(lease);
class Witness {
 public:
  // The tenure for which the calling thread acts is recorded beside each message. A thread that
  // serves several acquires of its process names the one for which it is about to act.
  virtual Tenancy tenancy() const = 0;
  virtual void act_for(Tenancy tenancy) = 0;

  // The lock has learned that this lease is lost: its holder no longer believes in it, and writes
  // nothing more.
  virtual void record_loss(const Lease& lease) = 0;
  // The holder believes in this lease until its clock (LockSettings::clock) shows `deadline`, and
  // no longer. Replaces every earlier deadline of the lease.
  virtual void believe_until(const Lease& lease, Duration deadline) = 0;
  // A mutex of this process that guards the lock was locked (true) or unlocked.
  virtual void record_local_mutex(std::string_view key, bool locked) = 0;

 protected:
  ~Witness() = default;
};

// One object for each thread.
class Client {
 public:
  virtual ~Client() = default;

  virtual std::string_view name() const = 0;  // of the process: "client-1"
  // The number of this thread among those of its process that request locks: 1, 2 and so on.
  virtual std::uint32_t thread() const = 0;

  // The connection of this process to its servers of one kind, by the type that the header of the
  // server names. The threads of the process share it, and it lives as long as they do. Throws
  // std::logic_error if the process has no such connection.
  template <typename Connection>
  Connection& connection() {
    const std::type_info& type = typeid(Connection);
    if (&type != last_type_) {
      last_connection_ = find_connection(type);
      last_type_ = &type;
    }
    return *static_cast<Connection*>(last_connection_);
  }
  // The same; the pointer is one to this type.
  virtual void* find_connection(const std::type_info& type) = 0;

  virtual Duration monotonic_now() = 0;  // since an arbitrary instant; never steps
  virtual Duration wall_now() = 0;       // since 1970, by a clock that may be stepped
  virtual void sleep(Duration length) = 0;
  virtual bool sleep_interruptibly(Duration length) = 0;  // false: the thread was interrupted

  // Starts another thread of this process, which belongs to the same tenure. It may outlive the
  // thread that starts it, and the objects of that thread.
  virtual void spawn(std::function<void(Client&)> body) = 0;
  // A semaphore without permits, for the threads of this process.
  virtual std::unique_ptr<Semaphore> semaphore(Awaits what) = 0;

  virtual Duration random_between(Duration low, Duration high) = 0;  // inclusive
  virtual std::string fresh_token() = 0;    // differs from every other token on every machine
  virtual std::string machine_token() = 0;  // machine and thread: the same after a restart

  // A named point of the algorithm that faults can be anchored to: `before = "mark:NAME"`.
  virtual void mark(std::string_view name) = 0;
  // Where this thread says what the judges of a run cannot see.
  virtual Witness& witness() = 0;

 private:
  // The last result of connection(), which a lock calls for every command.
  const std::type_info* last_type_ = nullptr;
  void* last_connection_ = nullptr;
};

}  // namespace picklock
