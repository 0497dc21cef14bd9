#include "models/redis/lua_pattern.h"

#include <array>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <lua.hpp>
#include <string>
#include <string_view>

#include "models/redis/lua_run.h"
#include "models/redis/lua_values.h"

namespace picklock::redis {
namespace {

constexpr char kEscape = '%';
// Limit of nested attempts, one for each item that may match in several ways, so that they fit on
// the stack of a server. The library's own functions have no limit but the end of their stack.
constexpr int kMostItems = 1000;

unsigned char byte(char letter) { return static_cast<unsigned char>(letter); }

bool in_class(unsigned char letter, char name) {
  bool is = false;
  switch (std::tolower(byte(name))) {
    case 'a':
      is = std::isalpha(letter) != 0;
      break;
    case 'c':
      is = std::iscntrl(letter) != 0;
      break;
    case 'd':
      is = std::isdigit(letter) != 0;
      break;
    case 'l':
      is = std::islower(letter) != 0;
      break;
    case 'p':
      is = std::ispunct(letter) != 0;
      break;
    case 's':
      is = std::isspace(letter) != 0;
      break;
    case 'u':
      is = std::isupper(letter) != 0;
      break;
    case 'w':
      is = std::isalnum(letter) != 0;
      break;
    case 'x':
      is = std::isxdigit(letter) != 0;
      break;
    case 'z':
      is = letter == 0;
      break;
    default:
      return byte(name) == letter;
  }
  return std::islower(byte(name)) != 0 ? is : !is;
}

// `set` is at the opening bracket, `end` at the closing one.
bool in_set(unsigned char letter, const char* set, const char* end) {
  bool found = true;
  if (set[1] == '^') {
    found = false;
    ++set;
  }
  while (++set < end) {
    if (*set == kEscape) {
      if (in_class(letter, *++set)) return found;
    } else if (set[1] == '-' && set + 2 < end) {
      set += 2;
      if (byte(set[-2]) <= letter && letter <= byte(*set)) return found;
    } else if (byte(*set) == letter) {
      return found;
    }
  }
  return !found;
}

bool fits(unsigned char letter, const char* item, const char* item_end) {
  switch (*item) {
    case '.':
      return true;
    case kEscape:
      return in_class(letter, item[1]);
    case '[':
      return in_set(letter, item, item_end - 1);
    default:
      return byte(*item) == letter;
  }
}

// A pattern ends at its first zero byte; a subject has one after its end.
class Matcher {
 public:
  Matcher(lua_State* lua, std::string_view subject)
      : lua_(lua),
        run_(ScriptRun::of(lua)),
        begin_(subject.data()),
        end_(begin_ + subject.size()) {}
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  const char* end() const { return end_; }

  // Returns the end of a match that begins at `at`; nullptr: there is none.
  const char* match_at(const char* at, const char* pattern) {
    captures_ = 0;
    const char* const match = this->match(at, pattern);
    if (steps_ >= kSteps) pay();
    return match;
  }

  // Pushes the captures of a match from `at` to `end`; the whole match if there are none.
  int push_captures(const char* at, const char* end) {
    const int count = captures_ == 0 && at != nullptr ? 1 : captures_;
    luaL_checkstack(lua_, count, "too many captures");
    for (int i = 0; i < count; ++i) push_capture(i, at, end);
    return count;
  }
  void push_capture(int index, const char* at, const char* end) {
    if (index >= captures_) {
      if (index != 0) luaL_error(lua_, "invalid capture index");
      lua_pushlstring(lua_, at, static_cast<std::size_t>(end - at));
      return;
    }
    const Capture& capture = captured_[static_cast<std::size_t>(index)];
    if (capture.size == kUnfinished) luaL_error(lua_, "unfinished capture");
    if (capture.size == kPosition) {
      lua_pushinteger(lua_, capture.at - begin_ + 1);
    } else {
      lua_pushlstring(lua_, capture.at, static_cast<std::size_t>(capture.size));
    }
  }

