# Lua 5.1 compiled as C++, so that its errors unwind; static, for the shared form drags in a second copy. Sets
# PICKLOCK_LUA_MISSING to the first part that is missing, else makes the target picklock_lua_libraries. Installed as well.
find_path(PICKLOCK_LUA_INCLUDE lua.h PATH_SUFFIXES lua5.1)
find_library(PICKLOCK_LUA_LIBRARY liblua5.1-c++.a)
# The libraries cjson and bit are C: an error unwinds their frames, which hold nothing to be destroyed.
find_library(PICKLOCK_LUA_CJSON liblua5.1-cjson.a)
find_library(PICKLOCK_LUA_BIT liblua5.1-bitop.a)
mark_as_advanced(PICKLOCK_LUA_INCLUDE PICKLOCK_LUA_LIBRARY PICKLOCK_LUA_CJSON PICKLOCK_LUA_BIT)

set(PICKLOCK_LUA_MISSING "")
if(NOT PICKLOCK_LUA_INCLUDE OR NOT PICKLOCK_LUA_LIBRARY)
  set(PICKLOCK_LUA_MISSING "Lua 5.1 (liblua5.1-c++.a); on Debian: apt-get install liblua5.1-0-dev")
elseif(NOT PICKLOCK_LUA_CJSON)
  set(PICKLOCK_LUA_MISSING "Lua's cjson (liblua5.1-cjson.a); on Debian: apt-get install lua-cjson-dev")
elseif(NOT PICKLOCK_LUA_BIT)
  set(PICKLOCK_LUA_MISSING "Lua's bitop (liblua5.1-bitop.a); on Debian: apt-get install lua-bitop-dev")
elseif(NOT TARGET picklock_lua_libraries)
  add_library(picklock_lua STATIC IMPORTED)
  set_target_properties(picklock_lua PROPERTIES
    IMPORTED_LOCATION "${PICKLOCK_LUA_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${PICKLOCK_LUA_INCLUDE}"
    INTERFACE_LINK_LIBRARIES "m;${CMAKE_DL_LIBS}")
  add_library(picklock_lua_libraries INTERFACE IMPORTED)
  set_target_properties(picklock_lua_libraries PROPERTIES
    INTERFACE_LINK_LIBRARIES "${PICKLOCK_LUA_CJSON};${PICKLOCK_LUA_BIT};picklock_lua")
endif()
