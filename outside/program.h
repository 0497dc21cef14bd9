// An unmodified program as a process of the simulation: its clocks, its waits, its randomness and
// its connections are those of the process, and a fault hits it as it hits any client.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "guests/guest.h"
#include "guests/surroundings.h"
#include "models/servers/cluster.h"
#include "models/servers/wire.h"
#include "outside/output.h"
#include "outside/stream.h"
#include "sim/random.h"
#include "sim/simulation.h"

namespace picklock::outside {

// Where programs reach a server: at its name, or at localhost with a port that no other has.
struct Address {
  std::string name;
  std::uint16_t port = 0;          // at localhost
  std::uint16_t port_of_kind = 0;  // at its name
  servers::Door door{};
  std::unique_ptr<servers::Wire> (*open_wire)() = nullptr;
};

// A number of its own for each connection, which accompanies its messages.
class Register {
 public:
  virtual sim::Tag admit(sim::Process& client) = 0;

 protected:
  ~Register() = default;
};

class Program final : public sim::Program, private guests::Surroundings {
 public:
  Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  struct Setting {
    const std::vector<std::string>* command = nullptr;  // the program and its arguments
    std::string folder;                                 // in which it starts; empty: this one
    std::vector<std::string> environment;  // NAME=value, beside what every program gets
    std::span<const Address> addresses;
    const servers::Cluster* cluster = nullptr;  // behind the addresses, but that of the resource
    guests::Nursery* nursery = nullptr;         // nullptr: it begins anew each time
  };

  // It starts with its process, but not before `arrives`.
  void reset(sim::Simulation& simulation, sim::Process& process, Setting setting,
             sim::Duration arrives, Register& visitors);
  // The run is over.
  void end();

  // Why the run cannot be repeated; empty: it can.
  const std::string& not_reproducible() const { return why_not_; }
  // How it ended by itself, such as "ended with exit status 1"; empty: it has not.
  const std::string& ending() const { return ending_; }
  std::string last_line() const { return output_.last_line(); }  // that it has printed
  std::int64_t printed() const { return output_.size(); }        // bytes

  // --- sim::Program
  void start(sim::Keeps keeps) override;
  void halted() override;

 private:
  class Socket;

  // --- guests::Surroundings
  std::int64_t clock(sim::ClockKind kind) override;
  void alarm(sim::ClockKind kind, std::int64_t local) override;
  void random(std::span<unsigned char> bytes) override;
  bool dial(guests::SocketId socket, std::uint32_t address, std::uint16_t port) override;
  void send(guests::SocketId socket, std::string_view bytes) override;
  void closed(guests::SocketId socket) override;
  void shut_for_sending(guests::SocketId socket) override;
  void says(std::string_view line) override;
  std::string hosts() override;

  void launch();
  void rings(std::uint32_t kind);
  void goes_on();
  template <typename Do>
  void run(Do&& act);
  void look();
  const Address* find(std::uint32_t address, std::uint16_t port) const;
  Socket* socket(guests::SocketId id);
  void bury(guests::SocketId id);
  void let_go();
  void tell(std::string_view what) const;

  sim::Simulation* simulation_ = nullptr;
  sim::Process* process_ = nullptr;
  Setting setting_;
  sim::Duration arrives_{};
  Register* register_ = nullptr;
  sim::Random random_;
  sim::Timer arrival_;
  sim::Timer alarms_[2];  // by clock
  sim::Timer thaw_;
  std::unique_ptr<guests::Guest> guest_;
  unsigned depth_ = 0;  // of calls of the guest that are under way
  std::map<guests::SocketId, std::unique_ptr<Socket>> sockets_;
  // The simulation may still name these, or they are at work, until the run is over.
  std::vector<std::unique_ptr<Socket>> old_sockets_;
  std::vector<std::unique_ptr<guests::Guest>> old_guests_;
  std::uint32_t connections_ = 0;
  bool holds_open_ = false;
  std::string ending_;
  Output output_;
  std::string why_not_;
};

}  // namespace picklock::outside
