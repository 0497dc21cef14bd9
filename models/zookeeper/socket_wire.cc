#include "models/zookeeper/socket_wire.h"

#include "models/zookeeper/jute.h"

namespace picklock::zookeeper {

using servers::Cut;

namespace {

constexpr std::size_t kLengthBytes = 4;

}  // namespace

Cut SocketWire::cut(std::string_view& bytes, sim::Payload& message) const {
  if (bytes.size() < kLengthBytes) return Cut::partial;
  const std::int32_t length = jute::Reader(bytes.substr(0, kLengthBytes)).number();
  if (length < 0 || static_cast<std::size_t>(length) > kLongestRecord) {
    bytes = {};
    message.append("Len error");
    return Cut::malformed;
  }
  const std::size_t whole = kLengthBytes + static_cast<std::size_t>(length);
  if (bytes.size() < whole) return Cut::partial;
  message.append(bytes.substr(kLengthBytes, whole - kLengthBytes));
  bytes.remove_prefix(whole);
  return Cut::request;
}

void SocketWire::put(std::string_view message, std::string& out) const {
  sim::Payload length;
  jute::put(length, static_cast<std::int32_t>(message.size()));
  out += length.view();
  out += message;
}

constinit const SocketWire kSocketWire;

}  // namespace picklock::zookeeper
