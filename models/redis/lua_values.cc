#include "models/redis/lua_values.h"

#include <array>
#include <charconv>
#include <lua.hpp>

#include "models/redis/numbers.h"

namespace picklock::redis {
namespace {

// Limit of nested replies. A deeper reply, which a client could not read, gets the error that the
// real server has at its interpreter's limit, some 8000.
constexpr int kDeepestReply = 30;

void push_nil(lua_State* lua, std::uint8_t protocol) {
  if (protocol == 3) {
    lua_pushnil(lua);
  } else {
    lua_pushboolean(lua, 0);
  }
}

void push_array(lua_State* lua, const Reply& reply, std::uint8_t protocol) {
  lua_createtable(lua, static_cast<int>(reply.elements.size()), 0);
  for (std::size_t i = 0; i < reply.elements.size(); ++i) {
    push_reply(lua, reply.elements[i], protocol);
    lua_rawseti(lua, -2, static_cast<int>(i + 1));
  }
}

void push_pairs(lua_State* lua, const Reply& reply, std::uint8_t protocol) {
  lua_createtable(lua, static_cast<int>(reply.elements.size() / 2), 0);
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2) {
    lua_createtable(lua, 2, 0);
    for (std::size_t half = 0; half < 2; ++half) {
      push_reply(lua, reply.elements[i + half], protocol);
      lua_rawseti(lua, -2, static_cast<int>(half + 1));
    }
    lua_rawseti(lua, -2, static_cast<int>(i / 2 + 1));
  }
}

void push_map(lua_State* lua, const Reply& reply, std::uint8_t protocol) {
  lua_createtable(lua, 0, 1);
  lua_newtable(lua);
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2) {
    push_reply(lua, reply.elements[i], protocol);
    push_reply(lua, reply.elements[i + 1], protocol);
    lua_rawset(lua, -3);
  }
  lua_setfield(lua, -2, "map");
}

void push_set(lua_State* lua, const Reply& reply, std::uint8_t protocol) {
  lua_createtable(lua, 0, 1);
  lua_newtable(lua);
  for (const Reply& element : reply.elements) {
    push_reply(lua, element, protocol);
    lua_pushboolean(lua, 1);
    lua_rawset(lua, -3);
  }
  lua_setfield(lua, -2, "set");
}

void push_number(lua_State* lua, std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  lua_createtable(lua, 0, 1);
  lua_pushnumber(lua, value);
  lua_setfield(lua, -2, "double");
}

void push_verbatim(lua_State* lua, std::string_view text) {
  lua_createtable(lua, 0, 1);
  lua_createtable(lua, 0, 2);
  push_string(lua, text);
  lua_setfield(lua, -2, "string");
  lua_pushliteral(lua, "txt");
  lua_setfield(lua, -2, "format");
  lua_setfield(lua, -2, "verbatim_string");
}

std::int64_t truncated(lua_Number number) {
  constexpr lua_Number kLimit = 9223372036854775808.0;
  if (!(number > -kLimit && number < kLimit)) return INT64_MIN;
  return static_cast<std::int64_t>(number);
}

constexpr std::array<const char*, kTagCount> kTagNames = {
    "err", "ok", "double", "big_number", "verbatim_string", "format", "string", "map", "set"};

class Converter {
 public:
  Converter(lua_State* lua, std::uint8_t protocol, int tags)
      : lua_(lua), protocol_(protocol), tags_(tags) {}

  void convert(Reply& reply, int depth) {
    switch (lua_type(lua_, -1)) {
      case LUA_TSTRING:
        reply.set_bulk(string_at(lua_, -1));
        return;
      case LUA_TNUMBER:
        reply.set_integer(truncated(lua_tonumber(lua_, -1)));
        return;
      case LUA_TBOOLEAN:
        convert_boolean(reply, lua_toboolean(lua_, -1) != 0);
        return;
      case LUA_TTABLE:
        convert_table(reply, depth);
        return;
      default:
        reply.set(Reply::Kind::nil);
        return;
    }
  }

 private:
  void convert_boolean(Reply& reply, bool value) const {
    if (protocol_ == 3) {
      reply.set_integer(value ? 1 : 0);
      reply.kind = Reply::Kind::boolean;
    } else if (value) {
      reply.set_integer(1);
    } else {
      reply.set(Reply::Kind::nil);
    }
  }

  void convert_table(Reply& reply, int depth) {
    if (depth > kDeepestReply || lua_checkstack(lua_, 4) == 0) {
      reply.set_error("ERR reached lua stack limit");
      return;
    }
    if (convert_tagged(reply) || convert_pairs(reply, depth)) return;
    reply.set(Reply::Kind::array);
    for (int i = 1;; ++i) {
      lua_rawgeti(lua_, -1, i);
      if (lua_isnil(lua_, -1)) break;
      convert(reply.add(), depth + 1);
      lua_pop(lua_, 1);
    }
    lua_pop(lua_, 1);
  }

  // Converts a table that a field marks as something other than an array. False: there is no such
  // field.
  bool convert_tagged(Reply& reply) {
    if (push_if(Tag::err, LUA_TSTRING)) {
      reply.set_error(without_line_end(to_first_zero(string_at(lua_, -1))));
    } else if (push_if(Tag::ok, LUA_TSTRING)) {
      reply.set_status(to_first_zero(string_at(lua_, -1)));
    } else if (push_if(Tag::number, LUA_TNUMBER)) {
      NumberText text;
      reply.set_bulk(text_of(lua_tonumber(lua_, -1), text));
      reply.kind = Reply::Kind::number;
    } else if (push_if(Tag::big_number, LUA_TSTRING)) {
      reply.set_bulk(string_at(lua_, -1));
      for (char& letter : reply.text) {
        if (letter == '\r' || letter == '\n') letter = ' ';
      }
      reply.kind = Reply::Kind::big_number;
    } else {
      return convert_verbatim(reply);
    }
    lua_pop(lua_, 1);
    return true;
  }

