#include "models/redis/lua_struct.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <lua.hpp>
#include <string>
#include <string_view>

#include "models/redis/lua_values.h"

namespace picklock::redis {
namespace {

constexpr int kLongestInteger = 32;
constexpr std::size_t kWord = sizeof(std::uint64_t);

constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

std::uint64_t bits_of(lua_Number number) {
  constexpr lua_Number kHalf = 9223372036854775808.0;
  if (number < 0)
    return static_cast<std::uint64_t>(number > -kHalf ? static_cast<std::int64_t>(number)
                                                      : INT64_MIN);
  if (number < 2 * kHalf) return static_cast<std::uint64_t>(number);
  return number >= 2 * kHalf ? 0 : std::uint64_t{1} << 63;  // the last one is no number
}

// One item of a format, and its position in the bytes.
struct Item {
  char kind = 0;
  std::size_t size = 0;
  std::size_t padding = 0;
};

class Format {
 public:
  explicit Format(lua_State* lua) : lua_(lua), rest_(luaL_checkstring(lua, 1)) {}

  bool little() const { return little_; }

  // The next item at this position. False: there is none.
  bool next(std::size_t position, Item& item) {
    if (*rest_ == '\0') return false;
    item.kind = *rest_++;
    item.size = size_of(item.kind);
    const bool free = item.size == 0 || item.kind == 'c';
    const std::size_t unit = std::min(item.size, alignment_);
    item.padding = free ? 0 : (unit - (position & (unit - 1))) & (unit - 1);
    return true;
  }

  // Handles an option that sets the layout of the items after it.
  void control(char option) {
    switch (option) {
      case ' ':
        return;
      case '>':
        little_ = false;
        return;
      case '<':
        little_ = true;
        return;
      case '!': {
        constexpr int kMost = alignof(std::max_align_t) / 2;
        const int wanted = number(kMost);
        if (wanted <= 0 || (wanted & (wanted - 1)) != 0)
          luaL_error(lua_, "alignment %d is not a power of 2", wanted);
        alignment_ = static_cast<std::size_t>(wanted);
        return;
      }
      default:
        luaL_argerror(lua_, 1, lua_pushfstring(lua_, "invalid format option '%c'", option));
    }
  }

 private:
  int number(int otherwise) {
    if (!is_digit(*rest_)) return otherwise;
    int value = 0;
    while (is_digit(*rest_)) {
      const int digit = *rest_++ - '0';
      if (value > (INT_MAX - digit) / 10) luaL_error(lua_, "integral size overflow");
      value = value * 10 + digit;
    }
    return value;
  }

  std::size_t size_of(char kind) {
    switch (kind) {
      case 'B':
      case 'b':
      case 'x':
        return 1;
      case 'H':
      case 'h':
        return sizeof(std::int16_t);
      case 'f':
        return sizeof(float);
      case 'L':
      case 'l':
      case 'T':
      case 'd':
        return kWord;
      case 'c':
        return static_cast<std::size_t>(number(1));
      case 'i':
      case 'I': {
        const int size = number(sizeof(int));
        if (size > kLongestInteger) {
          luaL_error(lua_, "integral size %d is larger than limit of %d", size, kLongestInteger);
        }
        return static_cast<std::size_t>(size);
      }
      default:
        return 0;
    }
  }

  lua_State* lua_;
  const char* rest_;
  bool little_ = true;
  std::size_t alignment_ = 1;
};

void append_integer(std::string& bytes, std::uint64_t value, std::size_t size, bool little) {
  const std::size_t begin = bytes.size();
  for (std::size_t i = 0; i < size; ++i)
    bytes += i < kWord ? static_cast<char>((value >> (8 * i)) & 0xff) : '\0';
  if (!little) std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end());
}

std::uint64_t integer_in(std::string_view bytes, bool little) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char byte = little ? bytes[bytes.size() - 1 - i] : bytes[i];
    value = (value << 8) | static_cast<unsigned char>(byte);
  }
  return value;
}

lua_Number as_number(std::uint64_t value, std::size_t size, bool is_signed) {
  if (!is_signed) return static_cast<lua_Number>(value);
  const std::uint64_t sign = ~std::uint64_t{0} << ((size * 8 - 1) % 64);
  if ((value & sign) != 0) value |= sign;
  return static_cast<lua_Number>(static_cast<std::int64_t>(value));
}

