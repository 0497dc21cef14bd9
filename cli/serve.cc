#include "cli/serve.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "cli/password.h"
#include "keys/bad_input.h"
#include "keys/nearest.h"
#include "models/servers/kind.h"
#include "reports/junit.h"
#include "reports/wording.h"
#include "scenarios/runner.h"
#include "serve/front.h"
#include "serve/telling.h"

namespace picklock::cli {
namespace {

using keys::BadInput;
using Json = nlohmann::ordered_json;

// Its clients are not there, so that the lock only says on which servers it runs.
constexpr std::string_view kServersAlone = R"(format = 1
title = "servers for clients outside"
[lock]
algorithm = "{}-program"
[clients]
program = ["outside"]
{})";

std::uint16_t port_from(const std::string& option, const std::string& text) {
  if (text.empty()) return 0;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size())
    throw BadInput(fmt::format("serve: {}: must be a port, 0 to 65535", option));
  return port;
}

double speed_from(const std::string& text) {
  double speed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), speed);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !(speed >= 0.001 && speed <= 1000)) {
    throw BadInput(
        "serve: --speed: must be a number, 0.001 to 1000: virtual seconds in one of the wall");
  }
  return speed;
}

scenarios::Document servers_alone(const ServerOption& servers) {
  scenarios::Document document(
      fmt::format(kServersAlone, servers.kind->server.key, servers.kind->served_as), "serve");
  set_servers(document, servers);
  return document;
}

scenarios::Scenario scenario_from(const ServeOptions& options) {
  const ServerOption alone = server_option("serve", options.alone);
  if (!options.alone.empty() && !options.scenario.empty()) {
    throw BadInput(fmt::format("serve: give SCENARIO or --{}, not both; --set changes a scenario",
                               alone.kind->server.key));
  }
  scenarios::Document document =
      options.scenario.empty() ? servers_alone(alone) : document_of(options.scenario, {});
  document.forget_neighbours();
  for (const std::string& change : options.changes) document.set(scenarios::change_from(change));
  return scenario_with(document, alone);
}

void tell(const serve::Front& front, bool json) {
  if (json) {
    Json servers = Json::array();
    for (const serve::Front::Served& one : front.served()) {
      servers.push_back({{"name", one.name}, {"kind", one.kind}, {"port", one.port}});
      if (!one.socket.empty()) servers.back()["socket"] = one.socket;
    }
    put(Json{{"host", front.host()},
             {"servers", servers},
             {"resource", front.resource_port()},
             {"control", front.control_port()}}
            .dump() +
        "\n");
    return;
  }
  std::string text;
  for (const serve::Front::Served& one : front.served())
    text += fmt::format("{:<20} {}:{}\n", one.name, front.host(), one.port);
  text += fmt::format("{:<20} {}:{}\n", "resource", front.host(), front.resource_port());
  put(text + fmt::format("{:<20} http://{}:{}\n", "control", front.host(), front.control_port()));
}

// The properties of --fail-on.
std::vector<Property> judged_outside(std::string_view text) {
  keys::Words known = {"any"};
  for (const Property property : serve::kJudged) known.emplace_back(name(property));
  std::vector<Property> all;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      throw BadInput(fmt::format("serve: --fail-on: `{}` cannot be judged from outside{}",
                                 keys::printable(word), keys::did_you_mean(word, known)));
    }
    if (word == known.front()) {
      all.assign(std::begin(serve::kJudged), std::end(serve::kJudged));
    } else {
      all.push_back(*property_named(word));
    }
  }
  return all;
}

// The runs between two resets, with their violations.
class ServedRuns {
 public:
  explicit ServedRuns(std::vector<Property> fail_on) : fail_on_(std::move(fail_on)) {}

  // A run in which nothing happened counts only if it has a name.
  void add(const std::string& name, const serve::Account& account, double seconds) {
    if (account.idle && name.empty()) return;
    const std::string run = name.empty() ? fmt::format("run {}", ++runs_) : name;
    const std::vector<std::string> violations = serve::violations(account, fail_on_);
    const std::string story = violations.empty() ? "" : serve::told(account, false);
    junit_.add_run({.suite = "serve",
                    .name = account.idle ? run + " (no client has sent anything)" : run,
                    .violations = violations,
                    .story = story,
                    .seconds = seconds,
                    .virtual_time = reports::instant(account.outcome.run.ended)});
    if (violations.empty()) return;
    failed_ = true;
    complain(fmt::format("{}: {}", keys::printable(run), violations.front()));
    std::fputs(story.c_str(), stderr);
  }

