# How the product's libraries are compiled. Where CMAKE_UNITY_BUILD is on, several sources of a target are compiled as
# one, behind precompiled headers: otherwise the headers take most of the time. Within a folder, names in anonymous
# namespaces are therefore unique.

# Each run spends its time in the hot targets; for the others, -O1 halves the time of the optimizer.
set(picklock_hot_headers <algorithm> <array> <charconv> <chrono> <cstdint> <cstring> <deque> <functional> <map> <memory>
  <optional> <set> <span> <sstream> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)
set(picklock_cold_headers ${picklock_hot_headers} <filesystem> <iostream> <nlohmann/json.hpp>)
set(picklock_hot_options $<$<CONFIG:Release>:-O2>)
set(picklock_cold_options $<$<CONFIG:Release>:-O1>)

if(CMAKE_UNITY_BUILD)
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/headers.cc" CONTENT "")
  foreach(kind hot cold)
    add_library(picklock_${kind}_headers OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/headers.cc")
    target_compile_options(picklock_${kind}_headers PRIVATE ${picklock_${kind}_options})
    target_link_libraries(picklock_${kind}_headers PRIVATE picklock_warnings fmt::fmt)
    target_precompile_headers(picklock_${kind}_headers PRIVATE ${picklock_${kind}_headers})
  endforeach()
endif()

# picklock_compile(TARGET hot|cold PARTS): the sources of a target become so many units, compiled in parallel.
function(picklock_compile target kind parts)
  target_compile_options(${target} PRIVATE ${picklock_${kind}_options})
  target_link_libraries(${target} PRIVATE picklock_warnings fmt::fmt)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(LENGTH sources length)
  math(EXPR size "(${length} + ${parts} - 1) / ${parts}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${size})
  if(CMAKE_UNITY_BUILD)
    target_precompile_headers(${target} REUSE_FROM picklock_${kind}_headers)
  endif()
endfunction()

# Test sources that share a name with a neighbor and are compiled separately.
function(picklock_compiled_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
