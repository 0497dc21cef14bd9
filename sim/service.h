// A server process: handles one message at a time, in the order of arrival, and answers on the same
// connection. Faults may strike just before or just after it has applied a request, while the
// answer is not yet sent.
#pragma once

#include "sim/simulation.h"

namespace picklock::sim {

class Service : public Program, public Endpoint {
 public:
  // --- for a server and its parts
  Process& process() const { return *process_; }
  Simulation& simulation() const { return *simulation_; }
  // Adds a line to the trace, for example "becomes a replica of redis-2".
  void tell(std::string_view what) const;
  // For a server that applied `request` by itself: sends `reply` unless a fault prevents it.
  void answer(Message& request, Message& reply);
  Message& reply_to(Message& request);

  void on_message(Connection& connection, Message& request) final;
  void on_reset(Connection&) override {}

  void start(Keeps) override {}

 protected:
  Service() = default;
  ~Service() = default;
  void attach(Simulation& simulation, Process& process) {
    simulation_ = &simulation;
    process_ = &process;
    process.set_program(this);
  }

  // Applies the request and writes its answer. False: a thread of the server applies it later and
  // then calls answer(); the request must have been marked as taken.
  virtual bool apply(Message& request, Payload& answer) = 0;

  // True if the process still runs and may apply the request now.
  bool about_to_apply(Message& request);

 private:
  Nemesis::Step step(const Message& request, Side side, Message* reply) const;

  Simulation* simulation_ = nullptr;
  Process* process_ = nullptr;
};

}  // namespace picklock::sim
