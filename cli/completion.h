// Completion of the program's command line in bash and in zsh, made from the parser's own data: no
// command and no option of the help can be missing. The scripts hold every name that may stand for
// a value, so that completing never starts the program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace picklock::cli {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace picklock::cli
