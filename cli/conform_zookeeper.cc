#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/conform.h"
#include "cli/console.h"
#include "cli/interruptible.h"
#include "cli/status_line.h"
#include "conform/zookeeper/campaign.h"
#include "conform/zookeeper/grammar.h"
#include "keys/bad_input.h"

namespace picklock::cli {
namespace {

namespace zookeeper = picklock::conform::zookeeper;
using Json = nlohmann::ordered_json;

std::vector<std::string> shown(const std::vector<std::string>& messages) {
  std::vector<std::string> all;
  all.reserve(messages.size());
  for (const std::string& message : messages) all.push_back(zookeeper::shown(message));
  return all;
}

std::string again(const zookeeper::Report& report, const ConformOptions& options) {
  std::string command =
      fmt::format("picklock conform zookeeper --seed {} --cases 1", report.first->sequence.seed);
  if (!options.address.empty()) command += " --address " + shell_quoted(options.address);
  return command;
}

std::string_view name(zookeeper::Znode znode) {
  return zookeeper::kZnodeNames[static_cast<std::size_t>(znode)];
}

std::string json(const zookeeper::Report& report, const zookeeper::Campaign& campaign,
                 const ConformOptions& options) {
  Json document;
  document["server"] = {{"name", "zookeeper"}, {"version", report.server_version}};
  document["seed"] = campaign.seed;
  document["cases"] = report.cases;
  document["commands"] = report.requests;
  document["interrupted"] = report.interrupted;
  document["differences"] = report.differences;
  document["first_difference"] = nullptr;
  if (report.first) {
    Json steps = Json::array();
    for (const zookeeper::Step& step : report.first->sequence.steps)
      steps.push_back(zookeeper::shown(step));
    document["first_difference"] = {{"commands", steps},
                                    {"connection", report.first->connection + 1},
                                    {"model", shown(report.first->model)},
                                    {"zookeeper", shown(report.first->real)},
                                    {"replay", again(report, options)}};
  }
  Json cells = Json::array();
  for (const auto& [cell, count] : report.coverage) {
    cells.push_back({{"command", cell.operation},
                     {"reply", cell.answer},
                     {"znode", name(cell.znode)},
                     {"count", count}});
  }
  Json empty = Json::array();
  for (const zookeeper::Cell& cell : zookeeper::empty_cells(report.coverage))
    empty.push_back(fmt::format("{} {} {}", cell.operation, cell.answer, name(cell.znode)));
  document["coverage"] = {{"cells", cells}, {"empty", empty}};
  for (const auto& [name, why] : zookeeper::normalisations())
    document["normalisations"].push_back({{"name", name}, {"why", why}});
  return document.dump(2) + '\n';
}

std::string text(const zookeeper::Report& report, const ConformOptions& options) {
  std::string out;
  if (report.first) {
    out += "the model and ZooKeeper differ\n\n";
    for (const zookeeper::Step& step : report.first->sequence.steps)
      out += "  " + zookeeper::shown(step) + '\n';
    out += fmt::format("\n  to connection {}\n", report.first->connection + 1);
    for (const std::string& line : shown(report.first->model))
      out += "    model      " + line + '\n';
    for (const std::string& line : shown(report.first->real))
      out += "    zookeeper  " + line + '\n';
    out += fmt::format("\nreplay  {}\n", again(report, options));
  }
  if (report.interrupted) out += "interrupted\n";
  const std::size_t empty = zookeeper::empty_cells(report.coverage).size();
  out += fmt::format("{} sequence{}, {} requests against ZooKeeper {}: {} with a difference{}\n",
                     report.cases, report.cases == 1 ? "" : "s", report.requests,
                     report.server_version, report.differences,
                     report.differences == zookeeper::kEnoughDifferences ? ", and no further" : "");
  out += fmt::format("coverage: {} kinds of answer (operation, code, state of the znode)",
                     report.coverage.size());
  if (empty > 0)
    out += fmt::format("; {} of the {} that a run of {} shows not seen{}", empty,
                       zookeeper::expected_cells().size(), zookeeper::Campaign().cases,
                       report.cases < zookeeper::Campaign().cases ? " in so few" : "");
  return out + '\n';
}

}  // namespace

int conform_zookeeper(const ConformOptions& options) {
  zookeeper::Campaign campaign;
  if (!options.seed.empty()) campaign.seed = seed_from(options.seed);
  if (!options.cases.empty()) campaign.cases = number_from("--cases", options.cases, 1, INT64_MAX);
  if (!options.address.empty()) {
    const auto [host, port] = host_and_port(options.address);
    campaign.address = {host, port};
  }
  if (options.flush)
    throw keys::BadInput(
        "--flush: only for redis; of a ZooKeeper, picklock uses the znodes under /t alone");

  const Interruptible interruptible;
  StatusLine line;
  zookeeper::Report report;
  try {
    report = zookeeper::run(
        campaign, {.stop = [] { return Interruptible::caught(); },
                   .progress =
                       [&](std::uint64_t done, bool shrinking) {
                         line.show(shrinking
                                       ? "a difference was found: shrinking its sequence"
                                       : fmt::format("{} of {} sequences", done, campaign.cases));
                       }});
  } catch (const zookeeper::NoServer& problem) {
    line.clear();
    throw keys::BadInput(fmt::format("conform: {}", problem.what()));
  }
  line.clear();
  put(options.json ? json(report, campaign, options) : text(report, options));
  if (report.interrupted) return kInterrupted;
  return report.differences > 0 ? kNotAsExpected : kAsExpected;
}

}  // namespace picklock::cli
