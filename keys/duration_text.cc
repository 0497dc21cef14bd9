#include "keys/duration_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "keys/bad_input.h"

namespace picklock::keys {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds = 1;
};

constexpr std::array<Unit, 6> kUnits = {{{"ns", 1},
                                         {"us", 1'000},
                                         {"ms", 1'000'000},
                                         {"s", 1'000'000'000},
                                         {"m", 60'000'000'000},
                                         {"h", 3'600'000'000'000}}};

std::string_view take_digits(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && text[size] >= '0' && text[size] <= '9') ++size;
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

// The unit that is written as `word` elsewhere: "sec", " S" and "seconds" are "s". Empty: none.
std::string_view unit_meant_by(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
      {"nsec", "ns"},    {"nanosecond", "ns"},  {"usec", "us"}, {"\u00b5s", "us"},
      {"\u03bcs", "us"}, {"microsecond", "us"}, {"msec", "ms"}, {"millisecond", "ms"},
      {"sec", "s"},      {"second", "s"},       {"min", "m"},   {"minute", "m"},
      {"hr", "h"},       {"hour", "h"}};
  std::string folded;
  for (const char c : word.substr(0, 20)) {
    if (c != ' ') folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const Unit& unit : kUnits) {
    if (folded == unit.name) return unit.name;
  }
  for (const auto& [spelling, unit] : kSpellings) {
    if (folded == spelling || folded == fmt::format("{}s", spelling)) return unit;
  }
  return {};
}

}  // namespace

std::optional<sim::Duration> duration_from(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::string_view whole = take_digits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
    if (fraction.empty()) return std::nullopt;
  }
  if (whole.empty()) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (text != unit.name) continue;
    const std::int64_t most = kLongest.count();
    std::int64_t total = 0;
    for (const char digit : whole) {
      const std::int64_t value = (digit - '0') * unit.nanoseconds;
      if (total > (most - value) / 10) return std::nullopt;
      total = total * 10 + value;
    }
    std::int64_t place = unit.nanoseconds;
    for (const char digit : fraction) {
      if (digit != '0' && place % 10 != 0) return std::nullopt;
      place /= 10;
      total += (digit - '0') * place;
    }
    if (total > most) return std::nullopt;
    return sim::Duration(negative ? -total : total);
  }
  return std::nullopt;
}

std::string duration_problem(std::string_view text) {
  const std::string shown = printable(text);
  std::string_view rest = text.substr(text.starts_with('-') ? 1 : 0);
  const std::string_view whole = take_digits(rest);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    take_digits(rest);
  }
  const std::string_view number = text.substr(0, text.size() - rest.size());
  std::vector<std::string_view> units;
  units.reserve(kUnits.size());
  for (const Unit& unit : kUnits) units.push_back(unit.name);
  const std::string known = fmt::format("the units are {}", fmt::join(units, ", "));
  const std::string usual = fmt::format("must be a duration such as \"1.5s\", not \"{}\"", shown);
  if (whole.empty() || number.ends_with('.')) return fmt::format("{}; {}", usual, known);
  if (rest.empty())
    return fmt::format("must have a unit, as in \"{}s\", not \"{}\"; {}", shown, shown, known);
  if (std::find(units.begin(), units.end(), rest) != units.end()) {
    const auto without_fraction = duration_from(fmt::format("{}{}", whole, rest));
    return without_fraction && *without_fraction < kLongest
               ? fmt::format("must be a whole number of nanoseconds, not \"{}\"", shown)
               : fmt::format("must be at most 100 years, not \"{}\"", shown);
  }
  const std::string_view unit = unit_meant_by(rest);
  if (unit.empty()) return fmt::format("{}; {}", usual, known);
  return fmt::format("{}; did you mean `{}{}`?", usual, printable(number), unit);
}

std::string in_seconds(sim::Duration length) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const std::int64_t count = length.count();
  const std::uint64_t size =
      count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  std::string digits = fmt::format("{}.{:09}", size / kSecond, size % kSecond);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return fmt::format("{}{}s", count < 0 ? "-" : "", digits);
}

std::string to_text(sim::Duration length) {
  const std::int64_t count = length.count();
  for (std::size_t i = 4; i-- > 1;) {
    if (count % kUnits[i].nanoseconds == 0) {
      return fmt::format("{}{}", count / kUnits[i].nanoseconds, kUnits[i].name);
    }
  }
  return fmt::format("{}ns", count);
}

}  // namespace picklock::keys
