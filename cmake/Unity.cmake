# How the product's libraries are compiled. Where CMAKE_UNITY_BUILD is on, several sources of a target are compiled as
# one, behind precompiled headers: otherwise the headers take most of the time. Within a folder, names in anonymous
# namespaces are therefore unique.

# The precompiled headers of each optimization level.
set(picklock_headers <algorithm> <array> <charconv> <chrono> <cstdint> <cstring> <deque> <functional> <map> <memory>
  <optional> <set> <span> <sstream> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)

# Without these, ccache never finds again what was compiled with precompiled headers.
set(picklock_found_again)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(picklock_found_again -fpch-preprocess)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(picklock_found_again "SHELL:-Xclang -fno-pch-timestamp")
endif()

if(CMAKE_UNITY_BUILD)
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/headers.cc" CONTENT "")
  foreach(level O1 O2 O3)
    add_library(picklock_headers_${level} OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/headers.cc")
    target_compile_options(picklock_headers_${level} PRIVATE ${picklock_found_again} $<$<CONFIG:Release>:-${level}>)
    target_link_libraries(picklock_headers_${level} PRIVATE picklock_warnings fmt::fmt)
    target_precompile_headers(picklock_headers_${level} PRIVATE ${picklock_headers})
  endforeach()
  if(PICKLOCK_PROGRAM)
    target_precompile_headers(picklock_headers_O1 PRIVATE <filesystem> <nlohmann/json.hpp>)
  endif()
endif()

# picklock_compile(TARGET LEVEL PARTS): the sources of a target become so many units, compiled in parallel. An optimized
# build compiles them at this level: O3 for the servers and the simulator, where runs spend their time, O1 for code that
# reads, writes and prints.
function(picklock_compile target level parts)
  target_compile_options(${target} PRIVATE ${picklock_found_again} $<$<CONFIG:Release>:-${level}>)
  target_link_libraries(${target} PRIVATE picklock_warnings fmt::fmt)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(LENGTH sources length)
  math(EXPR size "(${length} + ${parts} - 1) / ${parts}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${size})
  if(CMAKE_UNITY_BUILD)
    target_precompile_headers(${target} REUSE_FROM picklock_headers_${level})
  endif()
endfunction()

# Every event of a run crosses sim and history. A program that is linked with these options has them optimized together
# with itself, which saves a tenth of the instructions of a lock cycle.
set(picklock_hot_link)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_UNITY_BUILD AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(picklock_hot_link -O3 -flto=auto)
  # Otherwise the linker optimizes all other programs too, in one process each. Both options at once mean -fno-lto.
  add_link_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:PICKLOCK_HOT_LINK>>>:-fno-lto>)
endif()

# picklock_hot_program(TARGET): links a program so.
function(picklock_hot_program target)
  set_target_properties(${target} PROPERTIES PICKLOCK_HOT_LINK ON)
  target_link_options(${target} PRIVATE ${picklock_hot_link})
endfunction()

# picklock_hot(TARGET): a library or a program. The objects of a library keep ordinary code too, so that no other program
# pays when it is linked; a package has only that, for the rest differs from build to build.
function(picklock_hot target)
  if(picklock_hot_link)
    target_compile_options(${target} PRIVATE -O3 -flto -ffat-lto-objects)
    picklock_hot_program(${target})
  endif()
endfunction()

# Test sources that share a name with a neighbor and are compiled separately.
function(picklock_compiled_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
