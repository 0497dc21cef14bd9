// The configuration parameters of a server, as CONFIG GET and CONFIG SET see them. What rules the
// model can be set; of what the model does not vary, only the value that it has is accepted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/reply.h"

namespace picklock::models::redis {

class Config {
 public:
  Config() { reset(); }
  void reset();  // as of a server just started

  // Those that any of the patterns matches.
  void get(std::span<const std::string_view> patterns, Reply& reply) const;
  // Names and values by turns, all of them or none; the reply says what came of it.
  void set(std::span<const std::string_view> pairs, Reply& reply);

  std::uint64_t max_memory() const { return max_memory_; }  // bytes; 0: no limit
  std::int64_t busy_after_ms() const { return busy_after_ms_; }
  const std::string& password() const { return password_; }  // empty: none is needed

  // Of what a subscriber may leave unread (R91).
  struct OutputLimit {
    std::uint64_t hard = 0;  // bytes; 0: no limit
    std::uint64_t soft = 0;
    std::int64_t soft_seconds = 0;
  };
  const OutputLimit& subscriber_limit() const { return subscriber_limit_; }

 private:
  bool assign(std::size_t parameter, std::string_view value, std::string& error);
  void take_over();
  const std::string& value_of(std::string_view name) const;

  bool altered_ = true;
  std::vector<std::string> values_;  // as CONFIG GET tells them
  std::uint64_t max_memory_ = 0;
  std::int64_t busy_after_ms_ = 0;
  std::string password_;
  OutputLimit subscriber_limit_;
};

}  // namespace picklock::models::redis
