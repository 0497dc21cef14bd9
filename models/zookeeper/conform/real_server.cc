#include "models/zookeeper/conform/real_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace picklock::models::zookeeper::conform {
namespace {

constexpr int kCannotExecute = 96;

[[noreturn]] void fail(std::string_view what) {
  throw NoServer(fmt::format("{}: {}", what, std::strerror(errno)));
}

std::uint16_t free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) fail("socket");
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&where), size) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&where), &size) == 0;
  close(probe);
  if (!bound) fail("no free loopback port");
  return ntohs(where.sin_port);
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
  if (write(file, word.data(), word.size()) == static_cast<ssize_t>(word.size())) {
    std::array<char, 4096> some{};
    for (;;) {
      pollfd ready{file, POLLIN, 0};
      if (poll(&ready, 1, 2000) <= 0) break;
      const ssize_t size = read(file, some.data(), some.size());
      if (size <= 0) break;
      answer.append(some.data(), static_cast<std::size_t>(size));
    }
  }
  close(file);
  return answer;
}

RealServer::RealServer(std::string_view settings) {
  if (access("/usr/share/java/zookeeper.jar", R_OK) != 0)
    throw NoServer("zookeeper is not installed: install it, or give --address HOST:PORT");
  folder_ = "/tmp/picklock-zookeeper-XXXXXX";
  if (mkdtemp(folder_.data()) == nullptr) fail("no folder for a server");
  start(settings);
}

RealServer::~RealServer() { end(); }

void RealServer::end() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void RealServer::start(std::string_view settings) {
  address_ = {"127.0.0.1", free_port()};
  const std::string configuration = folder_ + "/zoo.cfg";
  std::ofstream(configuration) << "tickTime=200\ndataDir=" << folder_
                               << "/data\nclientPort=" << address_.port
                               << "\nadmin.enableServer=false\nmaxClientCnxns=0\n"
                                  "4lw.commands.whitelist=*\nclientPortAddress=127.0.0.1\n"
                               << settings;
  const std::string path = class_path();
  const std::string log = folder_ + "/log";
  const char* const command[] = {"java",
                                 "-Xmx128m",
                                 "-XX:+UseSerialGC",
                                 "-Dznode.container.checkIntervalMs=100000000",
                                 "-Dzookeeper.forceSync=no",
                                 "-Dzookeeper.extendedTypesEnabled=false",
                                 "-cp",
                                 path.c_str(),
                                 "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                                 configuration.c_str(),
                                 nullptr};
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) fail("no server can be started");
  if (pid_ == 0) {
    setpgid(0, 0);  // a Ctrl-C is for us
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kCannotExecute);
    const int nothing = open("/dev/null", O_RDONLY);
    const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(nothing, STDIN_FILENO);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execvp(command[0], const_cast<char* const*>(command));
    _exit(kCannotExecute);
  }
  constexpr int kTries = 600;  // times 50 ms
  for (int i = 0; i < kTries; ++i) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      std::ifstream said(log);
      std::string line;
      std::string last;
      while (std::getline(said, line)) {
        if (!line.empty()) last = line;
      }
      end();
      if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotExecute)
        throw NoServer("java is not installed: install it, or give --address HOST:PORT");
      throw NoServer("zookeeper does not start: " + last);
    }
    if (four_letters(address_, "srvr").find("Mode: ") != std::string::npos) return;
    usleep(50'000);
  }
  end();
  throw NoServer("zookeeper does not answer");
}

}  // namespace picklock::models::zookeeper::conform
