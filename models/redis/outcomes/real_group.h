// Redis servers and Sentinels of our own on free loopback ports, each with a folder of its own and
// a wall clock that we set. They end with this object, and with this process however that ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/conform/real_server.h"
#include "models/redis/outcomes/situation.h"

namespace picklock::models::redis::outcomes {

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

// A number that a preloaded library takes for the wall clock.
class NodeClock {
 public:
  explicit NodeClock(bool stands);
  NodeClock(const NodeClock&) = delete;
  NodeClock& operator=(const NodeClock&) = delete;
  ~NodeClock();

  // Of one that stands: milliseconds since the epoch. Of one that runs: ahead of the true time.
  void set(std::int64_t ms) { *ms_ = ms; }
  std::int64_t get() const { return *ms_; }
  bool stands() const { return stands_; }
  int file() const { return file_; }

 private:
  bool stands_;
  int file_ = -1;
  volatile std::int64_t* ms_ = nullptr;
};

struct NodeSettings {
  std::string name;
  std::string configuration = {};  // without its port
  bool sentinel = false;
  bool clock_stands = false;
};

class RealNode {
 public:
  // Runs, and answers, when this returns. Throws conform::NoServer.
  RealNode(const std::filesystem::path& folders, const NodeSettings& settings);
  RealNode(const RealNode&) = delete;
  RealNode& operator=(const RealNode&) = delete;
  ~RealNode() { kill(); }

  const std::string& name() const { return name_; }
  const conform::Address& address() const { return address_; }
  NodeClock& clock() { return clock_; }
  bool sentinel() const { return sentinel_; }
  bool runs() const { return pid_ > 0; }

  // Each has taken effect when it returns.
  void stop();
  void go_on();
  void kill();
  // Answers, though perhaps that it is loading. At the same address.
  void restart();
  // Takes the end off its append-only file.
  void tear() const;

 private:
  enum class Begun { answers, nothing };

  void configure();
  Begun begin();
  bool answers() const;
  std::string last_words() const;

  std::string name_;
  std::string configuration_;
  bool sentinel_;
  std::filesystem::path folder_;
  NodeClock clock_;
  conform::Address address_;
  pid_t pid_ = -1;
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

}  // namespace picklock::models::redis::outcomes
