#include "models/redis/outcomes/real_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "models/redis/conform/real_side.h"

namespace picklock::models::redis::outcomes {
namespace {

using conform::NoServer;

constexpr const char* kLoopback = "127.0.0.1";
constexpr int kCannotExecute = 96;
constexpr std::chrono::seconds kPatience(20);  // with a machine that is busy

[[noreturn]] void fail(const std::string& what) {
  throw NoServer(fmt::format("{}: {}", what, std::strerror(errno)));
}

// Below those that the kernel gives to outgoing connections, one of which could take it while its
// server is down.
std::uint16_t free_port() {
  constexpr int kFirst = 10'000;
  constexpr int kLast = 32'000;
  static std::minstd_rand chance(std::random_device{}());
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const auto port =
        static_cast<std::uint16_t>(std::uniform_int_distribution(kFirst, kLast)(chance));
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) fail("socket");
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    where.sin_port = htons(port);
    const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0;
    close(probe);
    if (bound) return port;
  }
  throw NoServer("no free loopback port");
}

}  // namespace

// ---------------------------------------------------------------- a folder, a clock

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "picklock-group-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) fail("no folder for servers");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

NodeClock::NodeClock(bool stands)
    : stands_(stands), file_(memfd_create("picklock-clock", MFD_CLOEXEC)) {
  if (file_ < 0 || ftruncate(file_, sizeof *ms_) != 0) fail("no memory for a clock");
  void* page = mmap(nullptr, sizeof *ms_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (page == MAP_FAILED) fail("no memory for a clock");
  ms_ = static_cast<volatile std::int64_t*>(page);
  set(stands ? kStart : 0);
}

NodeClock::~NodeClock() {
  munmap(const_cast<std::int64_t*>(ms_), sizeof *ms_);
  close(file_);
}

// ---------------------------------------------------------------- a node

RealNode::RealNode(const std::filesystem::path& folders, const NodeSettings& settings)
    : name_(settings.name),
      configuration_(settings.configuration),
      sentinel_(settings.sentinel),
      folder_(folders / settings.name),
      clock_(settings.clock_stands) {
  std::filesystem::create_directory(folder_);
  constexpr int kAttempts = 5;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    address_ = {kLoopback, free_port()};
    configure();
    if (begin() == Begun::answers) return;
  }
  throw NoServer(fmt::format("{} does not start: {}", name_, last_words()));
}

void RealNode::configure() {
  std::ofstream(folder_ / "redis.conf")
      << configuration_
      << fmt::format("\nport {}\nbind {}\ndir {}\n", address_.port, kLoopback, folder_.string());
}

RealNode::Begun RealNode::begin() {
  const std::string log = folder_ / "log";
  const std::string configuration = folder_ / "redis.conf";
  const std::string preload = std::string("LD_PRELOAD=") + PICKLOCK_STEERED_CLOCK;
  const std::string clock = fmt::format("PICKLOCK_CLOCK_FD={}", clock_.file());
  const char* const command[] = {"redis-server", configuration.c_str(),
                                 sentinel_ ? "--sentinel" : nullptr, nullptr};
  std::vector<char*> environment;
  for (char** one = environ; *one != nullptr; ++one) {
    if (std::strncmp(*one, "LD_PRELOAD=", 11) != 0) environment.push_back(*one);
  }
  environment.push_back(const_cast<char*>(preload.c_str()));
  environment.push_back(const_cast<char*>(clock.c_str()));
  if (!clock_.stands()) environment.push_back(const_cast<char*>("PICKLOCK_CLOCK_RUNS=1"));
  environment.push_back(nullptr);

  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) fail("no server can be started");
  if (pid_ == 0) {
    setpgid(0, 0);  // a Ctrl-C is for us
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kCannotExecute);
    const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    fcntl(clock_.file(), F_SETFD, 0);  // inherited by this node alone
    execvpe(command[0], const_cast<char* const*>(command), environment.data());
    _exit(kCannotExecute);
  }
  const auto begun = std::chrono::steady_clock::now();
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) != pid_) {
    if (answers()) return Begun::answers;
    if (std::chrono::steady_clock::now() - begun > kPatience) {
      kill();
      throw NoServer(fmt::format("{} answers nothing: {}", name_, last_words()));
    }
    usleep(2000);
  }
  pid_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotExecute)
    throw NoServer("redis-server is not installed: install it");
  return Begun::nothing;
}

