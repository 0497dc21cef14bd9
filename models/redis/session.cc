#include "models/redis/session.h"

#include "models/redis/replication.h"

namespace picklock::redis {

Session::Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

}  // namespace picklock::redis
