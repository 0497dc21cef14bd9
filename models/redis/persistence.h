// The data that one server keeps on disk and loads when it starts. They are a log of the effects of
// its writes, written before they are answered (R95), and snapshots, made at save points or on
// demand (R97). The format is not that of Redis's files, but at any time the files have the same
// content and the same part is fsynced. A server without persistence has no cost from it.
//
// The child processes that a real server forks for a snapshot finish at once here; the server
// notices it at its next cycle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"
#include "models/redis/config.h"
#include "models/redis/effects.h"
#include "models/redis/parts.h"
#include "sim/disk.h"
#include "sim/simulation.h"

namespace picklock::redis {

class Persistence {
 public:
  // The names of its files. A log begins with a snapshot, if it has ever been rewritten.
  static constexpr std::string_view kDump = "dump.rdb";
  static constexpr std::string_view kBase = "appendonly.aof.base.rdb";
  static constexpr std::string_view kLog = "appendonly.aof.incr.aof";

  // The child process that writes in the background.
  enum class Child : std::uint8_t { none, snapshot, rewrite };

  explicit Persistence(const Parts& parts)
      : config_(parts.config),
        keys_(parts.keys),
        executor_(parts.executor),
        propagation_(parts.propagation),
        replication_(parts.replication) {}

  void reset(sim::Simulation& simulation, sim::Process& process);  // for a new run
  void halted();
  void config_changed();
  void clock_changed();

  // --- a start: first the disk loses what the fault takes, then its data are loaded
  void begin(sim::Keeps keeps, bool as_replica);
  void load();
  bool loading() const { return loading_; }

  // --- the log
  bool logs() const { return logs_; }
  void log(Effects& effects, history::TenureId tenure, Role role);
  void rewrite_log();

  // --- snapshots
  bool has_save_points() const { return running_ && !config_.save_points().empty(); }
  void changed();  // the data changed: a save point may be reached
  void save();
  // Writes a dump as a replica does with the snapshot that it was sent.
  void write_dump();
  void flushed();  // all data were removed at once
  std::int64_t last_save_s() const { return saved_at_s_; }

  // --- in the background; what cannot begin now is scheduled
  Child child() const { return child_; }
  void save_in_background();
  void rewrite_in_background();
  void schedule_save();
  void schedule_rewrite();

  // Writes what a shutdown must leave on disk; `save`: with a snapshot.
  void finish(bool save);

  std::string report() const;  // of INFO

  sim::Disk& disk() { return disk_; }

 private:
  struct ReplicationState {
    std::string id;  // empty: it is not known
    std::int64_t offset = 0;
    std::uint32_t database = 0;
  };

  std::int64_t local(sim::ClockKind clock) const;
  std::int64_t now_s() const { return local(sim::ClockKind::wall) / 1'000'000'000; }
  std::uint64_t unsaved_changes() const;

  void put(std::string_view file);  // replaces the file by bytes_ and fsyncs it
  bool finds_log() const { return disk_.find(kBase) != nullptr || disk_.find(kLog) != nullptr; }
  std::int64_t commands_to_load() const;
  void loaded();
  void run();
  ReplicationState load_dump();
  void load_log();
  void await_load();

  void fsync();  // the log
  void await_fsync();
  void await_fsync_anew();
  std::int64_t cycle_of(std::int64_t second) const;
  void await_cycle();
  void cycle();
  bool save_is_due(std::int64_t& due_s) const;
  const Config& config_;
  Keyspace& keys_;
  Executor& executor_;
  Propagation& propagation_;
  Replication& replication_;
  sim::Simulation* simulation_ = nullptr;
  sim::Process* process_ = nullptr;
  sim::Disk disk_;
  sim::Payload bytes_;
  std::vector<std::string_view> argv_;

  bool running_ = false;  // the server runs and has loaded its data
  bool logs_ = false;
  std::int64_t selected_ = kNoDatabase;  // by the log

  bool loading_ = false;
  bool from_log_ = false;
  std::int64_t to_load_ = 0;        // commands or keys
  std::int64_t load_delay_ns_ = 0;  // of each
  std::int64_t load_until_ = 0;     // by the process's monotonic clock

  std::uint64_t saved_changes_ = 0;  // at the last snapshot
  std::uint64_t child_changes_ = 0;  // at the snapshot in progress
  std::int64_t saved_at_s_ = 0;
  Child child_ = Child::none;
  bool save_scheduled_ = false;
  bool rewrite_scheduled_ = false;

  std::int64_t fsynced_at_s_ = 0;
  std::int64_t kernel_phase_ = 0;  // of its rounds, by the process's monotonic clock
  bool has_kernel_phase_ = false;
  sim::Timer load_timer_;
  sim::Timer fsync_timer_;
  sim::Timer cycle_timer_;
};

}  // namespace picklock::redis
