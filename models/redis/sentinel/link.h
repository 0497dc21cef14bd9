// A client's end of one connection to a Redis server or Sentinel, for programs that are state
// machines. Commands are sent without waiting; replies come in the order of the commands, each with
// the tag of its command. Messages of subscribed channels come as they are published.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "models/redis/directory.h"
#include "sim/simulation.h"

namespace picklock::redis {

class Link;

// The user of a link. Any call may close the link or dial again, but must not destroy it.
class LinkListener {
 public:
  virtual void on_reply(Link& link, std::uint64_t tag, std::string_view reply) = 0;
  virtual void on_pushed(Link& link, std::string_view message) = 0;
  virtual void on_lost(Link& link) = 0;  // pending commands will not be answered

 protected:
  ~LinkListener() = default;
};

class Link final : public sim::Endpoint {
 public:
  explicit Link(LinkListener& listener) : listener_(listener) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // Commands may be sent at once. `node` nullptr: no process is there, not even to refuse the
  // connection. `ordinal` distinguishes the connections of one process.
  void dial(sim::Simulation& simulation, sim::Process& self, const Node* node,
            std::uint32_t ordinal);
  // A SUBSCRIBE may have only one channel.
  void send(std::initializer_list<std::string_view> argv, std::uint64_t tag = 0);
  void close();
  void forget();  // its process has crashed, and the connection with it

  bool dialled() const { return dialled_; }  // dialed, and neither closed nor lost since
  std::size_t pending() const { return tags_.size() - answered_; }

  void on_message(sim::Connection& connection, sim::Message& message) override;
  void on_reset(sim::Connection& connection) override;

 private:
  LinkListener& listener_;
  sim::Network* network_ = nullptr;
  sim::Connection* connection_ = nullptr;
  bool dialled_ = false;
  bool subscribed_ = false;
  std::vector<std::uint64_t> tags_;  // of the commands sent; the first `answered_` are answered
  std::size_t answered_ = 0;
};

// The length of the reply at the front of `bytes`; 0: it is incomplete or not well-formed.
std::size_t reply_size(std::string_view bytes);

}  // namespace picklock::redis