 private:
  static constexpr std::ptrdiff_t kUnfinished = -1;
  static constexpr std::ptrdiff_t kPosition = -2;
  static constexpr std::size_t kSteps = 256;  // charged together

  struct Capture {
    const char* at = nullptr;
    std::ptrdiff_t size = 0;
  };

  void step() {
    if (++steps_ >= kSteps) pay();
  }
  void pay() {
    run_.charge(lua_, steps_);
    steps_ = 0;
  }

  const char* match(const char* at, const char* pattern) {
    if (++depth_ > kMostItems) luaL_error(lua_, "pattern too complex");
    const char* const found = match_here(at, pattern);
    --depth_;
    return found;
  }

  const char* match_here(const char* at, const char* pattern) {
    for (;;) {
      step();
      switch (*pattern) {
        case '(':
          return pattern[1] == ')' ? open_capture(at, pattern + 2, kPosition)
                                   : open_capture(at, pattern + 1, kUnfinished);
        case ')':
          return close_capture(at, pattern + 1);
        case '\0':
          return at;
        case '$':
          if (pattern[1] == '\0') return at == end_ ? at : nullptr;
          break;
        case kEscape: {
          const char kind = pattern[1];
          const bool special = kind == 'b' || kind == 'f' || std::isdigit(byte(kind)) != 0;
          if (!special) break;
          at = kind == 'b'   ? balanced(at, pattern)
               : kind == 'f' ? frontier(at, pattern)
                             : captured_again(at, pattern);
          if (at == nullptr) return nullptr;
          continue;
        }
        default:
          break;
      }
      const char* const item_end = end_of_item(pattern);
      const bool fitting = at < end_ && fits(byte(*at), pattern, item_end);
      switch (*item_end) {
        case '?':
          if (fitting) {
            if (const char* found = match(at + 1, item_end + 1)) return found;
          }
          pattern = item_end + 1;
          continue;
        case '*':
          return most(at, pattern, item_end);
        case '+':
          return fitting ? most(at + 1, pattern, item_end) : nullptr;
        case '-':
          return fewest(at, pattern, item_end);
        default:
          if (!fitting) return nullptr;
          ++at;
          pattern = item_end;
      }
    }
  }

  const char* end_of_item(const char* pattern) {
    switch (*pattern++) {
      case kEscape:
        if (*pattern == '\0') luaL_error(lua_, "malformed pattern (ends with '%%')");
        return pattern + 1;
      case '[':
        if (*pattern == '^') ++pattern;
        do {
          if (*pattern == '\0') luaL_error(lua_, "malformed pattern (missing ']')");
          if (*pattern++ == kEscape && *pattern != '\0') ++pattern;
        } while (*pattern != ']');
        return pattern + 1;
      default:
        return pattern;
    }
  }

  const char* most(const char* at, const char* item, const char* item_end) {
    std::ptrdiff_t count = 0;
    while (at + count < end_ && fits(byte(at[count]), item, item_end)) {
      ++count;
      step();
    }
    for (; count >= 0; --count) {
      if (const char* found = match(at + count, item_end + 1)) return found;
    }
    return nullptr;
  }

  const char* fewest(const char* at, const char* item, const char* item_end) {
    for (;; ++at) {
      if (const char* found = match(at, item_end + 1)) return found;
      if (at >= end_ || !fits(byte(*at), item, item_end)) return nullptr;
    }
  }

