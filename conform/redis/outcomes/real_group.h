// Redis servers and Sentinels of our own on free loopback ports, each with a folder of its own and
// a wall clock that we set. They end with this object, and with this process however that ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conform/redis/node_clock.h"
#include "conform/redis/outcomes/situation.h"
#include "conform/redis/real_server.h"
#include "conform/server_process.h"

namespace picklock::conform::redis::outcomes {

// Gone with this object, with all that is in it.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct NodeSettings {
  std::string name;
  std::string configuration = {};  // without its port
  bool sentinel = false;
  bool clock_stands = false;
};

class RealNode {
 public:
  // Runs, and answers, when this returns. Throws NoServer.
  RealNode(const std::filesystem::path& folders, const NodeSettings& settings);
  RealNode(const RealNode&) = delete;
  RealNode& operator=(const RealNode&) = delete;

  const std::string& name() const { return name_; }
  const Address& address() const { return address_; }
  NodeClock& clock() { return clock_; }
  bool sentinel() const { return sentinel_; }
  bool runs() const { return process_.pid().has_value(); }

  // Each has taken effect when it returns.
  void stop() { process_.stop(); }
  void go_on() { process_.go_on(); }
  void kill() { process_.kill(); }
  // Answers, though perhaps that it is loading. At the same address.
  void restart();
  // Takes the end off its append-only file.
  void tear() const;

 private:
  enum class Begun { answers, nothing };

  void configure();
  Begun begin();
  bool answers() const;
  std::string log() const { return folder_ / "log"; }

  std::string name_;
  std::string configuration_;
  bool sentinel_;
  std::filesystem::path folder_;
  NodeClock clock_;
  Address address_;
  ServerProcess process_;
};

class RealGroup {
 public:
  explicit RealGroup(const Group& group);

  RealNode& node(std::string_view name);
  // nullptr: it is nobody's.
  const RealNode* at(std::string_view host, std::string_view port) const;
  const std::vector<std::unique_ptr<RealNode>>& nodes() const { return nodes_; }

 private:
  RealNode& add(const Group& group, const std::string& name, std::string configuration);

  Folder folder_;
  std::vector<std::unique_ptr<RealNode>> nodes_;  // in the order of Group; the master is the first
};

}  // namespace picklock::conform::redis::outcomes
