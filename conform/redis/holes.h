// The holes of patterns that take one of a few words, or one of a few patterns.
#pragma once

#include <span>
#include <string_view>

namespace picklock::conform::redis {

// Filled with one of a few words, occasionally a bad one. A hole can be left empty, `{x?}`, or
// filled several times, `{x+}`, or both, `{x*}`.
struct Choice {
  std::string_view hole;
  std::span<const std::string_view> good;
  std::span<const std::string_view> bad;
};

// Filled with one of a few patterns, which have holes of their own.
struct Form {
  std::string_view hole;
  std::span<const std::string_view> patterns;
};

std::span<const Choice> choices();
std::span<const Form> forms();

// Words that are drawn for other holes too.
inline constexpr std::string_view kOddKeys[] = {"k6", "K1", "", std::string_view("a\r\n\0\xff", 5)};
inline constexpr std::string_view kIntegers[] = {"1", "1", "2", "-1", "0", "10", "100", "-3"};
// Texts that are almost integers, and the limits (R5, R102).
inline constexpr std::string_view kNearIntegers[] = {"9223372036854775807",
                                                     "-9223372036854775808",
                                                     "9223372036854775808",
                                                     "-9223372036854775809",
                                                     "abc",
                                                     "1.0",
                                                     "1.5",
                                                     " 1",
                                                     "1 ",
                                                     "+1",
                                                     "01",
                                                     "-0",
                                                     "-01",
                                                     "0x10",
                                                     "1e3",
                                                     ""};

}  // namespace picklock::conform::redis
