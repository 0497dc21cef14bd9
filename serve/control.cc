#include "serve/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "keys/bad_input.h"
#include "keys/duration_text.h"
#include "serve/front.h"
#include "serve/telling.h"
#include "sim/timer.h"

namespace picklock::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using keys::BadInput;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBody = 64 * 1024;

// The request asks for something that does not exist.
class NotFound : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// It exists, but not for this method.
class NotAllowed : public std::runtime_error {
 public:
  NotAllowed(const std::string& what, std::string_view methods)
      : std::runtime_error(what), allowed(methods) {}
  std::string_view allowed;
};

constexpr std::string_view kFailover = "/failover/";

// The methods of a path; empty: there is no such path.
std::string_view methods_of(std::string_view path) {
  if (path == "/faults") return "GET, POST";
  if (path == "/advance" || path == "/reset" || path.starts_with(kFailover)) return "POST";
  for (const std::string_view read : {"/", "/history", "/verdicts", "/timeline"}) {
    if (path == read) return "GET";
  }
  return {};
}

// Nothing is done for such a request.
[[noreturn]] void refuse(const std::string& method, const std::string& target) {
  const std::string what = keys::printable(method + ' ' + target, 200);
  const std::string_view methods = methods_of(std::string_view(target).substr(0, target.find('?')));
  if (!methods.empty() && methods.find(method) == std::string_view::npos)
    throw NotAllowed(fmt::format("there is no {}, only {}", what, methods), methods);
  throw NotFound("there is no " + what);
}

Json parsed(const std::string& body) {
  if (body.empty()) return Json::object();
  Json json = Json::parse(body, nullptr, false);
  if (!json.is_object()) throw BadInput("the body must be a JSON object");
  return json;
}

void only(const Json& body, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : body.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw BadInput("the body: there is no key " + keys::printable(key));
  }
}

// All clients are one process, which has another name in a scenario.
Json in_file(Json value) {
  if (value == Json(std::string(kClients))) return Json(std::string(kClientsInFile));
  if (value.is_array()) {
    for (Json& one : value) one = in_file(one);
  }
  return value;
}

