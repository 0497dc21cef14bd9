// What the program has of its surroundings: the terminal it speaks to, the folder of the shipped
// scenarios, standard output, and words as a shell gives and takes them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/timeline.h"
#include "scenarios/loader.h"

namespace picklock::cli {

inline constexpr int kAsExpected = 0;
inline constexpr int kNotAsExpected = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kNoAnswer = 2;  // 1 is an answer, and nobody may take a full disk for it
inline constexpr int kInterrupted = 130;

// Nobody may take half of an answer for the whole.
class OutputLost : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// On standard output, or throws OutputLost.
void put(const std::string& text);

std::string scenario_directory();

// What SCENARIO names, a file or one that is shipped, with what --set changes, or BadInput.
scenarios::Document document_of(const std::string& scenario,
                                const std::vector<std::string>& changes);

// Colour, width and marks that standard output bears.
reports::TextOptions text_options();

// A word as a shell takes it back.
std::string shell_quoted(const std::string& word);

// The number that `option` was given, or BadInput.
std::uint64_t number_from(std::string_view option, const std::string& word, std::uint64_t least,
                          std::uint64_t most);

// What a file can hold as well, so that every run can be kept as one.
std::uint64_t seed_from(const std::string& word);

// What --address was given, HOST:PORT, or BadInput.
std::pair<std::string, std::uint16_t> host_and_port(const std::string& word);

}  // namespace picklock::cli
