# Sets SOURCE_DATE_EPOCH, the time stamp of generated files, unless it is set: to the time of the commit, or, outside a
# git repository, of the last change of CHANGELOG.md. Needs `source`, or CPACK_PICKLOCK_SOURCE.
if(NOT DEFINED source)
  set(source "${CPACK_PICKLOCK_SOURCE}")
endif()
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C "${source}" log -1 --format=%ct
    OUTPUT_VARIABLE source_date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    file(TIMESTAMP "${source}/CHANGELOG.md" source_date %s UTC)
  endif()
  set(ENV{SOURCE_DATE_EPOCH} "${source_date}")
endif()