  // Each of the next three functions moves `pattern` past its item.
  const char* balanced(const char* at, const char*& pattern) {
    const char open = pattern[2];
    if (open == '\0' || pattern[3] == '\0') luaL_error(lua_, "unbalanced pattern");
    const char close = pattern[3];
    pattern += 4;
    if (*at != open) return nullptr;
    int depth = 1;
    while (++at < end_) {
      step();
      if (*at == close) {
        if (--depth == 0) return at + 1;
      } else if (*at == open) {
        ++depth;
      }
    }
    return nullptr;
  }
  const char* frontier(const char* at, const char*& pattern) {
    pattern += 2;
    if (*pattern != '[') luaL_error(lua_, "missing '[' after '%%f' in pattern");
    const char* const set = pattern;
    pattern = end_of_item(pattern);
    const char before = at == begin_ ? '\0' : at[-1];
    return !in_set(byte(before), set, pattern - 1) && in_set(byte(*at), set, pattern - 1) ? at
                                                                                          : nullptr;
  }
  const char* captured_again(const char* at, const char*& pattern) {
    const int index = pattern[1] - '1';
    pattern += 2;
    if (index < 0 || index >= captures_ ||
        captured_[static_cast<std::size_t>(index)].size == kUnfinished) {
      luaL_error(lua_, "invalid capture index");
    }
    const Capture& capture = captured_[static_cast<std::size_t>(index)];
    const auto size = static_cast<std::size_t>(capture.size);
    if (static_cast<std::size_t>(end_ - at) < size || std::memcmp(capture.at, at, size) != 0)
      return nullptr;
    return at + size;
  }

  const char* open_capture(const char* at, const char* pattern, std::ptrdiff_t size) {
    if (captures_ >= static_cast<int>(captured_.size())) luaL_error(lua_, "too many captures");
    captured_[static_cast<std::size_t>(captures_)] = {at, size};
    ++captures_;
    const char* const found = match(at, pattern);
    if (found == nullptr) --captures_;
    return found;
  }
  const char* close_capture(const char* at, const char* pattern) {
    int index = captures_ - 1;
    while (index >= 0 && captured_[static_cast<std::size_t>(index)].size != kUnfinished) --index;
    if (index < 0) luaL_error(lua_, "invalid pattern capture");
    Capture& capture = captured_[static_cast<std::size_t>(index)];
    capture.size = at - capture.at;
    const char* const found = match(at, pattern);
    if (found == nullptr) capture.size = kUnfinished;
    return found;
  }

  lua_State* lua_;
  ScriptRun& run_;
  const char* begin_;
  const char* end_;
  int depth_ = 0;
  int captures_ = 0;
  std::size_t steps_ = 0;
  std::array<Capture, LUA_MAXCAPTURES> captured_;
};

std::string_view checked_string(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, index, &size);
  return {text, size};
}

int find_or_match(lua_State* lua, bool find) {
  const std::string_view subject = checked_string(lua, 1);
  const std::string_view pattern = checked_string(lua, 2);
  const auto size = static_cast<std::ptrdiff_t>(subject.size());
  std::ptrdiff_t from = luaL_optinteger(lua, 3, 1);
  if (from < 0) from += size + 1;
  from = from < 1 ? 0 : from > size ? size : from - 1;
  const bool plain =
      lua_toboolean(lua, 4) != 0 || std::strpbrk(pattern.data(), "^$*+?.([%-") == nullptr;
  if (find && plain) {
    constexpr std::size_t kBytesAnInstruction = 32;
    ScriptRun::of(lua).charge(lua, subject.size() / kBytesAnInstruction);
    const std::size_t at = subject.find(pattern, static_cast<std::size_t>(from));
    if (at == std::string_view::npos) {
      lua_pushnil(lua);
      return 1;
    }
    lua_pushinteger(lua, static_cast<lua_Integer>(at + 1));
    lua_pushinteger(lua, static_cast<lua_Integer>(at + pattern.size()));
    return 2;
  }
  const bool anchored = pattern.data()[0] == '^';
  const char* const items = pattern.data() + (anchored ? 1 : 0);
  Matcher matcher(lua, subject);
  for (const char* at = subject.data() + from; at <= matcher.end(); ++at) {
    if (const char* end = matcher.match_at(at, items)) {
      if (!find) return matcher.push_captures(at, end);
      lua_pushinteger(lua, at - subject.data() + 1);
      lua_pushinteger(lua, end - subject.data());
      return matcher.push_captures(nullptr, nullptr) + 2;
    }
    if (anchored) break;
  }
  lua_pushnil(lua);
  return 1;
}

int find(lua_State* lua) { return find_or_match(lua, true); }
int match(lua_State* lua) { return find_or_match(lua, false); }

int next_match(lua_State* lua) {
  const std::string_view subject = string_at(lua, lua_upvalueindex(1));
  const char* const pattern = lua_tostring(lua, lua_upvalueindex(2));
  Matcher matcher(lua, subject);
  const char* at = subject.data() + lua_tointeger(lua, lua_upvalueindex(3));
  for (; at <= matcher.end(); ++at) {
    const char* const end = matcher.match_at(at, pattern);
    if (end == nullptr) continue;
    lua_pushinteger(lua, end - subject.data() + (end == at ? 1 : 0));
    lua_replace(lua, lua_upvalueindex(3));
    return matcher.push_captures(at, end);
  }
  return 0;
}

int gmatch(lua_State* lua) {
  luaL_checkstring(lua, 1);
  luaL_checkstring(lua, 2);
  lua_settop(lua, 2);
  lua_pushinteger(lua, 0);
  lua_pushcclosure(lua, next_match, 3);
  return 1;
}

void add_replacement_text(lua_State* lua, Matcher& matcher, std::string& result, const char* at,
                          const char* end) {
  const std::string_view text = string_at(lua, 3);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != kEscape) {
      result += text[i];
      continue;
    }
    ++i;
    const char letter = text.data()[i];  // may be the zero after the end
    if (std::isdigit(byte(letter)) == 0) {
      result += letter;
    } else if (letter == '0') {
      result.append(at, end);
    } else {
      matcher.push_capture(letter - '1', at, end);
      result += string_at(lua, -1);
      lua_pop(lua, 1);
    }
  }
}

