// How clients outside talk to the resource, on one port: as to a Redis server, or by HTTP.
//
//   GET /resource/NAME     the value; its version is the ETag. 404: nobody has written it
//   PUT /resource/NAME     a new value, under the conditions of the headers
//
// Headers: `Fencing-Token`; `If-Match` and `If-None-Match: *`, by which a write of another version
// is rejected (412); `Based-On`, the version that the client has read, which is only recorded;
// `Client`, the name by which the client also calls itself at the servers of the lock. A rejected
// token is answered with 409. Where a password is required, it comes with AUTH, or as
// `Authorization: Bearer PASSWORD`.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "models/redis/socket_wire.h"
#include "models/servers/wire.h"

namespace picklock::outside {

class ResourceWire final : public servers::Wire {
 public:
  void require(std::string_view password, std::string_view challenge) override;
  servers::Cut cut(std::string_view& bytes, sim::Payload& message) override;
  bool put(std::string_view message, std::string& out) override;
  Role role_of(std::string_view message) const override;
  std::optional<std::string> name_given(std::string_view message) override;

 private:
  enum class Speaks : std::uint8_t { unknown, redis, http };
  struct Asked {
    bool reads = false;
    bool keep_alive = true;
    unsigned version = 11;
    // The answer to what is no request for the resource; empty: it is one.
    std::string instead;
    unsigned status = 400;
  };

  servers::Cut cut_redis(std::string_view& bytes, sim::Payload& message);
  servers::Cut cut_http(std::string_view& bytes, sim::Payload& message);

  Speaks speaks_ = Speaks::unknown;
  redis::SocketWire redis_;
  std::string password_;             // empty: none is required
  bool authenticated_ = true;        // with AUTH
  std::deque<Asked> asked_;          // not yet answered
  std::optional<std::string> name_;  // of the last request by HTTP
};

}  // namespace picklock::outside
