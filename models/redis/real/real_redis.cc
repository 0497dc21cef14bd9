#include "models/redis/real/real_redis.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "models/redis/wire.h"

namespace picklock::models::redis::real {
namespace {

using conform::Frame;
using conform::Framing;

constexpr std::array<std::string_view, 6> kSubscriptions = {
    "subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe"};

bool is_subscription(std::string_view command) {
  const auto same = [](char one, char letter) { return (one | 0x20) == letter; };
  return std::any_of(kSubscriptions.begin(), kSubscriptions.end(), [&](std::string_view name) {
    return std::equal(command.begin(), command.end(), name.begin(), name.end(), same);
  });
}

// Each channel is confirmed by a frame of its own (R86). Who unsubscribes must name the channels:
// how many there are else, only the server knows.
std::size_t frames_answering(std::span<const std::string_view> argv) {
  if (argv.empty() || !is_subscription(argv[0])) return 1;
  return std::max<std::size_t>(1, argv.size() - 1);
}

// A message of a channel: in protocol 2 told from an answer by its first word alone, and only where
// there are subscriptions.
bool is_message(const Frame& frame, bool subscribed) {
  const bool may_be = frame.kind == '>' || (frame.kind == '*' && subscribed);
  if (!may_be || frame.elements.empty()) return false;
  const std::string& word = frame.elements[0].text;
  return word == "message" || word == "pmessage" || word == "smessage" ||
         (frame.kind == '>' && word == "invalidate");
}

}  // namespace

struct RealRedis::Link {
  Link(sim::Connection* end, int socket) : connection(end), file(socket) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    if (file >= 0) close(file);
  }

  sim::Connection* connection;
  int file;
  bool subscribed = false;
  std::string out;  // not yet written
  std::string in;   // not yet a whole frame
  std::deque<Asked> asked;
};

RealRedis::RealRedis(sim::Simulation& simulation, sim::Process& process, conform::Address address)
    : simulation_(simulation), process_(process), address_(std::move(address)) {}

RealRedis::~RealRedis() = default;

// A connection that fails is found out by the first read, like one that breaks later.
std::unique_ptr<RealRedis::Link> RealRedis::dial(sim::Connection& connection) const {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(address_.port);
  if (inet_pton(AF_INET, address_.host.c_str(), &where.sin_addr) != 1)
    throw std::invalid_argument(address_.host + " is not a numeric address");
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  auto link = std::make_unique<Link>(&connection, file);
  const int on = 1;
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(file, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 &&
      errno != EINPROGRESS) {
    close(std::exchange(link->file, -1));
  }
  return link;
}

RealRedis::Link& RealRedis::link_of(sim::Connection& connection) {
  if (connection.session == nullptr) {
    links_.push_back(dial(connection));
    connection.session = links_.back().get();
  }
  return *static_cast<Link*>(connection.session);
}

void RealRedis::on_message(sim::Connection& connection, sim::Message& request) {
  Link& link = link_of(connection);
  std::string_view bytes = request.payload.view();
  std::vector<std::string_view> argv;
  while (take_request(bytes, argv)) {
    link.asked.push_back({.call = request.call,
                          .waiter = request.waiter,
                          .thread = request.thread,
                          .tenure = request.tenure,
                          .role = request.role,
                          .stray = request.stray,
                          .frames = frames_answering(argv)});
  }
  link.out += request.payload.view();
  write(link);
  if (link.file < 0) lose(link);
}

void RealRedis::on_reset(sim::Connection& connection) { drop(connection); }

void RealRedis::on_closed(sim::Connection& connection) { drop(connection); }

void RealRedis::drop(sim::Connection& connection) {
  if (connection.session == nullptr) return;
  std::erase_if(links_, [&](const auto& link) { return link.get() == connection.session; });
  connection.session = nullptr;
}

// The server has hung up, or cannot be reached: to the client its connection is reset.
void RealRedis::lose(Link& link) {
  sim::Connection& connection = *link.connection;
  drop(connection);
  simulation_.network.shut(connection);
}

void RealRedis::watch(std::vector<pollfd>& sockets) const {
  for (const auto& link : links_) {
    const int wanted = link->out.empty() ? POLLIN : POLLIN | POLLOUT;
    sockets.push_back({.fd = link->file, .events = static_cast<short>(wanted), .revents = 0});
  }
}

void RealRedis::take_in(std::span<const pollfd> sockets) {
  std::vector<Link*> ready;  // a link may be lost on the way
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    if (sockets[i].revents != 0) ready.push_back(links_[i].get());
  }
  for (Link* link : ready) {
    write(*link);
    read(*link);
  }
}

void RealRedis::write(Link& link) {
  while (!link.out.empty() && link.file >= 0) {
    const ssize_t sent = ::send(link.file, link.out.data(), link.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;  // not yet, or the next read finds the end
    link.out.erase(0, static_cast<std::size_t>(sent));
  }
}

void RealRedis::read(Link& link) {
  std::array<char, 4096> some{};
  bool ended = false;
  for (;;) {
    const ssize_t count = recv(link.file, some.data(), some.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    ended = count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
    if (count <= 0) break;
    link.in.append(some.data(), static_cast<std::size_t>(count));
  }
  std::string_view rest = link.in;
  Frame frame;
  for (;;) {
    const std::string_view whole = rest;
    const Framing framing = conform::take_frame(rest, frame);
    ended = ended || framing == Framing::malformed;
    if (framing != Framing::whole) break;
    answer(link, frame, whole.substr(0, whole.size() - rest.size()));
  }
  link.in.erase(0, link.in.size() - rest.size());
  if (ended) lose(link);
}

void RealRedis::answer(Link& link, const Frame& frame, std::string_view bytes) {
  if (link.asked.empty() || is_message(frame, link.subscribed)) {
    sim::Message& message = simulation_.network.make(*link.connection, 1);
    message.payload.append(bytes);
    simulation_.network.send_unasked(message);
    return;
  }
  Asked& asked = link.asked.front();
  if (frame.elements.size() == 3 && is_subscription(frame.elements[0].text))
    link.subscribed = frame.elements[2].text != "0";
  asked.answer += bytes;
  if (--asked.frames > 0 && !frame.error()) return;
  sim::Message& message = simulation_.network.make(*link.connection, 1);
  message.payload.append(asked.answer);
  message.role = asked.role;
  message.call = asked.call;
  message.thread = asked.thread;
  message.waiter = asked.waiter;
  message.tenure = asked.tenure;
  if (asked.stray) {
    message.stray = true;
    message.plain = false;
  }
  link.asked.pop_front();
  simulation_.network.send(message);
}

}  // namespace picklock::models::redis::real
