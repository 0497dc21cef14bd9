# Boost.Fiber is linked statically: a switch through the shared library costs 1.2 to 1.5 times as much, and every idle
# fiber touches one page more (docs/facts/performance.md).
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS fiber context)
find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pugixml REQUIRED)
find_package(ZLIB REQUIRED)

# Lua 5.1 compiled as C++, so that its errors unwind; static, for the shared form drags in a second copy.
find_path(PICKLOCK_LUA_INCLUDE lua.h PATH_SUFFIXES lua5.1 REQUIRED)
find_library(PICKLOCK_LUA_LIBRARY liblua5.1-c++.a REQUIRED)
# The libraries cjson and bit are C: an error unwinds their frames, which hold nothing to be destroyed.
find_library(PICKLOCK_LUA_CJSON liblua5.1-cjson.a REQUIRED)
find_library(PICKLOCK_LUA_BIT liblua5.1-bitop.a REQUIRED)
mark_as_advanced(PICKLOCK_LUA_INCLUDE PICKLOCK_LUA_LIBRARY PICKLOCK_LUA_CJSON PICKLOCK_LUA_BIT)
add_library(picklock_lua STATIC IMPORTED)
set_target_properties(picklock_lua PROPERTIES
  IMPORTED_LOCATION "${PICKLOCK_LUA_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${PICKLOCK_LUA_INCLUDE}"
  INTERFACE_LINK_LIBRARIES "m;${CMAKE_DL_LIBS}")
add_library(picklock_lua_libraries INTERFACE)
target_link_libraries(picklock_lua_libraries INTERFACE
  "${PICKLOCK_LUA_CJSON}" "${PICKLOCK_LUA_BIT}" picklock_lua)

if(PICKLOCK_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(PICKLOCK_BENCH)
  find_package(benchmark REQUIRED)
endif()
