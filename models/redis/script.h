// A Lua script as a client knows it: its source, and the SHA-1 by which EVALSHA names it.
#pragma once

#include <string>
#include <string_view>

namespace picklock::models::redis {

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

}  // namespace picklock::models::redis
