// Numbers as text, read and written as Redis 7.0 does it, alike on every machine: no libm, no
// locale.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace picklock::redis {

// Redis's own strictness: no plus sign, no leading zero, no blank (R5).
bool strict_integer(std::string_view text, std::int64_t& value);

// A score: whatever C's strtod takes whole, hexadecimal and "inf" included, but no blank before it,
// nothing too large or too small, and no NaN.
bool strict_double(std::string_view text, double& value);

// A bound of a range of scores, which is laxer: blanks before it, infinite if too large, 0 if too
// small or empty, and it ends at the first zero byte.
bool lax_double(std::string_view text, double& value);

// As C's "%.17g" writes it, and so that strict_double reads the same value.
void write_double(double value, std::string& text);

// An integer as text, without memory of its own.
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
