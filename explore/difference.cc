#include "explore/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "keys/bad_input.h"
#include "keys/duration_text.h"

namespace picklock::explore {
namespace {

using sim::Trace;
using sim::TraceKind;
using sim::TraceRecord;

constexpr std::array<std::string_view, 18> kKindNames = {
    "sent",      "delivered", "lost",   "held",    "timed out", "reset",
    "connected", "woke",      "paused", "resumed", "crashed",   "started",
    "clock set", "told",      "mark",   "history", "copied",    "signalled"};
static_assert(static_cast<std::size_t>(TraceKind::signalled) + 1 == kKindNames.size());

auto members(const TraceRecord& one) {
  return std::tie(one.at, one.kind, one.role, one.reply, one.protocol, one.process, one.peer,
                  one.message, one.answers, one.tag);
}

std::string words(const Trace& trace, std::size_t index,
                  const std::vector<std::string>& processes) {
  if (index >= trace.records.size()) return "the end of the run";
  const TraceRecord& record = trace.records[index];
  const auto name = [&](sim::ProcessId process) {
    return process < processes.size() ? processes[process] : fmt::format("process {}", process);
  };
  std::string text =
      fmt::format("{} {}", name(record.process), kKindNames[static_cast<std::size_t>(record.kind)]);
  const bool sent = record.kind == TraceKind::sent || record.kind == TraceKind::copied;
  if (sent || record.kind <= TraceKind::timed_out) {
    text += fmt::format(" message {} {} {}", record.message,
                        record.kind == TraceKind::delivered ? "at" : "to", name(record.peer));
  } else if (record.kind == TraceKind::recorded) {
    text += fmt::format(" event {}", record.message);
  }
  const std::string_view payload = trace.payload(record);
  if (!payload.empty()) {
    const sim::Protocol* protocol = sent ? trace.protocols[record.protocol] : nullptr;
    const bool readable = protocol != nullptr && protocol->describe != nullptr;
    text +=
        fmt::format(", `{}`", keys::printable(readable ? protocol->describe(payload, record.reply)
                                                       : std::string(payload)));
  }
  return text + " at " + keys::to_text(record.at - sim::kStart);
}

}  // namespace

std::string first_difference(const Trace& one, const Trace& other,
                             const std::vector<std::string>& processes) {
  const std::size_t both = std::min(one.records.size(), other.records.size());
  std::size_t at = 0;
  while (at < both && members(one.records[at]) == members(other.records[at]) &&
         one.payload(one.records[at]) == other.payload(other.records[at])) {
    ++at;
  }
  if (at == both && one.records.size() == other.records.size()) return {};
  return fmt::format("event {} is first {}, then {}", at + 1, words(one, at, processes),
                     words(other, at, processes));
}

}  // namespace picklock::explore
