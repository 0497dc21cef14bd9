#include "scenarios/fault_classes.h"

#include <algorithm>
#include <utility>

#include "scenarios/process_kinds.h"
#include "scenarios/verbs/kind.h"

namespace picklock::scenarios {

namespace {

std::vector<sim::Verb> verbs_of(FaultClass fault_class) {
  std::vector<std::pair<int, sim::Verb>> drawn;
  for (const verbs::Kind& kind : verbs::kinds()) {
    for (const verbs::Draw& draw : kind.drawn) {
      if (draw.of == fault_class) drawn.emplace_back(draw.place, kind.verb);
    }
  }
  std::sort(drawn.begin(), drawn.end());
  std::vector<sim::Verb> verbs;
  for (const auto& [place, verb] : drawn) verbs.push_back(verb);
  return verbs;
}

FaultClassRow row(FaultClass fault_class, std::string_view meaning) {
  return {fault_class, meaning, verbs_of(fault_class)};
}

}  // namespace

std::span<const FaultClassRow> fault_classes() {
  static const std::vector<FaultClassRow> kRows = {
      row(FaultClass::pause, "a client or server pauses, or handles every message more slowly"),
      row(FaultClass::late_write, "a write to the resource arrives late"),
      row(FaultClass::late_command, "a request to the lock server or its reply arrives late"),
      row(FaultClass::client_clock, "a client's clock steps or runs at another rate"),
      row(FaultClass::server_clock, "a lock server's clock steps or runs at another rate"),
      row(FaultClass::failover,
          "a primary is lost and a replica is promoted, or a leader is lost and another is "
          "elected"),
      row(FaultClass::amnesia, "a lock server restarts without its data, or forgets a key"),
      row(FaultClass::partition, "some processes cannot communicate for a while"),
      row(FaultClass::lost_reply, "a message is lost with its connection, or sent twice"),
      row(FaultClass::crash,
          "a process or host dies, a thread ends or is interrupted, a session is killed"),
  };
  return kRows;
}

std::string meaning_of(FaultClasses classes) {
  if (classes.empty()) return "no fault strikes";
  if (classes.covers(FaultClasses::all())) return "faults of every class, in one run";
  std::string meaning;
  for (const FaultClassRow& row : fault_classes()) {
    if (!classes.has(row.fault_class)) continue;
    if (!meaning.empty()) meaning += "; and: ";
    meaning += row.meaning;
  }
  return meaning;
}

std::vector<FaultTarget> targets_of(FaultClass fault_class) {
  std::vector<FaultTarget> all;
  for (const servers::ProcessKind* kind : process_kinds()) {
    if (kind->drawn.has(fault_class)) all.push_back({kind, false});
  }
  // The messages of the lock first, then the writes.
  for (const servers::ProcessKind* kind : process_kinds()) {
    if (*kind != kResourceKind && kind->drawn_at_messages.has(fault_class))
      all.push_back({kind, true});
  }
  if (kResourceKind.drawn_at_messages.has(fault_class)) all.push_back({&kResourceKind, true});
  return all;
}

std::string name_of(const FaultTarget& target, FaultClass fault_class) {
  const servers::ProcessKind& kind = *target.kind;
  if (fault_class == FaultClass::failover && !kind.failover_word.empty())
    return std::string(kind.failover_word);
  return std::string(kind.name) + (target.message ? " message" : "");
}

}  // namespace picklock::scenarios
