#include "models/resource/commits.h"

#include <algorithm>
#include <functional>

namespace picklock::models {

using history::What;

void Commits::reset(history::RecordedSimulation& simulation, std::size_t nodes) {
  simulation_ = &simulation;
  operations_.clear();
  nodes_.assign(nodes, {});
  reigns_.clear();
}

std::uint32_t Commits::begin(What accepted, std::uint32_t base) {
  const sim::Thread& thread = *simulation_->scheduler.running();
  operations_.push_back({.event = {.what = accepted,
                                   .role = thread.role,
                                   .peer = thread.process().id(),
                                   .thread = thread.id(),
                                   .tenure = thread.tag,
                                   .base = base}});
  return static_cast<std::uint32_t>(operations_.size());
}

void Commits::reject(sim::ProcessId node, What rejected, std::uint32_t version, std::uint32_t base,
                     history::Cause cause) {
  const sim::Thread& thread = *simulation_->scheduler.running();
  simulation_->recorder.note({.at = simulation_->now(),
                              .what = rejected,
                              .cause = cause,
                              .role = thread.role,
                              .process = node,
                              .peer = thread.process().id(),
                              .thread = thread.id(),
                              .tenure = thread.tag,
                              .version = version,
                              .base = base});
}

void Commits::stored(std::size_t node, sim::ProcessId process, std::int64_t epoch, const Log& log,
                     const sim::Message& request) {
  nodes_[node] = {epoch, log.size()};
  const std::optional<std::size_t> length = length_on_majority(epoch);
  if (!length) return;
  Reign& reign = reign_of(epoch);
  for (; reign.length < std::min(*length, log.size()); ++reign.length)
    accept(log[reign.length], reign, process);
  if (reign.begun) return;
  reign.begun = true;
  simulation_->recorder.note({.at = simulation_->now(),
                              .what = What::token_announced,
                              .role = request.role,
                              .process = process,
                              .peer = request.connection->client().id(),
                              .thread = request.thread,
                              .tenure = request.tag,
                              .version = reign.version});
}

// The nodes that have entries of one epoch have the same ones as far as each of them goes.
std::optional<std::size_t> Commits::length_on_majority(std::int64_t epoch) const {
  std::vector<std::size_t> lengths;
  for (const Copy& copy : nodes_) {
    if (copy.epoch == epoch) lengths.push_back(copy.length);
  }
  if (lengths.size() < majority()) return std::nullopt;
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  return lengths[majority() - 1];
}

Commits::Reign& Commits::reign_of(std::int64_t epoch) {
  const auto known = std::find_if(reigns_.begin(), reigns_.end(),
                                  [epoch](const Reign& one) { return one.epoch == epoch; });
  return known != reigns_.end() ? *known : reigns_.emplace_back(Reign{.epoch = epoch});
}

void Commits::accept(const LogEntry& entry, Reign& reign, sim::ProcessId process) {
  if (!entry.reads) ++reign.version;
  Operation& operation = operations_[entry.operation - 1];
  if (operation.accepted) return;
  operation.accepted = true;
  history::HistoryEvent event = operation.event;
  event.at = simulation_->now();
  event.process = process;
  event.version = reign.version;
  simulation_->recorder.note(event);
}

}  // namespace picklock::models
