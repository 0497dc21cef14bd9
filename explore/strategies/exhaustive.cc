#include "explore/strategies/exhaustive.h"

#include <algorithm>
#include <utility>

#include "explore/moments.h"
#include "explore/signature.h"

namespace picklock::explore::strategies {
namespace {

// Runs of a batch.
constexpr std::uint64_t kRuns = 256;
// Plans of a level whose children are counted to estimate the size of the next.
constexpr std::size_t kCounted = 40;
// Plans whose children are remembered: that of the next batch, and those of batches that come back.
constexpr std::size_t kKept = 2;

}  // namespace

Exhaustive::Exhaustive(Ways ways, const Settings& settings)
    : vocabulary_(std::move(ways), settings.faults.classes, settings.alike),
      settings_(settings),
      scenario_(vocabulary_.ways().scenario()) {
  scenario_.faults.clear();
  world_.set(scenario_);
  decided_.verbs = vocabulary_.verbs();
  decided_.lengths = vocabulary_.lengths();
  decided_.orders = scenario_.network.order == scenarios::Order::any;
}

void Exhaustive::note(std::uint64_t run, const scenarios::World& world, Block& block) {
  block.signs.push_back({run, settings_.alike ? world.digest() : signature(world)});
}

// Run number 0 is that without faults.
void Exhaustive::draw(const Batch& batch, std::uint64_t run, scenarios::Scenario& into) {
  into.faults = batch.basis;
  into.seed = settings_.seed;
  into.ties = scenario_.ties;
  into.network.order = scenario_.network.order;
  into.network.priorities = scenario_.network.priorities;
  into.network.priority_changes = scenario_.network.priority_changes;
  if (run > 0) into.faults.push_back(children(batch.basis)[run - batch.first]);
}

const std::vector<sim::Fault>& Exhaustive::children(const sim::Plan& plan) {
  for (const Expanded& one : expanded_) {
    if (one.plan == plan) return one.children;
  }
  if (expanded_.size() == kKept) expanded_.pop_front();
  scenario_.faults = plan;
  world_.run(settings_.seed, true);
  Expanded& last = expanded_.emplace_back(
      Expanded{plan, vocabulary_.after(course(world_, settings_.alike), plan)});
  std::erase_if(last.children, [this](const sim::Fault& fault) {
    return !vocabulary_.ways().strikes(settings_.faults.strikes, fault);
  });
  return last.children;
}

// ---------------------------------------------------------------- in the process that leads

// The run without faults is a batch of its own, and so is each part of the children of a plan.
std::optional<Batch> Exhaustive::next() {
  while (!over_) {
    if (number_ == 0) {
      ++under_way_;
      return Batch{.runs = {0, ++number_}, .part = {0, 1}};
    }
    for (; parent_ < parents_.size(); ++parent_, child_ = 0) {
      const std::uint64_t count = children(parents_[parent_]).size();
      if (child_ == count) continue;
      const std::uint64_t runs = std::min(kRuns, count - child_);
      const Span span = {number_, number_ + runs};
      Batch batch{
          .runs = span, .part = span, .first = number_ - child_, .basis = parents_[parent_]};
      number_ += runs;
      child_ += runs;
      ++under_way_;
      return batch;
    }
    if (under_way_ > 0) return std::nullopt;
    end_level();
  }
  return std::nullopt;
}

void Exhaustive::take(const Batch& batch, const Block& block) {
  --under_way_;
  violated_ = violated_ || std::any_of(block.sightings.begin(), block.sightings.end(),
                                       [](const Sighting& one) { return !one.limit; });
  for (const Sign& one : block.signs) {
    if (!signs_.insert(one.word).second) continue;
    if (level_ == settings_.faults.most) continue;
    different_.push_back(batch.basis);
    if (one.run > 0) different_.back().push_back(children(batch.basis)[one.run - batch.first]);
  }
  made_ += batch.runs.to - batch.runs.from;
  judged_ += block.tally.judged();
}

bool Exhaustive::waits() const {
  return !over_ && under_way_ > 0 && level_ < settings_.faults.most;
}

void Exhaustive::end_part(Block& block) {
  std::set<std::uint64_t> words;
  std::erase_if(block.signs, [&](const Sign& one) { return !words.insert(one.word).second; });
}

// A violation that comes with one fault more is no news, and its plans are many.
void Exhaustive::end_level() {
  decided_.begun = true;
  decided_.most = level_;
  decided_.plans = made_;
  decided_.different = signs_.size();
  decided_.unjudged = made_ - judged_;
  parents_ = std::move(different_);
  different_.clear();
  parent_ = 0;
  over_ = violated_ || level_ == settings_.faults.most;
  if (over_) return;
  const std::uint64_t size = size_of_next_level();
  over_ = size > settings_.most_plans;
  if (over_) decided_.too_many = size;
  decided_.wanted = made_ + size;
  ++level_;
}

// Estimated from a sample if the plans are many.
std::uint64_t Exhaustive::size_of_next_level() {
  const std::size_t counted = std::min(kCounted, parents_.size());
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < counted; ++i)
    size += children(parents_[i * parents_.size() / counted]).size();
  return counted == 0 ? 0 : size * parents_.size() / counted;
}

}  // namespace picklock::explore::strategies
