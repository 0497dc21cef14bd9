#include "reports/page_data.h"

#include <nlohmann/json.hpp>

namespace picklock::reports {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// Outside of strings JSON has no `<`.
std::string without_tags(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string filled(const PageTemplate& page, const std::string& elements) {
  std::string out;
  for (const std::string_view piece : page.before_data) out += piece;
  out += elements;
  for (const std::string_view piece : page.after_data) out += piece;
  return out;
}

}  // namespace picklock::reports
