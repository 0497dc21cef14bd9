// Values of options that several commands share: lists, limits, properties. A value that cannot be
// used is a BadInput that names the option and the nearest valid word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keys/nearest.h"
#include "picklock/lock.h"

namespace picklock::cli {

// The folder of --out where none is given.
inline constexpr const char* kDefaultOut = "picklock-out";

// The words of "a,b,c", the value of `option`.
std::vector<std::string> listed_in(const std::string& option, const std::string& list);

// Throws the BadInput for a `word` that is none of `known`; `kind` says what the words name.
[[noreturn]] void refuse(const std::string& option, std::string_view kind, const std::string& word,
                         const keys::Words& known);

// The value of --property.
std::vector<Property> properties_from(const std::string& list);

// The value of `option`, a number of seconds above 0.
double seconds_from(std::string_view option, const std::string& word);

// The value of --jobs; not given: one process per core.
unsigned jobs_from(const std::string& word);

}  // namespace picklock::cli
