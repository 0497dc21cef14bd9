#include "conform/redis/real_side.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <string_view>
#include <utility>

namespace picklock::conform::redis {
namespace {

// A busy machine may be slow. After the first wait a fence shows whether anything is still to come;
// only a server that answers nothing at all reaches the second.
constexpr int kPatience = 500;  // times the wait of Socket::soon()
constexpr int kHastyPatience = 25;

std::string value_of(std::string_view info, std::string_view name) {
  const std::size_t at = info.find(std::string(name) + ":");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = info.substr(at + name.size() + 1);
  return std::string(rest.substr(0, rest.find('\r')));
}

}  // namespace

RealSide::RealSide(Stop stop)
    : stop_(std::move(stop)),
      own_(std::make_unique<RealServer>(stop_)),
      address_(own_->address()),
      control_(address_, &stop_) {
  version_ = value_of(ask(control_, {"INFO", "server"}), "redis_version");
  ask_of_control({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
}

RealSide::RealSide(const Address& address, bool flush, Stop stop)
    : stop_(std::move(stop)), address_(address), control_(address, &stop_) {
  const std::string where = shown(address);
  const std::string pong = ask(control_, {"PING"});
  if (pong.starts_with("-NOAUTH"))
    throw NoServer(fmt::format("{} wants a password, which conform cannot give", where));
  if (pong != "+PONG\r\n") {
    throw NoServer(fmt::format("{} does not answer as a Redis server does: {}", where,
                               pong.empty() ? "nothing" : shown(pong)));
  }
  const std::string info = ask(control_, {"INFO"});
  version_ = value_of(info, "redis_version");
  if (value_of(info, "role") == "slave")
    throw NoServer(fmt::format("{} is a replica, which cannot be written to", where));
  if (value_of(info, "cluster_enabled") == "1")
    throw NoServer(fmt::format("{} is a node of a cluster; conform needs a server alone", where));
  if (const std::string limit = value_of(info, "maxmemory"); !limit.empty() && limit != "0") {
    throw NoServer(fmt::format(
        "{} may use {} bytes of memory; conform needs one without a limit (maxmemory 0)", where,
        limit));
  }
  if (!flush && info.find("\r\ndb") != std::string::npos) {
    throw NoServer(
        fmt::format("{} holds data; --flush lets every database of it be emptied", where));
  }
}

RealSide::~RealSide() {
  if (own_ != nullptr || !used_) return;
  stop_ = nullptr;  // also if the user wants an end
  hasty_ = true;
  try {
    empty();
  } catch (const std::exception&) {
    // The server is gone, and its data with it.
  }
}

std::string RealSide::ask(Socket& socket, const std::vector<std::string>& words) {
  socket.received().clear();
  socket.send(request_of(words));
  Frame frame;
  const int patience = hasty_ || lost_patience_ ? kHastyPatience : kPatience;
  for (int waited = 0; !socket.ended();) {
    std::string_view bytes = socket.received();
    if (take_frame(bytes, frame) != Framing::partial) break;
    if (socket.soon() || ++waited < patience) continue;
    lost_patience_ = true;
    break;
  }
  return std::exchange(socket.received(), {});
}

void RealSide::ask_of_control(const std::vector<std::string>& words) {
  ask(control_, words);
  if (control_.ended()) look_for_end();
}

// An unknown command is answered even during a pause or without a password, and the error names it.
void RealSide::fence() {
  const std::string name = fmt::format("conform-fence-{}", ++fences_);
  // The first answer shows that everything sent before has been read, the second that its answers
  // have been written.
  for (const std::string& mark : {name + "-read'", name + "-written'"}) {
    std::string answer = ask(control_, {mark.substr(0, mark.size() - 1)});
    while (!answer.empty() && answer.find(mark) == std::string::npos) {
      if (!control_.soon()) break;
      answer = std::exchange(control_.received(), {});
    }
    if (control_.ended()) look_for_end();
  }
}

void RealSide::fence_behind(std::uint32_t connection) {
  sockets_[connection].await_delivery();
  fence();
}

void RealSide::connect(std::uint32_t connection) {
  try {
    sockets_[connection] = Socket(address_, &stop_);
  } catch (const NoServer&) {
    look_for_end();
    throw;
  }
  std::string answer = ask(sockets_[connection], {"CLIENT", "ID"});
  std::size_t at = 1;
  if (!answer.starts_with(':')) {
    // It requires a password by now. The newest connection is listed last.
    answer = ask(control_, {"CLIENT", "LIST"});
    at = answer.rfind("id=", answer.rfind(" addr=")) + 3;
  }
  ids_[connection] = 0;
  if (at < answer.size())
    std::from_chars(answer.data() + at, answer.data() + answer.size(), ids_[connection]);
}

void RealSide::restart() {
  own_->replace();
  address_ = own_->address();
  control_ = Socket(address_, &stop_);
  lost_patience_ = false;
  ask_of_control({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
  paused_ = configured_ = false;
}

void RealSide::empty() {
  ask_of_control({"FLUSHALL"});
  ask_of_control({"SCRIPT", "FLUSH"});
}

void RealSide::begin(const Sequence& sequence) {
  look_for_end();
  // The server lives, but has closed our connection or stopped answering.
  const bool lost = lost_control_ || lost_patience_;
  lost_control_ = lost_patience_ = false;
  if (lost && own_ != nullptr) restart();
  if (paused_ && own_ != nullptr) {
    constexpr std::int64_t kLongerThanAnyPause = 1'000'000'000;
    own_->clock().set(now_ms_ + kLongerThanAnyPause);
    ask_of_control({"CLIENT", "UNPAUSE"});
    fence();
  }
  if (own_ != nullptr) own_->clock().set(now_ms_ = kEpochMs);
  if (configured_) {
    // It remembers that memory was short until a command finds that it is not.
    ask_of_control({"CONFIG", "SET", "maxmemory", "1gb"});
    ask_of_control({"CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "noeviction",
                    "requirepass", "", "busy-reply-threshold", "5000", "notify-keyspace-events",
                    ""});
  }
  used_ = true;
  empty();
  if (lost_patience_) throw ServerEnded(fmt::format("{} answers nothing any more", server_name()));
  paused_ = configured_ = false;
  sockets_.clear();
  sockets_.resize(sequence.connections);
  ids_.assign(sequence.connections, 0);
  for (std::uint32_t i = 0; i < sequence.connections; ++i) connect(i);
}

void RealSide::reconnect(std::uint32_t connection) { connect(connection); }

void RealSide::send(std::uint32_t connection, const std::vector<std::string>& words) {
  const std::string command = words.empty() ? "" : lower(words[0]);
  if (words.size() > 1 && command == "client" && lower(words[1]) == "pause") paused_ = true;
  if (command == "config") configured_ = true;
  sockets_[connection].send(request_of(words));
}

void RealSide::pass(std::int64_t ms) {
  now_ms_ += ms;
  if (own_ != nullptr) own_->clock().set(now_ms_);
}

void RealSide::await_pause_end() {
  if (paused_) ask_of_control({"DEL", "nobody's key"});
}

bool RealSide::more(std::uint32_t connection) {
  Socket& socket = sockets_[connection];
  if (socket.soon()) return true;
  if (socket.ended()) return false;
  fence();
  return socket.here();
}

std::string RealSide::receive(std::uint32_t connection, std::size_t size) {
  std::string& received = sockets_[connection].received();
  while (received.size() < size && more(connection)) {
  }
  std::string bytes = received.substr(0, size);
  received.erase(0, size);
  return bytes;
}

std::optional<Frame> RealSide::receive_frame(std::uint32_t connection) {
  std::string& received = sockets_[connection].received();
  Frame frame;
  for (;;) {
    std::string_view bytes = received;
    const Framing framing = take_frame(bytes, frame);
    if (framing == Framing::whole) {
      received.erase(0, received.size() - bytes.size());
      return frame;
    }
    if (framing == Framing::malformed || !more(connection)) return std::nullopt;
  }
}

std::string RealSide::rest(std::uint32_t connection) {
  Socket& socket = sockets_[connection];
  while (socket.here()) {
  }
  return std::exchange(socket.received(), {});
}

bool RealSide::ended(std::uint32_t connection) {
  Socket& socket = sockets_[connection];
  while (!socket.ended() && more(connection)) {
  }
  return socket.ended() && socket.received().empty();
}

std::string RealSide::server_name() const {
  return own_ != nullptr ? "redis-server" : conform::shown(address_);
}

// The end of its connections is visible before the end of its process.
void RealSide::look_for_end() {
  if (own_ == nullptr && !control_.ended()) return;
  std::string how = own_ != nullptr ? own_->obituary() : std::string();
  if (how.empty()) {
    if (!control_.ended()) return;
    try {
      control_ = Socket(address_, &stop_);
      lost_control_ = true;
      return;
    } catch (const NoServer&) {
      constexpr useconds_t kPause = 5000;
      for (int i = 0; i < 400 && own_ != nullptr && how.empty(); ++i) {
        usleep(kPause);
        how = own_->obituary();
      }
    }
  }
  throw ServerEnded(
      fmt::format("{} ended unexpectedly{}", server_name(), how.empty() ? how : " (" + how + ")"),
      own_ != nullptr ? own_->last_words() : std::string());
}

}  // namespace picklock::conform::redis
