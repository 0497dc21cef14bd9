#include "cli/ctl.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/console.h"
#include "cli/password.h"
#include "keys/bad_input.h"
#include "serve/asking.h"

namespace picklock::cli {
namespace {

using keys::BadInput;
using Json = nlohmann::ordered_json;

// `for=5s` as a key of the table: what reads as JSON is that, and anything else is text.
void add_key(Json& table, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw BadInput(fmt::format("ctl: {}: must be KEY=VALUE", keys::printable(word)));
  const std::string value = word.substr(equals + 1);
  Json read = Json::parse(value, nullptr, false);
  table[word.substr(0, equals)] = read.is_discarded() ? Json(value) : read;
}

struct Request {
  std::string method;
  std::string target;
  Json body = Json::object();
};

Request request_of(const std::vector<std::string>& words) {
  const std::string& what = words.front();
  const auto takes = [&](std::size_t count, std::string_view form) {
    if (words.size() != count + 1) throw BadInput(fmt::format("ctl: give `{}`", form));
  };
  if (what == "status") {
    takes(0, "status");
    return {"GET", "/"};
  }
  if (what == "faults" || what == "history" || what == "verdicts") {
    takes(0, what);
    return {"GET", "/" + what};
  }
  if (what == "timeline") {
    if (words.size() == 2 && words[1] == "everything")
      return {"GET", "/timeline?detail=everything"};
    takes(0, "timeline [everything]");
    return {"GET", "/timeline"};
  }
  if (what == "reset") {
    if (words.size() == 2) return {"POST", "/reset", {{"name", words[1]}}};
    takes(0, "reset [NAME]");
    return {"POST", "/reset"};
  }
  if (what == "advance") {
    takes(1, "advance DURATION");
    return {"POST", "/advance", {{"by", words[1]}}};
  }
  if (what == "failover") {
    takes(1, "failover SERVER");
    return {"POST", "/failover/" + words[1]};
  }
  if (what == "fault") {
    if (words.size() < 2) throw BadInput("ctl: give `fault KEY=VALUE…`");
    Request request{"POST", "/faults"};
    for (std::size_t i = 1; i < words.size(); ++i) add_key(request.body, words[i]);
    return request;
  }
  const keys::Words known = {"status",  "advance",  "fault",    "faults", "failover",
                             "history", "timeline", "verdicts", "reset"};
  throw BadInput(fmt::format("ctl: there is no `{}`{}", keys::printable(what),
                             keys::did_you_mean(what, known, "see picklock help ctl")));
}

}  // namespace

CLI::App* add_ctl(CLI::App& app, CtlOptions& options) {
  CLI::App* command =
      app.add_subcommand("ctl", "Command a running `picklock serve`: faults, time, history.");
  command->add_option("WORD", options.words, "what to do, as below")->type_name("")->required();
  command->add_option("--port", options.port, "the control port, as `serve` has printed it")
      ->type_name("PORT");
  command->add_option("--host", options.host, "where it listens (default: 127.0.0.1)")
      ->type_name("ADDRESS");
  command
      ->add_option("--token", options.token,
                   "the token that `serve` was given (default: its "
                   "password)")
      ->type_name("TOKEN");
  add_password_file(*command, options.password_file);
  command->footer(
      "status\tthe servers, their ports, and the time\n"
      "advance DURATION\tlet so much virtual time pass, and wait for it\n"
      "fault KEY=VALUE…\ta fault, with the keys of [[fault]] in a scenario file, such as "
      "pause=redis-1 for=5s\n"
      "faults\twhat was struck, when, and what it changed\n"
      "failover SERVER\tanother server takes its place\n"
      "history\twhat happened at the servers\n"
      "timeline [everything]\tthe same with the messages, as text\n"
      "verdicts\twhat was violated, and what is held\n"
      "reset [NAME]\tstart the servers anew, without data; the name of what follows\n\n"
      "Exit status:\n"
      "0\tdone; the answer is JSON\n"
      "2\trefused, or nobody listens");
  return command;
}

int ctl(const CtlOptions& options) {
  if (options.port.empty()) throw BadInput("ctl: give --port, the control port");
  const Request request = request_of(options.words);
  serve::Question question{
      .host = options.host,
      .port = options.port,
      .token = options.token.empty() ? password_from(options.password_file) : options.token,
      .method = "GET",
      .target = "/",
      .body = {}};
  // Much may happen in the time that passes. Whether the port is such a one is asked before.
  if (request.target == "/advance") {
    serve::ask(question);
    question.patient = true;
  }
  question.method = request.method;
  question.target = request.target;
  if (request.method != "GET") question.body = request.body.dump();
  const serve::Answer answer = serve::ask(question);
  if (answer.good) {
    put(answer.body);
    return kAsExpected;
  }
  const Json refusal = Json::parse(answer.body, nullptr, false);
  if (!refusal.is_object())
    throw BadInput(fmt::format("port {}: it does not answer as a control port does", options.port));
  throw BadInput("ctl: " + refusal.value("error", answer.body));
}

}  // namespace picklock::cli
