#include "conform/zookeeper/outcomes/real_side.h"

#include <algorithm>
#include <thread>

namespace picklock::conform::zookeeper::outcomes {

RealSide::RealSide(std::uint32_t sync_limit) : begun_(std::chrono::steady_clock::now()) {
  constexpr Duration kStart(60'000);
  Membership membership{.init_limit = kInitLimit, .sync_limit = sync_limit};
  for (ServerId number = 1; number <= kServers; ++number) {
    const std::uint16_t quorum = free_port();
    membership.servers.push_back({.quorum = quorum, .election = free_port()});
  }
  for (auto& server : servers_) {
    ++membership.number;
    server = std::make_unique<RealServer>(membership);
  }
  while (!all_serve()) {
    if (now() > kStart) throw NoServer("the ensemble does not answer");
    pass(kTick / 4);
  }
}

bool RealSide::all_serve() {
  return std::all_of(servers_.begin(), servers_.end(), [](auto& server) {
    server->look_for_end();
    return !server->mode().empty();
  });
}

Duration RealSide::now() {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun_);
}

void RealSide::pass(Duration time) { std::this_thread::sleep_for(time); }

void RealSide::act(Deed deed, ServerId number) {
  switch (deed) {
    case Deed::kill:
      return server(number).kill();
    case Deed::start:
      return server(number).run_again();
    case Deed::stop:
      return server(number).stop();
    case Deed::go_on:
      return server(number).go_on();
  }
}

Role RealSide::role(ServerId number) {
  const std::string mode = server(number).mode();
  if (mode == "leader") return Role::leader;
  return mode == "follower" ? Role::follower : Role::none;
}

RealSocket& RealSide::at(std::uint32_t connection) {
  while (sockets_.size() <= connection) sockets_.emplace_back();
  return sockets_[connection];
}

void RealSide::dial(std::uint32_t connection, ServerId number) {
  at(connection).dial(server(number).address());
}

void RealSide::send(std::uint32_t connection, std::string_view bytes) {
  at(connection).send(bytes);
}

Came RealSide::receive(std::uint32_t connection, std::string& bytes, Duration patience) {
  RealSocket& socket = at(connection);
  const auto most = static_cast<int>(std::max(patience, Duration::zero()).count());
  if (socket.receive(bytes, most)) return Came::message;
  return socket.open() ? Came::nothing : Came::end;
}

}  // namespace picklock::conform::zookeeper::outcomes
