// Redis as an algorithm sees it: a command goes out, the calling thread sleeps, an answer comes
// back or does not. Nothing here knows whether the server is simulated.
//
//   Reply reply = redis.set(key, token, {.nx = true, .px = ttl});
//   if (reply.ok()) ...
#pragma once

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

class Client {
 public:
  virtual ~Client() = default;

  // Role::none: the role of the verb (acquire, release) in which the command is sent.
  virtual Reply call(Role role, std::span<const std::string_view> argv) = 0;

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
