// Everything a run leaves behind: its digest always, its history always, its trace when asked. All
// effects pass through here, so that nothing a report shows can differ between two runs of one
// digest.
#pragma once

#include <string_view>

#include "sim/digest.h"
#include "sim/history.h"
#include "sim/trace.h"

namespace picklock::sim {

class Recorder {
 public:
  void reset(std::uint64_t seed, bool tracing) {
    digest_.reset(seed);
    history_.clear();
    trace_.records.clear();
    trace_.bytes.clear();
    tracing_ = tracing;
  }

  Digest& digest() { return digest_; }
  const History& history() const { return history_; }
  const Trace& trace() const { return trace_; }
  bool tracing() const { return tracing_; }

  void note(const HistoryEvent& event) {
    const auto both = [](std::uint64_t high, std::uint64_t low) { return (high << 32) ^ low; };
    const auto kinds = static_cast<std::uint64_t>(event.what) << 16 |
                       static_cast<std::uint64_t>(event.cause) << 8 | event.role;
    digest_.add(static_cast<std::uint64_t>(nanoseconds(event.at)) ^ kinds << 40);
    digest_.add(both(event.tenure, event.owner));
    digest_.add(both(event.process, event.peer));
    digest_.add(both(event.key, event.thread) ^ static_cast<std::uint64_t>(event.holds) << 24);
    digest_.add(static_cast<std::uint64_t>(nanoseconds(event.until)));
    if (tracing_) {
      trace_.records.push_back({.at = event.at,
                                .kind = TraceKind::history,
                                .process = event.process,
                                .peer = event.peer,
                                .message = static_cast<std::uint32_t>(history_.size()),
                                .tenure = event.tenure});
    }
    history_.push_back(event);
  }

  // Only while tracing.
  void trace(const TraceRecord& record) { trace_.records.push_back(record); }
  void trace(TraceRecord record, std::string_view payload) {
    attach(record, payload);
    trace_.records.push_back(record);
  }
  // The same for most of all records, those of messages: to be filled in where it stays, for a copy
  // would wait for what has just been written.
  TraceRecord& add_record() { return trace_.records.emplace_back(); }
  void attach(TraceRecord& record, std::string_view payload) {
    record.payload_at = static_cast<std::uint32_t>(trace_.bytes.size());
    record.payload_size = static_cast<std::uint32_t>(payload.size());
    trace_.bytes.append(payload);
  }

  std::uint8_t protocol_index(const Protocol* protocol) {
    auto& known = trace_.protocols;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (known[i] == protocol) return static_cast<std::uint8_t>(i);
    }
    known.push_back(protocol);
    return static_cast<std::uint8_t>(known.size() - 1);
  }

 private:
  Digest digest_;
  History history_;
  Trace trace_;
  bool tracing_ = false;
};

}  // namespace picklock::sim
