// A small world for one guest: a virtual clock, and a network of servers that behave by their port.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "guests/guest.h"
#include "guests/nursery.h"
#include "guests/surroundings.h"
#include "sim/clock.h"
#include "sim/random.h"

namespace picklock::testing {

class GuestWorld final : public guests::Surroundings {
 public:
  static constexpr std::int64_t kMillisecond = 1'000'000;
  static constexpr std::int64_t kSecond = 1'000'000'000;
  static constexpr std::int64_t kUptime = 1000 * kSecond;

  enum Port : std::uint16_t {
    kEcho = 7,
    kDiscard = 9,
    kRefusing = 21,       // at once
    kRefusingLater = 22,  // after a millisecond
    kResetting = 23,      // at the first message
    kEnding = 24,         // says "bye" at the first message, and goes
    kDeaf = 25,           // opens after a minute
    kFlooding = 26,       // answers with 3 MB
    kSlow = 27,           // opens after 50 ms
    kAgreeing = 6379,     // answers +OK, as Redis does
  };

  explicit GuestWorld(std::uint64_t seed = 1, guests::Nursery* nursery = nullptr)
      : random_(seed, sim::hash_of("guest")), guest(*this, nursery) {}

  // Runs a program until it ends, or a virtual time comes. The trace tells what it did.
  void run(guests::Start start, std::int64_t until = 3600 * kSecond) {
    begin(std::move(start));
    go_on(until);
  }
  void begin(guests::Start start) {
    if (start.environment.empty()) start.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
    guest.start(start);
  }
  void go_on(std::int64_t until = 3600 * kSecond) {
    while (guest.alive() && !events_.empty() && events_.begin()->first.first <= until) {
      const auto first = events_.begin();
      now = std::max(now, first->first.first);
      const std::function<void()> event = std::move(first->second);
      events_.erase(first);
      event();
    }
  }
  void after(std::int64_t delay, std::function<void()> event) {
    events_.emplace(std::pair{now + delay, ++order_}, std::move(event));
  }
  void note(std::string_view what) {
    trace.push_back(std::to_string(now / 1000) + " us " + std::string(what));
  }

  // --- guests::Surroundings
  std::int64_t clock(sim::ClockKind kind) override {
    ++looks;
    return now + (kind == sim::ClockKind::wall ? sim::kEpoch : kUptime);
  }
  void alarm(sim::ClockKind kind, std::int64_t local) override {
    const auto which = static_cast<std::size_t>(kind);
    const std::uint64_t ticket = ++tickets_[which];
    if (local == INT64_MAX) return;
    const std::int64_t delay = std::max<std::int64_t>(local - clock(kind), 0);
    after(delay, [this, which, ticket] {
      if (ticket == tickets_[which]) guest.time_came();
    });
  }
  void random(std::span<unsigned char> bytes) override {
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random_.next());
  }
  bool dial(guests::SocketId socket, std::uint32_t address, std::uint16_t port) override {
    note("dial " + std::to_string(address >> 24) + " port " + std::to_string(port));
    ports_[socket] = port;
    if (port == kRefusing) return false;
    if (port == kRefusingLater) {
      after(kMillisecond, [this, socket] { guest.refused(socket, ECONNREFUSED); });
    } else {
      const std::int64_t delay = port == kDeaf   ? 60 * kSecond
                                 : port == kSlow ? 50 * kMillisecond
                                                 : kMillisecond;
      after(delay, [this, socket] { guest.opened(socket); });
    }
    return true;
  }
  void send(guests::SocketId socket, std::string_view bytes) override {
    sent += bytes.size();
    note("send " + std::to_string(socket) + " " + std::string(bytes.substr(0, 40)));
    if (on_send) on_send(bytes);
    const std::string text(bytes);
    after(kMillisecond, [this, socket, text] { serve(socket, text); });
  }
  void closed(guests::SocketId socket) override {
    note("closed " + std::to_string(socket));
    ports_.erase(socket);
  }
  void shut_for_sending(guests::SocketId socket) override {
    note("shut " + std::to_string(socket));
  }
  void says(std::string_view line) override { note("says " + std::string(line)); }
  std::string hosts() override { return "127.0.0.1 localhost\n10.0.0.1 redis-1\n"; }

 private:
  void serve(guests::SocketId socket, const std::string& bytes) {
    const auto port = ports_.find(socket);
    if (port == ports_.end()) return;
    switch (port->second) {
      case kResetting:
        return guest.hung_up(socket, true);
      case kEnding:
        guest.received(socket, "bye");
        return guest.hung_up(socket, false);
      case kFlooding:
        return guest.received(socket, std::string(std::size_t{3} << 20, 'x'));
      case kAgreeing:
        return guest.received(socket, "+OK\r\n");
      case kDiscard:
        return;
      default:
        guest.received(socket, bytes);
    }
  }

  sim::Random random_;
  std::map<std::pair<std::int64_t, std::uint64_t>, std::function<void()>> events_;
  std::uint64_t order_ = 0;
  std::uint64_t tickets_[2] = {};
  std::map<guests::SocketId, std::uint16_t> ports_;

 public:
  std::int64_t now = 0;
  std::vector<std::string> trace;
  std::uint64_t sent = 0;
  std::uint64_t looks = 0;  // at a clock
  std::function<void(std::string_view)> on_send;
  guests::Guest guest;  // dies first
};

// The deeds of a program in a world of its own, and its output.
struct GuestStory {
  std::vector<std::string> trace;
  std::string printed;
  std::int64_t ended = 0;  // virtual nanoseconds
  std::optional<int> status;
  std::string not_reproducible;

  bool operator==(const GuestStory&) const = default;
};

class GuestOutput {
 public:
  GuestOutput() {
    if (const int file = mkstemp(path_.data()); file >= 0) close(file);
  }
  GuestOutput(const GuestOutput&) = delete;
  GuestOutput& operator=(const GuestOutput&) = delete;
  ~GuestOutput() { unlink(path_.c_str()); }

  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_ = "/tmp/picklock-guest-XXXXXX";
};

inline GuestStory story_of(guests::Start start, std::uint64_t seed = 1,
                           guests::Nursery* nursery = nullptr) {
  const GuestOutput output;
  start.output = output.path();
  GuestWorld world(seed, nursery);
  world.run(std::move(start));
  return {world.trace, output.text(), world.now, world.guest.exit_status(),
          world.guest.not_reproducible()};
}

inline GuestStory python(const std::string& text, std::uint64_t seed = 1) {
  guests::Start start;
  start.argv = {"/usr/bin/python3", "-c", text};
  start.folder = "/";
  return story_of(std::move(start), seed);
}

}  // namespace picklock::testing
