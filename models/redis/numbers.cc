#include "models/redis/numbers.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <system_error>

namespace picklock::redis {
namespace {

bool is_blank(char letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }

int digit_of(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return 16;
}

// Tells whether a number out of the range of a double is too large and not too small, by its
// exponent and the place of its first digit that is not 0.
bool too_large(std::string_view number, bool hexadecimal) {
  const int base = hexadecimal ? 16 : 10;
  bool started = false;
  bool fraction = false;
  std::int64_t place = 0;
  std::size_t at = 0;
  for (; at < number.size(); ++at) {
    if (number[at] == '.') {
      fraction = true;
      continue;
    }
    const int digit = digit_of(number[at]);
    if (digit >= base) break;
    if (digit != 0) started = true;
    if (!fraction && started) ++place;
    if (fraction && !started) --place;
  }
  if (hexadecimal) place *= 4;
  if (at == number.size()) return place > 0;
  std::string_view exponent = number.substr(at + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  const bool negative = exponent.starts_with('-');
  std::int64_t power = 0;
  const auto read = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
  if (read.ec == std::errc::result_out_of_range) return !negative;
  return place + power > 0;
}

// A double holds every whole number of so many digits. Nearly all numbers of scripts and scores are
// like that, and are read and written faster as integers.
constexpr std::size_t kWholeDigits = 15;

bool is_whole(double value) {
  constexpr double kMost = 1e15;
  if (!(value > -kMost && value < kMost)) return false;
  const auto whole = static_cast<std::int64_t>(value);
  const bool is_minus_zero = whole == 0 && std::bit_cast<std::uint64_t>(value) != 0;
  return static_cast<double>(whole) == value && !is_minus_zero;
}

template <typename Float>
struct Read {
  Float value = 0;
  std::size_t used = 0;  // bytes; 0: this is no number
  bool outside = false;  // infinite or 0 because it is out of range
};

// As C's strtod and strtold.
template <typename Float>
Read<Float> read_number(std::string_view text) {
  if (double whole = 0; read_whole(text, whole)) return {static_cast<Float>(whole), text.size()};
  std::size_t at = 0;
  while (at < text.size() && is_blank(text[at])) ++at;
  const bool negative = at < text.size() && text[at] == '-';
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  std::string_view number = text.substr(at);
  // Signs and prefixes are ours to read: from_chars takes a minus too.
  if (number.starts_with('-')) return {};
  const auto hexadecimal_digit = [&](std::size_t i) {
    return i < number.size() && digit_of(number[i]) < 16;
  };
  const bool hexadecimal = number.size() > 2 && number[0] == '0' &&
                           (number[1] == 'x' || number[1] == 'X') &&
                           (hexadecimal_digit(2) || (number[2] == '.' && hexadecimal_digit(3)));
  if (hexadecimal) {
    number.remove_prefix(2);
    at += 2;
  }
  Read<Float> read;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), read.value,
                      hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (error == std::errc::invalid_argument) return {};
  const auto length = static_cast<std::size_t>(end - number.data());
  read.used = at + length;
  if (error == std::errc::result_out_of_range) {
    read.outside = true;
    read.value = too_large(number.substr(0, length), hexadecimal)
                     ? std::numeric_limits<Float>::infinity()
                     : 0;
  }
  if (negative) read.value = -read.value;
  return read;
}

template <typename Float>
bool read_strictly(std::string_view text, Float& value) {
  if (text.empty() || is_blank(text[0])) return false;
  const Read<Float> read = read_number<Float>(text);
  if (read.used != text.size() || read.outside || read.value != read.value) return false;
  value = read.value;
  return true;
}

}  // namespace

bool read_integer(std::string_view text, std::int64_t& value) {
  constexpr std::size_t kCannotOverflow = 18;
  if (text.size() > kCannotOverflow) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }
  const bool negative = !text.empty() && text[0] == '-';
  if (text.size() == (negative ? 1 : 0)) return false;
  std::int64_t read = 0;
  for (std::size_t i = negative ? 1 : 0; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    read = read * 10 + (text[i] - '0');
  }
  value = negative ? -read : read;
  return true;
}

bool read_whole(std::string_view text, double& value) {
  std::int64_t whole = 0;
  if (text.size() > kWholeDigits || !read_integer(text, whole)) return false;
  if (whole == 0 && text[0] == '-') return false;  // an integer has no minus zero
  value = static_cast<double>(whole);
  return true;
}

bool strict_integer(std::string_view text, std::int64_t& value) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const bool leading_zero = text.size() > 1 && first < text.size() && text[first] == '0';
  return !leading_zero && read_integer(text, value);
}

bool strict_double(std::string_view text, double& value) { return read_strictly(text, value); }

bool strict_long_double(std::string_view text, long double& value) {
  return read_strictly(text, value);
}

void write_long_double(long double value, std::string& text) {
  std::array<char, 5200> digits{};  // the largest has 4,933 before the point
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                     std::chars_format::fixed, 17);
  text.assign(digits.data(), written.ptr);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  if (text == "-0") text = "0";
}

bool lax_double(std::string_view text, double& value) {
  text = text.substr(0, text.find('\0'));
  const Read<double> read = read_number<double>(text);
  if (read.used != text.size() || read.value != read.value) return false;
  value = read.value;
  return true;
}

std::string_view text_of(double value, NumberText& text) {
  constexpr int kDigits = 17;
  char* const begin = text.data();
  char* const end = begin + text.size();
  const char* const written =
      is_whole(value) ? std::to_chars(begin, end, static_cast<std::int64_t>(value)).ptr
                      : std::to_chars(begin, end, value, std::chars_format::general, kDigits).ptr;
  return {begin, static_cast<std::size_t>(written - begin)};
}

void write_double(double value, std::string& text) {
  NumberText written;
  text.assign(text_of(value, written));
}

}  // namespace picklock::redis
