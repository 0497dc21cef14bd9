// A real MySQL server in the place of a simulated one, through MariaDB's own client library, which
// never blocks: `poll` does.
#pragma once

#include <memory>
#include <string>

#include "conform/address.h"
#include "conform/real/real_endpoint.h"
#include "models/mysql/server.h"

namespace picklock::conform::mysql::real {

class RealMySql final : public conform::real::RealEndpoint {
 public:
  // `database` has the tables of the locks.
  RealMySql(sim::Simulation& simulation, sim::Process& process, const Address& address,
            std::string database)
      : RealEndpoint(simulation, process, address.host, address.port),
        address_(address),
        database_(std::move(database)) {}

  models::ServerEnd end() { return {.process = &process(), .endpoint = this}; }

 private:
  std::unique_ptr<conform::real::RealLink> dial(sim::Simulation& simulation,
                                                sim::Connection& connection,
                                                const sockaddr_in& where) const override;

  Address address_;
  std::string database_;
};

// Makes a database with the tables of the shipped locks, and the initial rows for a lock of this
// name. Throws NoServer.
void prepare(const Address& address, const std::string& database, const std::string& lock,
             std::uint32_t rows = 1);

}  // namespace picklock::conform::mysql::real