// As TOML: text, numbers, truth and lists of these look the same there.
std::string as_toml(const std::string& key, const Json& value) {
  const auto plain = [](const Json& one) {
    return one.is_string() || one.is_number() || one.is_boolean();
  };
  bool good = plain(value);
  if (value.is_array()) {
    good = true;
    for (const Json& one : value) good = good && plain(one);
  }
  if (!good)
    throw BadInput("the fault: " + keys::printable(key) +
                   ": must be text, a number, true, false or a list");
  // A server's name in a path may be no UTF-8, for which dump() would throw.
  const auto text = [](const Json& one) {
    return one.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  return text(key) + " = " + text(value) + "\n";
}

Json strike(Front& front, Json fault) {
  Strike strike;
  const bool at_step = fault.contains("before") || fault.contains("after");
  strike.at_once = !at_step && !fault.contains("at");
  if (at_step && fault.contains("by")) {
    const Json& by = fault["by"];
    strike.by = by.is_string() ? by.get<std::string>() : by.dump();
    fault.erase("by");
  }
  for (const auto& [key, value] : fault.items()) strike.table += as_toml(key, in_file(value));
  Deployment& deployment = front.deployment();
  Json answer = {{"fault", 0}};
  if (!strike.by.empty()) answer["connections"] = deployment.connections_of(strike.by);
  answer["fault"] = deployment.strike(std::move(strike));
  return answer;
}

Json servers_and_time(Front& front) {
  Json servers = Json::array();
  sim::Processes& processes = front.deployment().simulation().scheduler.processes();
  for (const Front::Served& one : front.served()) {
    bool up = true;
    for (sim::ProcessId id = 0; id < processes.count(); ++id) {
      if (processes.at(id).name() == one.name) up = !processes.at(id).down();
    }
    servers.push_back({{"name", one.name}, {"kind", one.kind}, {"port", one.port}, {"up", up}});
  }
  return {{"servers", servers},
          {"seconds", seconds(front.deployment().simulation().now())},
          {"speed", front.loop().clock.speed()}};
}

Json faults_of(Front& front) {
  Json all = Json::array();
  const Deployment& deployment = front.deployment();
  const auto& fired = front.deployment().simulation().nemesis.fired();
  for (std::size_t i = 0; i < deployment.faults().size(); ++i) {
    Json one = {{"fault", i + 1}, {"target", deployment.faults()[i].target}, {"struck", nullptr}};
    for (const sim::Nemesis::Firing& firing : fired) {
      if (firing.fault != i) continue;
      one["struck"] = seconds(firing.at);
      one["in_vain"] = firing.in_vain.empty() ? Json() : Json(std::string(firing.in_vain));
    }
    all.push_back(std::move(one));
  }
  return all;
}

Json history_of(Front& front) {
  Deployment& deployment = front.deployment();
  sim::Processes& processes = deployment.simulation().scheduler.processes();
  Json all = Json::array();
  for (const history::HistoryEvent& event : deployment.simulation().recorder.history()) {
    Json one = {{"seconds", seconds(event.at)},
                {"what", std::string(history::name(event.what))},
                {"process", std::string(processes.at(event.process).name())}};
    const bool of_entry =
        event.what >= history::What::entry_created && event.what <= history::What::entry_removed;
    const Caller& caller = deployment.caller(event.tenure);
    if (of_entry) {
      one["key"] = std::string(deployment.keys().name(event.key));
      one["connection"] = caller.connection;
      one["owner"] = deployment.caller(event.owner).connection;
      one["cause"] = std::string(history::name(event.cause));
      if (event.until != sim::kNever) one["until"] = seconds(event.until);
    }
    if (history::is_at_resource(event.what)) {
      one["name"] = deployment.resource().names()[event.key];
      one["connection"] = caller.connection;
      one["version"] = event.version;
    }
    if (!caller.name.empty()) one["client"] = caller.name;
    if (event.what == history::What::fault_fired || event.what == history::What::fault_ended)
      one["fault"] = event.key + 1;
    all.push_back(std::move(one));
  }
  return all;
}

Account account_of(Front& front) {
  if (!front.keeps_timeline())
    throw BadInput("it was started with --no-timeline, so that nothing can be told or judged");
  return serve::account_of(front.deployment());
}

class Talk final : public Waiting, public std::enable_shared_from_this<Talk> {
 public:
  Talk(Front& front, tcp::socket socket) : front_(front), socket_(std::move(socket)) {}

  void read() {
    request_.emplace();
    request_->body_limit(kMostBody);
    http::async_read(socket_, buffer_, *request_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (error) return;
                       self->front_.loop().arrive([self] { self->answer(); });
                     });
  }

 private:
  void answer() {
    response_ = {};
    try {
      // A page of a browser must not command a server on the loopback.
      const auto& request = request_->get();
      const std::string& token = front_.token();
      if (token.empty() ? request.count(http::field::origin) > 0
                        : request[http::field::authorization] != "Bearer " + token) {
        return send(http::status::forbidden, {{"error", "the token is missing or wrong"}});
      }
      act(std::string(request.method_string()), std::string(request.target()),
          parsed(request.body()));
    } catch (const NotAllowed& error) {
      response_.set(http::field::allow, view(error.allowed));
      send(http::status::method_not_allowed, {{"error", error.what()}});
    } catch (const NotFound& error) {
      send(http::status::not_found, {{"error", error.what()}});
    } catch (const BadInput& error) {
      send(http::status::bad_request, {{"error", error.what()}});
    }
  }

  static beast::string_view view(std::string_view text) { return {text.data(), text.size()}; }

  void act(const std::string& method, const std::string& target, const Json& body) {
    const std::string what = method + ' ' + target;
    if (what == "GET /") return send(servers_and_time(front_));
    if (what == "GET /faults") return send(faults_of(front_));
    if (what == "GET /history") return send(history_of(front_));
    if (what == "POST /faults") return send(strike(front_, body));
    if (what == "POST /advance") return advance(body);
    if (what == "GET /verdicts") return send(verdicts(account_of(front_)));
    if (what == "GET /timeline") return send(told(account_of(front_), false));
    if (what == "GET /timeline?detail=everything") return send(told(account_of(front_), true));
    if (what == "POST /reset") {
      only(body, {"name"});
      if (body.contains("name") && !body["name"].is_string())
        throw BadInput("reset: name: must be text");
      return reset(body.value("name", std::string()));
    }
    if (method == "POST" && target.starts_with(kFailover)) {
      Json fault = body;
      fault["fail-over"] = target.substr(kFailover.size());
      return send(strike(front_, fault));
    }
    refuse(method, target);
  }

  // Answers once the account of the run is given: its file can be read then.
  void reset(std::string name) {
    self_ = shared_from_this();
    resets_ = true;
    front_.waits(*this);
    front_.reset(std::move(name));
  }

  // Answers once everything until then has happened.
  void advance(const Json& body) {
    only(body, {"by"});
    const auto by = body.contains("by") && body["by"].is_string()
                        ? keys::duration_from(body["by"].get<std::string>())
                        : std::nullopt;
    if (!by || *by < sim::Duration::zero())
      throw BadInput("advance: by: must be a duration, such as \"5s\"");
    sim::Scheduler& scheduler = front_.deployment().simulation().scheduler;
    // Instants are nanoseconds in 64 bits, which last for 292 years.
    if (scheduler.now() - sim::kStart > 2 * keys::kLongest - *by)
      throw BadInput("advance: by: a run lasts at most 200 years; reset it");
    const sim::Instant until = scheduler.now() + *by;
    front_.loop().clock.advance(scheduler.now(), *by);
    self_ = shared_from_this();
    arrives_.bind<&Talk::advanced>(scheduler, nullptr, *this);
    arrives_.arm(until);
    front_.waits(*this);
  }
  void run_ended() override {
    const auto self = std::move(self_);
    if (std::exchange(resets_, false)) return send(Json::object());
    send(http::status::conflict, {{"error", "advance: the servers were reset meanwhile"}});
  }
  void advanced() {
    const auto self = std::move(self_);
    front_.waits_no_more(*this);
    send({{"seconds", seconds(front_.deployment().simulation().now())}});
  }

  void send(const Json& body) { send(http::status::ok, body); }
  void send(http::status status, const Json& body) {
    send(status, "application/json",
         body.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  void send(const std::string& text) { send(http::status::ok, "text/plain; charset=utf-8", text); }
  void send(http::status status, std::string_view type, std::string body) {
    response_.version(request_->get().version());
    response_.result(status);
    response_.set(http::field::content_type, view(type));
    response_.keep_alive(request_->get().keep_alive());
    response_.body() = std::move(body);
    response_.prepare_payload();
    http::async_write(socket_, response_,
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (!error && self->response_.keep_alive()) self->read();
                      });
  }

  Front& front_;
  tcp::socket socket_;
  beast::flat_buffer buffer_{kMostBody + 16 * 1024};
  std::optional<http::request_parser<http::string_body>> request_;
  http::response<http::string_body> response_;
  sim::Timer arrives_;
  std::shared_ptr<Talk> self_;  // while it waits
  bool resets_ = false;         // and for the end of a run
};

}  // namespace

void converse(Front& front, tcp::socket socket) {
  std::make_shared<Talk>(front, std::move(socket))->read();
}

}  // namespace picklock::serve
