#include "models/resource/node.h"

#include <algorithm>
#include <string>

namespace picklock::models {
namespace {

std::string describe_node(std::string_view payload, bool) { return std::string(payload); }
std::string_view command_of_node(std::string_view payload) {
  return payload.substr(0, payload.find(' '));
}

constexpr sim::Protocol kNodeProtocol{
    .name = "resource", .describe = describe_node, .command = command_of_node};

}  // namespace

const sim::Protocol& Node::protocol() { return kNodeProtocol; }

void Node::reset(history::RecordedSimulation& simulation, sim::Process& process, std::size_t number,
                 const Tenures& tenures, Commits& commits, const NodeRules& rules) {
  attach(simulation, process);
  tenures_ = &tenures;
  commits_ = &commits;
  rules_ = rules;
  number_ = number;
  promise_ = forced_promise_ = {};
  state_ = {};
}

void Node::start(sim::Keeps keeps) {
  if (process().incarnation() == 0) return;
  if (keeps == sim::Keeps::none) {
    promise_ = forced_promise_ = {};
    state_ = {};
    commits_->forgot(number_);
    return;
  }
  if (keeps == sim::Keeps::fsynced) promise_ = forced_promise_;
  if (rules_.restarted_log == RestartedLog::whole) return;
  // Entries beyond it may never have been on a majority; that they may have been is the mistake.
  state_.log.resize(std::min<std::size_t>(state_.log.size(), state_.high));
  commits_->forgot(number_);
}

std::int64_t Node::epoch_of(const sim::Message& request) const {
  return rules_.order_of_grants ? tenures_->order(request.tag)
                                : replicated::epoch_in(request.payload.view());
}

bool Node::promises(std::int64_t epoch, sim::ProcessId writer) {
  if (epoch < promise_.epoch) return false;
  if (epoch == promise_.epoch && promise_.epoch != 0 && writer != promise_.writer) return false;
  promise_ = {epoch, writer};
  return true;
}

bool Node::apply(sim::Message& request, sim::Payload& answer) {
  const std::int64_t epoch = epoch_of(request);
  if (!promises(epoch, request.connection->client().id())) {
    answer.append(replicated::refused(promise_.epoch));
    return true;
  }
  if (request.payload.view().starts_with(replicated::kPromise)) {
    if (rules_.force_promises) forced_promise_ = promise_;
    answer.append(replicated::promised(state_));
    return true;
  }
  if (!store(replicated::read_store(request.payload.view()), epoch)) {
    answer.append(replicated::kMissing);
    return true;
  }
  forced_promise_ = promise_;
  commits_->stored(number_, process().id(), epoch, state_.log, request);
  answer.append(replicated::kStored);
  return true;
}

// Within an epoch an older message of the writer must not cut what a newer one has brought.
bool Node::store(const Stored& entries, std::int64_t epoch) {
  if (epoch != state_.log_epoch) {
    if (entries.after > 0) return false;
    state_.log.clear();
    state_.log_epoch = epoch;
    state_.high = 0;
  }
  if (entries.after > state_.log.size()) return false;
  const std::size_t known = state_.log.size() - entries.after;
  if (known < entries.log.size()) {
    state_.log.insert(state_.log.end(), entries.log.begin() + static_cast<std::ptrdiff_t>(known),
                      entries.log.end());
  }
  state_.high = std::max(state_.high, entries.high);
  return true;
}

}  // namespace picklock::models
