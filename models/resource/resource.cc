#include "models/resource/resource.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "history/recorded_simulation.h"
#include "picklock/client.h"

namespace picklock::models {
namespace {

constexpr std::string_view kAccepted = "accepted";
constexpr std::string_view kRejected = "rejected";
constexpr std::string_view kToken = " TOKEN ";
constexpr std::string_view kLog = " LOG ";
constexpr std::string_view kClose = "CLOSE ";
constexpr std::string_view kClosed = "closed";
constexpr std::string_view kRead = "READ";
constexpr std::string_view kWrite = "WRITE ";
constexpr std::string_view kValue = "VALUE ";
constexpr std::string_view kVersion = " VERSION ";
constexpr std::string_view kFence = "FENCE";
constexpr std::string_view kBasedOn = " BASED-ON ";
constexpr std::string_view kIfVersion = " IF-VERSION ";

void append(sim::Payload& payload, std::int64_t number) {
  std::array<char, 20> digits;
  char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  payload.append({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

// The text after `word`, to the next space.
std::string_view text_after(std::string_view bytes, std::string_view word) {
  const std::size_t at = bytes.find(word);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = bytes.substr(at + word.size());
  return rest.substr(0, rest.find(' '));
}

// The number after `word`; 0: it is not there.
std::int64_t number_after(std::string_view bytes, std::string_view word) {
  const std::string_view text = text_after(bytes, word);
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::uint32_t version_after(std::string_view bytes, std::string_view word) {
  return static_cast<std::uint32_t>(number_after(bytes, word));
}

void append(sim::Payload& payload, const Credentials& shown) {
  if (!shown.log.empty()) {
    payload.append(kLog);
    payload.append(shown.log);
  }
  if (shown.token == 0 && shown.owner.empty()) return;
  payload.append(kToken);
  shown.owner.empty() ? append(payload, shown.token) : payload.append(shown.owner);
}

Written outcome_of(const sim::Answer& answer) {
  if (!answer.ok()) return Written::unknown;
  return answer.bytes().starts_with(kAccepted) ? Written::accepted : Written::rejected;
}

std::string describe(std::string_view payload, bool) { return std::string(payload); }
std::string_view command(std::string_view payload) { return payload.substr(0, payload.find(' ')); }

constexpr sim::Protocol kProtocol{.name = "resource", .describe = describe, .command = command};

}  // namespace

const sim::Protocol& Resource::protocol() { return kProtocol; }

void Resource::reset(history::RecordedSimulation& simulation, sim::Process& process,
                     const Tenures& tenures, const ResourceRules& rules) {
  attach(simulation, process);
  recorder_ = &simulation.recorder;
  tenures_ = &tenures;
  rules_ = rules;
  things_.resize(rules.things);
  for (Thing& thing : things_) {
    thing.fence.reset(rules.checks, rules.equal_token);
    thing.now = {.version = 1};
  }
  closed_.clear();
  as_if_fenced_ = true;
  nodes_.clear();
  way_ = nullptr;
}

void Resource::replicate(history::RecordedSimulation& simulation,
                         std::span<sim::Process* const> processes, const Tenures& tenures,
                         const ResourceRules& rules) {
  rules_ = rules;
  as_if_fenced_ = false;
  rules_.nodes.order_of_grants = rules.fenced_by == FencedBy::order_of_grants;
  commits_.reset(simulation, processes.size());
  nodes_.resize(processes.size());
  for (std::size_t i = 0; i < processes.size(); ++i)
    nodes_[i].reset(simulation, *processes[i], i, tenures, commits_, rules_.nodes);
  reach_by([this](sim::Simulation& within, sim::Process& self, sim::Duration patience) {
    return std::make_unique<ReplicatedClient>(within, self, nodes_, commits_, rules_.recover_by,
                                              patience);
  });
}

// A write without a token is older than any write with one.
bool Resource::is_admitted(const sim::Message& request, Access access) {
  const std::string_view bytes = request.payload.view();
  Token token;
  switch (rules_.fenced_by) {
    case FencedBy::nothing:
      token.rank = tenures_->order(request.tag);
      as_if_fenced_ = as_if_fenced_ && admits(request, access, token);
      return true;
    case FencedBy::revocation: {
      const std::string_view log = text_after(bytes, kLog);
      return access != Access::write || log.empty() ||
             std::find(closed_.begin(), closed_.end(), log) == closed_.end();
    }
    case FencedBy::tokens:
      token.rank = number_after(bytes, kToken);
      break;
    case FencedBy::order_of_grants:
      token.rank = tenures_->order(request.tag);
      break;
    case FencedBy::owner_tokens:
      token.name = text_after(bytes, kToken);
      break;
  }
  return admits(request, access, token);
}

bool Resource::admits(const sim::Message& request, Access access, const Token& token) {
  return thing_of(request).fence.admits(access, token, request.connection->client().id());
}

bool Resource::apply(sim::Message& request, sim::Payload& answer) {
  if (request.payload.view().starts_with(kClose)) {
    closed_.emplace_back(request.payload.view().substr(kClose.size()));
    answer.append(kClosed);
    return true;
  }
  if (request.payload.view().starts_with(kRead)) {
    read(request, answer);
  } else if (request.payload.view().starts_with(kFence)) {
    announce(request, answer);
  } else {
    write(request, answer);
  }
  return true;
}

history::HistoryEvent Resource::event_of(const sim::Message& request, history::What what) {
  return {.at = simulation().now(),
          .what = what,
          .role = request.role,
          .process = process().id(),
          .peer = request.connection->client().id(),
          .thread = request.thread,
          .tenure = request.tag,
          .version = rules_.versioned ? thing_of(request).now.version : 0};
}

void Resource::read(const sim::Message& request, sim::Payload& answer) {
  const bool accepted = is_admitted(request, Access::read);
  recorder_->note(
      event_of(request, accepted ? history::What::read_accepted : history::What::read_rejected));
  if (!accepted) return answer.append(kRejected);
  answer.append(kValue);
  append(answer, thing_of(request).now.value);
  append_version(thing_of(request), answer);
}

void Resource::announce(const sim::Message& request, sim::Payload& answer) {
  const bool accepted = is_admitted(request, Access::announcement);
  recorder_->note(
      event_of(request, accepted ? history::What::token_announced : history::What::token_rejected));
  answer.append(accepted ? kAccepted : kRejected);
}

void Resource::write(const sim::Message& request, sim::Payload& answer) {
  const std::string_view bytes = request.payload.view();
  const bool stale = !is_admitted(request, Access::write);
  // Where nobody reads, no write names a version.
  const std::uint32_t expected = rules_.versioned ? version_after(bytes, kIfVersion) : 0;
  Thing& thing = thing_of(request);
  const bool moved = !stale && expected != 0 && expected != thing.now.version;
  const bool accepted = !stale && !moved;
  if (accepted)
    thing.now = {thing.now.version + 1, rules_.versioned ? number_after(bytes, kWrite) : 0};
  history::HistoryEvent event =
      event_of(request, accepted ? history::What::write_accepted : history::What::write_rejected);
  if (moved) event.cause = history::Cause::version;
  if (rules_.versioned) event.base = expected != 0 ? expected : version_after(bytes, kBasedOn);
  recorder_->note(event);
  answer.append(accepted ? kAccepted : kRejected);
  append_version(thing, answer);
}

void Resource::append_version(const Thing& thing, sim::Payload& answer) const {
  if (!rules_.versioned) return;
  answer.append(kVersion);
  append(answer, thing.now.version);
}

void ResourceClient::reset(sim::Simulation& simulation, sim::Process& self, Resource& resource,
                           sim::Duration patience) {
  patience_ = patience;
  way_ = resource.way_ ? resource.way_(simulation, self, patience) : nullptr;
  if (way_ != nullptr) return;
  caller_.reset(simulation, self, resource.process(), resource, Resource::protocol());
}

void ResourceClient::forget() { way_ != nullptr ? way_->forget() : caller_.forget(); }

Written ResourceClient::write(std::uint32_t number, const Credentials& shown) {
  if (way_ != nullptr) return way_->write(number, shown);
  return outcome_of(call(Role::write, [number, &shown](sim::Payload& payload) {
    payload.append(kWrite);
    append(payload, number);
    append(payload, shown);
  }));
}

std::optional<Seen> ResourceClient::read(const Credentials& shown) {
  if (way_ != nullptr) return way_->read(shown);
  const sim::Answer answer = call(Role::read, [&shown](sim::Payload& payload) {
    payload.append(kRead);
    append(payload, shown);
  });
  if (!answer.ok() || answer.bytes() == kRejected) return std::nullopt;
  return Seen{version_after(answer.bytes(), kVersion), number_after(answer.bytes(), kValue)};
}

Written ResourceClient::announce(const Credentials& shown) {
  if (way_ != nullptr) return way_->announce(shown);
  return outcome_of(call(Role::write, [&shown](sim::Payload& payload) {
    payload.append(kFence);
    append(payload, shown);
  }));
}

Written ResourceClient::update(WriteMode mode, std::int64_t value, Seen& seen,
                               const Credentials& shown) {
  if (way_ != nullptr) return way_->update(mode, value, seen, shown);
  const sim::Answer answer = call(Role::write, [&](sim::Payload& payload) {
    payload.append(kWrite);
    append(payload, value);
    if (mode != WriteMode::unconditional) {
      payload.append(mode == WriteMode::if_version ? kIfVersion : kBasedOn);
      append(payload, seen.version);
    }
    append(payload, shown);
  });
  const Written outcome = outcome_of(answer);
  if (outcome == Written::accepted) seen = {version_after(answer.bytes(), kVersion), value};
  return outcome;
}

bool ResourceClient::close(std::string_view log) {
  return call(Role::write,
              [log](sim::Payload& payload) {
                payload.append(kClose);
                payload.append(log);
              })
      .ok();
}

}  // namespace picklock::models
