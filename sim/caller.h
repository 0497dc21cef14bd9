// A client process's way to one server: requests of any of its threads share one connection, and
// each thread sleeps until its own answer, the end of its patience, or the loss of the connection.
// After either of the latter the connection is given up and the next request dials a new one.
#pragma once

#include <utility>

#include "sim/simulation.h"

namespace picklock::sim {

class Caller;

// What came of a request. The bytes live as long as this does.
class Answer {
 public:
  enum class Status : std::uint8_t {
    ok,
    timed_out,    // no answer within the patience: outcome unknown
    reset,        // the connection broke under the request: outcome unknown
    unreachable,  // no connection could be had: the request never left
  };

  Answer(Status status, Network* network, Message* message)
      : status_(status), network_(network), message_(message) {}
  Answer(Answer&& other) noexcept
      : status_(other.status_),
        network_(other.network_),
        message_(std::exchange(other.message_, nullptr)) {}
  Answer& operator=(Answer&&) = delete;
  ~Answer() {
    if (message_ != nullptr) network_->release(*message_);
  }

  Status status() const { return status_; }
  bool ok() const { return status_ == Status::ok; }
  std::string_view bytes() const {
    return message_ != nullptr ? message_->payload.view() : std::string_view();
  }

 private:
  Status status_;
  Network* network_;
  Message* message_;
};

class alignas(64) Caller final : public Endpoint {
 public:
  // Patience zero: a request waits for ever.
  void reset(Simulation& simulation, Process& self, Process& server, Endpoint& server_end,
             const Protocol& protocol);

  // Sends what `fill(payload)` writes and waits for the answer. Parks the calling thread.
  template <typename Fill>
  Answer call(std::uint8_t role, Duration patience, Fill&& fill) {
    if (simulation_->scheduler.inert()) return {Answer::Status::unreachable, nullptr, nullptr};
    if (connection_ == nullptr && !dial(patience))
      return {Answer::Status::unreachable, nullptr, nullptr};
    Message& request = simulation_->network.make(*connection_, 0);
    fill(request.payload);
    return exchange(request, role, patience);
  }

  // Its process has crashed: what it waited for is void.
  void forget();

  bool connected() const { return connection_ != nullptr; }
  // Whom to dial from now on.
  void aim(Process& server, Endpoint& server_end) {
    server_ = &server;
    server_end_ = &server_end;
  }
  // Gives the connection up; to requests under way it is lost.
  void hang_up();

  // Who takes up what comes unasked, in the order in which it comes, and hears when the connection
  // in use is lost. Called between the steps of threads: it may wake some and must not block.
  struct Listener {
    void* self = nullptr;
    void (*came)(void* self, std::string_view bytes) = nullptr;
    void (*lost)(void* self) = nullptr;
  };
  void listen(const Listener& listener) { listener_ = listener; }

  void on_message(Connection& connection, Message& message) override;
  void on_opened(Connection& connection) override;
  void on_reset(Connection& connection) override;

 private:
  // A request under way, on the stack of the thread that waits for it.
  struct Pending {
    Thread* thread = nullptr;
    Connection* connection = nullptr;
    std::uint32_t call = 0;
    Message* answer = nullptr;
    bool reset = false;
    bool opened = false;
    Pending* next = nullptr;
    char command[24] = {};  // where faults ask for it
    std::size_t command_size = 0;
  };
  class Waiting;  // keeps a Pending in the list while its thread waits

  bool dial(Duration patience);
  Answer exchange(Message& request, std::uint8_t role, Duration patience);
  [[gnu::always_inline]] bool wait(Duration patience);  // false: the patience ended
  void strike(Pending& pending, std::uint8_t role, Phase phase, Side side, Message* message);
  void give_up(Connection& connection);
  void drop(const Connection& connection);

  Simulation* simulation_ = nullptr;
  Connection* connection_ = nullptr;
  Pending* pending_ = nullptr;
  Listener listener_;
  std::uint32_t calls_ = 0;
  std::uint32_t dials_ = 0;
  Process* self_ = nullptr;
  Process* server_ = nullptr;
  const Protocol* protocol_ = nullptr;
  Endpoint* server_end_ = nullptr;
};

}  // namespace picklock::sim
