#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/conform.h"
#include "cli/console.h"
#include "cli/interruptible.h"
#include "cli/status_line.h"
#include "conform/mysql/campaign.h"
#include "keys/bad_input.h"

namespace picklock::cli {
namespace {

namespace mysql = picklock::conform::mysql;
using Json = nlohmann::ordered_json;

std::string again(const mysql::Report& report, const ConformOptions& options) {
  std::string command =
      fmt::format("picklock conform mysql --seed {} --cases 1", report.first->interleaving.seed);
  if (!options.address.empty()) command += " --address " + shell_quoted(options.address);
  return command;
}

std::string json(const mysql::Report& report, const mysql::Campaign& campaign,
                 const ConformOptions& options) {
  Json document;
  document["server"] = {{"name", "mysql"}, {"version", report.server_version}};
  document["seed"] = campaign.seed;
  document["cases"] = report.cases;
  document["commands"] = report.statements;
  document["interrupted"] = report.interrupted;
  document["differences"] = report.differences;
  document["first_difference"] = nullptr;
  if (report.first) {
    Json steps = Json::array();
    for (const mysql::Step& step : report.first->interleaving.steps)
      steps.push_back(mysql::shown(step));
    document["first_difference"] = {{"commands", steps},
                                    {"model", mysql::shown(report.first->model)},
                                    {"mysql", mysql::shown(report.first->real)},
                                    {"replay", again(report, options)}};
  }
  Json cells = Json::array();
  for (const auto& [cell, count] : report.coverage) {
    cells.push_back(
        {{"command", cell.statement}, {"reply", cell.answer}, {"row", cell.row}, {"count", count}});
  }
  Json empty = Json::array();
  for (const mysql::Cell& cell : mysql::empty_cells(report.coverage))
    empty.push_back(fmt::format("{}: {} {}", cell.statement, cell.answer, cell.row));
  document["coverage"] = {{"cells", cells}, {"empty", empty}};
  for (const auto& [name, why] : mysql::normalisations())
    document["normalisations"].push_back({{"name", name}, {"why", why}});
  return document.dump(2) + '\n';
}

std::string text(const mysql::Report& report, const ConformOptions& options) {
  std::string out;
  if (report.first) {
    out += "the model and MySQL differ\n\n";
    for (const mysql::Step& step : report.first->interleaving.steps)
      out += "  " + mysql::shown(step) + '\n';
    out += fmt::format("\n    model  {}\n    mysql  {}\n", mysql::shown(report.first->model),
                       mysql::shown(report.first->real));
    out += fmt::format("\nreplay  {}\n", again(report, options));
  }
  if (report.interrupted) out += "interrupted\n";
  const std::size_t empty = mysql::empty_cells(report.coverage).size();
  out += fmt::format("{} interleaving{}, {} statements against {}: {} with a difference{}\n",
                     report.cases, report.cases == 1 ? "" : "s", report.statements,
                     report.server_version, report.differences,
                     report.differences >= mysql::kEnoughDifferences ? ", and no further" : "");
  out += fmt::format("coverage: {} kinds of answer (statement, answer, state of the row)",
                     report.coverage.size());
  if (empty > 0)
    out += fmt::format("; {} of the {} that a run of {} shows not seen{}", empty,
                       mysql::expected_cells().size(), mysql::Campaign().cases,
                       report.cases < mysql::Campaign().cases ? " in so few" : "");
  return out + '\n';
}

}  // namespace

int conform_mysql(const ConformOptions& options) {
  mysql::Campaign campaign;
  if (!options.seed.empty()) campaign.seed = seed_from(options.seed);
  if (!options.cases.empty()) campaign.cases = number_from("--cases", options.cases, 1, INT64_MAX);
  if (!options.address.empty()) {
    const auto [host, port] = host_and_port(options.address);
    campaign.address = {host, port};
  }
  if (options.flush)
    throw keys::BadInput(
        "--flush: only for redis; of a MySQL, picklock uses databases picklock_... alone, and "
        "drops them afterwards");

  const Interruptible interruptible;
  StatusLine line;
  mysql::Report report;
  try {
    report = mysql::run(
        campaign,
        {.stop = [] { return Interruptible::caught(); },
         .progress =
             [&](std::uint64_t done, bool shrinking) {
               line.show(shrinking ? "a difference was found: shrinking its interleaving"
                                   : fmt::format("{} of {} interleavings", done, campaign.cases));
             }});
  } catch (const mysql::NoServer& problem) {
    line.clear();
    throw keys::BadInput(fmt::format("conform: {}", problem.what()));
  }
  line.clear();
  put(options.json ? json(report, campaign, options) : text(report, options));
  if (report.interrupted) return kInterrupted;
  return report.differences > 0 ? kNotAsExpected : kAsExpected;
}

}  // namespace picklock::cli
