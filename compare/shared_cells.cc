#include "compare/shared_cells.h"

#include <poll.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "compare/part.h"
#include "explore/workers/pool.h"

namespace picklock::compare {
namespace {

using explore::Span;
using explore::workers::Order;
using explore::workers::Pool;
using explore::workers::Pulse;
using Json = nlohmann::ordered_json;

// Tells how long a process works, never what a run does.
using ShardClock = std::chrono::steady_clock;

// Some tenths of a second, to some seconds for the slowest locks.
constexpr std::uint64_t kRunsOfASharedPart = 256;
constexpr int kPollShard = 100;
// Between looks at the file `stop`.
constexpr Seconds kLook{0.5};

// A part as the store has it.
struct SharedPart {
  Measures measures;
  std::optional<std::uint64_t> all{};  // runs that the cell has
  std::map<std::uint64_t, std::string> crashes;
};

std::string to_text(const SharedPart& part) {
  Json crashes = Json::array();
  for (const auto& [run, how] : part.crashes) crashes.push_back({run, how});
  Json json = {{"measures", to_json(part.measures)}, {"crashes", crashes}};
  if (part.all) json["all"] = *part.all;
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

SharedPart shared_part_from(const std::string& text) {
  const Json json = Json::parse(text);
  SharedPart part{.measures = measures_from(json.at("measures")), .crashes = {}};
  for (const Json& one : json.at("crashes")) part.crashes[one.at(0)] = one.at(1);
  if (const auto all = json.find("all"); all != json.end()) part.all = all->get<std::uint64_t>();
  return part;
}

class ShardMaking {
 public:
  ShardMaking(Comparison& comparison, const explore::StoreReader& reader,
              explore::StoreWriter& writer, const explore::Shard& shard, const Limits& limits,
              const Onlooker& onlooker)
      : reader_(reader),
        writer_(writer),
        limits_(limits),
        onlooker_(onlooker),
        start_(ShardClock::now()),
        maker_(comparison),
        all_(parts_of(comparison, *limits.runs)),
        pool_({.workers = limits.jobs, .ahead = 2}, Order::as_they_come,
              [this](const PartTask& task, Pulse& pulse) { return maker_.make(task, pulse); }) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (shard.has(i) && reader.find(all_[i].name) == nullptr) missing_.push_back(i);
    }
    for (const std::size_t i : missing_) wanted_ += size_of(all_[i]);
  }

  SharedEnding go() {
    std::size_t next = 0;
    for (;;) {
      for (; next < missing_.size() && !stopped() && pool_.is_hungry(); ++next)
        submit(missing_[next]);
      if (pool_.is_idle() && (next == missing_.size() || stopped())) break;
      if (onlooker_.interrupted()) return ending_;
      polled_.clear();
      pool_.watch(polled_);
      poll(polled_.data(), polled_.size(), kPollShard);
      pool_.update();
      take();
      onlooker_.progress({.runs = made_, .all = wanted_, .passed = passed()});
    }
    ending_.complete = next == missing_.size();
    return ending_;
  }

 private:
  Seconds passed() const { return ShardClock::now() - start_; }

  bool stopped() {
    if (passed() >= looked_) {
      stop_ = explore::read_signs(reader_.folder()).stop;
      looked_ = passed() + kLook;
    }
    return stop_ || (limits_.length && passed() >= *limits_.length);
  }

  std::uint64_t size_of(const CellPart& part) const {
    return part.name.runs.to - part.name.runs.from;
  }

  void submit(std::size_t i) {
    const CellPart& part = all_[i];
    const bool every = maker_.cells()[part.cell].every > 0;
    numbers_[{part.cell, every ? 0 : part.name.runs.from}] = i;
    pool_.submit({.number = part.cell,
                  .items = every ? Span{0, UINT64_MAX} : part.name.runs,
                  .first = part.name.runs.from});
  }

  void take() {
    while (auto done = pool_.next()) {
      const PartTask& task = done->task;
      const std::size_t i = numbers_.at({task.number, task.first});
      SharedPart& part = open_[i];
      if (done->result) {
        part.measures.add(measures_from(nlohmann::ordered_json::parse(done->result->measures)));
        if (done->result->all) part.all = done->result->all;
      } else {
        if (!done->crash.item)
          throw std::runtime_error("a process that makes runs ended: " + done->crash.how);
        part.measures.made += 1;
        part.measures.crashed += 1;
        part.crashes[*done->crash.item] = done->crash.how;
      }
      if (!done->last) continue;
      writer_.write(all_[i].name, to_text(part));
      ++ending_.parts;
      made_ += size_of(all_[i]);
      open_.erase(i);
    }
  }

  const explore::StoreReader& reader_;
  explore::StoreWriter& writer_;
  const Limits limits_;
  const Onlooker& onlooker_;
  const ShardClock::time_point start_;
  PartMaker maker_;
  const std::vector<CellPart> all_;
  std::vector<std::size_t> missing_;
  Pool<PartTask, MadePart> pool_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> numbers_;  // by cell and first run
  std::map<std::size_t, SharedPart> open_;
  SharedEnding ending_;
  Seconds looked_{};
  bool stop_ = false;
  std::uint64_t wanted_ = 0;
  std::uint64_t made_ = 0;
  std::vector<pollfd> polled_;
};

}  // namespace

std::vector<CellPart> parts_of(const Comparison& comparison, std::uint64_t runs) {
  std::vector<CellPart> all;
  const std::vector<CellName> cells = comparison.all_cells();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string label = comparison.label(cells[i]);
    // How many runs the cell has is known once they are made.
    if (cells[i].every > 0) all.push_back({i, {.cell = label, .runs = {0, 1}}});
    for (std::uint64_t from = 0; from < runs && cells[i].every == 0; from += kRunsOfASharedPart) {
      const Span span = {from, std::min(from + kRunsOfASharedPart, runs)};
      all.push_back({i, {.cell = label, .runs = span}});
    }
  }
  return all;
}

SharedEnding make_shard(Comparison& comparison, const explore::StoreReader& reader,
                        explore::StoreWriter& writer, const explore::Shard& shard,
                        const Limits& limits, const Onlooker& onlooker) {
  return ShardMaking(comparison, reader, writer, shard, limits, onlooker).go();
}

std::vector<explore::PartName> take_parts(Comparison& comparison,
                                          const explore::StoreReader& reader, std::uint64_t runs) {
  std::vector<explore::PartName> missing;
  const std::vector<CellName> cells = comparison.all_cells();
  for (const CellPart& part : parts_of(comparison, runs)) {
    const explore::StoreReader::Part* found = reader.find(part.name);
    if (found == nullptr) {
      missing.push_back(part.name);
      continue;
    }
    SharedPart made = shared_part_from(found->result);
    Known& known = comparison.known(cells[part.cell]);
    known.measures.add(made.measures);
    known.crashes.merge(made.crashes);
    known.all = made.all;
    known.runs = made.all.value_or(part.name.runs.to);
  }
  return missing;
}

Measures measures_of_part(const std::string& result) { return shared_part_from(result).measures; }

}  // namespace picklock::compare
