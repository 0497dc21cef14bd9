#include "models/resource.h"

#include <array>
#include <charconv>
#include <string>

#include "models/step.h"

namespace picklock::models {
namespace {

constexpr std::string_view kAccepted = "accepted";
constexpr std::string_view kRejected = "rejected";

std::string describe(std::string_view payload, bool) { return std::string(payload); }
std::string_view command(std::string_view payload) { return payload.substr(0, payload.find(' ')); }

constexpr sim::Protocol kProtocol{.name = "resource", .describe = describe, .command = command};

}  // namespace

const sim::Protocol& Resource::protocol() { return kProtocol; }

void Resource::reset(sim::Simulation& simulation, sim::Process& process, const Tenures& tenures,
                     bool fencing) {
  attach(simulation, process);
  tenures_ = &tenures;
  fencing_ = fencing;
  newest_ = 0;
}

bool Resource::apply(sim::Message& request, sim::Payload& answer) {
  const std::uint32_t token = tenures_->order(request.tenure);
  const bool stale = fencing_ && token < newest_;
  if (token > newest_) newest_ = token;
  simulation().scheduler.recorder().note(
      {.at = simulation().now(),
       .what = stale ? sim::What::write_rejected : sim::What::write_accepted,
       .role = request.role,
       .process = process().id(),
       .peer = request.connection->client().id(),
       .thread = request.thread,
       .tenure = request.tenure});
  answer.append(stale ? kRejected : kAccepted);
  return true;
}

void ResourceClient::reset(sim::Simulation& simulation, sim::Process& self, Resource& resource,
                           sim::Duration patience) {
  patience_ = patience;
  caller_.reset(simulation, self, resource.process(), resource, Resource::protocol());
}

Written ResourceClient::write(std::uint32_t number) {
  const sim::Answer answer = caller_.call(
      static_cast<std::uint8_t>(Role::write), patience_, [number](sim::Payload& payload) {
        std::array<char, 20> digits;
        char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        payload.append("WRITE ");
        payload.append({digits.data(), static_cast<std::size_t>(end - digits.data())});
      });
  if (!answer.ok()) return Written::unknown;
  return answer.bytes() == kAccepted ? Written::accepted : Written::rejected;
}

}  // namespace picklock::models