  bool convert_verbatim(Reply& reply) {
    if (!push_if(Tag::verbatim, LUA_TTABLE)) return false;
    bool whole = push_if(Tag::format, LUA_TSTRING);
    if (whole) {
      lua_pop(lua_, 1);
      whole = push_if(Tag::string, LUA_TSTRING);
    }
    if (whole) {
      reply.set_bulk(string_at(lua_, -1));
      reply.kind = Reply::Kind::verbatim;
      lua_pop(lua_, 1);
    }
    lua_pop(lua_, 1);
    return whole;
  }

  // Pushes a field of the table on top if it is of this type. False: it is not.
  bool push_if(Tag tag, int type) {
    lua_pushvalue(lua_, tags_ + static_cast<int>(tag));
    lua_rawget(lua_, -2);
    if (lua_type(lua_, -1) == type) return true;
    lua_pop(lua_, 1);
    return false;
  }

  bool convert_pairs(Reply& reply, int depth) {
    const bool map = push_if(Tag::map, LUA_TTABLE);
    if (!map && !push_if(Tag::set, LUA_TTABLE)) return false;
    reply.set(map ? Reply::Kind::map : Reply::Kind::set);
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
      lua_pushvalue(lua_, -2);
      convert(reply.add(), depth + 1);
      lua_pop(lua_, 1);
      if (map) convert(reply.add(), depth + 1);
      lua_pop(lua_, 1);
    }
    lua_pop(lua_, 1);
    return true;
  }

  lua_State* lua_;
  std::uint8_t protocol_;
  int tags_;
};

}  // namespace

std::string_view string_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, index, &size);
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

void push_string(lua_State* lua, std::string_view text) {
  lua_pushlstring(lua, text.data(), text.size());
}

void push_field(lua_State* lua, const char* name, std::string_view text) {
  lua_createtable(lua, 0, 1);
  push_string(lua, text);
  lua_setfield(lua, -2, name);
}

void push_error(lua_State* lua, std::string_view text_with_code) {
  push_field(lua, "err", text_with_code);
}

std::string_view without_line_end(std::string_view text) {
  while (text.ends_with('\r') || text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

void set_error_text(std::string& whole, std::string_view text) {
  const std::size_t blank = text.find(' ');
  const bool coded = blank != std::string_view::npos;
  std::string_view rest = without_line_end(coded ? text.substr(blank + 1) : text);
  while (rest.starts_with('\r') || rest.starts_with('\n')) rest.remove_prefix(1);
  whole.assign(coded ? text.substr(0, blank) : "ERR").append(" ").append(rest);
}

void push_reply(lua_State* lua, const Reply& reply, std::uint8_t protocol) {
  using Kind = Reply::Kind;
  luaL_checkstack(lua, 5, "reply too deep");
  switch (reply.kind) {
    case Kind::status:
      push_field(lua, "ok", reply.text);
      return;
    case Kind::error: {
      std::string text;
      set_error_text(text, reply.text);
      push_error(lua, text);
      lua_pushboolean(lua, 1);
      lua_setfield(lua, -2, "ignore_error_stats_update");  // a field that scripts can see
      return;
    }
    case Kind::integer:
      lua_pushnumber(lua, static_cast<lua_Number>(reply.integer));
      return;
    case Kind::bulk:
      push_string(lua, reply.text);
      return;
    case Kind::array:
    case Kind::push:
      push_array(lua, reply, protocol);
      return;
    case Kind::nil:
    case Kind::nil_array:
    case Kind::unknown:
    case Kind::unsent:
      push_nil(lua, protocol);
      return;
    default:
      break;
  }
  // These kinds differ between the protocols.
  const bool plain = protocol != 3;
  switch (reply.kind) {
    case Kind::map:
      return plain ? push_array(lua, reply, protocol) : push_map(lua, reply, protocol);
    case Kind::set:
      return plain ? push_array(lua, reply, protocol) : push_set(lua, reply, protocol);
    case Kind::pairs:
      return plain ? push_array(lua, reply, protocol) : push_pairs(lua, reply, protocol);
    case Kind::number:
      return plain ? push_string(lua, reply.text) : push_number(lua, reply.text);
    case Kind::verbatim:
      return plain ? push_string(lua, reply.text) : push_verbatim(lua, reply.text);
    case Kind::big_number:
      return plain ? push_string(lua, reply.text) : push_field(lua, "big_number", reply.text);
    case Kind::boolean:
      return plain ? lua_pushnumber(lua, static_cast<lua_Number>(reply.integer))
                   : lua_pushboolean(lua, reply.integer != 0 ? 1 : 0);
    default:
      return push_nil(lua, protocol);
  }
}

void push_tags(lua_State* lua) {
  for (const char* name : kTagNames) lua_pushstring(lua, name);
}

void to_reply(lua_State* lua, Reply& reply, std::uint8_t protocol, int tags) {
  Converter(lua, protocol, tags).convert(reply, 0);
}

}  // namespace picklock::redis
