// A comparison as a page in Markdown that reads well on a code host: its tables, and of each lock
// its shortest story as a Mermaid diagram.
#pragma once

#include <string>

#include "compare/comparison.h"
#include "compare/document.h"

namespace picklock::compare {

std::string markdown(const Comparison& comparison, const Made& made);

}  // namespace picklock::compare
