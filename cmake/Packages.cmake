# Installation, and the Debian packages that are made of it:
#   cmake --build --preset release --target packages
# writes picklock_<version>_amd64.deb and libpicklock-dev_<version>_amd64.deb into the build folder. The same commit gives
# the same bytes in every folder (cmake/reproducible_test.sh).
include(GNUInstallDirs)

install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/writable_prefix.cmake" COMPONENT picklock)
install(TARGETS picklock RUNTIME COMPONENT picklock)
# Not in lib/picklock itself: CPack would call ldconfig for it.
install(TARGETS picklock_steered_clock LIBRARY DESTINATION lib/picklock/conform COMPONENT picklock)
# Sources lie beside the scenarios.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenarios" DESTINATION share/picklock COMPONENT picklock
  FILES_MATCHING PATTERN "*.toml")
install(FILES README.md CHANGELOG.md CONTRIBUTING.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT picklock)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT picklock
  FILES_MATCHING PATTERN "*.md" PATTERN "*.yaml")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/own_lock" "${PROJECT_SOURCE_DIR}/examples/own_locks"
  "${PROJECT_SOURCE_DIR}/examples/library_bugs"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples" COMPONENT picklock)

# The man page and the completions are made from the help of the program that was built.
find_program(PICKLOCK_GZIP gzip REQUIRED)
mark_as_advanced(PICKLOCK_GZIP)
set(picklock_help_files "${PROJECT_BINARY_DIR}/help")
add_custom_target(picklock_help_files ALL
  COMMAND "${CMAKE_COMMAND}" -D "program=$<TARGET_FILE:picklock>" -D "version=${PROJECT_VERSION}"
    -D "source=${PROJECT_SOURCE_DIR}" -D "folder=${picklock_help_files}" -D "gzip=${PICKLOCK_GZIP}"
    -P "${CMAKE_CURRENT_LIST_DIR}/help_files.cmake"
  BYPRODUCTS "${picklock_help_files}/picklock.1.gz" "${picklock_help_files}/picklock.bash" "${picklock_help_files}/_picklock"
  COMMENT "Making the man page and the completions" VERBATIM)
add_dependencies(picklock_help_files picklock)
install(FILES "${picklock_help_files}/picklock.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT picklock)
install(FILES "${picklock_help_files}/picklock.bash" DESTINATION share/bash-completion/completions RENAME picklock
  COMPONENT picklock)
install(FILES "${picklock_help_files}/_picklock" DESTINATION share/zsh/vendor-completions COMPONENT picklock)

# --- packages

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "picklock maintainers <maintainers@picklock.invalid>")
set(CPACK_DEB_COMPONENT_INSTALL ON)
get_cmake_property(CPACK_COMPONENTS_ALL COMPONENTS)
list(FILTER CPACK_COMPONENTS_ALL INCLUDE REGEX "^picklock(-dev)?$")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 1)  # what xz writes depends on it
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_LIST_DIR}/source_date.cmake")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/package_files.cmake")
set(CPACK_PICKLOCK_SOURCE "${PROJECT_SOURCE_DIR}")

set(CPACK_DEBIAN_PICKLOCK_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PICKLOCK_PACKAGE_NAME picklock)
set(CPACK_DEBIAN_PICKLOCK_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PICKLOCK_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PICKLOCK_PACKAGE_SUGGESTS "redis-server, zookeeper, mariadb-server")
set(CPACK_COMPONENT_PICKLOCK_DESCRIPTION "run distributed locks against simulated servers, under faults
picklock runs real distributed-lock algorithms against simulated Redis,
ZooKeeper and MySQL servers, in virtual time, and injects faults into them:
pauses, crashes, lost messages, partitions, clock jumps, failovers.
.
After a run it judges properties such as mutual exclusion, and names who broke
them, when, and at which step. The same scenario with the same seed gives the
same run on every machine.")

set(CPACK_DEBIAN_PICKLOCK-DEV_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PICKLOCK-DEV_PACKAGE_NAME libpicklock-dev)
set(CPACK_DEBIAN_PICKLOCK-DEV_PACKAGE_SECTION libdevel)
# The packages that picklockConfig.cmake looks for and that picklock/test.h includes.
string(CONCAT CPACK_DEBIAN_PICKLOCK-DEV_PACKAGE_DEPENDS
  "libboost-context1.81-dev, libboost-fiber1.81-dev, libfmt-dev, libgtest-dev, liblua5.1-0-dev, libssl-dev, "
  "libtomlplusplus-dev, lua-bitop-dev, lua-cjson-dev")
set(CPACK_DEBIAN_PICKLOCK-DEV_PACKAGE_RECOMMENDS "cmake, g++, librapidcheck-dev")
set(CPACK_DEBIAN_PICKLOCK-DEV_PACKAGE_SUGGESTS "picklock")
set(CPACK_COMPONENT_PICKLOCK-DEV_DESCRIPTION "test your own distributed lock under faults, in virtual time
picklock runs distributed locks against simulated Redis, ZooKeeper and MySQL
servers, in virtual time, and injects faults into them.
.
This package has the headers, the static libraries and the CMake package with
which a test in C++ runs a lock of its own: find_package(picklock) gives the
targets picklock::lock and picklock::test.")

include(CPack)
# The umask shows in folders, and in the package itself.
add_custom_target(packages
  COMMAND sh -c "umask 022; exec \"$@\"" sh "${CMAKE_CPACK_COMMAND}" --config "${PROJECT_BINARY_DIR}/CPackConfig.cmake" -B "${PROJECT_BINARY_DIR}"
  COMMENT "Making the packages" VERBATIM)
add_dependencies(packages picklock picklock_steered_clock picklock_help_files)
if("picklock-dev" IN_LIST CPACK_COMPONENTS_ALL)
  add_dependencies(packages picklock_lock picklock_test)
endif()

find_program(PICKLOCK_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(PICKLOCK_SHLIBDEPS)
if(PICKLOCK_TESTS AND PICKLOCK_SHLIBDEPS AND CMAKE_BUILD_TYPE STREQUAL "Release")
  add_test(NAME packages COMMAND bash "${CMAKE_CURRENT_LIST_DIR}/packages_test.sh"
    "${PROJECT_BINARY_DIR}" "${PROJECT_VERSION}")
  set_tests_properties(packages PROPERTIES LABELS package TIMEOUT 1200 COST 100)
  add_test(NAME reproducible COMMAND bash "${CMAKE_CURRENT_LIST_DIR}/reproducible_test.sh")
  set_tests_properties(reproducible PROPERTIES LABELS reproducible TIMEOUT 7200 RUN_SERIAL ON)
endif()
