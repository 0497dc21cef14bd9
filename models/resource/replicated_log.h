// The log of a replicated resource, and the messages between its nodes and a writer, as text:
// `PROMISE 7`, `STORE 7 AFTER 1 HIGH 1 LOG 2=41 3=read`. Both sides read what either writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::models {

// One operation, as a writer has put it into the log. Reads are entries too: a read that is on a
// majority of nodes is as safe from a newer writer as a write.
struct LogEntry {
  std::uint32_t operation = 0;  // its number in the run (models/resource/commits.h)
  bool reads = false;
  std::int64_t value = 0;  // of a write
};

using Log = std::vector<LogEntry>;

// The state that a node tells with its promise.
struct Promised {
  std::int64_t log_epoch = 0;  // of the writer whose log it has
  std::uint32_t high = 0;      // how many entries it knows to be on a majority
  Log log;
};

// Entries for the nodes that have those before them.
struct Stored {
  std::int64_t epoch = 0;
  std::uint32_t after = 0;  // how many entries come before these
  std::uint32_t high = 0;
  Log log;
};

namespace replicated {

inline constexpr std::string_view kPromise = "PROMISE ";
inline constexpr std::string_view kPromised = "PROMISED ";
inline constexpr std::string_view kStore = "STORE ";
inline constexpr std::string_view kStored = "STORED";
inline constexpr std::string_view kRefused = "REFUSED ";  // the epoch that was promised
inline constexpr std::string_view kMissing = "MISSING";   // the node lacks earlier entries

std::string promise(std::int64_t epoch);
std::string promised(const Promised& state);
// The entries of `log` from position `after` on.
std::string store(std::int64_t epoch, std::uint32_t after, std::uint32_t high, const Log& log);
std::string refused(std::int64_t promised);

// The number behind the first word.
std::int64_t epoch_in(std::string_view message);
Promised read_promised(std::string_view message);
Stored read_store(std::string_view message);

}  // namespace replicated

}  // namespace picklock::models
