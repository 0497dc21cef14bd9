// Writes the trace of a run, if it was asked for. Tracing changes no effect and no digest. A trace
// has a limited number of bytes, so that no run fills the memory of the machine.
#pragma once

#include <cstddef>
#include <string_view>

#include "sim/trace.h"

namespace picklock::sim {

class Tracer {
 public:
  // Of all payloads. Those of the longest shipped run take less than 1 MiB.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  void reset(bool on) {
    whole_ = true;
    trace_.records.clear();
    trace_.bytes.clear();
    on_ = on;
  }

  bool on() const { return on_; }
  const Trace& trace() const { return trace_; }
  // False: a payload was too much, and the run was ended.
  bool is_whole() const { return whole_; }

  // Only while tracing.
  void add(const TraceRecord& record) { trace_.records.push_back(record); }
  void add(TraceRecord record, std::string_view payload) {
    attach(record, payload);
    trace_.records.push_back(record);
  }
  // The same for the most frequent records, those of messages: the caller fills the record in
  // place, because a copy would wait for what has just been written.
  TraceRecord& add_record() { return trace_.records.emplace_back(); }
  void attach(TraceRecord& record, std::string_view payload) {
    if (trace_.bytes.size() + payload.size() > kMostBytes) whole_ = false;
    if (!whole_) return;
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
  Trace trace_;
  bool on_ = false;
  bool whole_ = true;
};

}  // namespace picklock::sim
