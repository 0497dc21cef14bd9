// The password of the ports of `picklock serve`. It is never a word of the command line, which
// everybody on the machine can read (`ps`).
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace picklock::cli {

// The option --password-file of `command`.
void add_password_file(CLI::App& command, std::string& into);

// The line in this file; without a file, the value of PICKLOCK_PASSWORD; empty: there is neither.
// Throws BadInput if the file does not have one line.
std::string password_from(const std::string& file);

}  // namespace picklock::cli
