#include "models/redis/lua_msgpack.h"

#include <bit>
#include <climits>
#include <cstdint>
#include <lua.hpp>
#include <string>
#include <string_view>

#include "models/redis/lua_values.h"

namespace picklock::redis {
namespace {

// Tables nested deeper are packed as nil.
constexpr int kDeepestTable = 16;

// ---------------------------------------------------------------- packing

bool is_whole(lua_Number number, lua_Number limit) {
  return number >= -limit && number < limit &&
         static_cast<lua_Number>(static_cast<std::int64_t>(number)) == number;
}

class Packer {
 public:
  Packer(lua_State* lua, std::string& bytes) : lua_(lua), bytes_(bytes) {}

  // The value on top of the stack, which stays there.
  void pack(int depth) {
    int type = lua_type(lua_, -1);
    if (type == LUA_TTABLE && depth == kDeepestTable) type = LUA_TNIL;
    switch (type) {
      case LUA_TSTRING:
        pack_string(string_at(lua_, -1));
        break;
      case LUA_TBOOLEAN:
        add(lua_toboolean(lua_, -1) != 0 ? 0xc3 : 0xc2);
        break;
      case LUA_TNUMBER:
        pack_number(lua_tonumber(lua_, -1));
        break;
      case LUA_TTABLE:
        luaL_checkstack(lua_, 3, "in function mp_encode_lua_table_as_map");
        if (is_array()) {
          pack_array(depth);
        } else {
          pack_map(depth);
        }
        break;
      default:
        add(0xc0);
    }
  }

 private:
  void add(unsigned code) { bytes_ += static_cast<char>(code); }
  void add_big_endian(std::uint64_t value, int size) {
    for (int i = size - 1; i >= 0; --i) add(static_cast<unsigned>((value >> (8 * i)) & 0xff));
  }
  void add_header(unsigned code, std::uint64_t value, int size) {
    add(code);
    add_big_endian(value, size);
  }

  void pack_string(std::string_view text) {
    const std::size_t size = text.size();
    if (size < 32) {
      add(0xa0u | static_cast<unsigned>(size));
    } else if (size <= 0xff) {
      add_header(0xd9, size, 1);
    } else if (size <= 0xffff) {
      add_header(0xda, size, 2);
    } else {
      add_header(0xdb, size, 4);
    }
    bytes_.append(text);
  }

  void pack_number(lua_Number number) {
    constexpr lua_Number kLimit = 9223372036854775808.0;
    if (is_whole(number, kLimit)) {
      pack_integer(static_cast<std::int64_t>(number));
      return;
    }
    const auto narrow = static_cast<float>(number);
    if (static_cast<lua_Number>(narrow) == number) {
      add_header(0xca, std::bit_cast<std::uint32_t>(narrow), 4);
    } else {
      add_header(0xcb, std::bit_cast<std::uint64_t>(number), 8);
    }
  }

  void pack_integer(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= -32 && value <= 127) {
      add(static_cast<unsigned>(bits & 0xff));
    } else if (value > 0) {
      const int log = bits <= 0xff ? 0 : bits <= 0xffff ? 1 : bits <= 0xffffffff ? 2 : 3;
      add_header(0xccu + static_cast<unsigned>(log), bits, 1 << log);
    } else {
      const int log = value >= INT8_MIN ? 0 : value >= INT16_MIN ? 1 : value >= INT32_MIN ? 2 : 3;
      add_header(0xd0u + static_cast<unsigned>(log), bits, 1 << log);
    }
  }

  // Whether its keys are 1 to n without a hole.
  bool is_array() {
    constexpr lua_Number kLimit = 2147483648.0;
    int count = 0;
    int most = 0;
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
      lua_pop(lua_, 1);
      const lua_Number key = lua_type(lua_, -1) == LUA_TNUMBER ? lua_tonumber(lua_, -1) : 0;
      if (key <= 0 || !is_whole(key, kLimit)) {
        lua_pop(lua_, 1);
        return false;
      }
      most = key > most ? static_cast<int>(key) : most;
      ++count;
    }
    return most == count;
  }

