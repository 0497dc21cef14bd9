// Numbers as text, read and written as Redis 7.0 does, with equal results on every machine: no
// libm, no locale.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace picklock::redis {

// Reads digits, perhaps behind a minus. By hand: std::from_chars cost 3 % of a tiny run.
bool read_integer(std::string_view text, std::int64_t& value);
// Reads an integer as strictly as Redis: no plus sign, no leading zero, no blank (R5).
bool strict_integer(std::string_view text, std::int64_t& value);

// Reads a whole number of 15 bytes at most, which a double holds exactly. False: it is another
// number, or none.
bool read_whole(std::string_view text, double& value);

// Reads a score: any text that C's strtod reads completely, including hexadecimal and "inf", but
// without a leading blank, not out of range, and no NaN.
bool strict_double(std::string_view text, double& value);

// The same in the machine's own long double, as INCRBYFLOAT reads, adds and writes: x86 has 64 bits
// of it, other machines have fewer or more.
bool strict_long_double(std::string_view text, long double& value);
// Writes up to 17 digits behind the point, and no zeros at the end.
void write_long_double(long double value, std::string& text);

// Reads a bound of a range of scores, which is less strict. It may have leading blanks, is infinite
// if too large and 0 if too small or empty, and ends at the first zero byte.
bool lax_double(std::string_view text, double& value);

// Writes a number as C's "%.17g" does; strict_double reads the same value.
using NumberText = std::array<char, 32>;
std::string_view text_of(double value, NumberText& text);
void write_double(double value, std::string& text);

inline bool is_finite(long double value) { return value - value == 0; }

// An integer as text, without an allocation.
class Digits {
 public:
  explicit Digits(std::int64_t number)
      : size_(static_cast<std::size_t>(
            std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr - text_.data())) {}
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 20> text_;
  std::size_t size_;
};

}  // namespace picklock::redis
