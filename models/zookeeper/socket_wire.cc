#include "models/zookeeper/socket_wire.h"

#include <fmt/format.h>

#include <utility>

#include "models/zookeeper/four_letters.h"
#include "models/zookeeper/jute.h"
#include "models/zookeeper/wire.h"

namespace picklock::zookeeper {

using servers::Cut;

namespace {

constexpr std::size_t kLengthBytes = 4;

}  // namespace

Cut SocketWire::cut(std::string_view& bytes, sim::Payload& message) {
  if (bytes.size() < kLengthBytes) return Cut::partial;
  if (word_) {  // the server reads nothing more
    bytes = {};
    return Cut::nothing;
  }
  if (const std::string_view word = bytes.substr(0, kLengthBytes);
      !began_ && is_four_letter_word(word)) {
    word_ = true;
    message.append(word);
    bytes = {};
    return Cut::request;
  }
  const std::int32_t length = jute::Reader(bytes.substr(0, kLengthBytes)).number();
  if (length < 0 || static_cast<std::size_t>(length) > kLongestRecord) {
    bytes.remove_prefix(bytes.size());
    message.append("Len error");
    return Cut::malformed;
  }
  const std::size_t whole = kLengthBytes + static_cast<std::size_t>(length);
  if (bytes.size() < whole) return Cut::partial;
  message.append(bytes.substr(kLengthBytes, whole - kLengthBytes));
  bytes.remove_prefix(whole);
  began_ = true;
  return Cut::request;
}

bool SocketWire::put(std::string_view message, std::string& out) {
  if (word_) {
    out += message;
    return false;
  }
  ConnectResponse response;
  if (!std::exchange(answered_, true) && read(message, response) && response.session != 0)
    session_ = fmt::format("session-{:#x}", response.session);
  sim::Payload length;
  jute::put(length, static_cast<std::int32_t>(message.size()));
  out += length.view();
  out += message;
  return true;
}

std::optional<std::string> SocketWire::name_given(std::string_view) { return session_; }

}  // namespace picklock::zookeeper
