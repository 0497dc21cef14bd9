#include "compare/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "keys/bad_input.h"

namespace picklock::compare {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Json header(std::uint64_t seed, std::uint64_t program) {
  return {{"comparison", kFormat}, {"program", fmt::format("{:016x}", program)}, {"seed", seed}};
}

Json json(const Story& story) {
  return {
      {"sighting", to_json(story.sighting)}, {"faults", story.faults}, {"minimal", story.minimal},
      {"given_up", story.given_up},          {"title", story.title},   {"text", story.text}};
}

Story story_from(const Json& json) {
  return {.sighting = sighting_from(json.at("sighting")),
          .faults = json.at("faults"),
          .minimal = json.at("minimal"),
          .given_up = json.at("given_up"),
          .title = json.at("title"),
          .text = json.at("text"),
          .file = {}};
}

}  // namespace

Ledger::Ledger(const fs::path& folder, std::uint64_t seed, std::uint64_t program) {
  const fs::path path = folder / fmt::format("runs-seed-{}.jsonl", seed);
  const auto refuse = [&path](std::string_view why) {
    throw keys::BadInput(fmt::format("--out: {} {}", keys::printable(path.string()), why));
  };
  const auto open_it = [&] {
    file_ = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) refuse(fmt::format("cannot be opened: {}", std::strerror(errno)));
    if (flock(file_, LOCK_EX | LOCK_NB) != 0)
      refuse("is being written by another picklock; give this one a folder of its own");
  };
  open_it();
  const std::string first = header(seed, program).dump();
  std::string text = contents(path);
  // A line that was being written when its program was killed is none.
  if (const std::size_t end = text.rfind('\n') + 1; end != text.size()) {
    text.resize(end);
    if (ftruncate(file_, static_cast<off_t>(end)) != 0) whole_ = false;
  }
  const std::size_t after = text.find('\n');
  if (!text.empty() && text.substr(0, after) != first) {
    std::error_code error;
    fs::rename(path, path.string() + ".of-another-program", error);
    if (error) refuse("is of another picklock, and cannot be set aside");
    close(file_);
    open_it();
    set_aside_ = true;
    text.clear();
  }
  if (text.empty()) {
    append(first);
    return;
  }
  for (std::size_t at = after + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    try {
      read_line(text.substr(at, end - at));
    } catch (const Json::exception&) {
      refuse("is damaged; remove it");
    }
    at = end + 1;
  }
}

Ledger::~Ledger() {
  if (file_ >= 0) close(file_);
}

void Ledger::read_line(const std::string& line) {
  const Json json = Json::parse(line);
  const std::string cell = json.at("cell");
  if (json.contains("property")) {
    stories_[cell][static_cast<Property>(json.at("property").get<int>())].push_back(
        story_from(json.at("story")));
    return;
  }
  Part part{.from = json.at("from"),
            .to = json.at("to"),
            .measures = measures_from(json.at("measures")),
            .crash = json.value("crash", std::string())};
  if (const auto all = json.find("all"); all != json.end()) part.all = all->get<std::uint64_t>();
  parts_[cell].emplace(part.from, std::move(part));
}

void Ledger::read(Comparison& comparison, std::optional<std::uint64_t> runs) const {
  for (const CellName& name : comparison.all_cells()) {
    Known& known = comparison.known(name);
    const std::string label = comparison.label(name);
    if (const auto parts = parts_.find(label); parts != parts_.end()) {
      for (;;) {
        const Part* next = nullptr;
        const auto [begin, end] = parts->second.equal_range(known.runs);
        for (auto one = begin; one != end; ++one) {
          // The part of a class without any plan, or with too many, is empty.
          if (one->second.all == 0U) known.all = 0;
          const bool fits =
              one->second.to > known.runs && (name.every > 0 || !runs || one->second.to <= *runs);
          if (fits && (next == nullptr || one->second.to > next->to)) next = &one->second;
        }
        if (next == nullptr) break;
        known.measures.add(next->measures);
        if (!next->crash.empty()) known.crashes[next->from] = next->crash;
        known.runs = next->to;
        if (next->all) known.all = next->all;
      }
    }
  }
  read_stories(comparison);
}

void Ledger::read_stories(Comparison& comparison) const {
  for (const CellName& name : comparison.all_cells()) {
    Known& known = comparison.known(name);
    const auto stories = stories_.find(comparison.label(name));
    if (stories == stories_.end()) continue;
    for (const auto& [property, all] : stories->second) {
      const PropertyCount& count = known.measures.properties[static_cast<std::size_t>(property)];
      for (const Story& story : all) {
        if (count.smallest && *count.smallest == story.sighting) known.stories[property] = story;
      }
    }
  }
}

void Ledger::write(const std::string& cell, const Part& part) {
  Json json = {
      {"cell", cell}, {"from", part.from}, {"to", part.to}, {"measures", to_json(part.measures)}};
  if (!part.crash.empty()) json["crash"] = part.crash;
  if (part.all) json["all"] = *part.all;
  append(json.dump());
}

void Ledger::write(const std::string& cell, Property property, const Story& story) {
  append(Json{{"cell", cell}, {"property", static_cast<int>(property)}, {"story", json(story)}}
             .dump());
}

void Ledger::append(const std::string& line) {
  const std::string bytes = line + '\n';
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t some = ::write(file_, bytes.data() + written, bytes.size() - written);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) {
      whole_ = false;
      return;
    }
    written += static_cast<std::size_t>(some);
  }
}

}  // namespace picklock::compare
