// What the writes of one command, transaction or script come to, as replicas and the append-only
// file get it: commands that leave the same data wherever and whenever they run. Relative expiries
// have become absolute (R30), what changed nothing is not there (R31), a script is what it did
// (R32).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "models/redis/session.h"
#include "sim/message.h"

namespace picklock::redis {

// Before the first command a receiver is in no database.
inline constexpr std::int64_t kNoDatabase = -1;

class Effects {
 public:
  enum class Receiver : std::uint8_t { file, replica };

  // Whether anybody is there to get them; nothing is kept otherwise.
  bool wanted() const { return wanted_; }
  void want(bool on) {
    wanted_ = on;
    if (!on) clear();
  }

  void add(std::uint32_t database, std::span<const std::string_view> argv) {
    add(database, argv, Receiver::file);
  }
  void add(std::uint32_t database, std::initializer_list<std::string_view> argv) {
    add(database, {argv.begin(), argv.size()}, Receiver::file);
  }
  // What changes no data: PUBLISH.
  void add_for_replicas(std::uint32_t database, std::span<const std::string_view> argv) {
    add(database, argv, Receiver::replica);
  }
  std::size_t size() const { return about_.size(); }
  void clear();

  // Appends requests to what a receiver gets: one transaction if there are several (R32), each in
  // its database; `selected` is the one that the receiver is in.
  void write(sim::Payload& out, Receiver receiver, std::int64_t& selected);

 private:
  struct About {
    std::uint32_t database = 0;
    Receiver from{};  // this one and those behind it get it
  };
  void add(std::uint32_t database, std::span<const std::string_view> argv, Receiver from);

  bool wanted_ = false;
  CommandQueue commands_;
  std::vector<About> about_;  // each of them
  std::vector<std::string_view> argv_;
};

}  // namespace picklock::redis
