#include "conform/real/real_endpoint.h"

#include <arpa/inet.h>

#include <stdexcept>

namespace picklock::conform::real {

RealEndpoint::RealEndpoint(sim::Simulation& simulation, sim::Process& process,
                           const std::string& host, std::uint16_t port)
    : simulation_(simulation), process_(process) {
  where_.sin_family = AF_INET;
  where_.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &where_.sin_addr) != 1)
    throw std::invalid_argument(host + " is not a numeric address");
}

RealLink& RealEndpoint::link_of(sim::Connection& connection) {
  if (connection.session == nullptr) {
    links_.push_back(dial(simulation_, connection, where_));
    connection.session = links_.back().get();
  }
  return *static_cast<RealLink*>(connection.session);
}

void RealEndpoint::on_message(sim::Connection& connection, sim::Message& request) {
  RealLink& link = link_of(connection);
  if (!link.forward(request)) lose(link);
}

void RealEndpoint::drop(sim::Connection& connection) {
  if (connection.session == nullptr) return;
  std::erase_if(links_, [&](const auto& link) { return link.get() == connection.session; });
  connection.session = nullptr;
}

// The server has closed the connection or cannot be reached: the client sees a reset.
void RealEndpoint::lose(const RealLink& link) {
  sim::Connection& connection = link.connection();
  drop(connection);
  simulation_.network.shut(connection);
}

void RealEndpoint::watch(std::vector<pollfd>& sockets) const {
  for (const auto& link : links_) sockets.push_back(link->watched());
}

void RealEndpoint::take_in(std::span<const pollfd> sockets) {
  std::vector<RealLink*> ready;  // this loop may lose links
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    if (sockets[i].revents != 0) ready.push_back(links_[i].get());
  }
  for (RealLink* link : ready) {
    if (!link->go_on()) lose(*link);
  }
}

}  // namespace picklock::conform::real
