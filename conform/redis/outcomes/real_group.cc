#include "conform/redis/outcomes/real_group.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "conform/redis/real_side.h"

namespace picklock::conform::redis::outcomes {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr std::chrono::seconds kPatience(20);  // with a machine that is busy

[[noreturn]] void fail(const std::string& what) {
  throw NoServer(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

// ---------------------------------------------------------------- a folder

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "picklock-group-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) fail("no folder for servers");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

// ---------------------------------------------------------------- a node

RealNode::RealNode(const std::filesystem::path& folders, const NodeSettings& settings)
    : name_(settings.name),
      configuration_(settings.configuration),
      sentinel_(settings.sentinel),
      folder_(folders / settings.name),
      clock_(settings.clock_stands ? NodeClock::Kind::stands : NodeClock::Kind::runs) {
  clock_.set(settings.clock_stands ? kStart : 0);
  std::filesystem::create_directory(folder_);
  constexpr int kAttempts = 5;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    address_ = {kLoopback, free_port()};
    if (address_.port == 0) throw NoServer("no free loopback port");
    configure();
    if (begin() == Begun::answers) return;
  }
  throw NoServer(fmt::format("{} does not start: {}", name_, last_line(log())));
}

void RealNode::configure() {
  std::ofstream(folder_ / "redis.conf")
      << configuration_
      << fmt::format("\nport {}\nbind {}\ndir {}\n", address_.port, kLoopback, folder_.string());
}

RealNode::Begun RealNode::begin() {
  std::filesystem::remove(log());
  std::vector<std::string> command = {"redis-server", folder_ / "redis.conf"};
  if (sentinel_) command.emplace_back("--sentinel");
  process_.start(command, log(), clock_.surroundings(PICKLOCK_STEERED_CLOCK));
  const auto begun = std::chrono::steady_clock::now();
  for (;;) {
    if (const std::optional<int> status = process_.ended()) {
      if (WIFEXITED(*status) && WEXITSTATUS(*status) == ServerProcess::kCannotExecute)
        throw NoServer("redis-server is not installed: install it");
      return Begun::nothing;
    }
    if (answers()) return Begun::answers;
    if (std::chrono::steady_clock::now() - begun > kPatience) {
      kill();
      throw NoServer(fmt::format("{} answers nothing: {}", name_, last_line(log())));
    }
    usleep(2000);
  }
}

// Whatever it answers. That its port takes connections is too little: another's may.
bool RealNode::answers() const {
  try {
    Socket socket(address_);
    socket.send({"INFO", "server"});
    const std::string its_own = fmt::format("process_id:{}\r\n", process_.pid().value());
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

void RealNode::restart() {
  kill();
  if (begin() != Begun::answers)
    throw NoServer(fmt::format("{} does not start again: {}", name_, last_line(log())));
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

}  // namespace picklock::conform::redis::outcomes
