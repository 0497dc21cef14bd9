// A client outside: its socket, and the connection of the simulation that stands for it.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "outside/stream.h"
#include "serve/deployment.h"
#include "serve/loop.h"

namespace picklock::serve {

class Visitor final : public outside::Stream, public std::enable_shared_from_this<Visitor> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  Visitor(Loop& loop, Socket socket);

  // Dials the server, and reads what the client sends from then on.
  void enter(Deployment& deployment, std::size_t server);
  // The simulation of this run is over: the connection ends.
  void leave();

 private:
  // --- outside::Stream
  sim::Tag sender(const std::optional<std::string>& name) override;
  void pushed(std::uint32_t message) override { deployment_->pushed(message, caller_); }
  void readable(std::string_view bytes) override;
  void ended(bool reset) override;
  void overrun() override { cut_off(); }

  void read();
  void cut_off();
  void flush();
  void end();  // of the socket, once everything is written

  Loop& loop_;
  Socket socket_;
  Deployment* deployment_ = nullptr;  // nullptr: the connection is over
  std::vector<char> block_;
  std::string out_;
  sim::Tag caller_ = 0;
  bool flushing_ = false;  // there is a task, or a write is under way
};

}  // namespace picklock::serve
