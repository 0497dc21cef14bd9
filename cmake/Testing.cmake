include(GoogleTest)

# Optimizing and instrumenting the expansions of EXPECT_EQ took two thirds of the time of a build.
set(PICKLOCK_TEST_OPTIONS "" CACHE STRING "Compiler options of the tests' own sources, after all others")

# A sanitized process takes longer to start than most tests to run.
option(PICKLOCK_UNIT_TESTS_TOGETHER "Run the unit tests of one executable in one process" OFF)
set(PICKLOCK_SCENARIO_SHARDS 0 CACHE STRING "Into how many processes the scenario tests of one executable are dealt, \
instead of one for each test; 0: one for each")

# The headers that nearly every test includes, compiled once.
file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/test_headers.cc" CONTENT "")
add_library(picklock_test_headers OBJECT "${CMAKE_CURRENT_BINARY_DIR}/test_headers.cc")
set(picklock_test_options ${PICKLOCK_TEST_OPTIONS} ${picklock_found_again})
target_compile_options(picklock_test_headers PRIVATE ${picklock_test_options})
target_link_libraries(picklock_test_headers PRIVATE
  picklock_warnings fmt::fmt rapidcheck rapidcheck_gtest GTest::gmock)
target_precompile_headers(picklock_test_headers PRIVATE
  <algorithm> <array> <chrono> <fstream> <functional> <map> <memory> <optional> <set> <span> <sstream> <string>
  <string_view> <variant> <vector> <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)

# picklock_product_first(TARGET LIBS...): of equal inline functions a linker takes the first. Those of the tests' sources,
# which are not optimized, would take the place of the product's, and a test would run half as long again.
function(picklock_product_first target)
  set(waiting ${ARGN})
  set(archives)
  while(waiting)
    list(POP_FRONT waiting library)
    if(NOT TARGET "${library}")
      continue()
    endif()
    get_target_property(alias ${library} ALIASED_TARGET)
    if(alias)
      set(library ${alias})
    endif()
    get_target_property(type ${library} TYPE)
    if(library MATCHES "^picklock_" AND type STREQUAL "STATIC_LIBRARY" AND NOT library IN_LIST archives)
      list(APPEND archives ${library})
      get_target_property(needed ${library} LINK_LIBRARIES)
      list(APPEND waiting ${needed})
    endif()
  endwhile()
  list(REVERSE archives)  # the simulator's are the most optimized
  list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  if(NOT archives)
    return()
  endif()
  target_link_options(${target} PRIVATE "LINKER:--whole-archive" ${archives} "LINKER:--no-whole-archive")
endfunction()

# picklock_test(sim_test unit SOURCES a_test.cc b_test.cc LIBS picklock::sim)
#
# One GoogleTest executable. The label says how long it may take: unit (milliseconds a test), scenario (seconds),
# explore (minutes). Tests run in the root of the repository. TOGETHER makes them one test of ctest, for those that share
# what is dear to set up. Tests of the greatest COST start first; a long one that started last would run alone.
function(picklock_test name label)
  cmake_parse_arguments(PARSE_ARGV 2 arg "TOGETHER" "COST" "SOURCES;LIBS")
  set(together OFF)
  if(arg_TOGETHER OR (PICKLOCK_UNIT_TESTS_TOGETHER AND label STREQUAL "unit"))
    set(together ON)
  endif()
  if(NOT DEFINED arg_COST)
    set(arg_COST 0)
    if(together)
      set(arg_COST 50)
    endif()
  endif()
  if(NOT label MATCHES "^(unit|scenario|explore)$")
    message(FATAL_ERROR "picklock_test(${name}): the label is unit, scenario or explore, not '${label}'")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "picklock_test(${name}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${picklock_test_options})
  target_link_libraries(${name} PRIVATE
    ${arg_LIBS} picklock_warnings fmt::fmt rapidcheck rapidcheck_gtest GTest::gmock GTest::gtest_main)
  picklock_product_first(${name} ${arg_LIBS})
  target_precompile_headers(${name} REUSE_FROM picklock_test_headers)
  if(together)
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES
      LABELS ${label} TIMEOUT 1200 COST ${arg_COST} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    return()
  endif()
  if(PICKLOCK_SCENARIO_SHARDS AND label STREQUAL "scenario")
    math(EXPR last "${PICKLOCK_SCENARIO_SHARDS} - 1")
    foreach(shard RANGE ${last})
      add_test(NAME ${name}_${shard} COMMAND ${name} --gtest_brief=1)
      set_tests_properties(${name}_${shard} PROPERTIES
        LABELS ${label} TIMEOUT 1200 COST 50 WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${PICKLOCK_SCENARIO_SHARDS};GTEST_SHARD_INDEX=${shard}")
    endforeach()
    return()
  endif()
  # Listing the tests when ctest starts, not when they are linked: a sanitized build can then be built anywhere.
  set(patience 600)
  if(label STREQUAL "explore")
    set(patience 3600)
  endif()
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    PROPERTIES LABELS ${label} TIMEOUT ${patience} COST ${arg_COST})
endfunction()

# A shell script that tests the repository itself.
function(picklock_script_test name script)
  add_test(NAME ${name} COMMAND bash "${PROJECT_SOURCE_DIR}/${script}")
  set_tests_properties(${name} PROPERTIES
    LABELS repository TIMEOUT 120 COST 50 WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endfunction()
picklock_script_test(tidy cmake/tidy_test.sh)
picklock_script_test(wrapper cmake/wrapper_test.sh)
picklock_script_test(commit cmake/commit_test.sh)

# picklock_mutants(lock_mutants locks/mutants.txt [TIMEOUT SECONDS]): plants the faults of a list, which must all be
# found (label mutants). That they have their places is a test of its own.
function(picklock_mutants name list)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 7200)
  endif()
  set(list "${CMAKE_CURRENT_SOURCE_DIR}/${list}")
  add_test(NAME ${name}
    COMMAND bash "${PROJECT_SOURCE_DIR}/cmake/mutants.sh" "${CMAKE_CURRENT_BINARY_DIR}/${name}" "${list}")
  set_tests_properties(${name} PROPERTIES LABELS mutants TIMEOUT ${arg_TIMEOUT})
  set_property(GLOBAL APPEND PROPERTY picklock_mutant_lists "${list}")
endfunction()
function(picklock_places_of_mutants)
  get_property(lists GLOBAL PROPERTY picklock_mutant_lists)
  add_test(NAME mutants_have_their_places COMMAND bash "${PROJECT_SOURCE_DIR}/cmake/mutants.sh" --places ${lists})
  set_tests_properties(mutants_have_their_places PROPERTIES LABELS repository)
endfunction()
cmake_language(DEFER CALL picklock_places_of_mutants)
