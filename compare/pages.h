// Writes the results of a comparison into its folder: the stories as scenario files, the document,
// and the pages for readers.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/document.h"

namespace picklock::compare {

struct Pages {
  std::vector<std::string> for_people;  // comparison.html, comparison.md
  bool all_written = true;
  std::size_t left_out = 0;  // stories that the page does not have, for lack of time
};

// Tells every story where it is kept. A file is whole under its name, or the one before is.
// `late`: once true, no further story is added to the page.
Pages write_pages(
    Comparison& comparison, const Made& made, const std::filesystem::path& folder,
    const std::function<bool()>& late = [] { return false; });

}  // namespace picklock::compare
