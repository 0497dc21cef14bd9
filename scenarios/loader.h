// Loads scenario files by path or by name. A mistake in one is a BadInput that names file, line and
// key. Loading ends within bounded memory for any bytes.
#pragma once

#include <string>
#include <string_view>

#include "scenarios/document.h"
#include "scenarios/scenario.h"
#include "scenarios/vocabulary.h"

namespace picklock::scenarios {

Scenario load(const std::string& path, const Vocabulary& vocabulary);
Scenario parse(std::string text, std::string name, const Vocabulary& vocabulary);

// The path of the SCENARIO of a command line: a file, or the name of a scenario in `directory`,
// that is, its file name without .toml. Throws BadInput with the nearest name if there is neither.
std::string find_scenario(const std::string& word, const std::string& directory);

}  // namespace picklock::scenarios
