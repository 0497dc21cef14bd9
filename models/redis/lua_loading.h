// The functions by which a script compiles Lua itself. Only source may be loaded, because the
// interpreter does not check compiled code.
#pragma once

struct lua_State;

namespace picklock::redis {

// In place of the library's `loadstring` and `load`.
int load_text(lua_State* lua);
int load_pieces(lua_State* lua);

}  // namespace picklock::redis