  void add_count(std::size_t count, unsigned few, unsigned many) {
    if (count <= 15) {
      add(few | static_cast<unsigned>(count));
    } else if (count <= 0xffff) {
      add_header(many, count, 2);
    } else {
      add_header(many + 1, count, 4);
    }
  }

  void pack_array(int depth) {
    const std::size_t count = lua_objlen(lua_, -1);
    add_count(count, 0x90, 0xdc);
    for (std::size_t i = 1; i <= count; ++i) {
      lua_rawgeti(lua_, -1, static_cast<int>(i));
      pack(depth + 1);
      lua_pop(lua_, 1);
    }
  }

  void pack_map(int depth) {
    std::size_t count = 0;
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
      lua_pop(lua_, 1);
      ++count;
    }
    add_count(count, 0x80, 0xde);
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
      lua_pushvalue(lua_, -2);
      pack(depth + 1);
      lua_pop(lua_, 1);
      pack(depth + 1);
      lua_pop(lua_, 1);
    }
  }

  lua_State* lua_;
  std::string& bytes_;
};

int msgpack_pack(lua_State* lua) {
  const int count = lua_gettop(lua);
  if (count == 0) return luaL_argerror(lua, 0, "MessagePack pack needs input.");
  luaL_checkstack(lua, 1, "in function mp_check");
  std::string bytes;
  Packer packer(lua, bytes);
  for (int i = 1; i <= count; ++i) {
    lua_pushvalue(lua, i);
    packer.pack(0);
    lua_pop(lua, 1);
  }
  push_string(lua, bytes);
  return 1;
}

// ---------------------------------------------------------------- unpacking

class Unpacker {
 public:
  Unpacker(lua_State* lua, std::string_view bytes) : lua_(lua), rest_(bytes) {}

  std::size_t left() const { return rest_.size(); }

  // Pushes the next value.
  void unpack() {
    need(1);
    luaL_checkstack(lua_, 1,
                    "too many return values at once; use unpack_one or unpack_limit instead.");
    const auto code = static_cast<unsigned char>(rest_.front());
    if (code <= 0x7f || code >= 0xe0) {
      rest_.remove_prefix(1);
      lua_pushinteger(lua_, static_cast<signed char>(code));
    } else if (code >= 0xa0 && code <= 0xbf) {
      push_text(1, code & 0x1fu);
    } else if (code >= 0x90 && code <= 0x9f) {
      rest_.remove_prefix(1);
      push_array(code & 0xfu);
    } else if (code <= 0x8f) {
      rest_.remove_prefix(1);
      push_map(code & 0xfu);
    } else {
      unpack_coded(code);
    }
  }

 private:
  void need(std::size_t size) {
    if (rest_.size() < size) luaL_error(lua_, "Missing bytes in input.");
  }
  std::uint64_t number_at(std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (char byte : rest_.substr(at, size))
      value = (value << 8) | static_cast<unsigned char>(byte);
    return value;
  }
  std::uint64_t take_number(std::size_t size) {
    need(1 + size);
    const std::uint64_t value = number_at(1, size);
    rest_.remove_prefix(1 + size);
    return value;
  }
  void push_integer(std::int64_t value) { lua_pushnumber(lua_, static_cast<lua_Number>(value)); }

