#include "explore/corpus_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
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
  scenarios::World world;
  Sights sights;
  Scenario current = scenario;
  const auto run = [&](const Corpus::Entry& entry) {
    current.faults = entry.plan;
    current.ties = entry.ties;
    world.set(current);
    world.run(entry.seed);
  };
  const auto add = [&](Corpus::Entry entry, const fs::path& file) {
    run(entry);
    sim::Plan struck = effective(entry.plan, world);
    if (struck.empty()) return;
    const bool fewer = struck.size() < entry.plan.size();
    entry.plan = std::move(struck);
    if (fewer) run(entry);
    if (world.cut_short()) return;
    Shown one{entry.plan.size(), text_of(entry, scenario, world), sights.of(world), {}};
    // A file of this scenario has the name that it would be written under now.
    if (file.filename().string().starts_with(stem_of(one.text))) one.file = file;
    shown_.push_back(std::move(one));
  };
  for (const File& file : std::exchange(read_, {})) add(file.entry, file.path);
  for (; written_ < corpus.entries().size(); ++written_) add(corpus.entries()[written_], {});
  // The one that has a file comes first among equal texts. Texts of one size have an order too: the
  // next search reads these plans in another one, and would not need some of them.
  std::sort(shown_.begin(), shown_.end(), [](const Shown& one, const Shown& other) {
    return std::tuple(one.faults, one.text.size(), std::string_view(one.text), one.file.empty()) <
           std::tuple(other.faults, other.text.size(), std::string_view(other.text),
                      other.file.empty());
  });
  std::vector<bool> places(Sights::kPlaces);
  std::vector<Shown> kept;
  std::vector<fs::path> dropped;
  for (Shown& one : shown_) {
    bool is_new = false;
    for (const std::uint32_t place : one.places) {
      is_new = is_new || !places[place];
      places[place] = true;
    }
    if (is_new)
      kept.push_back(std::move(one));
    else if (!one.file.empty())
      dropped.push_back(std::move(one.file));
  }
  shown_ = std::move(kept);
  std::error_code error;
  for (Shown& one : shown_) {
    if (one.file.empty() || !fs::exists(one.file, error))
      one.file = folder_.keep(stem_of(one.text), one.text);
    if (one.file.empty()) return std::nullopt;
  }
  for (const fs::path& file : dropped) fs::remove(file, error);
  return shown_.size();
}

}  // namespace picklock::explore
