// The addresses of the Redis servers and Sentinels of a run. Servers name each other only by
// address; a process that dials one looks it up here.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "sim/network.h"

namespace picklock::redis {

inline constexpr std::uint16_t kServerPort = 6379;
inline constexpr std::uint16_t kSentinelPort = 26379;

// The host address of a process; each has a machine of its own.
inline std::string host_of(sim::ProcessId process) {
  return "10.0." + std::to_string(process / 250) + "." + std::to_string(process % 250 + 1);
}

// A process that accepts connections.
struct Node {
  sim::Process* process = nullptr;
  sim::Endpoint* endpoint = nullptr;
  std::uint16_t port = kServerPort;
  std::string_view machine{};  // its address, where all processes are on one; empty: its own

  std::string host() const {
    return machine.empty() ? host_of(process->id()) : std::string(machine);
  }
};

class Directory {
 public:
  void clear() { nodes_.clear(); }
  void add(const Node& node) { nodes_.push_back(node); }

  // The address of the one machine on which all processes are; empty: each has its own.
  std::string_view machine() const {
    return nodes_.empty() ? std::string_view() : nodes_.front().machine;
  }
  const std::deque<Node>& nodes() const { return nodes_; }

  // nullptr: no process listens there.
  const Node* find(std::string_view host, std::uint16_t port) const {
    for (const Node& node : nodes_) {
      if (node.port == port && node.host() == host) return &node;
    }
    return nullptr;
  }
  const Node* of(const sim::Process& process) const {
    for (const Node& node : nodes_) {
      if (node.process == &process) return &node;
    }
    return nullptr;
  }

 private:
  std::deque<Node> nodes_;  // keeps its elements in place: replicas keep pointers to their master
};

}  // namespace picklock::redis
