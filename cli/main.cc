#include "cli/program.h"

int main(int argc, char** argv) { return picklock::cli::run_program(argc, argv); }
