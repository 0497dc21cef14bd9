#include "explore/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "explore/strategies/list.h"
#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

// The file of a find without the lines that name the violation and the run. One scenario may have
// several violations of a property, and its title names one of them.
std::string without_words(std::string text) {
  for (const std::string_view key : {"\ntitle = ", "\nsource = "}) {
    const std::size_t line = text.find(key);
    if (line != std::string::npos) text.erase(line, text.find('\n', line + 1) - line);
  }
  return text;
}

}  // namespace

Search::Search(const scenarios::Scenario& scenario, SearchOptions options)
    : runs_(scenario, std::move(options)), known_runs_(runs_.options().except.size()) {
  for (const Sighting& one : runs_.without_faults())
    leads_.push_back({.run = one.run, .violation = one.violation});
}

bool Search::run_next() {
  if (!make_next()) return false;
  while (const std::optional<Lead> lead = next_lead())
    add(Keeper(runs_).keep(*lead, [] { return false; }));
  return true;
}

bool Search::make_next() {
  if (!batch_) batch_ = runs_.strategy().next();
  if (!batch_) return false;
  Block block;
  runs_.make(*batch_, batch_->runs.from + made_.tally.runs, block);
  made_.add(block);
  take(block);
  if (batch_->runs.from + made_.tally.runs == batch_->runs.to) {
    runs_.strategy().take(*batch_, made_);
    if (batch_->runs.to == batch_->part.to) end_part();
    batch_.reset();
    made_ = {};
  }
  return true;
}

void Search::take(const Block& block) {
  tally_.add(block.tally);
  for (std::size_t i = 0; i < block.known.size(); ++i) known_runs_[i] += block.known[i];
  for (const Sighting& one : block.sightings) {
    if (sighted_.insert({one.violation, one.limit}).second)
      leads_.push_back(
          {.run = one.run, .violation = one.violation, .batch = one.batch, .limit = one.limit});
  }
}

void Search::end_part() {
  Block whole;
  runs_.strategy().end_part(whole);
  tally_.add(whole.tally);
}

void Search::take_crash(const Batch& batch, std::uint64_t run, const std::string& how) {
  ++tally_.runs;
  ++tally_.crashed;
  const auto same = std::find_if(crashes_.begin(), crashes_.end(),
                                 [&how](const Crash& other) { return other.how == how; });
  if (same != crashes_.end()) {
    ++same->times;
    return;
  }
  scenarios::Scenario story = runs_.drawn(batch, run);
  story.title = fmt::format("The run ends the program: {}", how);
  story.source = fmt::format("{}, run {}", options().command, run + 1);
  crashes_.push_back({.run = run + 1, .times = 1, .how = how, .text = scenarios::file_text(story)});
}

std::optional<Lead> Search::next_lead() {
  while (!leads_.empty()) {
    Lead lead = std::move(leads_.front());
    leads_.pop_front();
    if (lead.limit ? known_limits_.insert(lead.violation.property).second
                   : known_.insert(lead.violation).second)
      return lead;
  }
  return std::nullopt;
}

// Violations between different steps may have one shortest story. It is told once.
void Search::add(Keeper::Kept kept) {
  if (kept.find.limit) {
    limits_.push_back(std::move(kept.find));
    return;
  }
  const std::string story = without_words(kept.find.text);
  const bool told = std::any_of(finds_.begin(), finds_.end(), [&](const Find& other) {
    return other.violation.property == kept.find.violation.property &&
           without_words(other.text) == story;
  });
  if (!told) finds_.push_back(std::move(kept.find));
  leads_.insert(leads_.begin(), std::make_move_iterator(kept.slipped.begin()),
                std::make_move_iterator(kept.slipped.end()));
}

bool Search::has_met_known() const {
  return std::any_of(known_runs_.begin(), known_runs_.end(),
                     [](std::uint64_t runs) { return runs > 0; });
}

bool Search::is_independent() const { return strategies::named(options().strategy).independent; }

std::string_view Search::why_vacuous() const {
  if (tally_.judged() == 0) return "no run could be judged";
  if (tally_.fired == 0 && !options().faults.classes.empty()) return "no fault fired";
  return {};
}

// Computed by bisection with whole powers, because the last digits of library functions differ
// between machines.
double upper_bound_95(std::uint64_t clean) {
  const auto all_clean = [clean](double chance) {
    double power = 1;
    double base = 1 - chance;
    for (std::uint64_t left = clean; left > 0; left >>= 1, base *= base) {
      if ((left & 1) != 0) power *= base;
    }
    return power;
  };
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (all_clean(middle) > 0.05 ? low : high) = middle;
  }
  return high;
}

}  // namespace picklock::explore
