#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/conform.h"
#include "cli/console.h"
#include "cli/interruptible.h"
#include "cli/status_line.h"
#include "conform/redis/campaign.h"
#include "conform/redis/normal_form.h"
#include "conform/redis/sequence.h"
#include "keys/bad_input.h"
#include "reports/wording.h"

namespace picklock::cli {
namespace {

namespace redis = picklock::conform::redis;
using Json = nlohmann::ordered_json;

redis::Address address_from(const std::string& word) {
  const auto [host, port] = host_and_port(word);
  return {host, port};
}

std::string side(const redis::Difference& difference, const std::string& bytes) {
  if (difference.words) return bytes;
  return bytes.empty() ? "nothing" : redis::shown(bytes);
}

std::string again(const redis::Report& report, const ConformOptions& options) {
  std::string command =
      fmt::format("picklock conform redis --seed {} --cases 1", report.first->sequence.seed);
  if (!options.address.empty()) command += " --address " + shell_quoted(options.address);
  if (options.flush) command += " --flush";
  return command;
}

constexpr std::string_view kLeftOut =
    "what depends on the time: TTL, PTTL, EXPIRETIME, PEXPIRETIME, EXPIREAT, PEXPIREAT, TIME, keys "
    "that expire, CLIENT PAUSE; and what would change the server: CONFIG SET, DEBUG";

std::string cell_name(const redis::Coverage::Cell& cell) {
  return fmt::format("{} {} {}", cell.command, cell.reply,
                     redis::kKeyStateNames[static_cast<std::size_t>(cell.key)]);
}

std::string json(const redis::Report& report, const redis::Campaign& campaign,
                 const ConformOptions& options) {
  Json document;
  document["server"] = {{"name", "redis"}, {"version", report.server_version}};
  document["seed"] = campaign.seed;
  document["cases"] = report.cases;
  document["commands"] = report.coverage.commands();
  document["interrupted"] = report.interrupted;
  document["differences"] = report.differences;
  document["first_difference"] = nullptr;
  if (report.first) {
    const redis::Difference& difference = report.first->difference;
    Json steps = Json::array();
    for (const redis::Step& step : report.first->sequence.steps)
      steps.push_back(redis::shown(step));
    document["first_difference"] = {{"commands", steps},
                                    {"connection", difference.connection + 1},
                                    {"model", side(difference, difference.model)},
                                    {"redis", side(difference, difference.real)},
                                    {"shrunk", report.shrunk},
                                    {"replay", again(report, options)}};
  }
  Json cells = Json::array();
  for (const auto& [cell, count] : report.coverage.counts()) {
    cells.push_back({{"command", cell.command},
                     {"reply", cell.reply},
                     {"key", redis::kKeyStateNames[static_cast<std::size_t>(cell.key)]},
                     {"count", count}});
  }
  Json empty = Json::array();
  for (const redis::Coverage::Cell& cell : report.coverage.empty_cells(report.steered_clock))
    empty.push_back(cell_name(cell));
  document["coverage"] = {{"cells", cells}, {"empty", empty}};
  document["coverage"]["left_out"] =
      report.steered_clock ? Json(nullptr) : Json(std::string(kLeftOut));
  for (const redis::Normalisation& one : redis::normalisations()) {
    document["normalisations"].push_back(
        {{"name", one.name}, {"commands", one.commands}, {"why", one.why}});
  }
  return document.dump(2) + '\n';
}

std::string sequences(std::uint64_t count) {
  return fmt::format("{} sequence{}", count, count == 1 ? "" : "s");
}

std::string text(const redis::Report& report, const ConformOptions& options) {
  std::string out;
  if (report.first) {
    const redis::Difference& difference = report.first->difference;
    out += "the model and redis-server differ\n\n";
    if (!report.shrunk) out += "  (interrupted before this was as short as it can be)\n";
    for (const redis::Step& step : report.first->sequence.steps)
      out += "  " + redis::shown(step) + '\n';
    out += fmt::format("\n  to connection {}\n    model  {}\n    redis  {}\n\nreplay  {}\n",
                       difference.connection + 1, side(difference, difference.model),
                       side(difference, difference.real), again(report, options));
  }
  if (report.interrupted) {
    out += fmt::format("interrupted after {}\n", sequences(report.cases));
    if (report.cases == 0) return out;
  }
  out += fmt::format("{}, {} commands against redis-server {}: {} with a difference{}\n",
                     sequences(report.cases), report.coverage.commands(), report.server_version,
                     report.differences,
                     report.differences == redis::kEnoughDifferences ? ", and no further" : "");
  constexpr std::string_view kKinds = "kinds of reply (command, class, state of the key)";
  const std::size_t seen = report.coverage.counts().size();
  const std::size_t expected = redis::Coverage::expected(report.steered_clock).size();
  const std::size_t empty = report.coverage.empty_cells(report.steered_clock).size();
  out += fmt::format("coverage: {} {}", reports::grouped(seen), kKinds);
  if (empty > 0) {
    const std::uint64_t usual = redis::Campaign().cases;
    out +=
        fmt::format(": {} rare ones, and {} of the {} that a run of {} shows; {} not seen{}",
                    reports::grouped(seen - (expected - empty)), reports::grouped(expected - empty),
                    reports::grouped(expected), reports::grouped(usual), reports::grouped(empty),
                    report.cases < usual ? " in so few" : "");
  }
  out += '\n';
  if (!report.steered_clock)
    out += fmt::format("left out, because the server's clock cannot be set: {}\n", kLeftOut);
  return out;
}

void show_progress(StatusLine& line, std::uint64_t done, std::uint64_t all, bool shrinking) {
  if (shrinking) {
    line.show("a difference was found: shrinking its sequence");
  } else if (done % 50 == 0) {
    line.show(fmt::format("{} of {} sequences", done, all));
  }
}

}  // namespace

int conform_redis(const ConformOptions& options) {
  redis::Campaign campaign;
  if (!options.seed.empty()) campaign.seed = seed_from(options.seed);
  if (!options.cases.empty()) campaign.cases = number_from("--cases", options.cases, 1, INT64_MAX);
  if (!options.address.empty()) campaign.address = address_from(options.address);
  if (options.flush && options.address.empty())
    throw keys::BadInput("--flush: needs --address, the server to empty");
  campaign.flush = options.flush;

  const Interruptible interruptible;
  StatusLine line;
  redis::Report report;
  try {
    report = redis::run(campaign, {.stop = [] { return Interruptible::caught(); },
                                   .progress =
                                       [&](std::uint64_t done, bool shrinking) {
                                         show_progress(line, done, campaign.cases, shrinking);
                                       }});
  } catch (const redis::NoServer& problem) {
    line.clear();
    throw keys::BadInput(fmt::format("conform: {}", problem.what()));
  }
  line.clear();
  put(options.json ? json(report, campaign, options) : text(report, options));
  if (report.interrupted) return kInterrupted;
  return report.differences > 0 ? kNotAsExpected : kAsExpected;
}

}  // namespace picklock::cli
