#include "conform/zookeeper/real_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include "conform/socket.h"

namespace picklock::conform::zookeeper {
namespace {

// The jars of Debian's package, and their dependencies.
std::string class_path() {
  constexpr std::array<const char*, 10> kJars = {
      "zookeeper.jar",   "zookeeper-jute.jar",  "slf4j-api.jar",    "slf4j-simple.jar",
      "netty-all.jar",   "netty-common.jar",    "metrics-core.jar", "snappy-java.jar",
      "commons-cli.jar", "jackson-databind.jar"};
  std::string all = "/etc/zookeeper/conf";
  for (const char* jar : kJars) {
    const std::string path = std::string("/usr/share/java/") + jar;
    if (access(path.c_str(), R_OK) == 0) all += ":" + path;
  }
  return all;
}

}  // namespace

std::string four_letters(const Address& address, std::string_view word) {
  constexpr int kPatience = 100;  // times the wait of soon()
  try {
    Socket socket(address);
    socket.send(word);
    for (int silence = 0; silence < kPatience && !socket.ended();) silence += socket.soon() ? 0 : 1;
    return std::move(socket.received());
  } catch (const NoServer&) {
    return {};
  }
}

RealServer::RealServer(std::string settings, Stop stop)
    : RealServer(Membership{}, std::move(settings), std::move(stop)) {
  start();
}

RealServer::RealServer(Membership membership) : RealServer(std::move(membership), {}, {}) {
  choose_address();
  begin();
}

RealServer::RealServer(Membership membership, std::string settings, Stop stop)
    : OwnServer({.name = "zookeeper", .package = "java", .folder = "zookeeper"}, std::move(stop)),
      membership_(std::move(membership)),
      settings_(std::move(settings)) {
  if (access("/usr/share/java/zookeeper.jar", R_OK) != 0)
    throw NoServer("zookeeper is not installed: install it, or give --address HOST:PORT");
}

std::vector<std::string> RealServer::command() {
  const std::string data = folder() / "data";
  const std::string configuration = folder() / "zoo.cfg";
  std::filesystem::create_directory(data);
  std::ofstream file(configuration);
  file << "tickTime=200\ndataDir=" << data << "\nclientPort=" << address().port
       << "\nadmin.enableServer=false\nmaxClientCnxns=0\n"
          "4lw.commands.whitelist=*\nclientPortAddress="
       << address().host << '\n'
       << settings_;
  if (membership_.number == 0) {
    file << "forceSync=no\n";  // nobody reads its data again
  } else {
    std::ofstream(data + "/myid") << membership_.number << '\n';
    file << "initLimit=" << membership_.init_limit << "\nsyncLimit=" << membership_.sync_limit
         << '\n';
    std::uint32_t number = 0;
    for (const Membership::Ports& ports : membership_.servers)
      file << "server." << ++number << '=' << address().host << ':' << ports.quorum << ':'
           << ports.election << '\n';
  }
  return {"java",
          "-Xmx128m",
          "-XX:+UseSerialGC",
          "-Dznode.container.checkIntervalMs=100000000",
          "-Dzookeeper.extendedTypesEnabled=false",
          "-cp",
          class_path(),
          "org.apache.zookeeper.server.quorum.QuorumPeerMain",
          configuration};
}

std::string RealServer::mode() const {
  constexpr std::string_view kMode = "Mode: ";
  const std::string answer = four_letters(address(), "srvr");
  const std::size_t at = answer.find(kMode);
  if (at == std::string::npos) return {};
  const std::string rest = answer.substr(at + kMode.size());
  return rest.substr(0, rest.find('\n'));
}

}  // namespace picklock::conform::zookeeper
