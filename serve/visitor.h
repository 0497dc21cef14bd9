// A client outside: its socket, and the connection of the simulation that stands for it.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "models/servers/wire.h"
#include "serve/loop.h"
#include "sim/simulation.h"

namespace picklock::serve {

class Visitor final : public sim::Endpoint, public std::enable_shared_from_this<Visitor> {
 public:
  using Socket = boost::asio::ip::tcp::socket;

  Visitor(Loop& loop, Socket socket, const servers::Wire& wire);

  // Dials the server, and reads what the client sends from then on.
  void enter(sim::Simulation& simulation, sim::Process& clients, const servers::Door& door,
             sim::Tag number);
  // The simulation of this run is over: the connection ends.
  void leave();

  // --- sim::Endpoint
  void on_message(sim::Connection& connection, sim::Message& message) override;
  void on_opened(sim::Connection& connection) override;
  void on_reset(sim::Connection& connection) override;

 private:
  void read();
  void cut();
  void answer(std::string_view message);
  void flush();
  void end();  // of the socket, once everything is written

  Loop& loop_;
  Socket socket_;
  const servers::Wire& wire_;
  sim::Simulation* simulation_ = nullptr;
  sim::Connection* connection_ = nullptr;
  std::vector<char> block_;
  std::string in_;
  std::string out_;
  sim::Tag number_ = 0;
  bool opened_ = false;
  bool ending_ = false;    // nothing more comes from the server
  bool flushing_ = false;  // there is a task, or a write is under way
};

}  // namespace picklock::serve