// Whatever it answers. That its port takes connections is too little: another's may.
bool RealNode::answers() const {
  try {
    conform::Socket socket(address_);
    socket.send({"INFO", "server"});
    const std::string its_own = fmt::format("process_id:{}\r\n", pid_);
    for (int i = 0; i < 50 && !socket.ended(); ++i) {
      socket.soon();
      if (socket.received().find(its_own) != std::string::npos) return true;
      if (socket.received().find("\r\n\r\n") != std::string::npos) return false;
    }
  } catch (const NoServer&) {
    // It does not listen yet.
  }
  return false;
}

std::string RealNode::last_words() const {
  std::ifstream log(folder_ / "log");
  std::string last;
  for (std::string line; std::getline(log, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

void RealNode::stop() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGSTOP);
  int status = 0;
  while (waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
}

void RealNode::go_on() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGCONT);
}

void RealNode::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void RealNode::restart() {
  kill();
  if (begin() != Begun::answers)
    throw NoServer(fmt::format("{} does not start again: {}", name_, last_words()));
}

void RealNode::tear() const {
  constexpr std::uintmax_t kBytes = 5;  // fewer than any command has
  for (const auto& file : std::filesystem::directory_iterator(folder_ / "appendonlydir")) {
    if (file.path().string().ends_with(".incr.aof"))
      std::filesystem::resize_file(file.path(), file.file_size() - kBytes);
  }
}

// ---------------------------------------------------------------- a group

RealGroup::RealGroup(const Group& group) {
  std::string common =
      // No snapshots but those that are asked for, and replicas are fed at once.
      "save \"\"\nrepl-diskless-sync no\nrepl-diskless-sync-delay 0\n"
      "enable-debug-command yes\njemalloc-bg-thread no\nhz 100\n";
  common += fmt::format("appendonly {}\n", group.append_only ? "yes" : "no");
  for (const std::string& line : group.settings) common += fmt::format("{}\n", line);

  std::string of_master = common;
  for (const std::string& line : group.master_settings) of_master += fmt::format("{}\n", line);
  const RealNode& master = add(group, "master", of_master);
  const std::string where = fmt::format("{} {}", master.address().host, master.address().port);
  for (int i = 1; i <= group.replicas; ++i)
    add(group, fmt::format("replica-{}", i), fmt::format("{}replicaof {}\n", common, where));
  for (int i = 1; i <= group.sentinels; ++i) {
    add(group, fmt::format("sentinel-{}", i),
        fmt::format("sentinel monitor {0} {1} {2}\n"
                    "sentinel down-after-milliseconds {0} {3}\n"
                    "sentinel failover-timeout {0} {4}\n",
                    kGroupName, where, group.sentinels / 2 + 1, kDownAfter.count(),
                    kFailoverTimeout.count()));
  }
}

RealNode& RealGroup::add(const Group& group, const std::string& name, std::string configuration) {
  nodes_.push_back(std::make_unique<RealNode>(
      folder_.path(), NodeSettings{.name = name,
                                   .configuration = std::move(configuration),
                                   .sentinel = name.starts_with("sentinel"),
                                   .clock_stands = group.clocks_stand}));
  return *nodes_.back();
}

RealNode& RealGroup::node(std::string_view name) {
  for (const auto& node : nodes_) {
    if (node->name() == name) return *node;
  }
  throw std::invalid_argument(fmt::format("no node is called {}", name));
}

const RealNode* RealGroup::at(std::string_view host, std::string_view port) const {
  for (const auto& node : nodes_) {
    if (node->address().host == host && std::to_string(node->address().port) == port)
      return node.get();
  }
  return nullptr;
}

}  // namespace picklock::models::redis::outcomes
