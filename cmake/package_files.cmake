# Run by CPack between installation and packing: adds the files that only Debian requires of every package.
file(GLOB components "${CPACK_TEMPORARY_DIRECTORY}/*")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS components)
  if(NOT IS_DIRECTORY "${component}/usr")
    continue()
  endif()
  get_filename_component(name "${component}" NAME)
  string(TOUPPER "${name}" upper)
  set(package "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  set(documents "${component}/usr/share/doc/${package}")
  configure_file("${CPACK_PICKLOCK_SOURCE}/cmake/copyright" "${documents}/copyright" COPYONLY NO_SOURCE_PERMISSIONS)
  file(WRITE "${documents}/changelog" "picklock (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}. CHANGELOG.md of the package picklock lists what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  execute_process(COMMAND gzip -9n "${documents}/changelog" COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE archives "${component}/usr/lib/*.a")
  foreach(archive IN LISTS archives)
    # CPack strips programs only.
    execute_process(COMMAND strip --strip-unneeded --enable-deterministic-archives
        --remove-section=.comment "--remove-section=.gnu.lto_*" "${archive}"
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
