#include "scenarios/duration_text.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace picklock::scenarios {
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

std::string to_text(sim::Duration length) {
  const std::int64_t count = length.count();
  for (std::size_t i = 4; i-- > 1;) {
    if (count % kUnits[i].nanoseconds == 0) {
      return fmt::format("{}{}", count / kUnits[i].nanoseconds, kUnits[i].name);
    }
  }
  return fmt::format("{}ns", count);
}

}  // namespace picklock::scenarios
