// A client process's connection to one server, shared by the requests of all its threads. Each
// thread sleeps until its own answer arrives, its patience ends or the connection is lost. In the
// last two cases the connection is given up, and the next request dials a new one.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "sim/simulation.h"

namespace picklock::sim {

class Caller;

// The outcome of a request. The bytes live as long as this object.
class Answer {
 public:
  enum class Status : std::uint8_t {
    ok,
    timed_out,    // no answer within the patience: outcome unknown
    reset,        // the connection broke under the request: outcome unknown
    unreachable,  // no connection could be opened: the request never left
    interrupted,  // its thread was interrupted and stopped waiting: outcome unknown
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
  // The caller is connected already; but if a process has several callers to one server, those with
  // a `number` of 1 or more dial with their first request. A patience of zero never ends.
  void reset(Simulation& simulation, Process& self, Process& server, Endpoint& server_end,
             const Protocol& protocol, std::uint32_t number = 0);
  // Connects it now, before the run begins, whatever its number.
  void open_early();

  // Sends what `fill(payload)` writes and waits for the answer. Parks the calling thread.
  template <typename Fill>
  Answer call(Role role, Duration patience, Fill&& fill) {
    if (simulation_->scheduler.inert()) return {Answer::Status::unreachable, nullptr, nullptr};
    if (connection_ == nullptr && !dial(patience))
      return {Answer::Status::unreachable, nullptr, nullptr};
    Message& request = simulation_->network.make(*connection_, 0);
    fill(request.payload);
    return exchange(request, role, patience);
  }

  // The same for a thread that may be interrupted. After an interrupt, an answer that still arrives
  // is passed to `late`, which must not block.
  using Late = std::function<void(std::string_view bytes)>;
  template <typename Fill>
  Answer call_interruptibly(Role role, Duration patience, Fill&& fill, Late late) {
    if (simulation_->scheduler.inert()) return {Answer::Status::unreachable, nullptr, nullptr};
    if (connection_ == nullptr && !dial(patience))
      return {Answer::Status::unreachable, nullptr, nullptr};
    Message& request = simulation_->network.make(*connection_, 0);
    fill(request.payload);
    return exchange(request, role, patience, &late);
  }

  // Two requests at once, the second right after the first.
  template <typename First, typename Second>
  std::pair<Answer, Answer> call_both(Role role, Duration patience, First&& first,
                                      Second&& second) {
    if (simulation_->scheduler.inert() || (connection_ == nullptr && !dial(patience))) {
      return {Answer(Answer::Status::unreachable, nullptr, nullptr),
              Answer(Answer::Status::unreachable, nullptr, nullptr)};
    }
    Message& one = simulation_->network.make(*connection_, 0);
    first(one.payload);
    Message& other = simulation_->network.make(*connection_, 0);
    second(other.payload);
    return exchange_both(one, other, role, patience);
  }

  // Sends a request on the open connection and does not wait for an answer. False: no connection is
  // open.
  template <typename Fill>
  bool post(Role role, Fill&& fill) {
    if (simulation_->scheduler.inert() || connection_ == nullptr) return false;
    Message& request = simulation_->network.make(*connection_, 0);
    fill(request.payload);
    dispatch(request, role);
    return true;
  }

  // If `keep` is true, a connection stays in use after a request on it has timed out.
  void keep_after_timeout(bool keep) { keeps_ = keep; }

  // Drops all pending requests, because the process has crashed.
  void forget();

  bool connected() const { return connection_ != nullptr; }
  // When something last arrived or a connection was last opened, by the process's monotonic clock.
  std::int64_t last_heard() const { return heard_; }
  // Dials without a request unless a connection is open. False: no connection could be opened.
  bool connect(Duration patience) {
    if (simulation_->scheduler.inert()) return false;
    return connection_ != nullptr || dial(patience);
  }
  // Sets the server that later dials go to.
  void aim(Process& server, Endpoint& server_end) {
    server_ = &server;
    server_end_ = &server_end;
  }
  // Gives the connection up; requests in flight lose it.
  void hang_up();

  // Receives unasked messages in the order of their arrival, and is notified when the connection in
  // use is lost. It is called between the steps of threads: it may wake threads and must not block.
  struct Listener {
    void* self = nullptr;
    // `from`: the tag of the thread that caused the message.
    void (*came)(void* self, std::string_view bytes, Tag from) = nullptr;
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
    std::uint32_t request = 0;  // its number; 0: a connection is being opened
    Message* answer = nullptr;
    bool reset = false;
    bool opened = false;
    Pending* before = nullptr;  // an older one
    Pending* next = nullptr;
    char command[24] = {};  // only if faults ask for commands
    std::size_t command_size = 0;
  };
  class Waiting;  // keeps a Pending in the list while its thread waits
  struct Abandoned {
    const Connection* connection = nullptr;
    std::uint32_t request = 0;
    Late late;
  };

  bool dial(Duration patience);
  void hear() { heard_ = self_->clock().read(ClockKind::monotonic, simulation_->now()); }
  Answer exchange(Message& request, Role role, Duration patience, Late* late = nullptr);
  std::pair<Answer, Answer> exchange_both(Message& first, Message& second, Role role,
                                          Duration patience);
  void dispatch(Message& request, Role role);
  void address(Message& request, Role role);
  bool send(Pending& pending, Message& request, Role role);
  Answer answered(Pending& pending, Role role);
  Answer given_up(const Pending& pending, Role role, bool patient);
  [[gnu::always_inline]] bool wait(Duration patience);  // false: the patience ended
  void strike(Pending& pending, Role role, Phase phase, Side side, Message* message);
  void give_up(Connection& connection);
  void drop(const Connection& connection);

  Simulation* simulation_ = nullptr;
  Connection* connection_ = nullptr;
  Pending* oldest_ = nullptr;
  Pending* newest_ = nullptr;
  bool keeps_ = false;
  std::int64_t heard_ = 0;
  std::vector<Abandoned> abandoned_;
  Listener listener_;
  std::uint32_t dials_ = 0;
  Process* self_ = nullptr;
  Process* server_ = nullptr;
  const Protocol* protocol_ = nullptr;
  Endpoint* server_end_ = nullptr;
};

}  // namespace picklock::sim
