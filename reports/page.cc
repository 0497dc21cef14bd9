#include "reports/page.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "reports/page_data.h"
#include "reports/page_template.h"
#include "reports/story_json.h"

namespace picklock::reports {
namespace {

using Json = nlohmann::ordered_json;

std::string compressed(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string out(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(text.data()), text.size(), Z_BEST_COMPRESSION);
  if (status != Z_OK) throw std::runtime_error("the stories of the page cannot be compressed");
  out.resize(size);
  return out;
}

std::string base64(const std::string& bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // the last byte is for the terminator
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  out.pop_back();
  return out;
}

}  // namespace

void Page::add(const std::string& file, const scenarios::Outcome& outcome) {
  stories_[file] = text_of(story_json(outcome.run));
}

std::string Page::html(const std::string& comparison) const {
  const Json document = Json::parse(comparison, nullptr, false);
  if (document.is_discarded()) throw std::invalid_argument("the comparison is not JSON");
  std::string stories = "{";
  for (const auto& [file, story] : stories_) {
    if (stories.size() > 1) stories += ',';
    stories += text_of(file) + ':' + story;
  }
  stories += '}';

  return filled(comparison_template(),
                fmt::format(R"(<script type="application/json" id="comparison">{}</script>
<script type="text/plain" id="stories">{}</script>)",
                            without_tags(text_of(document)), base64(compressed(stories))));
}

}  // namespace picklock::reports
