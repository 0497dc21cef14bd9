// AUTH and the options of HELLO, as servers and Sentinels have them. The user without a name, or
// `default`, is the only one there is.
#pragma once

#include <span>
#include <string_view>

#include "models/redis/session.h"
#include "picklock/redis.h"

namespace picklock::redis {

inline constexpr std::string_view kNoAuth = "NOAUTH Authentication required.";

// Takes AUTH with its words. `wanted`: the password; empty: there is none. `authenticated` becomes
// true if the words have it; the reply has the outcome.
void auth(std::span<const std::string_view> argv, std::string_view wanted, bool& authenticated,
          Reply& reply);

// Takes CLIENT SETNAME. False: the reply says what is wrong with the name.
bool set_name(Session& session, std::string_view name, Reply& reply);

// Takes HELLO with its words, up to its answer. False: the reply says why it is refused.
bool hello(std::span<const std::string_view> argv, std::string_view wanted, Session& session,
           Reply& reply);

}  // namespace picklock::redis
