#include "explore/corpus.h"

#include <utility>

#include "explore/sights.h"

namespace picklock::explore {

Corpus::Corpus() : shown_(Sights::kPlaces), nearest_(Sights::kDistancesOfARun) {}

void Corpus::mark(std::span<const std::uint32_t> places) {
  for (const std::uint32_t place : places) shown_[place] = true;
}

void Corpus::keep(Entry entry, std::span<const std::uint32_t> places) {
  mark(places);
  for (const std::uint32_t place : places) {
    const auto distance = Sights::distance(place);
    if (!distance) continue;
    Nearest& nearest = nearest_[*distance];
    if (place >= nearest.place) continue;
    if (nearest.place != UINT32_MAX && nearest.entry < entries_.size())
      --entries_[nearest.entry].nearest;
    nearest = {place, entries_.size()};
    ++entry.nearest;
  }
  entries_.push_back(std::move(entry));
}

void Corpus::begin_again() {
  first_ = entries_.size();
  shown_.assign(shown_.size(), false);
  nearest_.assign(nearest_.size(), {});
}

std::uint64_t Corpus::weight(const Entry& entry) {
  constexpr std::uint64_t kOne = 1024;
  return 1 + kOne * (1 + 2 * entry.children + 8 * entry.nearest) / (1 + entry.chosen);
}

std::size_t Corpus::choose(sim::Random& chance) {
  std::uint64_t sum = 0;
  for (std::size_t i = first_; i < entries_.size(); ++i) sum += weight(entries_[i]);
  std::uint64_t left = chance.below(sum);
  std::size_t chosen = first_;
  while (left >= weight(entries_[chosen])) left -= weight(entries_[chosen++]);
  ++entries_[chosen].chosen;
  return chosen;
}

sim::Plan effective(const sim::Plan& plan, const scenarios::World& world) {
  std::vector<bool> changed(plan.size());
  for (const sim::Nemesis::Firing& one : world.fired()) changed[one.fault] = one.in_vain.empty();
  sim::Plan all;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (changed[i]) all.push_back(plan[i]);
  }
  return all;
}

}  // namespace picklock::explore
