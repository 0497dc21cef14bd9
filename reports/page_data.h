// Data in the pages: how they are written so that no text among them can end their element.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/page_template.h"

namespace picklock::reports {

// JSON in ASCII, whatever bytes its strings hold.
std::string text_of(const nlohmann::ordered_json& json);

// JSON that can stand in a script element: there `</script` ends it and `<!--` opens a comment.
std::string without_tags(const std::string& json);

// The page with the data's elements in their place.
std::string filled(const PageTemplate& page, const std::string& elements);

}  // namespace picklock::reports
