#include "keys/bad_input.h"

#include <fmt/format.h>

#include <cstdint>

namespace picklock::keys {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;  // in bytes; 0: these bytes are not UTF-8
};

CodePoint first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  std::uint32_t value = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    value = value << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kSmallest[size] || value > 0x10ffff || surrogate) return {};
  return {value, size};
}

// Controls, and the marks that make a terminal reorder or hide the rest of the line.
bool prints(std::uint32_t value) {
  const auto within = [value](std::uint32_t low, std::uint32_t high) {
    return value >= low && value <= high;
  };
  return !(value < 0x20 || within(0x7f, 0x9f) || value == 0xad || within(0x200b, 0x200f) ||
           within(0x2028, 0x202e) || within(0x2060, 0x206f) || value == 0xfeff ||
           within(0xfff0, 0xffff) || value >= 0xe0000);
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = first_of(text);
    if (point.size == 0) return false;
    text.remove_prefix(point.size);
  }
  return true;
}

std::string printable(std::string_view text, std::size_t at_most) {
  std::string line;
  for (std::size_t width = 0; !text.empty();) {
    const CodePoint point = first_of(text);
    std::string piece;
    if (point.size == 0) {
      piece = fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (point.value == '\n') {
      piece = "\\n";
    } else if (point.value == '\t') {
      piece = "\\t";
    } else if (prints(point.value)) {
      piece = text.substr(0, point.size);
    } else if (point.value < 0x80) {
      piece = fmt::format("\\x{:02x}", point.value);
    } else {
      piece = fmt::format("\\u{:04x}", point.value);
    }
    width += point.value >= 0x80 && prints(point.value) ? 1 : piece.size();
    if (width > at_most) return line + "...";
    line += piece;
    text.remove_prefix(point.size == 0 ? 1 : point.size);
  }
  return line;
}

}  // namespace picklock::keys
