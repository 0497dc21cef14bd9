#include "outside/resource_wire.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <charconv>
#include <sstream>
#include <utility>
#include <vector>

#include "models/redis/authentication.h"
#include "models/redis/commands.h"
#include "models/redis/wire.h"
#include "outside/resource.h"

namespace picklock::outside {
namespace {

namespace http = boost::beast::http;
using servers::Cut;
using Request = http::request<http::string_body>;

constexpr std::string_view kPlace = "/resource/";
// A request that is refused here is answered in its turn all the same: this one stands for it.
constexpr std::array<std::string_view, 1> kNothing = {"PING"};

// A character of a path that is written as %2F; nullopt: it is malformed.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    const char* const digits = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2) {
      return std::nullopt;
    }
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

// The version in an entity tag, such as "3".
std::string_view untagged(std::string_view tag) {
  if (tag.size() < 2 || tag.front() != '"' || tag.back() != '"') return tag;
  return tag.substr(1, tag.size() - 2);
}

}  // namespace

void ResourceWire::require(std::string_view password, std::string_view) {
  password_ = password;
  authenticated_ = false;
}

Cut ResourceWire::cut(std::string_view& bytes, sim::Payload& message) {
  if (bytes.empty()) return Cut::partial;
  if (speaks_ == Speaks::unknown) speaks_ = bytes.front() == '*' ? Speaks::redis : Speaks::http;
  return speaks_ == Speaks::redis ? cut_redis(bytes, message) : cut_http(bytes, message);
}

Cut ResourceWire::cut_redis(std::string_view& bytes, sim::Payload& message) {
  const Cut cut = redis_.cut(bytes, message);
  if (cut != Cut::request) return cut;
  Asked asked;
  std::vector<std::string_view> argv;
  redis::read_request(message.view(), argv);
  redis::Reply reply;
  if (redis::same_word(argv.front(), "auth") && argv.size() > 1) {
    redis::auth(argv, password_, authenticated_, reply);
  } else if (!authenticated_ && !redis::same_word(argv.front(), "quit")) {
    reply.set_error(redis::kNoAuth);
  } else {
    asked_.push_back(std::move(asked));
    return cut;
  }
  sim::Payload instead;
  redis::write_reply(instead, reply, 2);
  asked.instead = instead.view();
  asked_.push_back(std::move(asked));
  message.clear();
  redis::write_request(message, kNothing);
  return cut;
}

Cut ResourceWire::cut_http(std::string_view& bytes, sim::Payload& message) {
  http::request_parser<http::string_body> parser;
  parser.body_limit(kMostValueBytes);
  parser.eager(true);
  boost::system::error_code error;
  const std::size_t taken = parser.put(boost::asio::buffer(bytes), error);
  Asked asked;
  if (error == http::error::need_more) return Cut::partial;
  if (error) {
    asked.keep_alive = false;
    asked.instead = error.message();
    asked_.push_back(std::move(asked));
    return Cut::malformed;
  }
  if (!parser.is_done()) return Cut::partial;
  bytes.remove_prefix(taken);
  const Request& request = parser.get();
  asked.reads = request.method() == http::verb::get;
  asked.keep_alive = request.keep_alive();
  asked.version = request.version();
  const bool knows_password =
      password_.empty() || view(request[http::field::authorization]) == "Bearer " + password_;
  name_.reset();
  if (knows_password && request.count("Client") > 0) name_ = std::string(view(request["Client"]));

  std::vector<std::string_view> argv = {asked.reads ? "READ" : "WRITE"};
  const std::string_view target = view(request.target());
  std::optional<std::string> name;
  if (target.starts_with(kPlace)) name = decoded(target.substr(kPlace.size()));
  if (request.count(http::field::origin) > 0) {
    // A page of a browser must not write on the loopback.
    asked.status = 403;
    asked.instead = "requests from a page are refused";
  } else if (!knows_password) {
    asked.status = 401;
    asked.instead = "the password is missing or wrong";
  } else if (!name || name->empty()) {
    asked.status = 404;
    asked.instead = "give GET or PUT /resource/NAME";
  } else if (!asked.reads && request.method() != http::verb::put) {
    asked.status = 405;
    asked.instead = "give GET or PUT";
  } else {
    argv.push_back(*name);
  }
  const auto add = [&](std::string_view word, std::string_view value) {
    argv.push_back(word);
    argv.push_back(value);
  };
  if (!asked.reads) argv.push_back(request.body());
  if (request.count("Fencing-Token") > 0) add("TOKEN", view(request["Fencing-Token"]));
  if (!asked.reads && request.count(http::field::if_match) > 0)
    add("IF-VERSION", untagged(view(request[http::field::if_match])));
  if (!asked.reads && request[http::field::if_none_match] == "*") add("IF-VERSION", "1");
  if (!asked.reads && request.count("Based-On") > 0)
    add("BASED-ON", untagged(view(request["Based-On"])));
  if (!asked.instead.empty()) argv.assign(kNothing.begin(), kNothing.end());
  asked_.push_back(std::move(asked));
  redis::write_request(message, argv);
  return Cut::request;
}

Role ResourceWire::role_of(std::string_view message) const {
  const std::string_view command = redis::protocol().command(message);
  return redis::same_word(command, "write")  ? Role::write
         : redis::same_word(command, "read") ? Role::read
                                             : Role::command;
}

std::optional<std::string> ResourceWire::name_given(std::string_view message) {
  return speaks_ == Speaks::redis ? redis_.name_given(message) : name_;
}

bool ResourceWire::put(std::string_view message, std::string& out) {
  if (asked_.empty()) {
    out += message;
    return true;
  }
  const Asked asked = std::move(asked_.front());
  asked_.pop_front();
  if (speaks_ == Speaks::redis) {
    out += asked.instead.empty() ? message : asked.instead;
    return true;
  }
  http::response<http::string_body> response;
  response.version(asked.version);
  response.keep_alive(asked.keep_alive);
  const auto answer = [&response](unsigned status, std::string_view text) {
    response.result(status);
    response.body() = text;
  };
  redis::Reply reply;
  std::string_view rest = message;
  if (!asked.instead.empty()) {
    answer(asked.status, asked.instead + "\n");
    if (asked.status == 401) response.set(http::field::www_authenticate, "Bearer");
  } else if (!redis::read_reply(rest, reply) || reply.is_error()) {
    const std::string_view why = reply.text;
    answer(why.starts_with("REJECTED-VERSION") ? 412
           : why.starts_with("REJECTED-TOKEN") ? 409
                                               : 400,
           std::string(why) + "\n");
  } else if (asked.reads) {
    const redis::Reply& value = reply.elements.at(0);
    answer(value.is_nil() ? 404 : 200, value.text);
    response.set(http::field::etag, '"' + std::to_string(reply.elements.at(1).integer) + '"');
  } else {
    response.result(204);
    response.set(http::field::etag, '"' + std::to_string(reply.integer) + '"');
  }
  response.prepare_payload();
  std::ostringstream text;
  text << response;
  out += text.str();
  return asked.keep_alive;
}

}  // namespace picklock::outside
