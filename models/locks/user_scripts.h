// A user's own Lua scripts in place of those of a lock on Redis, with the same keys, arguments and
// answers. A scenario names a file or has the text itself; a lock only ever gets the text.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "picklock/redis.h"

namespace picklock::models {

// The scripts of a lock that a user can replace: the one that takes it, the one that tries to
// without waiting if that is another, the one that releases it, and the one that renews it.
enum class ScriptOf : std::uint8_t { acquire, try_acquire, release, renew };
inline constexpr std::size_t kScriptCount = 4;

struct UserScript {
  std::string file;  // that has the text, as the scenario names it; empty: here is the text
  redis::Script script{""};
};

class UserScripts {
 public:
  std::shared_ptr<const UserScript>& operator[](ScriptOf of) {
    return all_[static_cast<std::size_t>(of)];
  }
  const std::shared_ptr<const UserScript>& operator[](ScriptOf of) const {
    return all_[static_cast<std::size_t>(of)];
  }
  void set(ScriptOf of, std::string_view text) {
    (*this)[of] =
        std::make_shared<UserScript>(UserScript{.file = {}, .script = redis::Script(text)});
  }
  bool has(ScriptOf of) const { return (*this)[of] != nullptr; }
  // The user's script, or else the lock's.
  const redis::Script& instead_of(ScriptOf of, const redis::Script& the_locks) const {
    const auto& given = (*this)[of];
    return given != nullptr ? given->script : the_locks;
  }

  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }

 private:
  std::array<std::shared_ptr<const UserScript>, kScriptCount> all_;
};

// One script of a lock, for those who want to replace it.
struct ScriptUse {
  ScriptOf of{};
  std::string_view keys;       // KEYS, in order
  std::string_view arguments;  // ARGV, in order
  std::string_view answers;
  const redis::Script& (*script)() = nullptr;  // the lock's own
  bool only_if_conditional = false;            // a blind renewal does without it
};

}  // namespace picklock::models
