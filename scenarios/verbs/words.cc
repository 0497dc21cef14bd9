#include "scenarios/verbs/words.h"

#include <fmt/format.h>

#include "picklock/client.h"
#include "scenarios/verbs/kind.h"

namespace picklock::verbs {
namespace {

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

// A message from one server to another is never a step.
std::string message_of_no_step(const std::string& sender, const sim::Trigger& trigger) {
  const auto is_client = [](std::string_view process) {
    return takes_steps(process) || process == "clients";
  };
  const bool among_servers = !trigger.on.empty() && !is_client(sender) && !is_client(trigger.on);
  return fmt::format(
      "{}'s{} message{}{}", sender, trigger.nth > 1 ? " " + ordinal(trigger.nth) : "",
      among_servers ? "" : " of no step", trigger.on.empty() ? "" : " to " + trigger.on);
}

}  // namespace

std::string message(const sim::Fault& fault) {
  const sim::Trigger& trigger = fault.trigger;
  if (trigger.is_message()) return message_of_no_step(fault.target, trigger);
  const bool of_client = takes_steps(fault.target);
  const std::string& whose = trigger.by.empty() && of_client ? fault.target : trigger.by;
  const std::string& server = of_client ? trigger.on : fault.target;
  std::string text = trigger.phase == sim::Phase::applied ? "the answer to " : "";
  text += step(trigger, whose);
  if (!server.empty()) text += fmt::format(" at {}", server);
  return text;
}

std::string lasting(const sim::Fault& fault, std::string_view word) {
  return fault.lasts ? fmt::format(" {} {}", word, duration(*fault.lasts)) : std::string();
}

std::string percent(std::int64_t ppb) { return decimal(ppb, kSecond / 100, 7) + "%"; }

std::string seconds(std::int64_t nanoseconds) { return decimal(nanoseconds, kSecond, 9); }

std::string duration(sim::Duration length) {
  const std::int64_t ns = length.count();
  const std::int64_t size = ns < 0 ? -(ns + 1) : ns;
  if (ns == 0 || size >= kSecond - (ns < 0)) return decimal(ns, kSecond, 9) + "s";
  if (size >= kMillisecond - (ns < 0)) return decimal(ns, kMillisecond, 6) + "ms";
  if (size >= 1'000 - (ns < 0)) return decimal(ns, 1'000, 3) + "us";
  return fmt::format("{}ns", ns);
}

std::string fault(const sim::Fault& fault) {
  const Phrase words = kind_of(fault.verb).told(fault);
  const std::string what = words.deed + words.amount;
  if (!words.timed) return what + words.outcome;
  const std::string_view comma = words.amount.empty() && words.deed.find(',') == std::string::npos
                                     ? ""
                                 : fault.trigger.at ? ""
                                                    : ",";
  return fmt::format("{}{} {}{}", what, comma, trigger(fault.trigger, fault.target), words.outcome);
}

std::string mark(std::string_view name) { return fmt::format("its mark \"{}\"", name); }

std::string list(const std::vector<std::string>& words, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += i == 0 ? "" : i + 1 < words.size() ? ", " : fmt::format(" {} ", last);
    out += words[i];
  }
  return out;
}

}  // namespace picklock::verbs
