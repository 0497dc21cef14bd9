// The first Redis locks, from before SET had options: SETNX acquires the key, DEL releases it. One
// never frees an abandoned key, the other sets an expiry by a second command.
// (docs/facts/failures.md)
#pragma once

#include "models/locks/algorithm.h"
#include "models/locks/token_lock.h"

namespace picklock::models::locks {

class SetnxLock : public TokenLock {
 public:
  using TokenLock::TokenLock;

 private:
  Released give_back(Client& self, const Lease& lease) final;
};

class NaiveSetnx final : public SetnxLock {
 public:
  explicit NaiveSetnx(LockOptions options);

 private:
  Taken take(Client& self, std::string_view key, std::string_view token) override;
};

// A crash between the two commands leaves the key forever.
class SetnxExpire final : public SetnxLock {
 public:
  using SetnxLock::SetnxLock;

 private:
  Taken take(Client& self, std::string_view key, std::string_view token) override;
  Taken adopt(Client& self, std::string_view key, std::string_view token) override;
};

// For a lock that leaves its entries without an expiry: no clock of a server matters to it.
std::vector<UnusedKey> unused_without_expiry();

const Algorithm& naive_setnx();
const Algorithm& setnx_expire();

}  // namespace picklock::models::locks
