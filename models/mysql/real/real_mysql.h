// A real MySQL server in the place of a simulated one, through MariaDB's own client library, which
// never waits: `poll` does.
#pragma once

#include <memory>
#include <string>

#include "models/mysql/conform/real_server.h"
#include "models/mysql/server.h"
#include "models/real/real_endpoint.h"

namespace picklock::mysql::real {

class RealMySql final : public models::real::RealEndpoint {
 public:
  // `database`: where the tables of the locks are.
  RealMySql(sim::Simulation& simulation, sim::Process& process, const conform::Address& address,
            std::string database)
      : RealEndpoint(simulation, process, address.host, address.port),
        address_(address),
        database_(std::move(database)) {}

  models::ServerEnd end() { return {.process = &process(), .endpoint = this}; }

 private:
  std::unique_ptr<models::real::RealLink> dial(sim::Simulation& simulation,
                                               sim::Connection& connection,
                                               const sockaddr_in& where) const override;

  conform::Address address_;
  std::string database_;
};

// Makes a database with the tables of the shipped locks and, for a lock of this name, the rows that
// are there at first. Throws conform::NoServer.
void prepare(const conform::Address& address, const std::string& database, const std::string& lock);

}  // namespace picklock::mysql::real
