#include "conform/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/wording.h"

namespace picklock::conform {
namespace {

using Json = nlohmann::ordered_json;
using reports::grouped;

std::string replay(const ServerKind& server, const Report& report, std::string_view options) {
  return fmt::format("picklock conform {} --seed {} --cases 1{}", server.name, report.first->seed,
                     options);
}

std::string_view state_of(const ServerKind& server, const Cell& cell) {
  return server.states[cell.state].name;
}

Json side(const ServerKind& server, const std::vector<std::string>& lines) {
  return server.wording.several_lines ? Json(lines) : Json(lines.front());
}

Json first_difference(const ServerKind& server, const Report& report, std::string_view options) {
  if (!report.first) return nullptr;
  const Difference& difference = report.first->difference;
  Json json;
  json["commands"] = report.first->steps;
  if (difference.connection) json["connection"] = *difference.connection + 1;
  json["model"] = side(server, difference.model);
  json[std::string(server.name)] = side(server, difference.real);
  if (server.wording.tells_shrunk) json["shrunk"] = report.first->shrunk;
  json["replay"] = replay(server, report, options);
  return json;
}

Json coverage(const ServerKind& server, const Report& report) {
  Json cells = Json::array();
  for (const auto& [cell, count] : report.coverage.counts()) {
    cells.push_back({{"command", cell.command},
                     {"reply", cell.reply},
                     {std::string(server.wording.state), state_of(server, cell)},
                     {"count", count}});
  }
  Json empty = Json::array();
  for (const Cell& cell : report.coverage.empty(report.expected)) {
    empty.push_back(fmt::format(fmt::runtime(server.wording.cell),
                                fmt::arg("command", cell.command), fmt::arg("reply", cell.reply),
                                fmt::arg("state", state_of(server, cell))));
  }
  Json json = {{"cells", cells}, {"empty", empty}};
  if (!server.left_out.empty())
    json["left_out"] = report.timed ? Json(nullptr) : Json(std::string(server.left_out));
  return json;
}

// `12 sequences`, though not `12,000`: the number is one that --cases takes.
std::string cases(const ServerKind& server, std::uint64_t count) {
  return fmt::format("{} {}{}", count, server.wording.one_case, count == 1 ? "" : "s");
}

std::string difference_text(const ServerKind& server, const Report& report,
                            std::string_view options) {
  const Finding& first = *report.first;
  std::string out = fmt::format("the model and {} differ\n\n", server.wording.title);
  if (server.wording.tells_shrunk && !first.shrunk)
    out += "  (interrupted before this was as short as it can be)\n";
  for (const std::string& step : first.steps) out += "  " + step + '\n';
  out += '\n';
  if (first.difference.connection)
    out += fmt::format("  to connection {}\n", *first.difference.connection + 1);
  const std::size_t width = std::max(server.name.size(), std::string_view("model").size());
  for (const std::string& line : first.difference.model)
    out += fmt::format("    {:{}}  {}\n", "model", width, line);
  for (const std::string& line : first.difference.real)
    out += fmt::format("    {:{}}  {}\n", server.name, width, line);
  return out + fmt::format("\nreplay  {}\n", replay(server, report, options));
}

std::string coverage_text(const ServerKind& server, const Report& report) {
  const std::size_t seen = report.coverage.counts().size();
  const std::size_t expected = report.expected.size();
  const std::size_t empty = report.coverage.empty(report.expected).size();
  std::string out = "coverage: ";
  out += fmt::format(fmt::runtime(server.wording.coverage), fmt::arg("seen", grouped(seen)));
  if (empty == 0) return out + '\n';
  const std::uint64_t usual = Campaign().cases;
  out += fmt::format(fmt::runtime(server.wording.holes),
                     fmt::arg("rare", grouped(seen - (expected - empty))),
                     fmt::arg("met", grouped(expected - empty)),
                     fmt::arg("expected", grouped(expected)), fmt::arg("empty", grouped(empty)),
                     fmt::arg("usual", grouped(usual)), fmt::arg("cases", usual));
  return out + (report.cases < usual ? " in so few\n" : "\n");
}

}  // namespace

std::string text_of(const ServerKind& server, const Report& report, std::string_view options) {
  const Wording& words = server.wording;
  std::string out;
  if (report.first) out += difference_text(server, report, options);
  if (report.interrupted) {
    out += fmt::format(fmt::runtime(words.interrupted), cases(server, report.cases)) + '\n';
    if (report.cases == 0) return out;
  }
  out += fmt::format("{}, {} {} against {}: {} with a difference{}\n", cases(server, report.cases),
                     report.coverage.commands(), words.commands,
                     fmt::format(fmt::runtime(words.against), report.server_version),
                     report.differences,
                     report.differences >= kEnoughDifferences ? ", and no further" : "");
  out += coverage_text(server, report);
  if (!report.timed)
    out += fmt::format("left out, because the server's clock cannot be set: {}\n", server.left_out);
  return out;
}

std::string json_of(const ServerKind& server, const Report& report, std::string_view options,
                    std::uint64_t seed) {
  Json document;
  document["server"] = {{"name", server.name}, {"version", report.server_version}};
  document["seed"] = seed;
  document["cases"] = report.cases;
  document["commands"] = report.coverage.commands();
  document["interrupted"] = report.interrupted;
  document["differences"] = report.differences;
  document["first_difference"] = first_difference(server, report, options);
  document["coverage"] = coverage(server, report);
  for (const Normalisation& one : server.normalisations) {
    Json normalisation = {{"name", one.name}};
    if (!one.commands.empty()) normalisation["commands"] = one.commands;
    normalisation["why"] = one.why;
    document["normalisations"].push_back(normalisation);
  }
  return document.dump(2) + '\n';
}

}  // namespace picklock::conform
