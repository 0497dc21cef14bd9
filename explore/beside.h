// What a search has seen beside its finds, in words for the reports: what is known, what is a limit
// of the kind of lock, and what nobody promised.
#pragma once

#include <string>
#include <vector>

#include "explore/search.h"

namespace picklock::explore {

// A line of a report; `name` repeats: "limit", then "such as".
struct BesideLine {
  std::string_view name;
  std::string text;
};

// `limit_files`: where the examples of limits were kept; empty: nowhere.
std::vector<BesideLine> beside(const Search& search, const std::vector<std::string>& limit_files);

// ", apart from ...": what was violated although nothing was found; empty: nothing.
std::string but_for(const Search& search);

// The attempts with the other lock of a comparison: "lua-check-delete keeps it under ...".
std::string compared(const Find& find, const Reference& reference);

// "redlock with servers.redis.masters = 5".
std::string in_words(const Against& against);

}  // namespace picklock::explore
