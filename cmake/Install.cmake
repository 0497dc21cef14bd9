# The library of a user's test, installed: cmake --install BUILD --component picklock-dev. A project finds it with
# find_package(picklock 0.2 CONFIG REQUIRED COMPONENTS test).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Before the first file: CMake's own complaint about a prefix is six lines long.
install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/writable_prefix.cmake" COMPONENT picklock-dev)

set(config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/picklock")
set_target_properties(picklock_lock PROPERTIES EXPORT_NAME lock)
set_target_properties(picklock_test PROPERTIES EXPORT_NAME test)
install(TARGETS picklock_lock picklock_test EXPORT picklock
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT picklock-dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/picklock" DESTINATION include COMPONENT picklock-dev
  FILES_MATCHING PATTERN "*.h")
install(EXPORT picklock NAMESPACE picklock:: FILE picklockTargets.cmake DESTINATION "${config_folder}"
  COMPONENT picklock-dev)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/picklockConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/picklockConfig.cmake" INSTALL_DESTINATION "${config_folder}"
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change what a test calls.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/picklockConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/picklockConfig.cmake" "${PROJECT_BINARY_DIR}/picklockConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/Lua.cmake" DESTINATION "${config_folder}" COMPONENT picklock-dev)
