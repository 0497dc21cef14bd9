#include "reports/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace picklock::reports {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMillisecond = 1'000'000;

}  // namespace

std::string instant(sim::Instant at) {
  if (at == sim::kNever) return "never";
  const std::int64_t ns = sim::nanoseconds(at);
  const std::int64_t ms = ns / kMillisecond + (ns % kMillisecond >= kMillisecond / 2 ? 1 : 0);
  return fmt::format("{}.{:03}s", ms / 1000, ms % 1000);
}

std::string rounded(sim::Duration length) {
  const std::int64_t ns = length.count();
  if (ns < kSecond) return duration(length);
  return duration(sim::Duration((ns + kMillisecond / 2) / kMillisecond * kMillisecond));
}

std::string measured(sim::Duration length) {
  struct Unit {
    std::int64_t size;
    const char* name;
  };
  constexpr std::array<Unit, 3> kUnits = {{{1'000, "us"}, {kMillisecond, "ms"}, {kSecond, "s"}}};
  const std::int64_t ns = length.count();
  if (ns < 10'000) return duration(length);
  for (const Unit& unit : kUnits) {
    for (const auto& [places, scale] : {std::pair(2, 100), {1, 10}, {0, 1}}) {
      const std::int64_t digits =
          (ns / unit.size) * scale + ((ns % unit.size) * scale + unit.size / 2) / unit.size;
      if (digits >= 1000 && (places > 0 || unit.size != kSecond)) continue;
      return fmt::format("{:.{}f}{}", static_cast<double>(digits) / scale, places, unit.name);
    }
  }
  return duration(length);
}

std::string digest(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string rate(double number) {
  constexpr double kNonsense = 1e15;  // no time has passed
  if (!(number > 0) || number > kNonsense) return "0";
  if (number < 1) return fmt::format("{:.2g}", number);
  return number < 10 ? fmt::format("{:.1f}", number) : grouped(static_cast<std::uint64_t>(number));
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::vector<std::string> names(FaultClasses classes) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (classes.has(one)) all.emplace_back(name(one));
  }
  return all;
}

std::vector<std::string> names(const std::vector<Property>& properties) {
  std::vector<std::string> all;
  all.reserve(properties.size());
  for (const Property one : properties) all.emplace_back(name(one));
  return all;
}

std::string times(std::uint64_t count) {
  return count == 1 ? "once" : count == 2 ? "twice" : fmt::format("{} times", count);
}

std::string violated(const Verdicts& verdicts, const std::vector<Property>& unseen) {
  const auto named = [&](properties::Outcome outcome) {
    std::string out;
    for (const properties::Verdict& verdict : verdicts) {
      const bool seen = std::find(unseen.begin(), unseen.end(), verdict.property) == unseen.end();
      if (verdict.outcome != outcome || !seen) continue;
      out += (out.empty() ? "" : ", ") + std::string(name(verdict.property));
    }
    return out;
  };
  const std::string broken = named(properties::Outcome::violated);
  const std::string open = named(properties::Outcome::unknown);
  if (broken.empty() && open.empty())
    return unseen.empty() ? "every property holds" : "every property that can be judged holds";
  const std::string separator = broken.empty() || open.empty() ? "" : "; ";
  return (broken.empty() ? "" : "violated: " + broken) + separator +
         (open.empty() ? "" : "unknown: " + open);
}

}  // namespace picklock::reports
