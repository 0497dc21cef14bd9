// The way of one of picklock's own clients to the resource of programs: it asks as they do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/resource/access.h"
#include "outside/resource.h"
#include "picklock/redis.h"
#include "sim/caller.h"

namespace picklock::outside {

class ResourceClient final : public models::ResourceAccess {
 public:
  // `name`: of what it reads and writes there.
  ResourceClient(sim::Simulation& simulation, sim::Process& self, Resource& resource,
                 std::string name, sim::Duration patience);

  void forget() override { caller_.forget(); }
  Written write(std::int64_t value, const models::Credentials& shown) override;
  std::optional<models::Seen> read(const models::Credentials& shown) override;
  // No program can announce a token: the loader refuses a client that would.
  Written announce(const models::Credentials& shown) override;
  Written update(models::WriteMode mode, std::int64_t value, models::Seen& seen,
                 const models::Credentials& shown) override;

 private:
  // An answer of kind `unknown`: there was none.
  redis::Reply ask(Role role, std::vector<std::string_view> words,
                   const models::Credentials& shown);

  sim::Caller caller_;
  std::string name_;
  sim::Duration patience_;
};

}  // namespace picklock::outside
