// The part of the man page picklock(1) that the help has too, made from the parser's own data: no
// command and no option of the help can be missing in it. The rest of the page is
// cli/picklock.1.in.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace picklock::cli {

// In roff: the commands with their options, then the sections EXIT STATUS, ENVIRONMENT and FILES.
std::string help_as_man_page(const CLI::App& app);

}  // namespace picklock::cli
