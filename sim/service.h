// A server process: takes one message at a time, in the order of arrival, and answers on the
// connection it came by. Faults may strike just before or just after it has applied a request, with
// the answer not yet sent.
#pragma once

#include "sim/simulation.h"

namespace picklock::sim {

class Service : public Program, public Endpoint {
 public:
  Process& process() const { return *process_; }

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
  Simulation& simulation() const { return *simulation_; }
  // For readers of a trace: "becomes a replica of redis-2".
  void tell(std::string_view what) const;

  // Applies the request and writes its answer. False: it is applied later, on a thread of the
  // server's own, which then calls answer(); the request must have been marked as taken.
  virtual bool apply(Message& request, Payload& answer) = 0;

  // For a server that applied `request` by itself: sends what is in `reply`, unless a fault
  // prevents it.
  void answer(Message& request, Message& reply);
  Message& reply_to(Message& request);
  // True where the process still stands and the request may be applied now.
  bool about_to_apply(Message& request);

 private:
  Nemesis::Step step(const Message& request, Side side, Message* reply) const;

  Simulation* simulation_ = nullptr;
  Process* process_ = nullptr;
};

}  // namespace picklock::sim
