#include "reports/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "models/servers/verbs.h"
#include "picklock/client.h"
#include "reports/columns.h"

namespace picklock::reports {
namespace {

using sim::Verb;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMillisecond = 1'000'000;

std::string without_trailing_zeros(std::string digits) {
  digits.erase(digits.find_last_not_of('0') + 1);
  if (!digits.empty() && digits.back() == '.') digits.pop_back();
  return digits;
}

// `value` in units of `unit` nanoseconds (a power of ten with `places` zeros), exactly.
std::string decimal(std::int64_t value, std::int64_t unit, int places) {
  const std::string sign = value < 0 ? "-" : "";
  const auto magnitude =
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const auto divisor = static_cast<std::uint64_t>(unit);
  return sign + without_trailing_zeros(
                    fmt::format("{}.{:0{}}", magnitude / divisor, magnitude % divisor, places));
}

std::string ordinal(std::uint32_t n) {
  const std::uint32_t tens = n % 100;
  const bool teen = tens >= 11 && tens <= 13;
  const char* ending = teen          ? "th"
                       : n % 10 == 1 ? "st"
                       : n % 10 == 2 ? "nd"
                       : n % 10 == 3 ? "rd"
                                     : "th";
  return fmt::format("{}{}", n, ending);
}

bool takes_steps(std::string_view process) {
  return process.starts_with("client-") || process == kCoordinator;
}

// "client-1's 2nd write", "its release (DEL)", or for any client "an acquire".
std::string step(const sim::Trigger& trigger, std::string_view whose) {
  const std::string_view role = name(trigger.role);
  std::string text = whose == "its"    ? "its"
                     : !whose.empty()  ? fmt::format("{}'s", whose)
                     : trigger.nth > 1 ? "the"
                                       : std::string(role.starts_with('a') ? "an" : "a");
  if (trigger.nth > 1) text += fmt::format(" {}", ordinal(trigger.nth));
  text += fmt::format(" {}", role);
  if (!trigger.command.empty()) text += fmt::format(" ({})", trigger.command);
  return text;
}

// The moment at which a fault strikes.
std::string trigger(const sim::Trigger& trigger, const std::string& target) {
  if (trigger.at) return fmt::format("at {}s", seconds(sim::nanoseconds(*trigger.at)));
  const std::string_view side = trigger.side == sim::Side::before ? "before" : "after";
  const std::string& whose = trigger.by.empty() && takes_steps(target) ? target : trigger.by;
  if (!trigger.mark.empty()) {
    const std::string who = whose.empty() ? "a client" : whose == target ? "it" : whose;
    const std::string_view again = trigger.nth > 1 ? " for the " : "";
    return fmt::format("{} {} passes {}{}{}", side, who, mark(trigger.mark), again,
                       trigger.nth > 1 ? ordinal(trigger.nth) + " time" : "");
  }
  const bool answered = trigger.phase == sim::Phase::replied;
  std::string where;
  if (!trigger.on.empty()) {
    where = trigger.phase == sim::Phase::sent ? " to " : answered ? " by " : " on ";
    where += trigger.on;
  }
  const std::string_view phase = answered ? "answered" : name(trigger.phase);
  return fmt::format("{} {} is {}{}", side, step(trigger, whose == target ? "its" : whose), phase,
                     where);
}

// The message that a fault on messages acts on.
std::string message(const sim::Fault& fault) {
  const sim::Trigger& trigger = fault.trigger;
  const bool of_client = takes_steps(fault.target);
  const std::string& whose = trigger.by.empty() && of_client ? fault.target : trigger.by;
  const std::string& server = of_client ? trigger.on : fault.target;
  std::string text = trigger.phase == sim::Phase::applied ? "the answer to " : "";
  text += step(trigger, whose);
  if (!server.empty()) text += fmt::format(" at {}", server);
  return text;
}

std::string_view direction(const sim::Fault& fault) {
  if (fault.outbound && !fault.inbound) return ", only what it sends";
  if (fault.inbound && !fault.outbound) return ", only what is sent to it";
  return "";
}

std::string kept(sim::Keeps keeps) {
  return keeps == sim::Keeps::all       ? "keeping all"
         : keeps == sim::Keeps::fsynced ? "keeping what was fsynced"
                                        : "keeping nothing";
}

std::string signed_duration(sim::Duration length) {
  return (length.count() < 0 ? "" : "+") + duration(length);
}

std::string signed_percent(std::int64_t ppb) {
  return (ppb < 0 ? "" : "+") + decimal(ppb, kSecond / 100, 7) + "%";
}

// A fault in pieces: the verb with its target, the length or amount, and the outcome. The outcome
// comes after the moment at which the fault strikes.
struct Phrase {
  std::string deed;
  std::string amount = {};
  std::string outcome = {};
  bool timed = true;  // else the deed itself names the moment
};

Phrase phrase(const sim::Fault& fault) {
  const std::string& target = fault.target;
  const auto lasting = [&](const char* word) {
    return fault.lasts ? fmt::format(" {} {}", word, duration(*fault.lasts)) : std::string();
  };
  switch (fault.verb) {
    case Verb::pause:
      return {"pause " + target, lasting("for")};
    case Verb::crash:
      return {
          fmt::format("crash {}{}{}", fault.host ? "the host of " : "", target,
                      fault.silent ? " silently" : ""),
          "",
          fault.lasts ? fmt::format(",{}, {}", lasting("restarted after"), kept(fault.keeps)) : ""};
    case Verb::restart:
      return {"restart " + target, "",
              (fault.lasts ? "," + lasting("down for") : "") + ", " + kept(fault.keeps)};
    case Verb::end_thread:
      return {"end a thread of " + target};
    case Verb::interrupt:
      return {"interrupt a thread of " + target};
    case Verb::step_clock:
      return {"step the clock of " + target, " by " + signed_duration(fault.step)};
    case Verb::set_clock_rate:
      return {"set the clock rate of " + target,
              " by " + signed_percent(fault.rate_ppb) + lasting("for")};
    case Verb::partition:
      return {fmt::format("partition {} from {}{}", target,
                          fault.from.empty() ? "all others" : list(fault.from), direction(fault)),
              (direction(fault).empty() || !fault.lasts ? "" : ",") + lasting("for")};
    case Verb::heal:
      return {"heal " + target};
    case Verb::hold:
      return {fmt::format("hold messages from {} on", message(fault)),
              fault.lasts ? "," + lasting("for") : "", "", false};
    case Verb::delay:
      return {"delay " + message(fault), lasting("by"), "", false};
    case Verb::drop:
      return {"drop " + message(fault), "", "", false};
    case Verb::duplicate:
      return {"duplicate " + message(fault), lasting("after"), "", false};
    case Verb::slow:
      return {"slow " + target,
              fmt::format(" by {} per message", duration(fault.step)) + lasting("for")};
  }
  if (fault.verb == models::kEvict) {
    return {
        fmt::format("evict {} from {}", fault.key.empty() ? "the lock's key" : fault.key, target)};
  }
  if (fault.verb == models::kFailOver) {
    return {"fail over " + target + (fault.to.empty() ? "" : " to " + fault.to), "",
            fault.lasts ? "," + lasting("replaced after") : ""};
  }
  if (fault.verb == models::kKillSession) return {"kill the session of " + target};
  return {std::string(models::name(fault.verb)) + " " + target, lasting("for")};
}

}  // namespace

std::string instant(sim::Instant at) {
  if (at == sim::kNever) return "never";
  const std::int64_t ns = sim::nanoseconds(at);
  const std::int64_t ms = ns / kMillisecond + (ns % kMillisecond >= kMillisecond / 2 ? 1 : 0);
  return fmt::format("{}.{:03}s", ms / 1000, ms % 1000);
}

std::string seconds(std::int64_t nanoseconds) { return decimal(nanoseconds, kSecond, 9); }

std::string duration(sim::Duration length) {
  const std::int64_t ns = length.count();
  const std::int64_t size = ns < 0 ? -(ns + 1) : ns;
  if (ns == 0 || size >= kSecond - (ns < 0)) return decimal(ns, kSecond, 9) + "s";
  if (size >= kMillisecond - (ns < 0)) return decimal(ns, kMillisecond, 6) + "ms";
  return decimal(ns, 1'000, 3) + "us";
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

std::string fault(const sim::Fault& fault) {
  const Phrase words = phrase(fault);
  const std::string what = words.deed + words.amount;
  if (!words.timed) return what + words.outcome;
  const std::string_view comma = words.amount.empty() && words.deed.find(',') == std::string::npos
                                     ? ""
                                 : fault.trigger.at ? ""
                                                    : ",";
  return fmt::format("{}{} {}{}", what, comma, trigger(fault.trigger, fault.target), words.outcome);
}

std::string mark(std::string_view name) { return fmt::format("its mark \"{}\"", name); }

std::string delayed(const sim::Fault& fault) {
  return fault.verb == Verb::delay ? message(fault) + " continues" : "";
}

std::string list(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += i == 0 ? "" : i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

std::string violated(const Verdicts& verdicts) {
  const auto named = [&](properties::Outcome outcome) {
    std::string out;
    for (const properties::Verdict& verdict : verdicts) {
      if (verdict.outcome != outcome) continue;
      out += (out.empty() ? "" : ", ") + std::string(name(verdict.property));
    }
    return out;
  };
  const std::string broken = named(properties::Outcome::violated);
  const std::string open = named(properties::Outcome::unknown);
  if (broken.empty() && open.empty()) return "every property holds";
  const std::string separator = broken.empty() || open.empty() ? "" : "; ";
  return (broken.empty() ? "" : "violated: " + broken) + separator +
         (open.empty() ? "" : "unknown: " + open);
}

}  // namespace picklock::reports
