// A bundled page without its data, as reports/page/build.mjs makes it: the text before the data and
// the text after them. Both are in pieces because compilers limit the length of a literal.
#pragma once

#include <span>
#include <string_view>

namespace picklock::reports {

struct PageTemplate {
  std::span<const std::string_view> before_data;
  std::span<const std::string_view> after_data;
};

PageTemplate comparison_template();
PageTemplate run_template();

}  // namespace picklock::reports
