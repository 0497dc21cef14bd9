# Boost.Fiber is linked statically: a switch through the shared library costs 1.2 to 1.5 times as much, and every idle
# fiber touches one page more (docs/facts/performance.md).
set(Boost_USE_STATIC_LIBS ON)

# picklock_needs(fmt libfmt-dev [ARGUMENTS OF find_package...]): reports a missing package in one sentence.
macro(picklock_needs name debian)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "picklock needs ${name}; on Debian: apt-get install ${debian}")
  endif()
endmacro()

picklock_needs(Boost "libboost-fiber1.81-dev libboost-context1.81-dev" 1.81 CONFIG COMPONENTS fiber context)
picklock_needs(fmt libfmt-dev)
picklock_needs(OpenSSL libssl-dev COMPONENTS Crypto)
picklock_needs(tomlplusplus libtomlplusplus-dev)
include(Lua)
if(PICKLOCK_LUA_MISSING)
  message(FATAL_ERROR "picklock needs ${PICKLOCK_LUA_MISSING}")
endif()
if(PICKLOCK_PROGRAM)
  picklock_needs(nlohmann_json nlohmann-json3-dev)
  picklock_needs(CLI11 libcli11-dev)
  picklock_needs(pugixml libpugixml-dev)
  picklock_needs(ZLIB zlib1g-dev)
endif()

if(PICKLOCK_TESTS)
  picklock_needs(GTest libgtest-dev)
  picklock_needs(rapidcheck librapidcheck-dev)
endif()
if(PICKLOCK_BENCH)
  picklock_needs(benchmark libbenchmark-dev)
endif()
