// A desk that lends keys: the lock server of this example. It counts its grants, and takes a key
// back when its lease ends by the clock of the desk.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/servers/kind.h"
#include "picklock/lock.h"

namespace desk {

inline constexpr picklock::LockServer kServer{"desk"};  // [servers.desk] of a scenario

// The settings of the desks in a scenario.
struct Spec {
  std::uint32_t spares = 0;      // further desks, which nobody visits
  picklock::Duration service{};  // time that a desk needs for one request
};

// A machine's connection to the first desk, as locks see it.
class Connection {
 public:
  enum class Status : std::uint8_t { done, refused, no_answer };
  struct Lent {
    Status status{};
    std::int64_t number = 0;  // of this grant: larger than that of every grant before it
  };

  virtual ~Connection() = default;
  virtual Lent take(std::string_view key, std::string_view holder, picklock::Duration ttl) = 0;
  // Frees the key of any holder.
  virtual Status give_back(std::string_view key) = 0;
};

extern const picklock::servers::Kind kKind;

}  // namespace desk
