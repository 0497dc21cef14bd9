// One connection of a client outside the simulation: the bytes that it writes become requests to a
// server, and what the server sends becomes bytes for it to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "models/servers/wire.h"
#include "sim/simulation.h"

namespace picklock::outside {

class Stream : public sim::Endpoint {
 public:
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Dials. `ordinal` tells the connections of one process apart. A stream is used once.
  void dial(sim::Simulation& simulation, sim::Process& client, const servers::Door& door,
            std::unique_ptr<servers::Wire> wire, std::uint32_t ordinal);
  // The client has written these bytes. Requests leave once the connection is open.
  void write(std::string_view bytes);
  // The client closes its end.
  void close();
  // Nothing comes or goes any more, and nobody is told.
  void forget();
  // The server can still be reached.
  bool is_up() const { return connection_ != nullptr && connection_->usable(); }
  // Nothing more comes from the server.
  bool has_ended() const { return ended_; }

  // --- sim::Endpoint
  void on_message(sim::Connection& connection, sim::Message& message) override;
  void on_opened(sim::Connection& connection) override;
  void on_reset(sim::Connection& connection) override;

 protected:
  Stream() = default;
  ~Stream() = default;

  // The number that accompanies the next request outside its bytes, with which the client may give
  // itself this name.
  virtual sim::Tag sender(const std::optional<std::string>& name) = 0;
  virtual void opened() {}
  // A message that the client has not asked for has come.
  virtual void pushed(std::uint32_t /*message*/) {}
  // The client can read these bytes.
  virtual void readable(std::string_view bytes) = 0;
  // Nothing more comes from the server. `reset`: without a farewell.
  virtual void ended(bool reset) = 0;
  // The client has sent too much before it had an answer.
  virtual void overrun() = 0;

 private:
  // A request whose answer a fault may wait for.
  struct Asked {
    std::uint32_t request = 0;
    Role role{};
    sim::Tag sender = 0;
    std::string command;
  };

  void cut();
  void send(sim::Message& message, sim::Tag sender);
  // Returns whether the connection is still up.
  bool strike(sim::Phase phase, sim::Side side, const Asked& asked,
              sim::Message* message = nullptr);

  sim::Simulation* simulation_ = nullptr;
  sim::Connection* connection_ = nullptr;  // nullptr: it is over
  std::unique_ptr<servers::Wire> wire_;
  std::string in_;
  std::string out_;  // scratch
  std::deque<Asked> asked_;
  sim::Tag sender_ = 0;
  bool open_ = false;
  bool held_ = false;     // requests wait for the answer to the one before them
  bool refused_ = false;  // what the client has sent last
  bool ended_ = false;
};

}  // namespace picklock::outside
