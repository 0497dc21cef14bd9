# The warnings of every target of the project; linked PRIVATE, so that users of the libraries keep their own.
add_library(picklock_warnings INTERFACE)
target_compile_options(picklock_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${PICKLOCK_WERROR}>:-Werror>)
# In files that are compiled as one, clang++ takes an alias that two of them declare equally for a shadow; clang-dev
# compiles each by itself, with the warning.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(picklock_warnings INTERFACE -Wno-shadow)
endif()