  void push_text(std::size_t header, std::uint64_t size) {
    need(header);
    rest_.remove_prefix(header);
    need(size);
    push_string(lua_, rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  void push_counted_text(std::size_t size) {
    need(1 + size);
    push_text(1 + size, number_at(1, size));
  }

  void push_array(std::uint64_t count) {
    lua_newtable(lua_);
    luaL_checkstack(lua_, 1, "in function mp_decode_to_lua_array");
    for (std::uint64_t i = 1; i <= count; ++i) {
      lua_pushnumber(lua_, static_cast<lua_Number>(i));
      unpack();
      lua_settable(lua_, -3);
    }
  }
  void push_map(std::uint64_t count) {
    lua_newtable(lua_);
    for (std::uint64_t i = 0; i < count; ++i) {
      unpack();
      unpack();
      lua_settable(lua_, -3);
    }
  }

  void unpack_coded(unsigned char code) {
    switch (code) {
      case 0xc0:
        rest_.remove_prefix(1);
        return lua_pushnil(lua_);
      case 0xc2:
      case 0xc3:
        rest_.remove_prefix(1);
        return lua_pushboolean(lua_, code & 1);
      case 0xca:
        return lua_pushnumber(lua_,
                              std::bit_cast<float>(static_cast<std::uint32_t>(take_number(4))));
      case 0xcb:
        return lua_pushnumber(lua_, std::bit_cast<double>(take_number(8)));
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return push_integer(static_cast<std::int64_t>(take_number(std::size_t{1} << (code & 3u))));
      case 0xd0:
        return push_integer(static_cast<std::int8_t>(take_number(1)));
      case 0xd1:
        return push_integer(static_cast<std::int16_t>(take_number(2)));
      case 0xd2:
        return push_integer(static_cast<std::int32_t>(take_number(4)));
      case 0xd3:
        return push_integer(static_cast<std::int64_t>(take_number(8)));
      case 0xd9:
        return push_counted_text(1);
      case 0xda:
        return push_counted_text(2);
      case 0xdb:
        return push_counted_text(4);
      case 0xdc:
        return push_array(take_number(2));
      case 0xdd:
        return push_array(take_number(4));
      case 0xde:
        return push_map(take_number(2));
      case 0xdf:
        return push_map(take_number(4));
      default:
        luaL_error(lua_, "Bad data format in input.");
    }
  }

  lua_State* lua_;
  std::string_view rest_;
};

// With neither limit nor offset: all there is, and no word on where it ended.
int unpack_from(lua_State* lua, lua_Integer limit, lua_Integer offset) {
  const bool all = limit == 0 && offset == 0;
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, 1, &size);
  if (offset < 0 || limit < 0) {
    return luaL_error(lua, "Invalid request to unpack with offset of %d and limit of %d.",
                      static_cast<int>(offset), static_cast<int>(size));
  }
  if (static_cast<std::size_t>(offset) > size) {
    return luaL_error(lua, "Start offset %d greater than input length %d.",
                      static_cast<int>(offset), static_cast<int>(size));
  }
  if (all) limit = INT_MAX;
  Unpacker unpacker(lua, std::string_view(text, size).substr(static_cast<std::size_t>(offset)));
  int count = 0;
  for (; unpacker.left() > 0 && count < limit; ++count) unpacker.unpack();
  if (all) return count;
  luaL_checkstack(lua, 1, "in function mp_unpack_full");
  lua_pushinteger(lua,
                  unpacker.left() == 0 ? -1 : static_cast<lua_Integer>(size - unpacker.left()));
  lua_insert(lua, 2);
  return count + 1;
}

int msgpack_unpack(lua_State* lua) { return unpack_from(lua, 0, 0); }

int unpack_one(lua_State* lua) {
  const lua_Integer offset = luaL_optinteger(lua, 2, 0);
  lua_settop(lua, 1);
  return unpack_from(lua, 1, offset);
}

int unpack_limit(lua_State* lua) {
  const lua_Integer limit = luaL_checkinteger(lua, 2);
  const lua_Integer offset = luaL_optinteger(lua, 3, 0);
  lua_settop(lua, 1);
  return unpack_from(lua, limit, offset);
}

}  // namespace

void push_msgpack_library(lua_State* lua) {
  lua_newtable(lua);
  const auto function = [lua](const char* name, lua_CFunction body) {
    lua_pushcfunction(lua, body);
    lua_setfield(lua, -2, name);
  };
  function("pack", msgpack_pack);
  function("unpack", msgpack_unpack);
  function("unpack_one", unpack_one);
  function("unpack_limit", unpack_limit);
  const auto text = [lua](const char* name, const char* value) {
    lua_pushstring(lua, value);
    lua_setfield(lua, -2, name);
  };
  text("_NAME", "cmsgpack");
  text("_VERSION", "lua-cmsgpack 0.4.0");
  text("_COPYRIGHT", "Copyright (C) 2012, Salvatore Sanfilippo");
  text("_DESCRIPTION", "MessagePack C implementation for Lua");
}

}  // namespace picklock::redis
