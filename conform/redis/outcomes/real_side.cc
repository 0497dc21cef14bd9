#include "conform/redis/outcomes/real_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "conform/redis/outcomes/info.h"

namespace picklock::conform::redis::outcomes {
namespace {

// Longer than any certain event takes, even on a busy machine.
constexpr Duration kPatience = std::chrono::seconds(30);

// A client that no situation uses.
const std::string kObserver = "(observer)";

// The words, with the addresses of nodes inserted.
Words addressed(const Words& words, RealGroup& group) {
  Words result = words;
  for (std::string& word : result) {
    if (word.starts_with(kHostWord)) {
      word = group.node(word.substr(kHostWord.size())).address().host;
    } else if (word.starts_with(kPortWord)) {
      word = std::to_string(group.node(word.substr(kPortWord.size())).address().port);
    }
  }
  return result;
}

template <typename Condition>
void await(const char* what, const Condition& condition) {
  const auto begun = std::chrono::steady_clock::now();
  while (!condition()) {
    if (std::chrono::steady_clock::now() - begun > kPatience)
      throw NoServer(fmt::format("waited in vain until {}", what));
    std::this_thread::sleep_for(Duration(2));
  }
}

// Reads more of what the connection sends; false: nothing came in time.
bool more(Socket& socket, std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    if (socket.soon()) return true;
    if (socket.ended() || std::chrono::steady_clock::now() >= deadline) return false;
  }
}

std::string take(Socket& socket, std::size_t size) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (socket.received().size() < size) {
    if (!more(socket, deadline)) throw NoServer("a replication stream ended");
  }
  std::string bytes = socket.received().substr(0, size);
  socket.received().erase(0, size);
  return bytes;
}

std::string take_line(Socket& socket) {
  std::string line;
  while (!line.ends_with("\r\n")) line += take(socket, 1);
  line.resize(line.size() - 2);
  // Empty lines keep a waiting replica from giving up.
  return line.substr(std::min(line.size(), line.find_first_not_of('\n')));
}

}  // namespace

void RealSide::begin(const Group& group) {
  sockets_.clear();
  listeners_.clear();
  group_.reset();
  group_ = std::make_unique<RealGroup>(group);
  begun_ = std::chrono::steady_clock::now();
  settle(group);
}

void RealSide::settle(const Group& group) {
  await("all replicas stream", [&] { return holds(Condition::streaming, "master"); });
  for (int i = 1; i <= group.replicas; ++i) {
    await("all replicas have loaded",
          [&] { return holds(Condition::caught_up, fmt::format("replica-{}", i)); });
  }
  for (int i = 1; i <= group.sentinels; ++i) {
    const std::string known =
        fmt::format("status=ok,address=127.0.0.1:{},slaves={},sentinels={}",
                    group_->node("master").address().port, group.replicas, group.sentinels);
    await("the Sentinels know each other", [&] {
      const std::string sentinel = fmt::format("sentinel-{}", i);
      return info(sentinel, "sentinel").find(known) != std::string::npos;
    });
  }
}

Duration RealSide::now() {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun_);
}

void RealSide::pass(Duration time) { std::this_thread::sleep_for(time); }

void RealSide::send(const std::string& client, const std::string& node, const Words& words) {
  Socket& socket = sockets_[{client, node}];
  try {
    if (socket.ended() || !socket.open()) socket = Socket(group_->node(node).address());
    socket.send(request_of(addressed(words, *group_)));
  } catch (const NoServer&) {
    socket = Socket();
  }
}

std::string RealSide::receive(const std::string& client, const std::string& node,
                              Duration patience) {
  Socket& socket = sockets_[{client, node}];
  if (!socket.open()) return std::string(kRefused);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    std::string_view bytes = socket.received();
    Frame frame;
    switch (take_frame(bytes, frame)) {
      case Framing::whole:
        socket.received().erase(0, socket.received().size() - bytes.size());
        return shown(frame);
      case Framing::malformed:
        throw std::runtime_error("no reply of Redis: " + socket.received());
      case Framing::partial:
        if (!more(socket, deadline)) return std::string(socket.ended() ? kClosed : kNoReply);
    }
  }
}

