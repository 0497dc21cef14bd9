#include "outside/resource.h"

#include <charconv>
#include <span>

#include "models/redis/commands.h"
#include "models/redis/wire.h"

namespace picklock::outside {
namespace {

using redis::same_word;

constexpr std::size_t kMostThings = 10'000;
constexpr std::size_t kLongestName = 1024;

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last;
}

void refuse(sim::Payload& answer, std::string_view why) {
  answer.append("-");
  answer.append(why);
  answer.append("\r\n");
}

std::string_view command(std::string_view bytes) { return redis::protocol().command(bytes); }
std::string describe(std::string_view bytes, bool reply) {
  return redis::protocol().describe(bytes, reply);
}

constexpr sim::Protocol kProtocol{.name = "resource", .describe = describe, .command = command};

}  // namespace

const sim::Protocol& Resource::protocol() { return kProtocol; }

void Resource::reset(history::RecordedSimulation& simulation, sim::Process& process,
                     const models::ResourceRules& rules) {
  attach(simulation, process);
  recorder_ = &simulation.recorder;
  rules_ = rules;
  things_.clear();
  names_.clear();
}

bool Resource::apply(sim::Message& request, sim::Payload& answer) {
  if (!redis::read_request(request.payload.view(), argv_)) {
    sim::Message& reply = reply_to(request);
    refuse(reply.payload, "ERR this is no request");
    sim::Connection& connection = *request.connection;
    this->answer(request, reply);
    simulation().network.shut(connection);
    return false;
  }
  serve(request, answer);
  return true;
}

void Resource::serve(const sim::Message& request, sim::Payload& answer) {
  const std::string_view word = argv_[0];
  const bool reads = same_word(word, "read");
  if (!reads && !same_word(word, "write")) {
    // A client library of Redis sends these by itself, before the first command of its user.
    if (same_word(word, "ping")) return answer.append("+PONG\r\n");
    for (const std::string_view known : {"client", "select", "quit"}) {
      if (same_word(word, known)) return answer.append("+OK\r\n");
    }
    if (same_word(word, "info")) return redis::write_bulk(answer, "loading:0\r\n");
    return refuse(answer, "ERR the resource has the commands READ and WRITE");
  }
  Asked asked;
  const std::size_t fixed = reads ? 2 : 3;
  if (argv_.size() < fixed)
    return refuse(answer, reads ? "ERR give READ NAME [TOKEN n]" : "ERR give WRITE NAME VALUE");
  asked.name = argv_[1];
  if (!reads) asked.value = argv_[2];
  if (asked.name.size() > kLongestName || asked.value.size() > kMostValueBytes)
    return refuse(answer, "ERR the name or the value is too long");
  for (std::size_t i = fixed; i < argv_.size(); i += 2) {
    const bool whole = i + 1 < argv_.size();
    std::uint32_t* const version = reads                               ? nullptr
                                   : same_word(argv_[i], "if-version") ? &asked.if_version
                                   : same_word(argv_[i], "based-on")   ? &asked.based_on
                                                                       : nullptr;
    if (whole && same_word(argv_[i], "token")) {
      asked.token = argv_[i + 1];
    } else if (!whole || version == nullptr || !read_number(argv_[i + 1], *version) ||
               *version == 0) {
      return refuse(answer, "ERR syntax error");
    }
  }
  reads ? read(asked, request, answer) : write(asked, request, answer);
}

Resource::Thing* Resource::thing(std::string_view name) {
  const auto found = things_.find(name);
  if (found != things_.end()) return &found->second;
  if (things_.size() == kMostThings) return nullptr;
  Thing& thing = things_[std::string(name)];
  thing.fence.reset(rules_.checks, rules_.equal_token);
  thing.number = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  return &thing;
}

// A request without a token is older than any with one.
bool Resource::is_admitted(Thing& thing, models::Access access, const Asked& asked,
                           const sim::Message& request) {
  models::Token token;
  if (rules_.fenced_by == models::FencedBy::nothing) return true;
  if (rules_.fenced_by == models::FencedBy::owner_tokens) {
    token.name = asked.token;
  } else {
    read_number(asked.token, token.rank);
  }
  return thing.fence.admits(access, token, request.tag);
}

history::HistoryEvent Resource::event_of(const Thing& thing, const sim::Message& request,
                                         history::What what) const {
  return {.at = simulation().now(),
          .what = what,
          .role = request.role,
          .process = process().id(),
          .peer = request.connection->client().id(),
          .tenure = request.tag,
          .key = thing.number,
          .version = thing.version};
}

void Resource::read(const Asked& asked, const sim::Message& request, sim::Payload& answer) {
  Thing* const thing = this->thing(asked.name);
  if (thing == nullptr) return refuse(answer, "ERR there are too many names");
  const bool accepted = is_admitted(*thing, models::Access::read, asked, request);
  recorder_->note(event_of(*thing, request,
                           accepted ? history::What::read_accepted : history::What::read_rejected));
  if (!accepted) return refuse(answer, "REJECTED-TOKEN a newer one was shown");
  redis::write_array(answer, 2);
  if (thing->version == 1) {
    redis::write_nil(answer, 2);
  } else {
    redis::write_bulk(answer, thing->value);
  }
  redis::write_integer(answer, thing->version);
}

void Resource::write(const Asked& asked, const sim::Message& request, sim::Payload& answer) {
  Thing* const thing = this->thing(asked.name);
  if (thing == nullptr) return refuse(answer, "ERR there are too many names");
  const bool stale = !is_admitted(*thing, models::Access::write, asked, request);
  const bool moved = !stale && asked.if_version != 0 && asked.if_version != thing->version;
  if (!stale && !moved) {
    ++thing->version;
    thing->value = asked.value;
  }
  history::HistoryEvent event =
      event_of(*thing, request,
               stale || moved ? history::What::write_rejected : history::What::write_accepted);
  if (moved) event.cause = history::Cause::version;
  event.base = asked.if_version != 0 ? asked.if_version : asked.based_on;
  recorder_->note(event);
  if (stale) return refuse(answer, "REJECTED-TOKEN a newer one was shown");
  if (moved) return refuse(answer, "REJECTED-VERSION it is " + std::to_string(thing->version));
  redis::write_integer(answer, thing->version);
}

}  // namespace picklock::outside
