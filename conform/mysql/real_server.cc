#include "conform/mysql/real_server.h"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "conform/mysql/real_side.h"

namespace picklock::conform::mysql {

RealServer::RealServer(Stop stop)
    : OwnServer({.name = "mariadbd", .package = "mariadb-server", .folder = "mysql"},
                std::move(stop)) {
  start();
}

std::vector<std::string> RealServer::command() {
  const std::string data = folder() / "data";
  std::filesystem::create_directory(data);
  return {
      "mariadbd",
      "--no-defaults",
      "--user=" + std::string(geteuid() == 0 ? "root" : ""),
      // Without its own tables it knows no users, and is ready in a fifth of a second.
      "--skip-grant-tables",
      "--bind-address=" + address().host,
      "--port=" + std::to_string(address().port),
      "--socket=socket",  // in the data directory, because socket paths must be short
      "--datadir=" + data,
      "--skip-log-bin",
      "--innodb-flush-log-at-trx-commit=0",
      "--innodb-buffer-pool-size=16M",
      "--innodb-log-file-size=4M",
      "--innodb-lock-wait-timeout=3600",
      "--max-connections=500",
  };
}

bool RealServer::answers() { return mysql::answers(address()); }

}  // namespace picklock::conform::mysql