  bool failed() const { return failed_; }
  std::string junit() const { return junit_.document(); }

 private:
  std::vector<Property> fail_on_;
  reports::Junit junit_;
  std::size_t runs_ = 0;
  bool failed_ = false;
};

}  // namespace

CLI::App* add_serve(CLI::App& app, ServeOptions& options) {
  CLI::App* command = app.add_subcommand(
      "serve", "Put the simulated servers behind sockets, for clients in any language.");
  command
      ->add_option(
          "SCENARIO", options.scenario,
          fmt::format("the scenario whose servers are served, as for `run`; its clients and its "
                      "faults are not there (default: one {} server)",
                      served_kinds().front()->title))
      ->type_name("");
  add_server_options(*command, options.alone, "keys");
  command->add_option("--set", options.changes, "change one key of the file; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--port", options.port,
                   "of the first server; the others have those behind it (default: any that are "
                   "free)")
      ->type_name("PORT");
  command
      ->add_option("--listen", options.listen,
                   "of all ports; other machines reach one that is not on the loopback, so that it "
                   "needs a password (default: 127.0.0.1)")
      ->type_name("ADDRESS");
  add_password_file(*command, options.password_file);
  command
      ->add_option("--sockets", options.sockets,
                   "a Unix socket for each server as well: FOLDER/redis-1.sock and so on")
      ->type_name("FOLDER");
  command
      ->add_option("--control-port", options.control_port,
                   "for faults and time, by HTTP with JSON (default: any that is free)")
      ->type_name("PORT");
  command
      ->add_option("--speed", options.speed,
                   "how many virtual seconds pass in one of the wall (default: 1)")
      ->type_name("NUMBER");
  command->add_flag("--manual", options.manual,
                    "time stands still until it is advanced at the control port");
  command
      ->add_option("--token", options.token,
                   "requests to the control port must have it, as `Authorization: Bearer TOKEN` "
                   "(default: the password)")
      ->type_name("TOKEN");
  command->add_flag("--json", options.json, "print the ports as one line of JSON");
  command
      ->add_option("--fail-on", options.fail_on,
                   "properties, separated by commas, or `any`: judge them at each reset and at the "
                   "end, and tell what has happened where one is violated; the exit status is then "
                   "1, once the servers have been ended")
      ->type_name("PROPERTY,…");
  command
      ->add_option("--junit", options.junit,
                   "write a test case for each run between two resets, by JUnit's format, as soon "
                   "as the run has ended")
      ->type_name("FILE");
  command->add_flag("--no-timeline", options.no_timeline,
                    "keep no messages: faster, but nothing can be told or judged");
  command->add_flag("--die-with-parent", options.die_with_parent,
                    "end when the process that started it ends");
  command->footer(
      "The requests of the control port are in docs/serving.md.\n\n"
      "Exit status:\n"
      "0\tinterrupted, or its parent has ended\n"
      "1\ta property of --fail-on was violated\n"
      "2\twrong usage, or a port that cannot be had");
  return command;
}

int serve(const ServeOptions& options) {
  if (options.manual && !options.speed.empty())
    throw BadInput("serve: give --manual or --speed, not both");
  if (options.no_timeline && (!options.fail_on.empty() || !options.junit.empty()))
    throw BadInput("serve: --fail-on and --junit need the timeline; leave --no-timeline out");
  if (options.die_with_parent) {
    const pid_t parent = getppid();
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent) return kAsExpected;
  }
  serve::Front front(scenario_from(options),
                     {.listen = options.listen,
                      .password = password_from(options.password_file),
                      .port = port_from("--port", options.port),
                      .control_port = port_from("--control-port", options.control_port),
                      .speed = options.manual          ? 0
                               : options.speed.empty() ? 1
                                                       : speed_from(options.speed),
                      .sockets = options.sockets,
                      .token = options.token,
                      .timeline = !options.no_timeline});
  ServedRuns results(judged_outside(options.fail_on));
  const bool judges = !options.fail_on.empty() || !options.junit.empty();
  if (judges) {
    front.after_run([&](const std::string& name, const serve::Account& account) {
      results.add(name, account, front.loop().clock.seconds_of_wall());
      if (!options.junit.empty()) write_file(options.junit, results.junit());
    });
  }
  if (!options.junit.empty()) write_file(options.junit, results.junit());
  tell(front, options.json);
  front.run();
  return results.failed() ? kNotAsExpected : kAsExpected;
}

}  // namespace picklock::cli
