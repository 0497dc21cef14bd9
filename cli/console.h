// The program's surroundings: the terminal, standard output, the folder of the shipped scenarios,
// and words as a shell passes and accepts them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/timeline.h"
#include "scenarios/loader.h"

namespace CLI {
class App;
}

namespace picklock::cli {

inline constexpr int kAsExpected = 0;
inline constexpr int kNotAsExpected = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kNoAnswer = 2;  // a full disk, for example: 1 would mean "not as expected"
inline constexpr int kInterrupted = 130;

// Output cannot be written. An error, so that no script takes half of the output for all.
class OutputLost : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Prints one line on standard error: "picklock: " and the message.
void complain(const std::string& message);

// Writes to standard output. Throws OutputLost.
void put(const std::string& text);

// Writes the file anew. Throws OutputLost, and then leaves no part of the file behind.
void write_file(const std::string& path, const std::string& text);

// The scenario that SCENARIO names, changed by every --set: a file, a pipe, `-` for standard input,
// or a shipped scenario. Throws BadInput.
scenarios::Document document_of(const std::string& scenario,
                                const std::vector<std::string>& changes);

// SCENARIO as a word of a command that repeats a run. A pipe can be read only once: FILE
// stands for a file with the same text.
std::string repeatable(const std::string& scenario);

// The option --color of `command`.
void add_color(CLI::App& command, std::string& into);

// Whether standard output is colored; `color` is the value of --color. Throws BadInput for a value
// that does not exist. An explicit `always` overrides NO_COLOR and TERM.
bool colored(const std::string& color);

// Whether TERM names a terminal without colors and without cursor movement.
bool is_dumb();

// Color, width and character set of a timeline on standard output.
reports::TextOptions text_options(const std::string& color);

// Columns for help and lists: the terminal's, or 80 where standard output is not a terminal.
int page_width();

// The word, quoted for a shell where necessary.
std::string shell_quoted(const std::string& word);

// The value of `option` as a number. Throws BadInput.
std::uint64_t number_from(std::string_view option, const std::string& word, std::uint64_t least,
                          std::uint64_t most);

// The value of --seed: a number that a scenario file can hold as well. Throws BadInput.
std::uint64_t seed_from(const std::string& word);

// The value of --address, HOST:PORT. Throws BadInput.
std::pair<std::string, std::uint16_t> host_and_port(const std::string& word);

}  // namespace picklock::cli
