# What every target of ours is compiled with; linked PRIVATE, so that a user of the libraries keeps his own.
add_library(picklock_warnings INTERFACE)
target_compile_options(picklock_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${PICKLOCK_WERROR}>:-Werror>)
