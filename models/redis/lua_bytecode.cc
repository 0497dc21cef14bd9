#include "models/redis/lua_bytecode.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <lua.hpp>
#include <string>
#include <string_view>

namespace picklock::redis {
namespace {

constexpr std::uint32_t kSetGlobal = 7;  // lopcodes.h
constexpr std::uint32_t kOpcodeMask = 63;

// Walks through the output of lua_dump (ldump.c).
class Walk {
 public:
  explicit Walk(std::string_view bytes) : bytes_(bytes) {}

  bool skip_header() {
    const std::string_view expected("\033Lua\x51\0", 6);
    if (!bytes_.starts_with(expected)) return false;
    bytes_.remove_prefix(expected.size());
    skip(1);  // the order of bytes: this machine's
    constexpr char kSizes[] = {sizeof(int), sizeof(std::size_t), sizeof(std::uint32_t),
                               sizeof(lua_Number), 0};
    const std::string_view sizes(kSizes, sizeof kSizes);
    if (!bytes_.starts_with(sizes)) return false;
    skip(sizes.size());
    return true;
  }

  // False: some instruction assigns to a global, or the bytes end too soon.
  bool only_reads_globals() {
    constexpr std::size_t kFlags = 4;
    skip_text();
    skip(2 * sizeof(int) + kFlags);
    for (int left = count(); left > 0 && !failed_; --left) {
      if ((take<std::uint32_t>() & kOpcodeMask) == kSetGlobal) return false;
    }
    for (int left = count(); left > 0 && !failed_; --left) skip_constant();
    for (int left = count(); left > 0 && !failed_; --left) {
      if (!only_reads_globals()) return false;
    }
    skip(sizeof(int) * static_cast<std::size_t>(count()));  // lines
    for (int left = count(); left > 0 && !failed_; --left) {
      skip_text();
      skip(2 * sizeof(int));
    }
    for (int left = count(); left > 0 && !failed_; --left) skip_text();
    return !failed_;
  }

 private:
  void skip(std::size_t size) {
    failed_ = failed_ || size > bytes_.size();
    if (!failed_) bytes_.remove_prefix(size);
  }

  template <typename Number>
  Number take() {
    Number number{};
    failed_ = failed_ || bytes_.size() < sizeof number;
    if (failed_) return number;
    std::memcpy(&number, bytes_.data(), sizeof number);
    bytes_.remove_prefix(sizeof number);
    return number;
  }

  int count() { return take<int>(); }
  void skip_text() { skip(take<std::size_t>()); }
  void skip_constant() {
    switch (take<char>()) {
      case LUA_TNIL:
        break;
      case LUA_TBOOLEAN:
        skip(1);
        break;
      case LUA_TNUMBER:
        skip(sizeof(lua_Number));
        break;
      case LUA_TSTRING:
        skip_text();
        break;
      default:
        failed_ = true;
    }
  }

  std::string_view bytes_;
  bool failed_ = false;
};

int append(lua_State*, const void* piece, std::size_t size, void* code) {
  static_cast<std::string*>(code)->append(static_cast<const char*>(piece), size);
  return 0;
}

}  // namespace

bool sets_globals(lua_State* lua) {
  std::string code;
  lua_dump(lua, append, &code);
  Walk walk(code);
  return !walk.skip_header() || !walk.only_reads_globals();
}

}  // namespace picklock::redis
