// Writes the results of a comparison into its folder: the stories as scenario files, the document,
// and the pages for readers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/document.h"

namespace picklock::compare {

struct Pages {
  std::vector<std::string> for_people;  // comparison.html, comparison.md
  bool all_written = true;
};

// Tells every story where it is kept. A file is whole under its name, or the one before is.
Pages write_pages(Comparison& comparison, const Made& made, const std::filesystem::path& folder);

}  // namespace picklock::compare
