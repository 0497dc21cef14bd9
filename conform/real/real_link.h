// The TCP connection behind a simulated one: it forwards the client's requests to the server, and
// the answers to the threads that wait for them. A class for each protocol, or the client library
// of the server's makers, matches answers to requests.
#pragma once

#include <netinet/in.h>
#include <poll.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "conform/framing.h"
#include "history/history.h"
#include "sim/simulation.h"

namespace picklock::conform::real {

class RealLink {
 public:
  RealLink(sim::Simulation& simulation, sim::Connection& connection)
      : simulation_(simulation), connection_(connection) {}
  RealLink(const RealLink&) = delete;
  RealLink& operator=(const RealLink&) = delete;
  virtual ~RealLink() = default;

  sim::Connection& connection() const { return connection_; }

  // False: the connection has ended.
  virtual bool forward(const sim::Message& request) = 0;
  // The socket to wait for, and the events.
  virtual pollfd watched() const = 0;
  // Writes and reads as much as possible without waiting. False: the connection has ended.
  virtual bool go_on() = 0;

 protected:
  // A request without an answer yet: the fields that its answer must carry.
  struct Asked {
    explicit Asked(const sim::Message& request);

    std::uint32_t number;
    std::uint32_t waiter;
    sim::ThreadId thread;
    history::TenureId tenure;
    Role role;
    bool stray;
  };

  void answer(const Asked& asked, std::string_view bytes);
  void tell(std::string_view bytes);  // a message that answers no request

 private:
  sim::Simulation& simulation_;
  sim::Connection& connection_;
};

// A socket of our own.
class StreamLink : public RealLink {
 public:
  // Connects. The first read notices a failed connection, like one that breaks later.
  StreamLink(sim::Simulation& simulation, sim::Connection& connection, const sockaddr_in& where);
  ~StreamLink() override;

  bool forward(const sim::Message& request) override;
  pollfd watched() const override;
  bool go_on() override;

 private:
  // Notes the sender of the request, and appends its bytes for the server.
  virtual void ask(const sim::Message& request, std::string& out) = 0;
  // Removes the first frame from `bytes`, if it is complete, and passes it on.
  virtual Framing hear(std::string_view& bytes) = 0;

  void write();
  bool read();

  int file_;
  std::string out_;  // not yet written
  std::string in_;   // not yet a complete frame
};

}  // namespace picklock::conform::real
