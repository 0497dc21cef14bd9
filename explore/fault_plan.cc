#include "explore/fault_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "explore/critical_lengths.h"
#include "models/servers/verbs.h"
#include "scenarios/fault_classes.h"
#include "scenarios/process_kinds.h"
#include "scenarios/promises.h"
#include "scenarios/verbs/kind.h"

namespace picklock::explore {
namespace {

using namespace std::chrono_literals;
using servers::ProcessKind;
using sim::Fault;
using sim::Phase;
using sim::ProcessId;
using sim::Verb;

// A named stream for run number `run`.
sim::Random stream_of(std::uint64_t seed, std::string_view name, std::uint64_t run) {
  return {seed, sim::hash_of(name) + run};
}

}  // namespace

std::uint64_t run_seed(std::uint64_t seed, std::uint64_t run) {
  return stream_of(seed, "explore.run", run).next() >> 1;
}

scenarios::Ties run_ties(std::uint64_t seed, std::uint64_t run) {
  return stream_of(seed, "explore.ties", run).below(2) == 0 ? scenarios::Ties::arrival
                                                            : scenarios::Ties::permuted;
}

void set_run(const scenarios::Scenario& base, std::uint64_t seed, std::uint64_t run,
             scenarios::Scenario& into) {
  into.seed = run_seed(seed, run);
  into.ties = base.ties == scenarios::Ties::permuted ? base.ties : run_ties(seed, run);
  into.network.order = scenarios::Order::drawn;
  into.network.priorities = 0;
  into.network.priority_changes.clear();
}

FaultPlans::FaultPlans(const scenarios::Scenario& scenario, Profile profile)
    : FaultPlans(Ways(scenario, std::move(profile))) {}

FaultPlans::FaultPlans(Ways ways) : ways_(std::move(ways)) { find_lengths(); }

void FaultPlans::find_lengths() {
  const CriticalLengths lengths = critical_lengths(scenario());
  const auto [lease, retry, hold] = std::tuple(lengths.lease, lengths.retry, lengths.section);
  const Range under{lease - lease / 20, lease};
  const Range over{lease, lease + lease / 20};
  const Range beyond{lengths.another, lengths.another + hold + retry};
  const Range section{hold / 2, hold + hold / 2};
  const Range brief{Duration(1000), 2 * retry};
  const auto about = [&](Duration patience) {
    return Range{patience - patience / 10, patience + patience / 10};
  };
  const Range command = about(lengths.command_timeout);
  const Range write = about(lengths.write_timeout);
  lengths_ = {under, over, over, beyond, beyond, section, command, write, brief};
  // Only a paused client is silent on a session for hours; others would retry all the time.
  pauses_ = lengths_;
  const Duration idle = lengths.idle;
  if (idle > Duration::zero() && !models::takes(*scenarios::find_algorithm(scenario()), "ttl")) {
    pauses_.push_back({idle, idle + idle / 20});
  }
  jumps_ = {under, over, beyond, section, brief, {1s, 1s}, {1h, 1h}};
  delays_ = {brief, brief, command, write, section};
  brief_ = {brief};
}

// One plan in four draws from everything, the others from about half of the classes and half of the
// ways in which each acts.
void FaultPlans::choose_kinds(sim::Random& of_plan, const FaultLimits& limits) {
  const bool everything = of_plan.below(4) == 0;
  const auto kept = [&] { return everything || of_plan.below(2) == 0; };
  chosen_.clear();
  FaultClasses left_out;
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (!limits.classes.has(one)) continue;
    if (kept())
      chosen_.push_back(one);
    else
      left_out.add(one);
    std::vector<Way>& ways = chosen_ways_[i];
    ways.clear();
    for (const Way& way : ways_.of(one)) {
      if (kept()) ways.push_back(way);
    }
    if (ways.empty()) ways.push_back(ways_.of(one)[of_plan.below(ways_.of(one).size())]);
  }
  if (!chosen_.empty()) return;
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    if (left_out.has(static_cast<FaultClass>(i))) chosen_.push_back(static_cast<FaultClass>(i));
  }
}

void FaultPlans::draw(std::uint64_t seed, std::uint64_t run, const FaultLimits& limits,
                      sim::Plan& plan) {
  plan.clear();
  if (limits.classes.empty()) return;
  sim::Random of_plan = stream_of(seed, "explore.plan", run);
  const std::uint64_t faults_seed = of_plan.next();
  const std::uint64_t count =
      limits.none ? of_plan.below(limits.most + 1) : 1 + of_plan.below(limits.most);
  choose_kinds(of_plan, limits);
  // A chosen fault may have nothing to hit, such as a heal where no link is cut. Both limits are
  // far more than a fault ever needs.
  constexpr int kAttemptsAtChosen = 30;
  constexpr int kAttempts = 1000;
  for (std::uint64_t i = 0; i < count; ++i) {
    chance_ = stream_of(faults_seed, "fault", i);
    const FaultClass wanted = some(chosen_);
    const auto index = static_cast<std::size_t>(wanted);
    if (wanted == FaultClass::failover && !ways_.can_fail_over(plan)) continue;
    Fault fault;
    int attempt = 0;
    while (!draw_fault(wanted, attempt < kAttemptsAtChosen ? chosen_ways_[index] : ways_.of(wanted),
                       limits, plan, fault)) {
      if (++attempt == kAttempts)
        throw std::logic_error(
            fmt::format("no fault of class {} comes up", picklock::name(wanted)));
    }
    plan.push_back(std::move(fault));
  }
}

