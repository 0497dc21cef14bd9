#include "models/resource/fencing.h"

#include "picklock/redis.h"

namespace picklock::models {

std::string fencing_key(std::string_view key) { return std::string(key) + ":fence"; }

std::int64_t fetch_fencing_token(Client& self, std::string_view key) {
  const redis::Reply reply = redis::server(self).incr(fencing_key(key), Role::acquire);
  return reply.kind == redis::Reply::Kind::integer ? reply.integer : 0;
}

}  // namespace picklock::models
