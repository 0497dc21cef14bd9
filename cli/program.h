// The picklock program: its arguments in, an exit status out. A program of yours that has added a
// kind of server or a lock calls this too, and so has every command for them.
#pragma once

namespace picklock::cli {

// 0: as expected; 1: not as expected; 2: bad input, wrong usage, or output that cannot be written,
// with one line on standard error; 130: interrupted. Throws nothing.
int run_program(int argc, char** argv);

}  // namespace picklock::cli
