// Help in one shape for all commands. CLI11's own formatter breaks no lines; this one wraps words
// at the width of the page.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace picklock::cli {

// Commands that are added to an App afterwards use the formatter of that App.
std::shared_ptr<CLI::FormatterBase> help_formatter(int width);

}  // namespace picklock::cli
