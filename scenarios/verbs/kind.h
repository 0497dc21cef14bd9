// A verb of a fault as data: everything that files, plans and reports ask of it. The simulator or
// the servers carry the verb out (sim/nemesis.h, sim::Program::strike). Each group of verbs has a
// source of its own; scenarios/verbs/kinds.cc puts them together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keys/value.h"
#include "models/servers/process_kind.h"
#include "picklock/lock.h"
#include "scenarios/scenario.h"
#include "sim/fault.h"

namespace picklock::verbs {

enum class Lasting : std::uint8_t { refused, required, optional };

// A class whose random plans draw the verb, and the verb's place among those of the class. A plan
// that is drawn from a seed depends on the place.
struct Draw {
  FaultClass of{};
  int place = 0;
};

// A fault in pieces: the verb with its target, the length or amount, and the outcome. The outcome
// comes after the moment at which the fault strikes.
struct Phrase {
  std::string deed;
  std::string amount = {};
  std::string outcome = {};
  bool timed = true;  // else the deed itself names the moment
};

struct Kind {
  sim::Verb verb{};
  std::string_view name{};  // its key in a [[fault]] table
  std::string meaning{};

  // --- what a file says with it
  Lasting lasting = Lasting::refused;       // `for`
  std::string_view required{};              // the key that must be given; empty: none
  std::vector<std::string_view> allowed{};  // further keys
  // Refuses values of its keys; nullptr: any will do.
  void (*check)(const keys::Value& table, const sim::Fault& fault,
                const scenarios::Scenario& scenario) = nullptr;

  // --- what it hits
  bool on_message = false;  // the message of its step, so it needs a step before the reply
  // Why it hits no process but those of a few kinds (ProcessKind::bears); empty: it hits most.
  std::string_view rare{};
  bool hits_clients = false;  // although it is rare
  // Why the servers, or the faults before it, do not allow it; empty: they do.
  std::string (*impossible)(const sim::Fault& fault, const scenarios::Scenario& scenario,
                            std::span<const sim::Fault> earlier) = nullptr;
  bool stops = false;      // ends the process
  bool can_heal = false;   // a `heal` of its target ends it
  bool end_shows = false;  // an event of the process tells that it has ended

  // --- the class to which its faults belong
  FaultClass fault_class{};
  // Where that depends on the fault; nullptr: it is `fault_class`. It may belong to none.
  std::optional<FaultClass> (*class_of)(const sim::Fault& fault, const servers::ProcessKind& target,
                                        const scenarios::Scenario& scenario) = nullptr;

  // --- how random plans draw it
  std::vector<Draw> drawn{};
  // With a length it is what another verb does, so a complete search tries it without.
  bool short_form = false;
  bool jumps = false;     // its `step` is a jump, forward or back
  bool silences = false;  // a client that it hits sends nothing, for as long as it lasts
  // Whether the faults before it leave it nothing to do; nullptr: there is always something.
  bool (*idle)(const sim::Fault& fault, std::span<const sim::Fault> earlier) = nullptr;

  // Whether a simpler fault does exactly the same after the faults before it, so that a complete
  // search tries that one alone; nullptr: never.
  bool (*repeats)(const sim::Fault& fault, std::span<const sim::Fault> earlier) = nullptr;

  // --- how it is told
  Phrase (*told)(const sim::Fault& fault) = nullptr;
  // The consequence of its end: "its release continues"; nullptr: there is none.
  std::string (*told_at_end)(const sim::Fault& fault) = nullptr;

  bool takes(std::string_view key) const;
};

// Whether one of the faults blocks a link.
bool any_blocks(std::span<const sim::Fault> faults);

// Whether one of them makes the process act later than it would, by a pause or by slowness.
bool any_slows(std::span<const sim::Fault> faults, std::string_view process);

// Every verb, in the order of sim::Verb, which is the order of every list of verbs.
std::span<const Kind> kinds();
const Kind& kind_of(sim::Verb verb);
inline std::string_view name(sim::Verb verb) { return kind_of(verb).name; }
const std::vector<std::string_view>& names();

// Why `verb` cannot hit a process of this kind; empty if it can.
std::string_view inapplicable(sim::Verb verb, const servers::ProcessKind& target);

// The groups.
std::vector<Kind> of_processes();
std::vector<Kind> of_threads();
std::vector<Kind> of_clocks();
std::vector<Kind> of_links();
std::vector<Kind> of_messages();
std::vector<Kind> of_servers();

}  // namespace picklock::verbs
