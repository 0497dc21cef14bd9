#include "outside/resource_client.h"

#include <charconv>
#include <stdexcept>
#include <utility>

#include "models/redis/wire.h"

namespace picklock::outside {
namespace {

using models::Credentials;
using models::Seen;
using models::WriteMode;

// A program may have written any text.
std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

ResourceClient::ResourceClient(sim::Simulation& simulation, sim::Process& self, Resource& resource,
                               std::string name, sim::Duration patience)
    : name_(std::move(name)), patience_(patience) {
  caller_.reset(simulation, self, resource.process(), resource, Resource::protocol());
}

Written ResourceClient::write(std::int64_t value, const Credentials& shown) {
  Seen unread;
  return update(WriteMode::unconditional, value, unread, shown);
}

std::optional<Seen> ResourceClient::read(const Credentials& shown) {
  const redis::Reply reply = ask(Role::read, {"READ", name_}, shown);
  if (reply.kind != redis::Reply::Kind::array) return std::nullopt;
  return Seen{static_cast<std::uint32_t>(reply.elements[1].integer),
              number_in(reply.elements[0].text)};
}

Written ResourceClient::announce(const Credentials&) {
  throw std::logic_error("the resource of programs has no announcements");
}

Written ResourceClient::update(WriteMode mode, std::int64_t value, Seen& seen,
                               const Credentials& shown) {
  const std::string text = std::to_string(value);
  const std::string version = std::to_string(seen.version);
  std::vector<std::string_view> words = {"WRITE", name_, text};
  if (mode != WriteMode::unconditional) {
    words.emplace_back(mode == WriteMode::if_version ? "IF-VERSION" : "BASED-ON");
    words.emplace_back(version);
  }
  const redis::Reply reply = ask(Role::write, std::move(words), shown);
  if (!reply.answered()) return Written::unknown;
  if (reply.is_error()) return Written::rejected;
  seen = {static_cast<std::uint32_t>(reply.integer), value};
  return Written::accepted;
}

redis::Reply ResourceClient::ask(Role role, std::vector<std::string_view> words,
                                 const Credentials& shown) {
  const std::string token = std::to_string(shown.token);
  if (shown.token != 0) words.insert(words.end(), {"TOKEN", token});
  const sim::Answer answer = caller_.call(
      role, patience_, [&words](sim::Payload& payload) { redis::write_request(payload, words); });
  redis::Reply reply;
  reply.set(redis::Reply::Kind::unknown);
  std::string_view bytes = answer.bytes();
  if (answer.ok()) redis::read_reply(bytes, reply);
  return reply;
}

}  // namespace picklock::outside
