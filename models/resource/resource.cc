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

void append(sim::Payload& payload, std::int64_t number) {
  std::array<char, 20> digits;
  char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  payload.append({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

std::string describe(std::string_view payload, bool) { return std::string(payload); }
std::string_view command(std::string_view payload) { return payload.substr(0, payload.find(' ')); }

constexpr sim::Protocol kProtocol{.name = "resource", .describe = describe, .command = command};

}  // namespace

const sim::Protocol& Resource::protocol() { return kProtocol; }

void Resource::reset(history::RecordedSimulation& simulation, sim::Process& process,
                     const Tenures& tenures, FencedBy fenced_by) {
  attach(simulation, process);
  recorder_ = &simulation.recorder;
  tenures_ = &tenures;
  fenced_by_ = fenced_by;
  newest_ = 0;
  closed_.clear();
}

// A write without a token is older than any write with one.
std::int64_t Resource::rank_of(const sim::Message& request) const {
  if (fenced_by_ != FencedBy::tokens) return tenures_->order(request.tag);
  const std::string_view bytes = request.payload.view();
  const std::size_t at = bytes.find(kToken);
  std::int64_t token = 0;
  if (at != std::string_view::npos)
    std::from_chars(bytes.data() + at + kToken.size(), bytes.data() + bytes.size(), token);
  return token;
}

bool Resource::is_stale(const sim::Message& request) {
  if (fenced_by_ == FencedBy::nothing) return false;
  if (fenced_by_ == FencedBy::revocation) {
    const std::string_view bytes = request.payload.view();
    const std::size_t at = bytes.find(kLog);
    if (at == std::string_view::npos) return false;
    return std::find(closed_.begin(), closed_.end(), bytes.substr(at + kLog.size())) !=
           closed_.end();
  }
  const std::int64_t rank = rank_of(request);
  if (rank < newest_) return true;
  newest_ = rank;
  return false;
}

bool Resource::apply(sim::Message& request, sim::Payload& answer) {
  if (request.payload.view().starts_with(kClose)) {
    closed_.emplace_back(request.payload.view().substr(kClose.size()));
    answer.append(kClosed);
    return true;
  }
  const bool stale = is_stale(request);
  recorder_->note({.at = simulation().now(),
                   .what = stale ? history::What::write_rejected : history::What::write_accepted,
                   .role = request.role,
                   .process = process().id(),
                   .peer = request.connection->client().id(),
                   .thread = request.thread,
                   .tenure = request.tag});
  answer.append(stale ? kRejected : kAccepted);
  return true;
}

void ResourceClient::reset(sim::Simulation& simulation, sim::Process& self, Resource& resource,
                           sim::Duration patience) {
  patience_ = patience;
  caller_.reset(simulation, self, resource.process(), resource, Resource::protocol());
}

Written ResourceClient::write(std::uint32_t number, std::int64_t token, std::string_view log) {
  const sim::Answer answer =
      caller_.call(Role::write, patience_, [number, token, log](sim::Payload& payload) {
        payload.append("WRITE ");
        append(payload, number);
        if (!log.empty()) {
          payload.append(kLog);
          payload.append(log);
        }
        if (token == 0) return;
        payload.append(kToken);
        append(payload, token);
      });
  if (!answer.ok()) return Written::unknown;
  return answer.bytes() == kAccepted ? Written::accepted : Written::rejected;
}

bool ResourceClient::close(std::string_view log) {
  return caller_
      .call(Role::write, patience_,
            [log](sim::Payload& payload) {
              payload.append(kClose);
              payload.append(log);
            })
      .ok();
}

}  // namespace picklock::models
