// The TCP connection behind a simulated one: what the client sends goes to the server, and what
// comes back to whoever has asked. How requests and answers are told apart, each protocol says in a
// class of its own; or a library of the server's makers does.
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

  // False: there is no connection any more.
  virtual bool forward(const sim::Message& request) = 0;
  // What to wait for.
  virtual pollfd watched() const = 0;
  // Writes and reads what can be had without waiting. False: the connection has ended.
  virtual bool go_on() = 0;

 protected:
  // A request that is not answered yet: what its answer has to carry.
  struct Asked {
    explicit Asked(const sim::Message& request);

    std::uint32_t call;
    std::uint32_t waiter;
    sim::ThreadId thread;
    history::TenureId tenure;
    std::uint8_t role;
    bool stray;
  };

  void answer(const Asked& asked, std::string_view bytes);
  void tell(std::string_view bytes);  // what nobody has asked for

 private:
  sim::Simulation& simulation_;
  sim::Connection& connection_;
};

// A socket of our own.
class StreamLink : public RealLink {
 public:
  // Dials. A connection that fails is found out by the first read, like one that breaks later.
  StreamLink(sim::Simulation& simulation, sim::Connection& connection, const sockaddr_in& where);
  ~StreamLink() override;

  bool forward(const sim::Message& request) override;
  pollfd watched() const override;
  bool go_on() override;

 private:
  // Notes who has asked for what, and appends the bytes that say so to the server.
  virtual void ask(const sim::Message& request, std::string& out) = 0;
  // Takes one frame off the front of what the server has sent, if it is there whole, and passes it
  // on.
  virtual Framing hear(std::string_view& bytes) = 0;

  void write();
  bool read();

  int file_;
  std::string out_;  // not yet written
  std::string in_;   // not yet a whole frame
};

}  // namespace picklock::conform::real
