#include "explore/strategies/guided.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "explore/critical_lengths.h"
#include "scenarios/process_kinds.h"
#include "scenarios/promises.h"

namespace picklock::explore::strategies {
namespace {

// The first batches, and then one of so many, are drawn at random.
constexpr std::uint64_t kFirst = 4;
constexpr std::uint64_t kOneInSoMany = 2;
// One of so many runs of these gets its faults at the moments of the run without faults.
constexpr std::uint64_t kOneAtAMoment = 3;
// Plans that are drawn are full: one of three faults has three pairs, and one of two has one. Still
// more faults hide what each of them does.
constexpr std::uint32_t kFull = 3;
// One of so many plans that are made of others is made full.
constexpr std::uint64_t kOneFull = 2;
// A batch is chosen by what all batches but so many before it have shown. That many can be under
// way at once: few at first, when each one teaches much, and enough for many processes later.
std::uint64_t under_way(std::uint64_t batches) { return std::max<std::uint64_t>(16, batches / 8); }
// Runs of a batch. The course of its basis takes about one more.
std::uint64_t size_of(std::uint64_t batch) { return batch < 256 ? 4 : 16; }

// Enough to learn a lock: more runs seldom show anything new.
constexpr std::uint64_t kRunsOfARound = 100'000;

constexpr std::size_t kNone = SIZE_MAX;
// Plans whose courses are remembered. Some come back often.
constexpr std::size_t kCoursesKept = 64;

sim::Random stream(std::uint64_t seed, std::string_view name, std::uint64_t number) {
  return {seed, sim::hash_of(name) + number};
}

}  // namespace

Guided::Guided(Ways ways, const Settings& settings)
    : plans_(ways),
      vocabulary_(std::move(ways), settings.faults.classes, false),
      settings_(settings),
      full_(std::min(settings.faults.most, kFull)),
      shown_(Sights::kPlaces, UINT64_MAX),
      scenario_(vocabulary_.ways().scenario()) {
  for (const CriticalLength& one : vocabulary_.lengths())
    longest_ = std::max(longest_, 2 * one.length);
  for (Corpus::Entry& entry : settings_.corpus) {
    drop_unfit(entry.plan);
    if (entry.plan.size() > settings_.faults.most) entry.plan.resize(settings_.faults.most);
  }
  std::erase_if(settings_.corpus, [](const Corpus::Entry& entry) { return entry.plan.empty(); });
  scenario_.faults.clear();
  world_.set(scenario_);
  world_.run(settings.seed, true);
  undisturbed_ = course(world_, false);
  begin_round(0);
}

// ---------------------------------------------------------------- in any process

// A process reports a place for the first of its runs that shows it. So the first run of all that
// shows it reports it, whichever process makes that run.
void Guided::note(std::uint64_t run, const scenarios::World& world, Block& block) {
  if (std::exchange(round_shown_, run / runs_of_a_round()) != run / runs_of_a_round())
    shown_.assign(shown_.size(), UINT64_MAX);
  const std::size_t known = block.signs.size();
  for (const std::uint32_t place : sights_.of(world)) {
    if (shown_[place] <= run) continue;
    shown_[place] = run;
    block.signs.push_back({run, place});
  }
  if (block.signs.size() == known) return;
  const scenarios::Scenario& drawn = world.scenario();
  block.candidates.push_back({run, effective(drawn.faults, world), drawn.seed, drawn.ties});
}

void Guided::draw(const Batch& batch, std::uint64_t run, scenarios::Scenario& into) {
  sim::Random chance = stream(settings_.seed, "explore.guided.run", run);
  if (batch.basis.empty()) {
    draw_anew(run, chance, into.faults);
    return;
  }
  into.faults = batch.basis;
  if (batch.as_it_is || chance.below(4) > 0) {
    into.seed = batch.seed;
    into.ties = batch.ties;
  }
  if (batch.as_it_is) return;
  do {
    change(batch, chance, into.faults);
  } while (chance.below(4) == 0);
  if (chance.below(kOneFull) == 0) fill(course_of(batch), full_, chance, into.faults);
  drop_unfit(into.faults);
  if (into.faults.empty()) into.faults = batch.basis;
}

void Guided::draw_anew(std::uint64_t run, sim::Random& chance, sim::Plan& plan) {
  plans_.draw(settings_.seed, run, settings_.faults, plan);
  if (plan.empty()) return;
  const sim::Plan drawn = plan;
  if (run % kOneAtAMoment == 0) plan.clear();
  fill(undisturbed_, std::max(drawn.size(), full_), chance, plan);
  drop_unfit(plan);
  if (plan.empty()) plan = drawn;
}

// Up to so many faults.
void Guided::fill(const Course& course, std::size_t count, sim::Random& chance, sim::Plan& plan) {
  for (std::size_t i = plan.size(); i < count; ++i) {
    if (!plan.empty() && chance.below(4) == 0)
      add_elsewhere(chance, plan);
    else
      add(course, chance, plan);
  }
}

// A full plan gets another fault in place of one of its own.
void Guided::change(const Batch& batch, sim::Random& chance, sim::Plan& plan) {
  const std::uint64_t which = chance.below(10);
  const auto drop_one = [&] {
    plan.erase(plan.begin() + static_cast<std::ptrdiff_t>(chance.below(plan.size())));
  };
  if (which < 7 || plan.empty()) {
    if (plan.size() >= settings_.faults.most) drop_one();
    if (which < 2 && !plan.empty())
      add_elsewhere(chance, plan);
    else
      add(course_of(batch), chance, plan);
  } else if (which == 7 && plan.size() > 1) {
    drop_one();
  } else {
    change_one(chance, plan);
  }
}

// Half of them are at a moment that the run of the basis reaches after its last fault, with a
// length that matters. A violation may need another length, such as the difference of two.
void Guided::add(const Course& course, sim::Random& chance, sim::Plan& plan) {
  std::optional<sim::Fault> fault;
  if (chance.below(2) > 0) fault = vocabulary_.any_after(course, plan, chance);
  if (!fault || !plans_.ways().strikes(settings_.faults.strikes, *fault))
    fault = plans_.another(chance, settings_.faults, plan);
  if (fault) plan.push_back(std::move(*fault));
}

// The same at another process, as when one cause strikes several machines.
void Guided::add_elsewhere(sim::Random& chance, sim::Plan& plan) {
  const Ways& ways = plans_.ways();
  sim::Fault fault = plan[chance.below(plan.size())];
  const std::vector<sim::ProcessId>& alike =
      ways.processes(ways.kind(ways.number_of(fault.target)));
  const std::string target = ways.name(alike[chance.below(alike.size())]);
  const bool is_a_side =
      std::find(fault.from.begin(), fault.from.end(), target) != fault.from.end();
  if (target == fault.target || is_a_side || !fault.to.empty()) return;
  fault.target = target;
  plan.push_back(std::move(fault));
}

void Guided::change_one(sim::Random& chance, sim::Plan& plan) {
  const std::size_t index = chance.below(plan.size());
  sim::Fault& fault = plan[index];
  sim::Trigger& trigger = fault.trigger;
  const std::uint64_t which = chance.below(5);
  if (which == 0 && !trigger.at) {
    trigger.nth = trigger.nth > 1 && chance.below(2) == 0 ? trigger.nth - 1 : trigger.nth + 1;
    return;
  }
  if (which == 1 && fault.lasts) {
    fault.lasts = rounded(chance.between(*fault.lasts / 2, std::min(2 * *fault.lasts, longest_)));
    return;
  }
  const sim::Plan earlier(plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(index));
  std::optional<sim::Fault> fresh = plans_.another_like(fault, chance, settings_.faults, earlier);
  if (!fresh) return;
  // The fault at another moment, or another fault at its moment.
  sim::Fault joined = which < 4 ? fault : *fresh;
  joined.trigger = which < 4 ? fresh->trigger : trigger;
  fault = is_fit(joined) ? std::move(joined) : std::move(*fresh);
}

// The class of a fault on a message depends on its step.
bool Guided::is_fit(const sim::Fault& fault) const {
  const FaultLimits& limits = settings_.faults;
  const auto of = scenarios::class_of(fault, plans_.ways().scenario());
  return of && limits.classes.has(*of) && plans_.ways().strikes(limits.strikes, fault);
}

// A fault may have been there for another one that is dropped, such as a heal for its partition.
void Guided::drop_unfit(sim::Plan& plan) const {
  sim::Plan kept;
  for (sim::Fault& fault : plan) {
    if (is_fit(fault) && plans_.ways().can_hit(fault, kept)) kept.push_back(std::move(fault));
  }
  plan = std::move(kept);
}

const Course& Guided::course_of(const Batch& batch) {
  // The runs of a batch ask one after another.
  const auto known = std::find_if(courses_.rbegin(), courses_.rend(), [&batch](const Known& one) {
    return one.seed == batch.seed && one.ties == batch.ties && one.basis == batch.basis;
  });
  if (known != courses_.rend()) return known->course;
  if (courses_.size() == kCoursesKept) courses_.pop_front();
  scenario_.faults = batch.basis;
  scenario_.ties = batch.ties;
  world_.run(batch.seed, true);
  courses_.push_back({batch.basis, batch.seed, batch.ties, course(world_, false)});
  return courses_.back().course;
}

// ---------------------------------------------------------------- in the process that leads

std::optional<Batch> Guided::next() {
  if (number_ == round_.to) return std::nullopt;
  for (; learned_ + under_way(batches_) <= batches_; ++learned_) {
    if (made_.empty()) return std::nullopt;
    learn(made_.front());
    made_.pop_front();
    parents_.pop_front();
  }
  sim::Random chance = stream(settings_.seed, "explore.guided.batch",
                              batches_ + (round_.from / runs_of_a_round() << 32));
  const Corpus::Entry* basis = nullptr;
  const bool given = batches_ < settings_.corpus.size();
  parents_.push_back(kNone);
  if (given) {
    basis = &settings_.corpus[batches_];
  } else if (batches_ - settings_.corpus.size() >= kFirst && batches_ % kOneInSoMany != 0 &&
             !corpus_.empty()) {
    parents_.back() = corpus_.choose(chance);
    basis = &corpus_.entries()[parents_.back()];
  }
  const std::uint64_t from = number_;
  number_ = std::min(from + (given ? 1 : size_of(batches_)), round_.to);
  Batch batch{.runs = {from, number_}, .part = round_, .first = from, .as_it_is = given};
  if (basis != nullptr) {
    batch.basis = basis->plan;
    batch.seed = basis->seed;
    batch.ties = basis->ties;
  }
  ++batches_;
  return batch;
}

std::uint64_t Guided::runs_of_a_round() const {
  return settings_.part > 0 ? settings_.part : kRunsOfARound;
}

void Guided::begin_round(std::uint64_t run) {
  round_ = {run, run + runs_of_a_round()};
  number_ = run;
  batches_ = 0;
  learned_ = 0;
  made_.clear();
  parents_.clear();
  corpus_.begin_again();
}

void Guided::end_part(Block& block) {
  block.signs.clear();
  block.candidates.clear();
  block.tally.kept = corpus_.size();
  begin_round(round_.to);
}

void Guided::take(const Batch&, const Block& block) {
  made_.push_back({block.signs, block.candidates});
}

void Guided::learn(Made& made) {
  std::vector<std::uint32_t> places;
  auto sign = made.signs.begin();
  for (Candidate& one : made.candidates) {
    places.clear();
    for (; sign != made.signs.end() && sign->run == one.run; ++sign) {
      const auto place = static_cast<std::uint32_t>(sign->word);
      if (corpus_.is_new(place)) places.push_back(place);
    }
    if (places.empty()) continue;
    if (one.plan.empty()) {
      corpus_.mark(places);  // which another process may show again in a later run
      continue;
    }
    corpus_.keep({.plan = std::move(one.plan), .seed = one.seed, .ties = one.ties}, places);
    if (parents_.front() != kNone) corpus_.led_to_another(parents_.front());
  }
}

}  // namespace picklock::explore::strategies
