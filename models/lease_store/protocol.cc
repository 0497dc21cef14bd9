#include "models/lease_store/protocol.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace picklock::lease_store {
namespace {

constexpr std::array<std::string_view, 6> kVerbs = {"OPEN",    "KEEPALIVE", "ACQUIRE",
                                                    "RELEASE", "WATCH",     "CLOSE"};
static_assert(kVerbs.size() == static_cast<std::size_t>(Verb::close) + 1 && !kVerbs.back().empty());
constexpr std::string_view kTtl = " TTL ";
constexpr std::string_view kDelay = " DELAY ";
constexpr std::string_view kSession = " SESSION ";
constexpr std::string_view kFor = " FOR ";

// Rounds up: a fraction of a millisecond may make a time longer, never shorter.
std::int64_t milliseconds(Duration time) {
  return std::chrono::ceil<std::chrono::milliseconds>(time).count();
}

Duration time_of(std::string_view digits) {
  constexpr std::int64_t kMost = INT64_MAX / 1'000'000;
  const std::int64_t ms = std::clamp(last_number(digits), std::int64_t{0}, kMost);
  return std::chrono::milliseconds(ms);
}

// Removes the last `word` and what follows it from `text`, and returns what follows. It looks for
// the last one because a key may hold any text itself.
std::optional<std::string_view> cut(std::string_view& text, std::string_view word) {
  const std::size_t at = text.rfind(word);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view behind = text.substr(at + word.size());
  text = text.substr(0, at);
  return behind;
}

std::string describe(std::string_view payload, bool) { return std::string(payload); }
std::string_view command(std::string_view payload) { return payload.substr(0, payload.find(' ')); }

constexpr sim::Protocol kProtocol{.name = "lease-store", .describe = describe, .command = command};

}  // namespace

const sim::Protocol& protocol() { return kProtocol; }

std::int64_t last_number(std::string_view line) {
  const std::size_t space = line.rfind(' ');
  if (space != std::string_view::npos) line.remove_prefix(space + 1);
  std::int64_t number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number);
  return number;
}

void append_number(sim::Payload& payload, std::int64_t number) {
  std::array<char, 20> digits;
  char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  payload.append({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void write(const Request& request, sim::Payload& payload) {
  payload.append(kVerbs[static_cast<std::size_t>(request.verb)]);
  switch (request.verb) {
    case Verb::open:
      payload.append(kTtl);
      append_number(payload, milliseconds(request.time));
      payload.append(kDelay);
      append_number(payload, milliseconds(request.lock_delay));
      break;
    case Verb::keep_alive:
    case Verb::close:
      payload.append(" ");
      payload.append(request.session);
      break;
    case Verb::acquire:
    case Verb::release:
      payload.append(" ");
      payload.append(request.key);
      payload.append(kSession);
      payload.append(request.session);
      break;
    case Verb::watch:
      payload.append(" ");
      payload.append(request.key);
      payload.append(kFor);
      append_number(payload, milliseconds(request.time));
      break;
  }
}

std::optional<Request> read(std::string_view bytes) {
  const std::string_view word = command(bytes);
  Request request;
  std::size_t verb = 0;
  while (verb < kVerbs.size() && kVerbs[verb] != word) ++verb;
  if (verb == kVerbs.size()) return std::nullopt;
  request.verb = static_cast<Verb>(verb);
  bytes.remove_prefix(word.size());
  const auto without_space = [](std::string_view text) {
    return text.empty() ? text : text.substr(1);
  };
  switch (request.verb) {
    case Verb::open: {
      const auto delay = cut(bytes, kDelay);
      const auto ttl = cut(bytes, kTtl);
      if (!delay || !ttl) return std::nullopt;
      request.time = time_of(*ttl);
      request.lock_delay = time_of(*delay);
      break;
    }
    case Verb::keep_alive:
    case Verb::close:
      request.session = without_space(bytes);
      break;
    case Verb::acquire:
    case Verb::release: {
      const auto session = cut(bytes, kSession);
      if (!session) return std::nullopt;
      request.session = *session;
      request.key = without_space(bytes);
      break;
    }
    case Verb::watch: {
      const auto time = cut(bytes, kFor);
      if (!time) return std::nullopt;
      request.time = time_of(*time);
      request.key = without_space(bytes);
      break;
    }
  }
  return request;
}

}  // namespace picklock::lease_store