int struct_pack(lua_State* lua) {
  Format format(lua);
  lua_pushnil(lua);  // what a missing argument is
  std::string bytes;
  int argument = 2;
  Item item;
  while (format.next(bytes.size(), item)) {
    bytes.append(item.padding, '\0');
    switch (item.kind) {
      case 'b':
      case 'B':
      case 'h':
      case 'H':
      case 'l':
      case 'L':
      case 'T':
      case 'i':
      case 'I':
        append_integer(bytes, bits_of(luaL_checknumber(lua, argument++)), item.size,
                       format.little());
        break;
      case 'x':
        bytes += '\0';
        break;
      case 'f': {
        const auto value = static_cast<float>(luaL_checknumber(lua, argument++));
        append_integer(bytes, std::bit_cast<std::uint32_t>(value), item.size, format.little());
        break;
      }
      case 'd': {
        const double value = luaL_checknumber(lua, argument++);
        append_integer(bytes, std::bit_cast<std::uint64_t>(value), item.size, format.little());
        break;
      }
      case 'c':
      case 's': {
        std::size_t length = 0;
        const char* text = luaL_checklstring(lua, argument++, &length);
        const std::size_t size = item.size == 0 ? length : item.size;
        luaL_argcheck(lua, length >= size, argument, "string too short");
        bytes.append(text, size);
        if (item.kind == 's') bytes += '\0';
        break;
      }
      default:
        format.control(item.kind);
    }
  }
  push_string(lua, bytes);
  return 1;
}

int struct_unpack(lua_State* lua) {
  Format format(lua);
  std::size_t length = 0;
  const char* text = luaL_checklstring(lua, 2, &length);
  const std::string_view data(text, length);
  auto position = static_cast<std::size_t>(luaL_optinteger(lua, 3, 1));
  luaL_argcheck(lua, position > 0, 3, "offset must be 1 or greater");
  --position;
  const auto take = [&](std::size_t size) {
    luaL_argcheck(lua, size <= length && position <= length - size, 2, "data string too short");
    return data.substr(position, size);
  };
  int results = 0;
  Item item;
  while (format.next(position, item)) {
    position += item.padding;
    const std::string_view bytes = take(item.size);
    luaL_checkstack(lua, 2, "too many results");
    switch (item.kind) {
      case 'b':
      case 'B':
      case 'h':
      case 'H':
      case 'l':
      case 'L':
      case 'T':
      case 'i':
      case 'I':
        lua_pushnumber(lua,
                       as_number(integer_in(bytes, format.little()), item.size, item.kind >= 'a'));
        ++results;
        break;
      case 'x':
        break;
      case 'f':
        lua_pushnumber(lua, std::bit_cast<float>(
                                static_cast<std::uint32_t>(integer_in(bytes, format.little()))));
        ++results;
        break;
      case 'd':
        lua_pushnumber(lua, std::bit_cast<double>(integer_in(bytes, format.little())));
        ++results;
        break;
      case 'c':
        if (item.size == 0) {
          if (results == 0 || lua_isnumber(lua, -1) == 0)
            luaL_error(lua, "format 'c0' needs a previous size");
          item.size = static_cast<std::size_t>(bits_of(lua_tonumber(lua, -1)));
          lua_pop(lua, 1);
          --results;
        }
        push_string(lua, take(item.size));
        ++results;
        break;
      case 's': {
        const std::size_t end = data.find('\0', position);
        if (end == std::string_view::npos) luaL_error(lua, "unfinished string in data");
        item.size = end + 1 - position;
        push_string(lua, data.substr(position, item.size - 1));
        ++results;
        break;
      }
      default:
        format.control(item.kind);
    }
    position += item.size;
  }
  lua_pushinteger(lua, static_cast<lua_Integer>(position + 1));
  return results + 1;
}

int size(lua_State* lua) {
  Format format(lua);
  std::size_t position = 0;
  Item item;
  while (format.next(position, item)) {
    if (item.kind == 's') luaL_argerror(lua, 1, "option 's' has no fixed size");
    if (item.kind == 'c' && item.size == 0) luaL_argerror(lua, 1, "option 'c0' has no fixed size");
    const bool letter =
        (item.kind >= 'a' && item.kind <= 'z') || (item.kind >= 'A' && item.kind <= 'Z');
    if (!letter && !is_digit(item.kind)) format.control(item.kind);
    position += item.padding + item.size;
  }
  lua_pushinteger(lua, static_cast<lua_Integer>(position));
  return 1;
}

}  // namespace

void push_struct_library(lua_State* lua) {
  lua_newtable(lua);
  lua_pushcfunction(lua, struct_pack);
  lua_setfield(lua, -2, "pack");
  lua_pushcfunction(lua, struct_unpack);
  lua_setfield(lua, -2, "unpack");
  lua_pushcfunction(lua, size);
  lua_setfield(lua, -2, "size");
}

}  // namespace picklock::redis
