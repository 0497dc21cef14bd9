// A lease store as its clients see it: one server that never loses what it has acknowledged, like a
// consensus group. It counts sessions on its monotonic clock and ends them at the first check after
// their time, never before: within (life, life + tick]. The keys of an ended session are free, but
// nobody is granted them before the session's lock-delay is over; a release bypasses that.
//
// Every grant has a larger revision than those before. (key, revision, session) is the sequencer,
// and the revision is a fencing token. (docs/facts/algorithms.md 7.1, 7.2, 7.4)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/client/tenures.h"
#include "models/lease_store/protocol.h"
#include "sim/service.h"

namespace picklock::lease_store {

struct Settings {
  std::uint32_t expire_after = 1;  // a session lives so many times its TTL without a keep-alive
  // between two checks for ended sessions; 0: they end at once
  Duration tick = std::chrono::milliseconds(500);
};

class LeaseStore final : public sim::Service {
 public:
  void reset(history::RecordedSimulation& simulation, sim::Process& process,
             models::Tenures& tenures, models::Keys& keys, const Settings& settings);

  // A restart forgets nothing, whatever the machine keeps, and gives every session its full time:
  // while the store was away, it could not receive keep-alives.
  void start(sim::Keeps keeps) override;
  void halted() override;
  void strike(const sim::Strike& strike) override;
  void on_reset(sim::Connection& connection) override { hung_up(connection); }
  void on_closed(sim::Connection& connection) override { hung_up(connection); }

 private:
  struct Session {
    std::uint32_t number = 0;
    sim::ProcessId client = 0;
    Duration ttl{};
    Duration lock_delay{};
    std::int64_t deadline = 0;  // on the monotonic clock, as every time here
  };
  struct Entry {
    std::string key;
    history::KeyId id = 0;
    std::uint32_t session = 0;  // 0: the key is free
    history::TenureId owner = 0;
    std::int64_t revision = 0;
    std::int64_t delayed_until = 0;  // 0: no delay
  };
  struct Watcher {
    sim::Message* request = nullptr;
    std::size_t entry = 0;
    std::int64_t until = 0;
  };

  bool apply(sim::Message& request, sim::Payload& answer) override;
  void open(const Request& request, const sim::Message& message, sim::Payload& answer);
  void keep_alive(Session& session, const sim::Message& message);
  void acquire(Entry& entry, const Session& session, const sim::Message& message,
               sim::Payload& answer);
  bool watch(const Request& request, sim::Message& message, sim::Payload& answer);

  Session* session_of(std::string_view name);
  Entry& entry_of(std::string_view key);
  std::int64_t now() const;
  std::int64_t after(Duration time) const;
  std::int64_t deadline_of(Duration ttl) const;     // of a session whose keep-alive arrives now
  std::int64_t ends(const Session& session) const;  // when a check finds that it is over
  bool to_be_had(const Entry& entry) const {
    return entry.session == 0 && entry.delayed_until == 0;
  }

  void end(std::uint32_t number, history::TenureId actor);
  void free(Entry& entry, history::Cause cause, history::TenureId actor, Role role);
  void note(history::What what, history::Cause cause, const Entry& entry, history::TenureId actor,
            Role role, sim::Instant until);
  sim::Instant until(const Session& session) const;

  void wake_watchers(const Entry& entry);
  void tell_watcher(std::size_t index, std::string_view what);
  void hung_up(const sim::Connection& connection);

  void await();
  void look();

  history::Recorder* recorder_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  models::Keys* keys_ = nullptr;
  Settings settings_;
  std::int64_t phase_ = 0;         // of the checks
  std::vector<Session> sessions_;  // the live ones
  std::vector<Entry> entries_;     // every key that was ever requested
  std::vector<Watcher> watchers_;  // in order of arrival
  std::uint32_t opened_ = 0;
  std::int64_t revision_ = 0;
  sim::Timer timer_;
};

}  // namespace picklock::lease_store
