// The real side: applies the steps of a situation to real processes, and observes real sockets.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "conform/redis/frame.h"
#include "conform/redis/outcomes/real_group.h"
#include "conform/redis/outcomes/situation.h"
#include "conform/socket.h"

namespace picklock::conform::redis::outcomes {

class RealSide final : public Side {
 public:
  void begin(const Group& group) override;
  Duration now() override;
  void pass(Duration time) override;
  void send(const std::string& client, const std::string& node, const Words& words) override;
  std::string receive(const std::string& client, const std::string& node,
                      Duration patience) override;
  void act(Deed deed, const std::string& node) override;
  void skew(const std::string& node, Duration ahead) override;
  bool holds(Condition condition, const std::string& node) override;
  Words heard(const std::string& node) override;

 private:
  // A connection that poses as a replica.
  struct Listener {
    Socket socket;
    std::size_t offset = 0;  // in the stream, after what was taken
  };

  void settle(const Group& group);
  void listen(const std::string& node);
  std::string info(const std::string& node, const std::string& section);
  bool caught_up(const std::string& replica);
  std::string shown(const Frame& frame) const;

  std::unique_ptr<RealGroup> group_;
  std::map<std::pair<std::string, std::string>, Socket> sockets_;  // by client and node
  std::map<std::string, Listener> listeners_;                      // by node
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace picklock::conform::redis::outcomes
