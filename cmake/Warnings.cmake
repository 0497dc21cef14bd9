# What every target of ours is compiled with; linked PRIVATE, so that a user of the libraries keeps his own.
add_library(picklock_warnings INTERFACE)
target_compile_options(picklock_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${PICKLOCK_WERROR}>:-Werror>)

# The hot path crosses the simulator's files: optimised together they are a tenth faster. The objects keep ordinary
# code too, so that only the programs that say so pay for it when they are linked.
add_library(picklock_hot INTERFACE)
add_library(picklock_hot_program INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(picklock_hot INTERFACE -O3 -flto -ffat-lto-objects)
  target_compile_options(picklock_hot_program INTERFACE -O3 -flto -ffat-lto-objects)
  target_link_options(picklock_hot_program INTERFACE -O3 -flto=auto)
endif()
