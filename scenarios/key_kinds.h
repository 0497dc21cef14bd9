// The kinds of keys that the tables are made of: text, durations, words of a few and so on, each
// with how it reads, how its default is shown and how the reference names its type.
#pragma once

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/duration_text.h"
#include "scenarios/key.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

inline std::string quoted(std::string_view text) { return as_toml(text); }

inline Words words_of(const auto& names) { return Words(names.begin(), names.end()); }

// A member is found by a generic lambda, so that the same one reads the default and writes the
// value.

template <typename Target>
Key<Target> text(const std::string& name, auto member, const std::string& meaning) {
  return {.name = name,
          .type = "text",
          .meaning = meaning,
          .read = [member](const Value& value, Target& into) { member(into) = value.text(); },
          .show =
              [member](const Target& from) {
                return member(from).empty() ? std::string() : quoted(member(from));
              },
          .nested = {}};
}

template <typename Target>
Key<Target> boolean(const std::string& name, auto member, const std::string& meaning) {
  return {.name = name,
          .type = "true or false",
          .meaning = meaning,
          .read = [member](const Value& value, Target& into) { member(into) = value.boolean(); },
          .show = [member](const Target& from) { return member(from) ? "true" : "false"; },
          .nested = {}};
}

template <typename Target>
Key<Target> integer(const std::string& name, std::int64_t least, std::int64_t most, auto member,
                    const std::string& meaning) {
  return {.name = name,
          .type = fmt::format("whole number, {} to {}", least, most),
          .meaning = meaning,
          .read =
              [=](const Value& value, Target& into) {
                using Number = std::remove_reference_t<decltype(member(into))>;
                member(into) = static_cast<Number>(value.integer(least, most));
              },
          .show = [member](const Target& from) { return std::to_string(member(from)); },
          .nested = {}};
}

template <typename Target>
Key<Target> duration(const std::string& name, Sign sign, auto member, const std::string& meaning) {
  constexpr std::array<const char*, 3> kTypes = {"duration, more than 0s", "duration",
                                                 "duration, may be negative"};
  Key<Target> key{
      .name = name,
      .type = kTypes[static_cast<std::size_t>(sign)],
      .meaning = meaning,
      .read = [=](const Value& value, Target& into) { member(into) = value.duration(sign); },
      .show = {},
      .nested = {}};
  using Member = std::remove_cvref_t<decltype(member(std::declval<Target&>()))>;
  if constexpr (std::same_as<Member, Duration>) {
    key.show = [member](const Target& from) { return quoted(to_text(member(from))); };
  }
  return key;
}

// One word of a few; its index is the value of the enumeration.
template <typename Target>
Key<Target> word(const std::string& name, const Words& words, auto member,
                 const std::string& meaning) {
  return {
      .name = name,
      .type = "one of " + listed(words),
      .meaning = meaning,
      .read =
          [=](const Value& value, Target& into) {
            using Enumeration = std::remove_reference_t<decltype(member(into))>;
            member(into) = static_cast<Enumeration>(value.word(words));
          },
      .show =
          [=](const Target& from) { return quoted(words[static_cast<std::size_t>(member(from))]); },
      .nested = {}};
}

template <typename Target>
Key<Target> without_default(Key<Target> key) {
  key.show = {};
  return key;
}

// An array of tables, [[name]], each read by `read` into one more element.
template <typename Target>
Key<Target> tables(const std::string& name, std::size_t most, auto member, auto read,
                   const std::function<void(const std::string&, std::vector<TableDoc>&)>& nested) {
  return {.name = name,
          .type = "array of tables",
          .meaning = {},
          .read =
              [=](const Value& value, Target& into) {
                const std::vector<Value> found = value.tables();
                if (found.size() > most) {
                  found[most].fail(fmt::format("there may be {} of these at most", most));
                }
                for (const Value& table : found) read(table, member(into).emplace_back());
              },
          .show = {},
          .nested = nested};
}

}  // namespace picklock::scenarios
