#include "conform/mysql/real_server.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "conform/mysql/real_side.h"

namespace picklock::conform::mysql {

RealServer::RealServer() {
  folder_ = "/tmp/picklock-mysql-XXXXXX";
  if (mkdtemp(folder_.data()) == nullptr)
    throw NoServer(fmt::format("no folder for a server: {}", std::strerror(errno)));
  std::filesystem::create_directory(folder_ + "/data");
  address_ = {"127.0.0.1", free_port()};
  if (address_.port == 0) throw NoServer("no free loopback port");
  // Without the tables of its own it knows no users, and is there in a fifth of a second.
  process_.start(
      {"mariadbd", "--no-defaults", "--user=" + std::string(geteuid() == 0 ? "root" : ""),
       "--skip-grant-tables", "--bind-address=127.0.0.1", "--port=" + std::to_string(address_.port),
       "--socket=" + folder_ + "/socket", "--datadir=" + folder_ + "/data", "--skip-log-bin",
       "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=16M",
       "--innodb-log-file-size=4M", "--innodb-lock-wait-timeout=3600", "--max-connections=500"},
      folder_ + "/log");
  constexpr int kTries = 600;  // times 50 ms
  for (int i = 0; i < kTries; ++i) {
    if (const std::optional<int> status = process_.ended()) {
      if (WIFEXITED(*status) && WEXITSTATUS(*status) == ServerProcess::kCannotExecute)
        throw NoServer("mariadb-server is not installed: install it, or give --address HOST:PORT");
      throw NoServer("mariadbd does not start: " + last_line(folder_ + "/log"));
    }
    if (answers(address_)) return;
    usleep(50'000);
  }
  throw NoServer("mariadbd does not answer");
}

RealServer::~RealServer() {
  process_.kill();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace picklock::conform::mysql