// Far more attempts than a fault needs that can come up at all.
constexpr int kAttemptsAtOne = 100;

std::optional<Fault> FaultPlans::another(sim::Random& chance, const FaultLimits& limits,
                                         const sim::Plan& plan) {
  chosen_.clear();
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    if (limits.classes.has(static_cast<FaultClass>(i)))
      chosen_.push_back(static_cast<FaultClass>(i));
  }
  chance_ = sim::Random(chance.next(), sim::hash_of("another"));
  const FaultClass wanted = some(chosen_);
  Fault fault;
  for (int i = 0; i < kAttemptsAtOne; ++i) {
    if (draw_fault(wanted, ways_.of(wanted), limits, plan, fault)) return fault;
  }
  return std::nullopt;
}

std::optional<Fault> FaultPlans::another_like(const Fault& fault, sim::Random& chance,
                                              const FaultLimits& limits, const sim::Plan& plan) {
  const ProcessKind& target = kind(ways_.number_of(fault.target));
  const std::optional<FaultClass> wanted = scenarios::class_of(fault, target, scenario());
  if (!wanted) return std::nullopt;
  std::vector<Way> ways;
  for (const Way& way : ways_.of(*wanted)) {
    if (way.verb == fault.verb && *way.target == target) ways.push_back(way);
  }
  if (ways.empty()) return std::nullopt;
  chance_ = sim::Random(chance.next(), sim::hash_of("alike"));
  Fault drawn;
  for (int i = 0; i < kAttemptsAtOne; ++i) {
    if (draw_fault(*wanted, ways, limits, plan, drawn) && drawn.target == fault.target)
      return drawn;
  }
  return std::nullopt;
}

// False: the drawn fault is of another class, has nothing to hit, or is beyond the limits.
bool FaultPlans::draw_fault(FaultClass wanted, const std::vector<Way>& ways,
                            const FaultLimits& limits, const sim::Plan& plan, Fault& fault) {
  const Way& way = some(ways);
  const ProcessId target = some(processes(*way.target));
  fault = {};
  fault.verb = way.verb;
  fault.target = name(target);
  if (!ways_.can_hit(fault, plan)) return false;
  if (!draw_trigger(way, target, fault)) return false;
  draw_details(fault, *way.target);
  return scenarios::class_of(fault, *way.target, scenario()) == wanted &&
         ways_.strikes(limits.strikes, fault);
}

// ---------------------------------------------------------------- when

bool FaultPlans::draw_trigger(const Way& way, ProcessId target, Fault& fault) {
  sim::Trigger& trigger = fault.trigger;
  const bool on_message = verbs::kind_of(way.verb).on_message;
  if (!on_message && one_in(8)) {
    const Duration grain = 1ms;
    const Duration at = chance_.between(Duration::zero(), profile().length);
    trigger.at = sim::kStart + at / grain * grain;
    return true;
  }
  ProcessId whose = target;
  const bool of_client = way.target == &scenarios::kClientKind;
  if (!of_client || (!on_message && one_in(4))) {
    whose = some(processes(scenarios::kClientKind));
    const bool anyone = !of_client && one_in(4);
    if (whose != target && !anyone) trigger.by = name(whose);
  }
  candidates_.clear();
  for (const ReachedRole& role : profile().roles) {
    if (role.client != whose) continue;
    if (on_message && kind(role.server) != *way.server) continue;
    if (on_message && !of_client && role.server != target) continue;
    for (const Phase phase : {Phase::sent, Phase::applied, Phase::replied}) {
      if (on_message && phase == Phase::replied) continue;
      if (role.times[static_cast<std::size_t>(phase)] == 0) continue;
      candidates_.push_back({.role = &role, .mark = nullptr, .phase = phase});
    }
  }
  for (const ReachedMark& mark : profile().marks) {
    if (mark.client == whose && !on_message)
      candidates_.push_back({.role = nullptr, .mark = &mark, .phase = {}});
  }
  if (candidates_.empty()) return false;
  const Candidate step = some(candidates_);
  // A message must be caught while it can still be changed, so the side is always `before`.
  if (!on_message && one_in(2)) trigger.side = sim::Side::after;
  if (step.role == nullptr) {
    trigger.mark = step.mark->mark;
    draw_nth(step.mark->times, trigger);
    return true;
  }
  trigger.role = step.role->role;
  trigger.phase = step.phase;
  // The messages of one server are counted by themselves.
  const bool with_one = on_message && !of_client;
  draw_nth(
      with_one ? step.role->times[static_cast<std::size_t>(step.phase)] : narrow(step, trigger),
      trigger);
  return true;
}

