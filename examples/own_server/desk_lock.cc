// A lock at the desk, and the lines that add both to picklock. Its release does not ask who holds
// the key: that is its flaw.
#include <string>

#include "desk.h"
#include "models/locks/catalogue.h"
#include "models/locks/configured_lock.h"
#include "models/locks/promises.h"

namespace desk {
namespace {

using namespace picklock;
using models::LockOptions;

class DeskLock final : public models::ConfiguredLock {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string_view holder = self.name();
    const auto lent = self.connection<Connection>().take(key, holder, options().ttl);
    if (lent.status == Connection::Status::no_answer) return Acquired::unknown();
    if (lent.status == Connection::Status::refused) return std::nullopt;
    return Lease{.key = std::string(key),
                 .token = std::string(holder),
                 .ttl = options().ttl,
                 .fence = options().mint == models::Mint::in_script ? lent.number : 0};
  }

  Released release(Client& self, const Lease& lease) override {
    const auto status = self.connection<Connection>().give_back(lease.key);
    return status == Connection::Status::done ? Released::ok : Released::unknown;
  }
};

std::vector<Promise> promises(const LockOptions& options) {
  using namespace models::locks;
  return leased(options, GivesBack::blindly, while_leases_end(options));
}

const models::Algorithm& desk_lock() {
  using namespace models::locks;
  static const models::Algorithm algorithm{
      .name = "desk-lock",
      .summary = "takes the key from a desk until a lease ends, and gives it back unasked",
      .source = "examples/own_server",
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .uses = {.mint = true, .server = kServer},
      .keys = joined({client_keys(), command_keys(), lease_keys(), polling_keys()}),
      .promises = promises,
      .bound = lease_and_one_attempt,
      .make = make<DeskLock>,
  };
  return algorithm;
}

const bool kAdded = [] {
  servers::add(kKind);
  models::locks::add(desk_lock());
  return true;
}();

}  // namespace
}  // namespace desk
