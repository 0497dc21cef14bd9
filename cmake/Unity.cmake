# Where a preset sets CMAKE_UNITY_BUILD, several sources of a target are compiled as one: what they include takes most of
# the time otherwise. These are compiled by themselves, for they call something of their own as a neighbour does.
function(picklock_compiled_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