// To one server or one command, where there are several, now and then. How often that step was
// seen.
std::uint32_t FaultPlans::narrow(const Candidate& step, sim::Trigger& trigger) {
  const auto phase = static_cast<std::size_t>(step.phase);
  bool several = false;
  std::uint32_t seen = 0;
  for (const ReachedRole& role : profile().roles) {
    if (role.client != step.role->client || role.role != step.role->role) continue;
    several = several || role.server != step.role->server;
    seen += role.times[phase];
  }
  if (several && one_in(2)) {
    trigger.on = name(step.role->server);
    seen = step.role->times[phase];
  }
  if (step.role->commands.size() > 1 && one_in(4)) {
    const ReachedRole::Command& command = some(step.role->commands);
    trigger.command = command.name;
    seen = command.times;
  }
  return seen;
}

// Mostly one of the first few, else any that was seen, and now and then one that only a disturbed
// run may reach.
void FaultPlans::draw_nth(std::uint32_t seen, sim::Trigger& trigger) {
  const std::uint64_t which = chance_.below(8);
  const std::uint64_t from = which == 0 ? seen : 0;
  const std::uint64_t many = which == 0   ? 2
                             : which <= 4 ? std::min<std::uint32_t>(seen, 3)
                                          : std::uint64_t{seen};
  trigger.nth = static_cast<std::uint32_t>(1 + from + chance_.below(many));
}

// ---------------------------------------------------------------- what

Duration FaultPlans::some_length(const std::vector<Range>& ranges) {
  const Range range = some(ranges);
  return rounded(chance_.between(range.low, range.high));
}

void FaultPlans::draw_details(Fault& fault, const ProcessKind& target) {
  const verbs::Kind& verb = verbs::kind_of(fault.verb);
  const bool lasts = verb.lasting == verbs::Lasting::required ||
                     (verb.lasting == verbs::Lasting::optional && !one_in(4));
  // After a long outage a machine has lost only keys that have expired anyway.
  const bool soon = verb.stops && one_in(2);
  // A quorum that is lost for good would hide everything else.
  const bool returns = target.returns && verb.stops;
  const bool of_client = target == scenarios::kClientKind;
  const bool stands = verb.silences && of_client;
  if (lasts || returns) fault.lasts = some_length(soon ? delays_ : stands ? pauses_ : lengths_);
  if (verb.takes("step")) {
    // A server that needs longer for each message is as good as paused.
    const bool of_server = !of_client && target != scenarios::kResourceKind;
    fault.step = some_length(verb.jumps ? jumps_ : of_server ? brief_ : delays_);
    if (verb.jumps && one_in(2)) fault.step = -fault.step;
  }
  if (verb.takes("rate")) {
    // From a bad oscillator to a virtual machine that is starved or catches up, in ppb.
    static const std::vector<std::int64_t> kRates = {-500'000'000, -100'000'000, -10'000'000,
                                                     -1'000'000,   1'000'000,    10'000'000,
                                                     100'000'000,  1'000'000'000};
    fault.rate_ppb = some(kRates);
  }
  if (verb.takes("from")) draw_partition(fault);
  if (verb.takes("to")) draw_successor(fault);
  if (verb.takes("host")) fault.host = one_in(2);
  if (verb.takes("silent")) fault.silent = one_in(4);
  if (verb.takes("keeps") && servers::starts_again(fault)) {
    fault.keeps = one_in(2) ? sim::Keeps::all : sim::Keeps::none;
    if (target.keeps != nullptr)
      fault.keeps = target.keeps(scenario().servers, fault.target, fault.keeps);
  }
}

// Partitions the target from all processes, or from one or two; in both directions or one.
void FaultPlans::draw_partition(Fault& fault) {
  if (one_in(2)) {
    const std::uint64_t sides = 1 + chance_.below(2);
    for (std::uint64_t i = 0; i < sides; ++i) {
      const std::string& other = some(profile().processes);
      const auto& from = fault.from;
      if (other != fault.target && std::find(from.begin(), from.end(), other) == from.end())
        fault.from.push_back(other);
    }
  }
  const std::uint64_t ways = chance_.below(4);
  fault.inbound = ways != 0;
  fault.outbound = ways != 1;
}

// The replica that has received most, or any: a grant that some replicas have acknowledged is lost
// only with another one.
void FaultPlans::draw_successor(Fault& fault) {
  const std::vector<ProcessId> replicas = ways_.successors(fault.target);
  if (replicas.size() > 1 && one_in(2)) fault.to = name(some(replicas));
}

}  // namespace picklock::explore
