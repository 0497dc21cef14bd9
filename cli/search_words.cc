#include "cli/search_words.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "cli/console.h"
#include "keys/bad_input.h"

namespace picklock::cli {

using keys::BadInput;
using keys::Words;

std::vector<std::string> listed_in(const std::string& option, const std::string& list) {
  std::vector<std::string> words(1);
  for (const char letter : list) {
    if (letter == ',') {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->empty())
      throw BadInput(
          fmt::format("{}: there is an empty word in \"{}\"", option, keys::printable(list)));
    if (std::find(words.begin(), word, *word) != word)
      throw BadInput(fmt::format("{}: `{}` is given twice", option, keys::printable(*word)));
  }
  return words;
}

void refuse(const std::string& option, std::string_view kind, const std::string& word,
            const Words& known) {
  // Only the locks are too many for a line.
  constexpr std::size_t kMostListed = 30;
  const std::string others = known.size() <= kMostListed
                                 ? "it is one of " + keys::listed(known)
                                 : "`picklock list algorithms` lists them all";
  throw BadInput(fmt::format("{}: there is no {} `{}`{}", option, kind, keys::printable(word),
                             keys::did_you_mean(word, known, others)));
}

std::vector<Property> properties_from(const std::string& list) {
  const Words known(kPropertyNames.begin(), kPropertyNames.end());
  std::vector<Property> properties;
  for (const std::string& word : listed_in("--property", list)) {
    const auto property = property_named(word);
    if (!property) refuse("--property", "property", word, known);
    properties.push_back(*property);
  }
  return properties;
}

double seconds_from(std::string_view option, const std::string& word) {
  double seconds = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, seconds);
  if (error != std::errc{} || stop != end || !(seconds > 0 && seconds <= 1e9)) {
    throw BadInput(fmt::format("{}: must be a number greater than 0, such as 30 or 0.5, not \"{}\"",
                               option, keys::printable(word)));
  }
  return seconds;
}

unsigned jobs_from(const std::string& word) {
  constexpr std::uint64_t kMostJobs = 256;
  if (!word.empty()) return static_cast<unsigned>(number_from("--jobs", word, 1, kMostJobs));
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&cores)));
}

}  // namespace picklock::cli
