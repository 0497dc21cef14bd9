# Each public header compiles alone, with the public include folder and nothing else of the tree.
set(header_sources "")
foreach(header IN ITEMS client lock mysql redis scenario test zookeeper)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${header}_alone.cc")
  file(GENERATE OUTPUT "${source}" CONTENT "#include <picklock/${header}.h>\n#include <picklock/${header}.h>\n")
  list(APPEND header_sources "${source}")
endforeach()
add_library(picklock_public_headers OBJECT ${header_sources})
set_target_properties(picklock_public_headers PROPERTIES
  UNITY_BUILD OFF INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/include")
target_link_libraries(picklock_public_headers PRIVATE picklock_warnings GTest::gtest rapidcheck)