std::string RealSide::shown(const Frame& frame) const {
  if (frame.null) return "nil";
  if (!frame.aggregate()) return (frame.error() ? "-" : "") + frame.text;
  if (frame.elements.size() == 2) {
    if (const RealServer* node = group_->at(frame.elements[0].text, frame.elements[1].text);
        node != nullptr)
      return node->name();
  }
  std::string text = "[";
  for (const Frame& element : frame.elements)
    text += (&element == &frame.elements.front() ? "" : ", ") + shown(element);
  return text + "]";
}

void RealSide::act(Deed deed, const std::string& node) {
  switch (deed) {
    case Deed::stop:
      return group_->node(node).stop();
    case Deed::go_on:
      return group_->node(node).go_on();
    case Deed::kill:
      return group_->node(node).kill();
    case Deed::restart:
      return group_->node(node).restart();
    case Deed::tear:
      return group_->node(node).tear();
    case Deed::listen:
      return listen(node);
  }
}

void RealSide::skew(const std::string& node, Duration ahead) {
  for (const auto& one : group_->nodes()) {
    if (!node.empty() && one->name() != node) continue;
    one->clock().set((one->clock().stands() ? kStart : 0) + ahead.count());
  }
}

std::string RealSide::info(const std::string& node, const std::string& section) {
  send(kObserver, node, {"INFO", section});
  return receive(kObserver, node, kPatience);
}

bool RealSide::caught_up(const std::string& replica) {
  const std::string theirs = info(replica, "replication");
  const RealServer* master = group_->at(field(theirs, "master_host"), field(theirs, "master_port"));
  if (master == nullptr || field(theirs, "master_link_status") != "up") return false;
  const std::string its_masters = info(master->name(), "replication");
  return field(theirs, "master_replid") == field(its_masters, "master_replid") &&
         number(field(theirs, "slave_repl_offset")) >=
             number(field(its_masters, "master_repl_offset"));
}

bool RealSide::holds(Condition condition, const std::string& node) {
  if (condition == Condition::caught_up) return caught_up(node);
  const std::string replication = info(node, "replication");
  switch (condition) {
    case Condition::link_up:
      return field(replication, "master_link_status") == "up";
    case Condition::link_down:
      return field(replication, "master_link_status") == "down";
    case Condition::master:
      return field(replication, "role") == "master";
    case Condition::replica:
      return field(replication, "role") == "slave";
    case Condition::streaming: {
      const auto others = std::count_if(
          group_->nodes().begin(), group_->nodes().end(),
          [&](const auto& one) { return one->runs() && !one->sentinel() && one->name() != node; });
      return count(replication, ",state=online,") == static_cast<std::size_t>(others);
    }
    case Condition::caught_up:
      break;
  }
  return false;
}

// ---------------------------------------------------------------- the stream to replicas

void RealSide::listen(const std::string& node) {
  Listener& listener = listeners_[node];
  listener.socket = Socket(group_->node(node).address());
  Socket& socket = listener.socket;
  socket.send(request_of({"PSYNC", "?", "-1"}));
  const std::string answer = take_line(socket);  // +FULLRESYNC <id> <offset>
  if (!answer.starts_with("+FULLRESYNC")) throw NoServer("no replication stream: " + answer);
  listener.offset = number(std::string_view(answer).substr(answer.rfind(' ') + 1));
  const std::string size = take_line(socket);  // $<size>, for a snapshot on disk
  take(socket, number(std::string_view(size).substr(1)));
}

Words RealSide::heard(const std::string& node) {
  Listener& listener = listeners_.at(node);
  const std::size_t end = number(field(info(node, "replication"), "master_repl_offset"));
  const std::string stream = take(listener.socket, end - listener.offset);
  listener.offset = end;
  Words commands;
  for (std::string_view rest = stream; !rest.empty();) {
    Frame frame;
    if (take_frame(rest, frame) != Framing::whole)
      throw std::runtime_error("a replication stream of half a command: " + stream);
    std::string command;
    for (const Frame& word : frame.elements) command += (command.empty() ? "" : " ") + word.text;
    if (command != "PING" && command != "ping") commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace picklock::conform::redis::outcomes
