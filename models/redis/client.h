// Redis as an algorithm sees it: a command goes out, the calling thread sleeps, an answer comes
// back or does not. Nothing here knows whether the server is simulated.
//
//   Reply reply = redis.set(key, token, {.nx = true, .px = ttl});
//   if (reply.ok()) ...
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>

#include "models/lock_options.h"
#include "models/redis/reply.h"
#include "models/redis/script.h"
#include "models/step.h"

namespace picklock::models::redis {

struct SetOptions {
  bool nx = false;
  Duration px{};         // whole milliseconds, as the command has them; 0: no expiry
  Duration ex{};         // whole seconds, rounded up; 0: no expiry
  bool keepttl = false;  // a deadline stays as it was
};

using Argv = std::span<const std::string_view>;

// What may be sent again by the client's own rules: whatever got no answer, or only what certainly
// never left.
enum class Resend : std::uint8_t { unanswered, unsent };

// Both are called between the steps of threads and must not block.
using Listener = std::function<void(std::string_view message)>;
using Late = std::function<void(const Reply& reply)>;  // an answer for which nobody waits any more

class Client {
 public:
  virtual ~Client() = default;

  // Role::none: the role of the verb (acquire, release) in which the command is sent.
  virtual Reply call(Role role, Argv argv) = 0;
  // The same for a thread that may be interrupted meanwhile; then `late` hears the answer, if one
  // comes. Empty: it is not to be interrupted.
  virtual Reply call_interruptibly(Role role, Argv argv, Resend resend, Late late) = 0;
  // Two commands at once, one behind the other on one connection: what WAIT answers is about the
  // write before it (R52).
  virtual std::array<Reply, 2> call_both(Role role, Argv first, Argv second, Resend resend) = 0;
  // Without waiting for an answer.
  virtual void post(Role role, Argv argv) = 0;

  // Hears the messages of a channel, on a connection for that alone, which the threads of the
  // process share. When it is lost it is made anew and the channels are subscribed again; what was
  // said meanwhile is not heard. False: not confirmed in time. One listener a channel.
  virtual bool subscribe(std::string_view channel, Listener listener, Duration patience) = 0;
  virtual void unsubscribe(std::string_view channel) = 0;  // without waiting for an answer

  Reply set(std::string_view key, std::string_view value, SetOptions options = {},
            Role role = Role::none);
  Reply setnx(std::string_view key, std::string_view value, Role role = Role::none);
  Reply getset(std::string_view key, std::string_view value, Role role = Role::none);
  Reply incr(std::string_view key, Role role = Role::none);
  Reply get(std::string_view key, Role role = Role::none);
  Reply del(std::string_view key, Role role = Role::none);
  Reply exists(std::string_view key, Role role = Role::none);
  Reply pttl(std::string_view key, Role role = Role::none);
  // How many replicas have received what this connection has written; asks for `replicas` of them
  // and answers with fewer once the time-out is over (R51). 0: no time-out.
  Reply wait(std::uint32_t replicas, Duration timeout, Role role = Role::none);
  Reply pexpire(std::string_view key, Duration ttl, Role role = Role::none);
  Reply eval(const Script& script, std::initializer_list<std::string_view> keys,
             std::initializer_list<std::string_view> args, Role role = Role::none);
  Reply evalsha(const Script& script, std::initializer_list<std::string_view> keys,
                std::initializer_list<std::string_view> args, Role role = Role::none);

 private:
  Reply run(std::string_view command, std::string_view script,
            std::initializer_list<std::string_view> keys,
            std::initializer_list<std::string_view> args, Role role);
};

}  // namespace picklock::models::redis
