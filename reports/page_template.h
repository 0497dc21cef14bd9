// The page without its data, as reports/page/build.mjs bundles it: three parts, between which the
// comparison and the stories are put. In pieces, for compilers limit the length of a literal.
#pragma once

#include <span>
#include <string_view>

namespace picklock::reports {

struct PageTemplate {
  std::span<const std::string_view> before_comparison;
  std::span<const std::string_view> before_stories;
  std::span<const std::string_view> after_stories;
};

PageTemplate page_template();

}  // namespace picklock::reports
