#include "picklock/redis.h"

#include <array>
#include <charconv>
#include <vector>

namespace picklock::redis {
namespace {

// A decimal number as text, without an allocation.
class Decimal {
 public:
  explicit Decimal(std::int64_t value) {
    size_ = static_cast<std::size_t>(
        std::to_chars(digits_.data(), digits_.data() + digits_.size(), value).ptr - digits_.data());
  }
  std::string_view view() const { return {digits_.data(), size_}; }

 private:
  std::array<char, 20> digits_{};
  std::size_t size_ = 0;
};

std::int64_t whole_milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

template <typename... Words>
Reply send(Client& client, Role role, Words... words) {
  const std::array<std::string_view, sizeof...(Words)> argv = {words...};
  return client.call(role, argv);
}

}  // namespace

Reply Client::set(std::string_view key, std::string_view value, SetOptions options, Role role) {
  const Decimal px(whole_milliseconds(options.px));
  const Decimal ex(std::chrono::ceil<std::chrono::seconds>(options.ex).count());
  std::array<std::string_view, 9> argv = {"SET", key, value};
  std::size_t size = 3;
  if (options.nx) argv[size++] = "NX";
  if (options.px != Duration::zero()) {
    argv[size++] = "PX";
    argv[size++] = px.view();
  }
  if (options.ex != Duration::zero()) {
    argv[size++] = "EX";
    argv[size++] = ex.view();
  }
  if (options.keepttl) argv[size++] = "KEEPTTL";
  return call(role, {argv.data(), size});
}

Reply Client::setnx(std::string_view key, std::string_view value, Role role) {
  return send(*this, role, "SETNX", key, value);
}
Reply Client::getset(std::string_view key, std::string_view value, Role role) {
  return send(*this, role, "GETSET", key, value);
}
Reply Client::incr(std::string_view key, Role role) { return send(*this, role, "INCR", key); }
Reply Client::get(std::string_view key, Role role) { return send(*this, role, "GET", key); }
Reply Client::del(std::string_view key, Role role) { return send(*this, role, "DEL", key); }
Reply Client::exists(std::string_view key, Role role) { return send(*this, role, "EXISTS", key); }
Reply Client::pttl(std::string_view key, Role role) { return send(*this, role, "PTTL", key); }

Reply Client::wait(std::uint32_t replicas, Duration timeout, Role role) {
  return send(*this, role, "WAIT", Decimal(replicas).view(),
              Decimal(whole_milliseconds(timeout)).view());
}

Reply Client::pexpire(std::string_view key, Duration ttl, Role role) {
  return send(*this, role, "PEXPIRE", key, Decimal(whole_milliseconds(ttl)).view());
}

Reply Client::eval(const Script& script, std::initializer_list<std::string_view> keys,
                   std::initializer_list<std::string_view> args, Role role) {
  return run("EVAL", script.body(), keys, args, role);
}

Reply Client::evalsha(const Script& script, std::initializer_list<std::string_view> keys,
                      std::initializer_list<std::string_view> args, Role role) {
  return run("EVALSHA", script.sha(), keys, args, role);
}

Reply Client::run(std::string_view command, std::string_view script,
                  std::initializer_list<std::string_view> keys,
                  std::initializer_list<std::string_view> args, Role role) {
  constexpr std::size_t kUsual = 16;
  const std::size_t size = 3 + keys.size() + args.size();
  std::array<std::string_view, kUsual> few;
  std::vector<std::string_view> many(size > kUsual ? size : 0);
  std::string_view* argv = size > kUsual ? many.data() : few.data();
  const Decimal key_count(static_cast<std::int64_t>(keys.size()));
  std::size_t at = 0;
  argv[at++] = command;
  argv[at++] = script;
  argv[at++] = key_count.view();
  for (std::string_view key : keys) argv[at++] = key;
  for (std::string_view arg : args) argv[at++] = arg;
  return call(role, {argv, size});
}

}  // namespace picklock::redis
