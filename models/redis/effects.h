// The effects of one command, transaction or script, as replicas and the append-only file get them:
// commands that produce the same data wherever and whenever they run. Relative expiries have become
// absolute (R30), commands that changed nothing are left out (R31), and a script is replaced by its
// writes (R32).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "models/redis/session.h"
#include "sim/message.h"

namespace picklock::redis {

// A receiver has selected no database before the first command.
inline constexpr std::int64_t kNoDatabase = -1;

class Effects {
 public:
  enum class Receiver : std::uint8_t { file, replica };

  // Whether there is a receiver; otherwise no effect is kept.
  bool wanted() const { return wanted_; }
  void want(bool on) {
    wanted_ = on;
    if (!on) clear();
  }

  // Whether replicas get an expiry as it was sent, as before Redis 7.0.
  bool relative_expiry() const { return relative_expiry_; }
  void set_relative_expiry(bool on) { relative_expiry_ = on; }

  void add(std::uint32_t database, std::span<const std::string_view> argv) {
    add(database, argv, Receiver::file);
  }
  void add(std::uint32_t database, std::initializer_list<std::string_view> argv) {
    add(database, {argv.begin(), argv.size()}, Receiver::file);
  }
  // Adds a command of which replicas get another form.
  void add_for_file(std::uint32_t database, std::span<const std::string_view> argv) {
    add(database, argv, Receiver::file, Receiver::file);
  }
  // Adds a command that changes no data, such as PUBLISH, or the replicas' form of one.
  void add_for_replicas(std::uint32_t database, std::span<const std::string_view> argv) {
    add(database, argv, Receiver::replica);
  }
  std::size_t size() const { return about_.size(); }
  void clear();

  // Appends the effects as requests for this receiver: as one transaction if there are several
  // (R32), each in its database. `selected` is the receiver's current database.
  void write(sim::Payload& out, Receiver receiver, std::int64_t& selected);

 private:
  struct About {
    std::uint32_t database = 0;
    Receiver from{};  // these receivers get it, and those between them
    Receiver to{};
    bool is_for(Receiver receiver) const { return from <= receiver && receiver <= to; }
  };
  void add(std::uint32_t database, std::span<const std::string_view> argv, Receiver from,
           Receiver to = Receiver::replica);

  bool wanted_ = false;
  bool relative_expiry_ = false;
  CommandQueue commands_;
  std::vector<About> about_;  // each of them
  std::vector<std::string_view> argv_;
};

}  // namespace picklock::redis
