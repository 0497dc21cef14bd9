// How a client reaches a resource that is replicated, or that belongs to programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/resource/write_mode.h"
#include "picklock/lock.h"

namespace picklock::models {

// The credentials of a request: a fencing token, the token of its owner, or the log of its sender.
// Empty: none.
struct Credentials {
  std::int64_t token = 0;
  std::string_view owner{};
  std::string_view log{};
};

// The operations of ResourceClient; each parks.
class ResourceAccess {
 public:
  ResourceAccess() = default;
  ResourceAccess(const ResourceAccess&) = delete;
  ResourceAccess& operator=(const ResourceAccess&) = delete;
  virtual ~ResourceAccess() = default;

  virtual void forget() = 0;
  virtual Written write(std::int64_t value, const Credentials& shown) = 0;
  virtual std::optional<Seen> read(const Credentials& shown) = 0;
  virtual Written announce(const Credentials& shown) = 0;
  virtual Written update(WriteMode mode, std::int64_t value, Seen& seen,
                         const Credentials& shown) = 0;
};

}  // namespace picklock::models
