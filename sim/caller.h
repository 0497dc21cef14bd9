// A client process's way to one server: requests of any of its threads share one connection, and
// each thread sleeps until its own answer, the end of its patience, or the loss of the connection.
// After either of the latter the connection is given up and the next request dials a new one.
#pragma once

#include <functional>
#include <utility>
#include <vector>

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
    interrupted,  // its thread was, and waits no longer: outcome unknown
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
  // Connected already; a patience of zero never ends. One of several callers of a process and a
  // server, `number` 1 and on, dials with its first request.
  void reset(Simulation& simulation, Process& self, Process& server, Endpoint& server_end,
             const Protocol& protocol, std::uint32_t number = 0);

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

  // The same for a thread that may be interrupted; then `late` hears the answer, if one comes, and
  // must not block.
  using Late = std::function<void(std::string_view bytes)>;
  template <typename Fill>
  Answer call_interruptibly(std::uint8_t role, Duration patience, Fill&& fill, Late late) {
    if (simulation_->scheduler.inert()) return {Answer::Status::unreachable, nullptr, nullptr};
    if (connection_ == nullptr && !dial(patience))
      return {Answer::Status::unreachable, nullptr, nullptr};
    Message& request = simulation_->network.make(*connection_, 0);
    fill(request.payload);
    return exchange(request, role, patience, &late);
  }

  // Two requests at once, the second right behind the first.
  template <typename First, typename Second>
  std::pair<Answer, Answer> call_both(std::uint8_t role, Duration patience, First&& first,
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

  // Sends where a connection stands, and awaits nothing. False: none stands.
  template <typename Fill>
  bool post(std::uint8_t role, Fill&& fill) {
    if (simulation_->scheduler.inert() || connection_ == nullptr) return false;
    Message& request = simulation_->network.make(*connection_, 0);
    fill(request.payload);
    dispatch(request, role);
    return true;
  }

  // A connection on which an answer came too late for its request stays in use.
  void keep_after_timeout(bool keep) { keeps_ = keep; }

  // Its process has crashed: what it waited for is void.
  void forget();

  bool connected() const { return connection_ != nullptr; }
  // When anything came last, or a connection was had, by the process's monotonic clock.
  std::int64_t last_heard() const { return heard_; }
  // Dials, where no connection stands, without a request. False: none could be had.
  bool connect(Duration patience) {
    if (simulation_->scheduler.inert()) return false;
    return connection_ != nullptr || dial(patience);
  }
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
    // `from`: the tag of the thread whose doing it was.
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
    std::uint32_t call = 0;
    Message* answer = nullptr;
    bool reset = false;
    bool opened = false;
    Pending* next = nullptr;
    char command[24] = {};  // where faults ask for it
    std::size_t command_size = 0;
  };
  class Waiting;  // keeps a Pending in the list while its thread waits
  struct Abandoned {
    const Connection* connection = nullptr;
    std::uint32_t call = 0;
    Late late;
  };

  bool dial(Duration patience);
  void hear() { heard_ = self_->clock().read(ClockKind::monotonic, simulation_->now()); }
  Answer exchange(Message& request, std::uint8_t role, Duration patience, Late* late = nullptr);
  std::pair<Answer, Answer> exchange_both(Message& first, Message& second, std::uint8_t role,
                                          Duration patience);
  void dispatch(Message& request, std::uint8_t role);
  void address(Message& request, std::uint8_t role);
  bool send(Pending& pending, Message& request, std::uint8_t role);
  Answer answered(Pending& pending, std::uint8_t role);
  Answer given_up(Pending& pending, std::uint32_t number, std::uint8_t role, bool patient);
  [[gnu::always_inline]] bool wait(Duration patience);  // false: the patience ended
  void strike(Pending& pending, std::uint8_t role, Phase phase, Side side, Message* message);
  void give_up(Connection& connection);
  void drop(const Connection& connection);

  Simulation* simulation_ = nullptr;
  Connection* connection_ = nullptr;
  Pending* pending_ = nullptr;
  bool keeps_ = false;
  std::int64_t heard_ = 0;
  std::vector<Abandoned> abandoned_;
  Listener listener_;
  std::uint32_t calls_ = 0;
  std::uint32_t dials_ = 0;
  Process* self_ = nullptr;
  Process* server_ = nullptr;
  const Protocol* protocol_ = nullptr;
  Endpoint* server_end_ = nullptr;
};

}  // namespace picklock::sim
