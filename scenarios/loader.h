// Scenario files by path or by name. What is wrong with one is a BadInput that names file, line and
// key; whatever the bytes are, loading ends, within bounded memory.
#pragma once

#include <string>
#include <string_view>

#include "scenarios/document.h"
#include "scenarios/scenario.h"
#include "scenarios/vocabulary.h"

namespace picklock::scenarios {

Scenario load(const std::string& path, const Vocabulary& vocabulary);
Scenario parse(std::string text, std::string name, const Vocabulary& vocabulary);

// The path of what the command line calls SCENARIO: a file, or the name of one in `directory`,
// which is its file name without .toml. Throws BadInput with the nearest name if there is neither.
std::string find_scenario(const std::string& word, const std::string& directory);

}  // namespace picklock::scenarios
