#include "explore/corpus_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "explore/sights.h"
#include "scenarios/document.h"
#include "scenarios/runner.h"
#include "scenarios/topology.h"
#include "scenarios/world.h"
#include "scenarios/writer.h"
#include "sim/digest.h"

namespace picklock::explore {
namespace {

namespace fs = std::filesystem;
using scenarios::Scenario;

constexpr std::string_view kStem = "plan-";

bool names_only(const sim::Fault& fault, const std::vector<scenarios::ProcessSpec>& processes) {
  const auto is_there = [&](const std::string& name) {
    return name.empty() || scenarios::find(processes, name) != nullptr;
  };
  return is_there(fault.target) && is_there(fault.trigger.by) && is_there(fault.trigger.on) &&
         is_there(fault.to) && std::all_of(fault.from.begin(), fault.from.end(), is_there);
}

// A fault that never strikes, or in vain, changes nothing, and a file that has one is not as
// expected.
sim::Plan that_struck(const sim::Plan& plan, const scenarios::World& world) {
  std::vector<bool> did(plan.size());
  for (const sim::Nemesis::Firing& one : world.fired()) did[one.fault] = one.in_vain.empty();
  sim::Plan all;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (did[i]) all.push_back(plan[i]);
  }
  return all;
}

// Requires: the world has just made the run of the plan.
std::string text_of(const Corpus::Entry& entry, Scenario story, const scenarios::World& world) {
  story.title = "Shows something that a guided search had not seen before";
  story.source.clear();
  story.faults = entry.plan;
  story.seed = entry.seed;
  story.ties = entry.ties;
  for (const properties::Verdict& verdict : world.verdicts()) {
    if (verdict.outcome == properties::Outcome::violated)
      story.expect.violated.push_back(verdict.property);
  }
  return scenarios::file_text(story);
}

std::string stem_of(const std::string& text) {
  return fmt::format("{}{:016x}", kStem, sim::hash_of(text));
}

}  // namespace

std::vector<Corpus::Entry> CorpusFolder::read(const Scenario& scenario) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kStem) && name.ends_with(".toml")) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  const std::vector<scenarios::ProcessSpec> processes = scenarios::processes_of(scenario);
  std::vector<Corpus::Entry> all;
  for (const fs::path& path : paths) {
    const Scenario one =
        scenarios::Document::from_file(path.string()).scenario(scenarios::shipped_vocabulary());
    Corpus::Entry entry{.plan = one.faults, .seed = one.seed, .ties = one.ties};
    std::erase_if(entry.plan,
                  [&](const sim::Fault& fault) { return !names_only(fault, processes); });
    read_.push_back({path, entry});
    all.push_back(std::move(entry));
  }
  return all;
}

std::optional<std::size_t> CorpusFolder::write(const Corpus& corpus, const Scenario& scenario) {
  struct Candidate {
    std::size_t faults = 0;
    std::string text;
    std::vector<std::uint32_t> places;
  };
  std::vector<Candidate> candidates;
  scenarios::World world;
  Sights sights;
  Scenario current = scenario;
  const auto run = [&](const Corpus::Entry& entry) {
    current.faults = entry.plan;
    current.ties = entry.ties;
    world.set(current);
    world.run(entry.seed);
  };
  const auto add = [&](Corpus::Entry entry) -> std::string {
    run(entry);
    sim::Plan struck = that_struck(entry.plan, world);
    if (struck.empty()) return {};
    const bool fewer = struck.size() < entry.plan.size();
    entry.plan = std::move(struck);
    if (fewer) run(entry);
    if (world.cut_short()) return {};
    candidates.push_back({entry.plan.size(), text_of(entry, scenario, world), sights.of(world)});
    return stem_of(candidates.back().text);
  };
  // A file of this scenario has the name that it would be written under now.
  std::vector<std::pair<fs::path, std::string>> own;
  for (const File& file : read_) {
    const std::string stem = add(file.entry);
    if (!stem.empty() && file.path.filename().string().starts_with(stem))
      own.emplace_back(file.path, stem);
  }
  for (const Corpus::Entry& entry : corpus.entries()) add(entry);
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& one, const auto& other) {
    return std::pair(one.faults, one.text.size()) < std::pair(other.faults, other.text.size());
  });
  std::set<std::uint32_t> shown;
  std::set<std::string> kept;
  for (const Candidate& one : candidates) {
    bool is_new = false;
    for (const std::uint32_t place : one.places) is_new |= shown.insert(place).second;
    if (!is_new || !kept.insert(stem_of(one.text)).second) continue;
    if (folder_.keep(stem_of(one.text), one.text).empty()) return std::nullopt;
  }
  std::error_code error;
  for (const auto& [path, stem] : own) {
    if (!kept.contains(stem)) fs::remove(path, error);
  }
  return kept.size();
}

}  // namespace picklock::explore
