// The common part of the locks that keep an owner token in a key. It makes the token, recognizes a
// refused client's own key, gets the fencing token of a grant, waits for replicas, checks whether a
// holder still has the lock, and renews it. Each lock adds only how it acquires and releases the
// key.
#pragma once

#include <string>

#include "models/locks/configured_lock.h"
#include "models/locks/renewal.h"

namespace picklock::models::locks {

// The outcome of one attempt to acquire the key.
struct Taken {
  enum class Outcome : std::uint8_t { granted, refused, unknown };
  Outcome outcome = Outcome::refused;
  bool resent = false;     // a copy was refused: the first may have been granted
  std::int64_t fence = 0;  // minted with the grant

  static Taken unknown() { return {.outcome = Outcome::unknown}; }
  static Taken granted(std::int64_t fence = 0) {
    return {.outcome = Outcome::granted, .fence = fence};
  }
};

class TokenLock : public ConfiguredLock, public HolderCheck {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) final;
  Acquired try_acquire(Client& self, std::string_view key) final;
  Released release(Client& self, const Lease& lease) final;
  Held check_held(Client& self, const Lease& lease) final;

 protected:
  virtual Taken take(Client& self, std::string_view key, std::string_view token) = 0;
  // The key holds our token: does what remains to be done before it is ours.
  virtual Taken adopt(Client& self, std::string_view key, std::string_view token);
  virtual Released give_back(Client& self, const Lease& lease) = 0;

  // For a command that answers 1 if there was something of ours to release.
  static Released released(const redis::Reply& reply);
  // The value of the key, from the server that is to be asked.
  redis::Reply holder(Client& self, std::string_view key) const;

 private:
  std::string make_token(Client& self) const;
  Taken recognise(Client& self, std::string_view key);
  bool replicated(Client& self) const;

  std::string token_;   // of the present acquisition, or of the client forever
  bool doubt_ = false;  // an attempt of the present acquisition has an unknown outcome
  Renewals renewals_;
};

}  // namespace picklock::models::locks
