#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

#include "keys/bad_input.h"
#include "keys/key_kinds.h"
#include "scenarios/keys.h"

namespace picklock::scenarios {

using namespace keys;

namespace {

std::pair<Duration, Duration> bounds_from(const Value& value) {
  const auto bounds = value.is_array() ? value.elements() : std::vector<Value>{};
  if (bounds.size() != 2) {
    value.fail(
        "must be two durations, the minimum and the maximum, such as [\"9s\", "
        "\"11s\"]");
  }
  const Duration least = bounds[0].duration(Sign::not_negative);
  const Duration most = bounds[1].duration(Sign::not_negative);
  if (most < least) value.fail("the maximum is less than the minimum");
  return {least, most};
}

}  // namespace

const Keys<Expectation>& expectation_keys() {
  static const Keys<Expectation> keys = {
      {.name = "violated",
       .type = "array of properties",
       .meaning = "the properties that are violated, as `picklock list properties` names them; "
                  "every other property must hold",
       .read =
           [](const Value& value, Expectation& expect) {
             expect.violated.clear();
             for (const Value& element : value.elements()) {
               const auto property = static_cast<Property>(element.word(words_of(kPropertyNames)));
               for (const Property other : expect.violated) {
                 if (other == property) element.fail("this property is listed twice");
               }
               expect.violated.push_back(property);
             }
           },
       .show = [](const Expectation&) { return std::string("[]"); },
       .nested = {}},
      {.name = "longest_wait",
       .type = "[minimum, maximum], two durations",
       .meaning = "bounds on the longest wait of an acquire, whether it was granted or not",
       .read = [](const Value& value,
                  Expectation& expect) { expect.longest_wait = bounds_from(value); },
       .show = {},
       .nested = {}},
      {.name = "longest_idle",
       .type = "[minimum, maximum], two durations",
       .meaning = "bounds on the longest time in which nobody had the lock although a client "
                  "waited for it",
       .read = [](const Value& value,
                  Expectation& expect) { expect.longest_idle = bounds_from(value); },
       .show = {},
       .nested = {}},
      {.name = "digest",
       .type = "16 hexadecimal digits",
       .meaning = "digest of the run with the seed of the file",
       .read =
           [](const Value& value, Expectation& expect) {
             const std::string digits = value.text();
             std::uint64_t digest = 0;
             const char* end = digits.data() + digits.size();
             const auto [stop, error] = std::from_chars(digits.data(), end, digest, 16);
             if (digits.size() != 16 || stop != end || error != std::errc{}) {
               value.fail(
                   fmt::format("must be 16 hexadecimal digits, not \"{}\"", printable(digits)));
             }
             expect.digest = digest;
           },
       .show = {},
       .nested = {}},
  };
  return keys;
}

namespace {

// Reads words of a list, each once.
template <typename Add>
void read_words(const Value& value, std::span<const std::string_view> words, Add add) {
  std::vector<std::size_t> seen;
  for (const Value& element : value.elements()) {
    const std::size_t word = element.word({words.begin(), words.end()});
    if (std::find(seen.begin(), seen.end(), word) != seen.end())
      element.fail("this word is listed twice");
    seen.push_back(word);
    add(word);
  }
}

// A number that follows from the search and need not be given.
Key<Complete> count(std::string_view name, std::optional<std::uint64_t> Complete::*member,
                    std::string_view meaning) {
  return {.name = std::string(name),
          .type = "whole number",
          .meaning = std::string(meaning),
          .read =
              [member](const Value& value, Complete& complete) {
                complete.*member = static_cast<std::uint64_t>(
                    value.integer(0, std::numeric_limits<std::int64_t>::max()));
              },
          .show = {},
          .nested = {}};
}

}  // namespace

const Keys<Complete>& complete_keys() {
  static const Keys<Complete> keys = {
      without_default(integer<Complete>("faults", 1, kMostFaults, at<&Complete::faults>,
                                        "the most faults in a plan; must be given")),
      {.name = "classes",
       .type = "array of fault classes",
       .meaning = "the classes of faults, as `picklock list faults` names them; by default all "
                  "that can act",
       .read =
           [](const Value& value, Complete& complete) {
             complete.classes.emplace();
             read_words(value, kFaultClassNames, [&](std::size_t word) {
               complete.classes->add(static_cast<FaultClass>(word));
             });
           },
       .show = {},
       .nested = {}},
      {.name = "properties",
       .type = "array of properties",
       .meaning = "the properties that no plan violates; by default those that the lock promises",
       .read =
           [](const Value& value, Complete& complete) {
             complete.properties.clear();
             read_words(value, kPropertyNames, [&](std::size_t word) {
               complete.properties.push_back(static_cast<Property>(word));
             });
           },
       .show = {},
       .nested = {}},
      count("plans", &Complete::plans, "how many plans there are, with the seed of the file"),
      count("different", &Complete::different,
            "how many of them lead to different events, with the seed of the file"),
  };
  return keys;
}

namespace {

// Descends to the keys that are changed: dotted keys are tables.
void read_changes(const Value& value, const std::string& path, std::vector<Change>& changes) {
  if (!value.is_table()) return changes.push_back({.path = path, .value = value.toml()});
  for (const Value& entry : value.entries())
    read_changes(entry, path + "." + entry.name(), changes);
}

void read_changes(const Value& start, std::vector<Change>& changes) {
  const Words kept = {"format", "expect", "twin", "neighbour", "complete"};
  if (std::find(kept.begin(), kept.end(), start.name()) != kept.end()) {
    start.fail("a twin cannot change this key; it can only change what the run itself uses");
  }
  read_changes(start, start.name(), changes);
}

}  // namespace

void read_twin(const Value& table, Twin& twin) {
  twin.expect.line = table.line();
  for (const Value& value : table.entries()) {
    if (const Key<Expectation>* key = find(expectation_keys(), value.name())) {
      key->read(value, twin.expect);
    } else {
      Words words = names_of(scenario_keys());
      for (const std::string_view word : names_of(expectation_keys())) words.push_back(word);
      if (std::find(words.begin(), words.end(), value.name()) == words.end()) {
        value.fail("there is no such key", value.name(), words);
      }
      read_changes(value, twin.changes);
    }
  }
  if (twin.changes.empty()) {
    table.fail("a twin must change a key, such as `lock.algorithm`; this one changes none");
  }
}

const Keys<Neighbour>& neighbour_keys() {
  static const Keys<Neighbour> keys = [] {
    Keys<Neighbour> made = {
        integer<Neighbour>(
            "fault", 1, kMostFaults, at<&Neighbour::fault>,
            "number of the fault that is moved, counted from 1 in the order of the file"),
    };
    add_lifted(made, trigger_keys(), at<&Neighbour::trigger>);
    for (Key<Neighbour>& key : made) {
      if (key.name == "nth") key = without_default(key);
    }
    add_lifted(made, expectation_keys(), at<&Neighbour::expect>);
    std::erase_if(made, [](const Key<Neighbour>& key) { return key.name == "digest"; });
    return made;
  }();
  return keys;
}

void describe_twin(const std::string& path, std::vector<TableDoc>& docs) {
  TableDoc doc{
      .header = "[[" + joined(path, "twin") + "]]",
      .meaning =
          "The same file with one key changed, or with a few that belong together, and what "
          "is expected of that run.",
      .keys = {{.name = "any dotted key",
                .type = "as in its table",
                .fallback = {},
                .meaning = "the change, such as `lock.algorithm = \"lua-check-delete\"` or "
                           "`fault.1.before = \"check.sent\"`; must be given, at least once"}}};
  std::vector<TableDoc> expectation;
  describe("", "", expectation_keys(), expectation);
  for (KeyDoc& key : expectation[0].keys) doc.keys.push_back(std::move(key));
  docs.push_back(std::move(doc));
}

}  // namespace picklock::scenarios
