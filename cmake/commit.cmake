# Writes the source file OUT, which has the commit of the source tree SOURCE, unless OUT has it already: then nothing is
# compiled again. With changes in the tree the commit ends in -dirty. In a tarball of `git archive` the commit is in
# source_commit.txt; a tree without any of these is `unknown`. COMMIT, if given, overrides all of them.
if(NOT COMMIT AND EXISTS "${SOURCE}/.git")
  execute_process(
    COMMAND git --no-optional-locks describe --always --dirty --abbrev=12 "--exclude=*"
    WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT COMMIT)
  file(STRINGS "${SOURCE}/cmake/source_commit.txt" archived REGEX "^[0-9a-f]+$")
  string(SUBSTRING "${archived}" 0 12 COMMIT)
endif()
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT [=[
#include "cli/version.h"

namespace picklock::cli {

[[gnu::section(".picklock.commit")]] const char kCommit[64] = "@COMMIT@";

}  // namespace picklock::cli
]=])