void add_replacement(lua_State* lua, Matcher& matcher, std::string& result, const char* at,
                     const char* end) {
  switch (lua_type(lua, 3)) {
    case LUA_TFUNCTION:
      lua_pushvalue(lua, 3);
      lua_call(lua, matcher.push_captures(at, end), 1);
      break;
    case LUA_TTABLE:
      matcher.push_capture(0, at, end);
      lua_gettable(lua, 3);
      break;
    default:
      return add_replacement_text(lua, matcher, result, at, end);
  }
  if (lua_toboolean(lua, -1) == 0) {
    result.append(at, end);
  } else if (lua_isstring(lua, -1) == 0) {
    luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
  } else {
    result += string_at(lua, -1);
  }
  lua_pop(lua, 1);
}

int gsub(lua_State* lua) {
  const std::string_view subject = checked_string(lua, 1);
  const char* pattern = luaL_checkstring(lua, 2);
  const int replacement = lua_type(lua, 3);
  const int most = luaL_optint(lua, 4, static_cast<lua_Integer>(subject.size() + 1));
  luaL_argcheck(lua,
                replacement == LUA_TNUMBER || replacement == LUA_TSTRING ||
                    replacement == LUA_TFUNCTION || replacement == LUA_TTABLE,
                3, "string/function/table expected");
  const bool anchored = *pattern == '^';
  if (anchored) ++pattern;
  std::string result;
  Matcher matcher(lua, subject);
  const char* at = subject.data();
  int count = 0;
  while (count < most) {
    const char* const end = matcher.match_at(at, pattern);
    if (end != nullptr) {
      ++count;
      add_replacement(lua, matcher, result, at, end);
    }
    if (end != nullptr && end > at) {
      at = end;
    } else if (at < matcher.end()) {
      result += *at++;
    } else {
      break;
    }
    if (anchored) break;
  }
  result.append(at, matcher.end());
  push_string(lua, result);
  lua_pushinteger(lua, count);
  return 2;
}

}  // namespace

void set_pattern_functions(lua_State* lua) {
  const auto function = [lua](const char* name, lua_CFunction body) {
    lua_pushcfunction(lua, body);
    lua_setfield(lua, -2, name);
  };
  function("find", find);
  function("match", match);
  function("gmatch", gmatch);
  lua_getfield(lua, -1, "gmatch");
  lua_setfield(lua, -2, "gfind");
  function("gsub", gsub);
}

}  // namespace picklock::redis
