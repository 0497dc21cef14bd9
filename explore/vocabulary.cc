#include "explore/vocabulary.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "models/servers/verbs.h"
#include "scenarios/fault_classes.h"
#include "scenarios/process_kinds.h"
#include "scenarios/promises.h"
#include "scenarios/verbs/kind.h"

namespace picklock::explore {
namespace {

using sim::Fault;
using sim::Keeps;
using sim::Phase;
using sim::ProcessId;
using sim::Side;

// A clock that stands nearly still, and one that runs twice as fast, in ppb.
constexpr std::array<std::int64_t, 2> kRates = {-500'000'000, 1'000'000'000};

using Faults = std::vector<Fault>;

// Each of the faults once with every one of the changes.
template <typename Values, typename Change>
void multiply(Faults& faults, const Values& values, Change change) {
  Faults all;
  for (const Fault& fault : faults) {
    for (const auto& value : values) {
      all.push_back(fault);
      change(all.back(), value);
    }
  }
  faults = std::move(all);
}

// Drops one of two faults that were to differ in `keeps`, if both keep the same.
void drop_equal_neighbours(Faults& faults) {
  const auto same = [](const Fault& one, const Fault& other) {
    return one.keeps == other.keeps && one.lasts == other.lasts && one.host == other.host &&
           one.silent == other.silent;
  };
  faults.erase(std::unique(faults.begin(), faults.end(), same), faults.end());
}

}  // namespace

Vocabulary::Vocabulary(Ways ways, FaultClasses classes, bool alike)
    : ways_(std::move(ways)),
      classes_(classes),
      alike_(alike),
      lengths_(listed(critical_lengths(ways_.scenario()), ways_.server().leases_are_sessions)) {
  for (const CriticalLength& one : lengths_) {
    for (const Duration length : {just_under(one.length), just_over(one.length)}) {
      if (!one.of_pauses) around_.push_back(length);
      pauses_.push_back(length);
    }
  }
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (!classes_.has(one)) continue;
    for (const Way& way : ways_.of(one)) add(way, one);
    if (shapes_.size() > (class_ends_.empty() ? 0 : class_ends_.back()))
      class_ends_.push_back(shapes_.size());
  }
}

// A message is known by the client whose step it is; the same message of a server is the same
// fault.
void Vocabulary::add(const Way& way, FaultClass fault_class) {
  const verbs::Kind& verb = verbs::kind_of(way.verb);
  if (verb.on_message && *way.target != scenarios::kClientKind) return;
  for (const ProcessId target : ways_.processes(*way.target)) {
    Faults faults = {{.verb = way.verb, .target = ways_.name(target)}};
    add_amounts(faults);
    add_sides(faults, target);
    add_ends(faults, *way.target);
    for (Fault& fault : faults) {
      // The class of a fault on a message depends on what the message is for.
      const bool at_resource = *way.server == scenarios::kResourceKind;
      fault.trigger.role = at_resource ? Role::write : Role::acquire;
      if (scenarios::class_of(fault, *way.target, ways_.scenario()) != fault_class) continue;
      Shape shape{.target = target, .sides = {target}};
      for (const std::string& other : fault.from) shape.sides.push_back(ways_.number_of(other));
      if (verb.on_message) shape.server = way.server;
      shape.fault = std::move(fault);
      shapes_.push_back(std::move(shape));
    }
  }
}

void Vocabulary::add_amounts(Faults& faults) const {
  const verbs::Kind& verb = verbs::kind_of(faults[0].verb);
  if (verb.takes("step")) {
    multiply(faults, around_, [](Fault& fault, Duration step) { fault.step = step; });
    if (verb.jumps) {
      multiply(faults, std::array{1, -1}, [](Fault& fault, int sign) { fault.step *= sign; });
    } else {
      // A process that needs longer than a lease for a message is as good as paused.
      const Duration most = ways_.scenario().lock.options.ttl;
      std::erase_if(faults, [most](const Fault& fault) { return fault.step > most; });
    }
  }
  if (verb.takes("rate"))
    multiply(faults, kRates, [](Fault& fault, std::int64_t rate) { fault.rate_ppb = rate; });
}

// The other side of a partition; the replica that takes over.
void Vocabulary::add_sides(Faults& faults, ProcessId target) const {
  const verbs::Kind& verb = verbs::kind_of(faults[0].verb);
  if (verb.takes("from")) {
    // Two processes are cut off from each other by one fault, whichever of them is its target.
    std::vector<std::vector<std::string>> sides = {{}};
    for (ProcessId other = target + 1; other < ways_.profile().processes.size(); ++other)
      sides.push_back({ways_.name(other)});
    multiply(faults, sides,
             [](Fault& fault, const std::vector<std::string>& side) { fault.from = side; });
    constexpr std::array<std::pair<bool, bool>, 3> kDirections = {
        {{true, true}, {true, false}, {false, true}}};
    multiply(faults, kDirections, [](Fault& fault, const std::pair<bool, bool>& direction) {
      std::tie(fault.inbound, fault.outbound) = direction;
    });
  }
  if (verb.takes("to")) {
    std::vector<std::string> successors = {""};
    const std::vector<ProcessId> replicas = ways_.successors(ways_.name(target));
    if (replicas.size() > 1) {
      for (const ProcessId replica : replicas) successors.push_back(ways_.name(replica));
    }
    multiply(faults, successors, [](Fault& fault, const std::string& to) { fault.to = to; });
  }
}

// How long it lasts, and what is left afterwards. The length of a fault with an amount of its own
// matters little: it lasts until others have been and gone, or for good.
void Vocabulary::add_ends(Faults& faults, const ProcessKind& target) const {
  const verbs::Kind& verb = verbs::kind_of(faults[0].verb);
  const bool has_amount = verb.takes("step") || verb.takes("rate");
  std::vector<std::optional<Duration>> ends;
  if (verb.lasting != verbs::Lasting::refused && !verb.short_form) {
    if (has_amount)
      ends.emplace_back(just_over(critical_lengths(ways_.scenario()).another));
    else if (verb.silences && target == scenarios::kClientKind)
      ends.assign(pauses_.begin(), pauses_.end());
    else
      ends.assign(around_.begin(), around_.end());
  }
  // A quorum that is lost for good would hide everything else.
  const bool returns = target.returns && verb.stops && !verb.short_form;
  if (verb.lasting == verbs::Lasting::refused ||
      (verb.lasting == verbs::Lasting::optional && !returns))
    ends.emplace_back(std::nullopt);
  multiply(faults, ends,
           [](Fault& fault, const std::optional<Duration>& end) { fault.lasts = end; });
  if (verb.takes("host") && verb.takes("silent")) {
    // A process dies and its kernel says so; a machine starts anew; a machine is gone.
    constexpr std::array<std::pair<bool, bool>, 3> kDeaths = {
        {{false, false}, {true, false}, {true, true}}};
    multiply(faults, kDeaths, [](Fault& fault, const std::pair<bool, bool>& death) {
      std::tie(fault.host, fault.silent) = death;
    });
  }
  // A process that takes steps has nothing on its disk.
  if (verb.takes("keeps") && !target.takes_steps) {
    multiply(faults, std::array{Keeps::all, Keeps::none}, [&](Fault& fault, Keeps keeps) {
      if (!servers::starts_again(fault)) return;
      fault.keeps = target.keeps == nullptr
                        ? keeps
                        : target.keeps(ways_.scenario().servers, fault.target, keeps);
    });
    drop_equal_neighbours(faults);
  }
}

std::vector<std::string> Vocabulary::verbs() const {
  std::vector<std::string> all;
  for (const verbs::Kind& verb : verbs::kinds()) {
    const bool used = std::any_of(shapes_.begin(), shapes_.end(), [&](const Shape& shape) {
      return shape.fault.verb == verb.verb;
    });
    if (used) all.emplace_back(verb.name);
  }
  return all;
}

// A fault on a message needs it: before it leaves, or before its answer does. Any other changes
// something only where its target takes part, or after an event somewhere else.
bool Vocabulary::can_strike(const Shape& shape, const Moment& moment) const {
  if (shape.server == nullptr) return alike_ || moment.fresh || moment.is_among(shape.sides);
  return moment.server && moment.trigger.side == Side::before &&
         moment.trigger.phase != Phase::replied && shape.target == moment.client &&
         ways_.kind(*moment.server) == *shape.server;
}

// Whether it does the same before and after a step of a run under the plan. An answer that has come
// changes nothing until the client goes on. A request that a server applies at once changes the
// server, and what a blocked link has to carry: a ZooKeeper leader has proposed it to the others.
bool Vocabulary::is_blind_to(const Moment& step, const Shape& shape, const sim::Plan& plan) const {
  if (!can_strike(shape, step)) return false;
  if (step.trigger.phase == Phase::replied) return true;
  return step.trigger.phase == Phase::applied && step.at_once && shape.target != step.server &&
         !verbs::any_blocks({&shape.fault, 1}) && !verbs::any_blocks(plan);
}

// Whether a cut of its links may do something else after this than before it. A link holds up what
// arrives, and the properties ask which events on its sides came before the cut.
bool Vocabulary::Shape::may_cut(const Happening& one) const {
  const auto is_side = [this](ProcessId process) {
    return std::find(sides.begin(), sides.end(), process) != sides.end();
  };
  if (one.kind == Happening::Kind::event) return is_side(one.process) || is_side(one.peer);
  const bool leaves = one.process == target && fault.outbound;
  const bool comes = one.peer == target && fault.inbound;
  return one.kind == Happening::Kind::arrival && (leaves || comes) &&
         (sides.size() < 2 || is_side(leaves ? one.peer : one.process));
}

// Whether the fault does the same as at the moment before, because no time has passed since then,
// and nothing has happened to it. A target may go on by itself before its own step, which a cut
// does not change.
bool Vocabulary::is_repeated(const Shape& shape, const Moment& moment, const Moment* before,
                             const Course& course) {
  if (before == nullptr || before->at != moment.at || !moment.happened_before) return false;
  if (*before->happened_before > *moment.happened_before) return false;
  const verbs::Kind& verb = verbs::kind_of(shape.fault.verb);
  const bool cuts = verbs::any_blocks({&shape.fault, 1});
  if (verb.on_message || verb.takes("to") || (!cuts && moment.is_among(shape.sides))) return false;
  return !course.happenings.any(
      *before->happened_before, *moment.happened_before, [&](const Happening& one) {
        return cuts ? shape.may_cut(one) : one.process == shape.target || one.peer == shape.target;
      });
}

// Two processes that never talk cannot be cut off from each other.
bool Vocabulary::is_possible(const Shape& shape, const Course& course,
                             const sim::Plan& plan) const {
  const bool talk =
      shape.sides.size() < 2 || course.talks.contains(std::minmax(shape.sides[0], shape.sides[1]));
  return talk && ways_.can_hit(shape.fault, plan);
}

// The step of a client is its own unless the fault says otherwise.
Fault Vocabulary::placed(const Shape& shape, const Moment& moment) {
  Fault fault = shape.fault;
  fault.trigger = moment.trigger;
  if (shape.target == moment.client) fault.trigger.by.clear();
  return fault;
}

std::vector<Fault> Vocabulary::after(const Course& course, const sim::Plan& plan) const {
  std::vector<Fault> all;
  std::vector<const Shape*> possible;
  for (const Shape& shape : shapes_) {
    const verbs::Kind& verb = verbs::kind_of(shape.fault.verb);
    if (!alike_ && verb.jumps && course.timeless.contains(shape.target)) continue;
    const bool repeats = verb.repeats != nullptr && verb.repeats(shape.fault, plan);
    if (!repeats && is_possible(shape, course, plan)) possible.push_back(&shape);
  }
  std::vector<const Moment*> placed_at(possible.size());  // last
  const Moment* before = nullptr;
  for (const Moment& moment : course.moments) {
    const bool ends_step = !alike_ && before != nullptr && moment.is_just_after(*before);
    for (std::size_t i = 0; i < possible.size(); ++i) {
      const Shape& shape = *possible[i];
      if (ends_step && is_blind_to(*before, shape, plan)) continue;
      if (!can_strike(shape, moment)) continue;
      if (!alike_ && is_repeated(shape, moment, placed_at[i], course)) continue;
      all.push_back(placed(shape, moment));
      if (moment.happened_before) placed_at[i] = &moment;
    }
    before = &moment;
  }
  all.insert(all.end(), course.late.begin(), course.late.end());
  return all;
}

std::optional<Fault> Vocabulary::any_after(const Course& course, const sim::Plan& plan,
                                           sim::Random& chance) const {
  if (course.moments.empty() || class_ends_.empty()) return std::nullopt;
  constexpr int kAttempts = 100;
  for (int i = 0; i < kAttempts; ++i) {
    const Moment& moment = course.moments[chance.below(course.moments.size())];
    const std::size_t of = chance.below(class_ends_.size());
    const std::size_t begin = of == 0 ? 0 : class_ends_[of - 1];
    const Shape& shape = shapes_[begin + chance.below(class_ends_[of] - begin)];
    if (can_strike(shape, moment) && is_possible(shape, course, plan)) return placed(shape, moment);
  }
  return std::nullopt;
}

}  // namespace picklock::explore
