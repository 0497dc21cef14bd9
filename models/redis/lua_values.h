// Conversions between a script's values and replies (R71, R72), in both protocols that a script may
// use.
#pragma once

#include <cstdint>
#include <string_view>

#include "picklock/redis.h"

struct lua_State;

namespace picklock::redis {

std::string_view string_at(lua_State* lua, int index);  // empty where there is none
void push_string(lua_State* lua, std::string_view text);
// A table of one field: {err=...}, {ok=...}.
void push_field(lua_State* lua, const char* name, std::string_view text);
void push_error(lua_State* lua, std::string_view text_with_code);

// Status and error texts end where a C string does.
inline std::string_view to_first_zero(std::string_view text) {
  return text.substr(0, text.find('\0'));
}
std::string_view without_line_end(std::string_view text);
// Sets `whole` to `CODE text`: a text of one word has no code and gets the generic one.
void set_error_text(std::string& whole, std::string_view text);

// Pushes a command's reply as a value.
void push_reply(lua_State* lua, const Reply& reply, std::uint8_t protocol);
// Fields that mark a script's table as something other than an array.
enum class Tag : std::uint8_t { err, ok, number, big_number, verbatim, format, string, map, set };
inline constexpr int kTagCount = 9;
void push_tags(lua_State* lua);  // their names, in this order
// Converts the value on top of the stack, which stays there, to a reply. The tags' names begin at
// `tags`.
void to_reply(lua_State* lua, Reply& reply, std::uint8_t protocol, int tags);

}  // namespace picklock::redis
