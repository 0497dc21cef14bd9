include(GoogleTest)

# picklock_test(sim_test unit SOURCES a_test.cc b_test.cc LIBS picklock::sim)
#
# One GoogleTest executable. The label says how long it may take: unit (milliseconds a test), scenario (seconds),
# explore (minutes). Tests run in the root of the repository.
function(picklock_test name label)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LIBS")
  if(NOT label MATCHES "^(unit|scenario|explore)$")
    message(FATAL_ERROR "picklock_test(${name}): the label is unit, scenario or explore, not '${label}'")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "picklock_test(${name}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE
    ${arg_LIBS} picklock_warnings rapidcheck rapidcheck_gtest GTest::gmock GTest::gtest_main)
  # Listing the tests when ctest starts, not when they are linked: a sanitized build can then be built anywhere.
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    PROPERTIES LABELS ${label} TIMEOUT 600)
endfunction()

# A shell script that tests the repository itself.
function(picklock_script_test name script)
  add_test(NAME ${name} COMMAND bash "${PROJECT_SOURCE_DIR}/${script}")
  set_tests_properties(${name} PROPERTIES
    LABELS unit TIMEOUT 120 WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endfunction()
picklock_script_test(tidy cmake/tidy_test.sh)
picklock_script_test(wrapper cmake/wrapper_test.sh)
