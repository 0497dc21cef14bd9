// A client outside: its socket, and the connection of the simulation that stands for it.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "models/servers/wire.h"
#include "serve/deployment.h"
#include "serve/loop.h"

namespace picklock::serve {

class Visitor final : public sim::Endpoint, public std::enable_shared_from_this<Visitor> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  Visitor(Loop& loop, Socket socket, std::unique_ptr<servers::Wire> wire);

  // Dials the server, and reads what the client sends from then on.
  void enter(Deployment& deployment, std::size_t server);
  // The simulation of this run is over: the connection ends.
  void leave();

  // --- sim::Endpoint
  void on_message(sim::Connection& connection, sim::Message& message) override;
  void on_opened(sim::Connection& connection) override;
  void on_reset(sim::Connection& connection) override;

 private:
  void read();
  void cut();
  void send(sim::Message& message);
  void answer(std::string_view message);
  void cut_off();
  void flush();
  void end();  // of the socket, once everything is written

  Loop& loop_;
  Socket socket_;
  std::unique_ptr<servers::Wire> wire_;
  Deployment* deployment_ = nullptr;  // nullptr: the connection is over
  sim::Connection* connection_ = nullptr;
  std::vector<char> block_;
  std::string in_;
  std::string out_;
  sim::Tag caller_ = 0;
  bool opened_ = false;
  bool held_ = false;      // requests wait for the answer to the one before them
  bool ending_ = false;    // nothing more comes from the server
  bool flushing_ = false;  // there is a task, or a write is under way
};

}  // namespace picklock::serve
