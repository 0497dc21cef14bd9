#include "conform/zookeeper/real_server.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace picklock::conform::zookeeper {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

[[noreturn]] void fail(std::string_view what) {
  throw NoServer(fmt::format("{}: {}", what, std::strerror(errno)));
}

// What Debian's package puts there, and needs.
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

int connected(const Address& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found) != 0)
    return -1;
  int file = -1;
  for (const addrinfo* one = found; one != nullptr && file < 0; one = one->ai_next) {
    file = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file >= 0 && connect(file, one->ai_addr, one->ai_addrlen) != 0) {
      close(file);
      file = -1;
    }
  }
  freeaddrinfo(found);
  if (file >= 0) {
    const int now = 1;
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
  }
  return file;
}

std::string four_letters(const Address& address, std::string_view word) {
  const int file = connected(address);
  if (file < 0) return {};
  std::string answer;
  if (send(file, word.data(), word.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(word.size())) {
    std::array<char, 4096> some{};
    for (;;) {
      pollfd ready{file, POLLIN, 0};
      if (poll(&ready, 1, 2000) <= 0) break;
      const ssize_t size = ::read(file, some.data(), some.size());
      if (size <= 0) break;
      answer.append(some.data(), static_cast<std::size_t>(size));
    }
  }
  close(file);
  return answer;
}

RealServer::RealServer(std::string settings) : RealServer(Membership{}, std::move(settings)) {
  constexpr int kTries = 600;  // times 50 ms
  for (int i = 0; i < kTries; ++i) {
    look_for_end();
    if (!mode().empty()) return;
    usleep(50'000);
  }
  throw NoServer("zookeeper does not answer");
}

RealServer::RealServer(Membership membership, std::string settings)
    : membership_(std::move(membership)), settings_(std::move(settings)) {
  if (access("/usr/share/java/zookeeper.jar", R_OK) != 0)
    throw NoServer("zookeeper is not installed: install it, or give --address HOST:PORT");
  address_ = {kLoopback, free_port()};
  if (address_.port == 0) throw NoServer("no free loopback port");
  folder_ = "/tmp/picklock-zookeeper-XXXXXX";
  if (mkdtemp(folder_.data()) == nullptr) fail("no folder for a server");
  configure();
  start();
}

RealServer::~RealServer() {
  process_.kill();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void RealServer::configure() const {
  std::filesystem::create_directory(folder_ + "/data");
  std::ofstream file(folder_ + "/zoo.cfg");
  file << "tickTime=200\ndataDir=" << folder_ << "/data\nclientPort=" << address_.port
       << "\nadmin.enableServer=false\nmaxClientCnxns=0\n"
          "4lw.commands.whitelist=*\nclientPortAddress="
       << kLoopback << '\n'
       << settings_;
  if (membership_.number == 0) {
    file << "forceSync=no\n";  // its data is never looked at again
    return;
  }
  std::ofstream(folder_ + "/data/myid") << membership_.number << '\n';
  file << "initLimit=" << membership_.init_limit << "\nsyncLimit=" << membership_.sync_limit
       << '\n';
  std::uint32_t number = 0;
  for (const Membership::Ports& ports : membership_.servers)
    file << "server." << ++number << '=' << kLoopback << ':' << ports.quorum << ':'
         << ports.election << '\n';
}

std::string RealServer::mode() const {
  constexpr std::string_view kMode = "Mode: ";
  const std::string answer = four_letters(address_, "srvr");
  const std::size_t at = answer.find(kMode);
  if (at == std::string::npos) return {};
  const std::string rest = answer.substr(at + kMode.size());
  return rest.substr(0, rest.find('\n'));
}

void RealServer::look_for_end() {
  const std::optional<int> status = process_.ended();
  if (!status) return;
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == ServerProcess::kCannotExecute)
    throw NoServer("java is not installed: install it, or give --address HOST:PORT");
  throw NoServer("zookeeper does not start: " + last_line(folder_ + "/log"));
}

void RealServer::start() {
  process_.start(
      {"java", "-Xmx128m", "-XX:+UseSerialGC", "-Dznode.container.checkIntervalMs=100000000",
       "-Dzookeeper.extendedTypesEnabled=false", "-cp", class_path(),
       "org.apache.zookeeper.server.quorum.QuorumPeerMain", folder_ + "/zoo.cfg"},
      folder_ + "/log");
}

}  // namespace picklock::conform::zookeeper
