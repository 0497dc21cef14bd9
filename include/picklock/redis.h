// Redis as a lock sees it: a command is sent, the calling thread sleeps, an answer arrives or does
// not. This interface does not show whether the server is simulated. A process may use several
// servers, each with replicas.
//
// No function throws, except where it says so. An answer that does not come in time
// (`lock.command_timeout`), or whose connection is lost, is Reply::Kind::unknown; a command that
// certainly never left is `unsent`.
//
//   const auto reply = redis::server(self).set(key, token, {.nx = true, .px = settings().ttl});
//   if (!reply.answered()) return Acquired::unknown();
//   if (!reply.ok()) return std::nullopt;
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "picklock/client.h"

namespace picklock::redis {

// A lock on this server says so: `static constexpr LockServer server = redis::kServer;`.
inline constexpr LockServer kServer{"redis"};

// The answer to a Redis command, as the client that sent it knows it: the server's, or that there
// is none. A missing answer says nothing about whether the command was applied.
struct Reply {
  enum class Kind : std::uint8_t {
    nil,      // $-1; _ in protocol 3, as nil_array
    status,   // +OK
    error,    // -ERR ...
    integer,  // :1
    bulk,     // $5 hello
    array,    // *2 ...
    // Told apart in protocol 3 only.
    nil_array,   // *-1
    map,         // %1: key, value, ...; else an array
    set,         // ~2; else an array
    pairs,       // *1 *2 member, score, ...; else an array without the inner ones
    push,        // >3: unasked; else an array
    number,      // ,3.5; else a bulk
    verbatim,    // =15 txt:...; else a bulk
    boolean,     // #t; else an integer
    big_number,  // (123; else a bulk
    unknown,     // sent, but no answer: timed out or connection lost
    unsent,      // no connection: certainly not applied
  };

  Kind kind = Kind::nil;
  std::int64_t integer = 0;
  std::string text;  // status, error (with its code word, without the leading -), bulk, number
  std::vector<Reply> elements;
  bool resent = false;       // to a command sent again: an earlier copy of it may have been applied
  bool interrupted = false;  // unknown because its thread was interrupted: the answer may yet come

  bool ok() const { return kind == Kind::status && text == "OK"; }
  bool is_nil() const { return kind == Kind::nil || kind == Kind::nil_array; }
  bool is_error() const { return kind == Kind::error; }
  // To EVALSHA: the server does not have the script, or no longer since it started (R81).
  bool is_unknown_script() const { return is_error() && text.starts_with("NOSCRIPT"); }
  bool is_integer(std::int64_t value) const { return kind == Kind::integer && integer == value; }
  bool is_bulk(std::string_view value) const { return kind == Kind::bulk && text == value; }
  bool answered() const { return kind != Kind::unknown && kind != Kind::unsent; }

  // A reused reply keeps its strings' memory.
  void set(Kind what) {
    kind = what;
    integer = 0;
    text.clear();
    elements.clear();
  }
  void set_status(std::string_view word) { set(Kind::status), text.assign(word); }
  void set_error(std::string_view message) { set(Kind::error), text.assign(message); }
  void set_bulk(std::string_view bytes) { set(Kind::bulk), text.assign(bytes); }
  void set_integer(std::int64_t value) { set(Kind::integer), integer = value; }
  Reply& add() { return elements.emplace_back(); }
};

// A Lua script as a client knows it: its source, and the SHA-1 by which EVALSHA names it.

// 40 lower-case hexadecimal digits.
std::string sha1_hex(std::string_view text);

class Script {
 public:
  explicit Script(std::string_view body) : body_(body), sha_(sha1_hex(body)) {}
  const std::string& body() const { return body_; }
  const std::string& sha() const { return sha_; }

 private:
  std::string body_;
  std::string sha_;
};

struct SetOptions {
  bool nx = false;
  Duration px{};         // whole milliseconds, as the command has them; 0: no expiry
  Duration ex{};         // whole seconds, rounded up; 0: no expiry
  bool keepttl = false;  // a deadline stays as it was
};

using Argv = std::span<const std::string_view>;

// Which commands the client layer may send again (`lock.resend`): those without an answer, or only
// those that certainly never left.
enum class Resend : std::uint8_t { unanswered, unsent };

// Both are called between the steps of threads and must not block.
using Listener = std::function<void(std::string_view message)>;
using Late = std::function<void(const Reply& reply)>;  // an answer that comes after its caller has
                                                       // stopped waiting

class Client {
 public:
  virtual ~Client() = default;

  // Role::none: the role of the verb (acquire, release) in which the command is sent.
  virtual Reply call(Role role, Argv argv) = 0;
  // The same for a thread that may be interrupted meanwhile; `late` is then called with the answer,
  // if one comes. Empty: the thread is not to be interrupted.
  virtual Reply call_interruptibly(Role role, Argv argv, Resend resend, Late late) = 0;
  // Two commands at once, one after the other on one connection, so that a WAIT counts for the
  // write before it (R52).
  virtual std::array<Reply, 2> call_both(Role role, Argv first, Argv second, Resend resend) = 0;
  // Sends a command and does not wait for an answer.
  virtual void post(Role role, Argv argv) = 0;

  // Receives the messages of a channel, on a separate connection that the threads of the process
  // share. When it is lost, it is dialed and its channels are subscribed again; messages sent
  // meanwhile are lost. False: not confirmed in time. A channel has one listener.
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
  // Waits until `replicas` replicas have received the writes of this connection, or until the
  // timeout ends; 0: no timeout. The reply is the number of replicas that have received them (R51).
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

// The servers that a process uses, in the order in which it uses them.
class Servers {
 public:
  virtual ~Servers() = default;

  virtual std::size_t size() const = 0;
  virtual Client& server(std::size_t index) = 0;  // Requires: index < size().
  // The first replica of the server, to read from; the server itself where it has no replica.
  // Requires: index < size().
  virtual Client& replica(std::size_t index) = 0;
};

// The same for the process of this thread. Each throws std::logic_error if the process uses no
// Redis.
inline std::size_t server_count(picklock::Client& self) {
  return self.connection<Servers>().size();
}
inline Client& server(picklock::Client& self, std::size_t index = 0) {
  return self.connection<Servers>().server(index);
}
inline Client& replica(picklock::Client& self, std::size_t index = 0) {
  return self.connection<Servers>().replica(index);
}

}  // namespace picklock::redis
