#include "conform/redis/real/real_redis.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "conform/redis/frame.h"
#include "models/redis/wire.h"

namespace picklock::conform::redis::real {
namespace {

using conform::real::RealLink;
using conform::real::StreamLink;

constexpr std::array<std::string_view, 6> kSubscriptions = {
    "subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe"};

bool is_subscription(std::string_view command) {
  const auto same = [](char one, char letter) { return (one | 0x20) == letter; };
  return std::any_of(kSubscriptions.begin(), kSubscriptions.end(), [&](std::string_view name) {
    return std::equal(command.begin(), command.end(), name.begin(), name.end(), same);
  });
}

// Each channel is confirmed by its own frame (R86). An unsubscription must name its channels;
// otherwise only the server knows how many there are.
std::size_t frames_answering(std::span<const std::string_view> argv) {
  if (argv.empty() || !is_subscription(argv[0])) return 1;
  return std::max<std::size_t>(1, argv.size() - 1);
}

// A message of a channel: in protocol 2 only its first word tells it from an answer, and only where
// there are subscriptions.
// there are subscriptions.
bool is_message(const Frame& frame, bool subscribed) {
  const bool may_be = frame.kind == '>' || (frame.kind == '*' && subscribed);
  if (!may_be || frame.elements.empty()) return false;
  const std::string& word = frame.elements[0].text;
  return word == "message" || word == "pmessage" || word == "smessage" ||
         (frame.kind == '>' && word == "invalidate");
}

// Redis answers requests in order.
class RedisLink final : public StreamLink {
 public:
  using StreamLink::StreamLink;

 private:
  struct Command {
    Asked asked;
    std::size_t frames = 1;   // of the answer, still to come
    std::string answer = {};  // the frames that have come
  };

  void ask(const sim::Message& request, std::string& out) override {
    std::string_view bytes = request.payload.view();
    out += bytes;
    std::vector<std::string_view> argv;
    while (take_request(bytes, argv))
      commands_.push_back({.asked = Asked(request), .frames = frames_answering(argv)});
  }

  Framing hear(std::string_view& bytes) override {
    const std::string_view all = bytes;
    Frame frame;
    const Framing framing = take_frame(bytes, frame);
    if (framing == Framing::whole) pass_on(frame, all.substr(0, all.size() - bytes.size()));
    return framing;
  }

  void pass_on(const Frame& frame, std::string_view bytes) {
    if (commands_.empty() || is_message(frame, subscribed_)) {
      tell(bytes);
      return;
    }
    Command& command = commands_.front();
    if (frame.elements.size() == 3 && is_subscription(frame.elements[0].text))
      subscribed_ = frame.elements[2].text != "0";
    command.answer += bytes;
    if (--command.frames > 0 && !frame.error()) return;
    answer(command.asked, command.answer);
    commands_.pop_front();
  }

  bool subscribed_ = false;
  std::deque<Command> commands_;
};

}  // namespace

std::unique_ptr<RealLink> RealRedis::dial(sim::Simulation& simulation, sim::Connection& connection,
                                          const sockaddr_in& where) const {
  return std::make_unique<RedisLink>(simulation, connection, where);
}

}  // namespace picklock::conform::redis::real
