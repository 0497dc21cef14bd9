// Words that `explore` and `compare` take: lists, limits, and what to look for. What cannot be used
// is a BadInput that names the option and the nearest word that would have been right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/property.h"
#include "scenarios/nearest.h"

namespace picklock::cli {

// The words of "a,b,c", as `option` was given it.
std::vector<std::string> listed_in(const std::string& option, const std::string& list);

[[noreturn]] void refuse(const std::string& option, std::string_view kind, const std::string& word,
                         const scenarios::Words& known);

// Of --property.
std::vector<models::Property> properties_from(const std::string& list);

// Of --seconds: more than 0.
double seconds_from(const std::string& word);

// Of --jobs; not given: one for each core.
unsigned jobs_from(const std::string& word);

}  // namespace picklock::cli
