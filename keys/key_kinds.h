// The kinds of keys in the tables: text, duration, one of several words and so on. Each kind knows
// how to read a value, how to show its default and what the reference calls its type.
#pragma once

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "keys/duration_text.h"
#include "keys/key.h"

namespace picklock::keys {

inline Words words_of(const auto& names) { return Words(names.begin(), names.end()); }

// The member of a table that keeps the value of a key. A caller names it by a generic lambda, which
// serves to read the default and to write the value. As plain functions, all members of one type
// share the code of a key: otherwise every key would be compiled by itself.
template <typename Target, typename Type>
struct Place {
  Type& (*in)(Target&);
  const Type& (*of)(const Target&);
};

template <typename Target>
constexpr auto place_of(auto member) {
  using Type = std::remove_reference_t<decltype(member(std::declval<Target&>()))>;
  using Member = decltype(member);
  return Place<Target, Type>{[](Target& from) -> Type& { return Member{}(from); },
                             [](const Target& from) -> const Type& { return Member{}(from); }};
}

// The usual lambda.
template <auto member>
inline constexpr auto at = [](auto& table) -> auto& {
  return table.*member;
};

template <typename Target, typename Type>
std::function<void(const Target&, Target&)> copier(Place<Target, Type> place) {
  return [place](const Target& from, Target& into) { place.in(into) = place.of(from); };
}

template <typename Target>
Key<Target> text_at(std::string_view name, Place<Target, std::string> place,
                    std::string_view meaning) {
  return {.name = std::string(name),
          .type = "text",
          .meaning = std::string(meaning),
          .read = [place](const Value& value, Target& into) { place.in(into) = value.text(); },
          .show =
              [place](const Target& from) {
                return place.of(from).empty() ? std::string() : as_toml(place.of(from));
              },
          .nested = {},
          .copy = copier(place)};
}

template <typename Target>
Key<Target> text(std::string_view name, auto member, std::string_view meaning) {
  return text_at(name, place_of<Target>(member), meaning);
}

template <typename Target>
Key<Target> boolean_at(std::string_view name, Place<Target, bool> place, std::string_view meaning) {
  return {.name = std::string(name),
          .type = "true or false",
          .meaning = std::string(meaning),
          .read = [place](const Value& value, Target& into) { place.in(into) = value.boolean(); },
          .show = [place](const Target& from) { return place.of(from) ? "true" : "false"; },
          .nested = {},
          .copy = copier(place)};
}

template <typename Target>
Key<Target> boolean(std::string_view name, auto member, std::string_view meaning) {
  return boolean_at(name, place_of<Target>(member), meaning);
}

template <typename Target, typename Number>
Key<Target> integer_at(std::string_view name, std::int64_t least, std::int64_t most,
                       Place<Target, Number> place, std::string_view meaning) {
  return {.name = std::string(name),
          .type = fmt::format("whole number, {} to {}", least, most),
          .meaning = std::string(meaning),
          .read =
              [=](const Value& value, Target& into) {
                place.in(into) = static_cast<Number>(value.integer(least, most));
              },
          .show = [place](const Target& from) { return std::to_string(place.of(from)); },
          .nested = {},
          .copy = copier(place)};
}

template <typename Target>
Key<Target> integer(std::string_view name, std::int64_t least, std::int64_t most, auto member,
                    std::string_view meaning) {
  return integer_at(name, least, most, place_of<Target>(member), meaning);
}

template <typename Target, typename Length>
Key<Target> duration_at(std::string_view name, Sign sign, Place<Target, Length> place,
                        std::string_view meaning) {
  constexpr std::array<const char*, 3> kTypes = {"duration, more than 0s", "duration",
                                                 "duration, may be negative"};
  Key<Target> key{
      .name = std::string(name),
      .type = kTypes[static_cast<std::size_t>(sign)],
      .meaning = std::string(meaning),
      .read = [=](const Value& value, Target& into) { place.in(into) = value.duration(sign); },
      .show = {},
      .nested = {},
      .copy = copier(place)};
  if constexpr (std::same_as<Length, sim::Duration>) {
    key.show = [place](const Target& from) { return as_toml(to_text(place.of(from))); };
  }
  return key;
}

template <typename Target>
Key<Target> duration(std::string_view name, Sign sign, auto member, std::string_view meaning) {
  return duration_at(name, sign, place_of<Target>(member), meaning);
}

template <typename Target, typename Enumeration>
Key<Target> word_at(std::string_view name, const Words& words, Place<Target, Enumeration> place,
                    std::string_view meaning) {
  return {
      .name = std::string(name),
      .type = "one of " + listed(words),
      .meaning = std::string(meaning),
      .read = [=](const Value& value,
                  Target& into) { place.in(into) = static_cast<Enumeration>(value.word(words)); },
      .show =
          [=](const Target& from) {
            return as_toml(words[static_cast<std::size_t>(place.of(from))]);
          },
      .nested = {},
      .copy = copier(place)};
}

// One of several words; its index is the value of the enumeration.
template <typename Target>
Key<Target> word(std::string_view name, const Words& words, auto member, std::string_view meaning) {
  return word_at(name, words, place_of<Target>(member), meaning);
}

template <typename Target>
Key<Target> texts_at(std::string_view name, Place<Target, std::vector<std::string>> place,
                     std::string_view meaning) {
  return {.name = std::string(name),
          .type = "array of texts",
          .meaning = std::string(meaning),
          .read =
              [place](const Value& value, Target& into) {
                place.in(into).clear();
                for (const Value& text : value.elements()) place.in(into).push_back(text.text());
              },
          .show = [place](const Target& from) { return as_toml(place.of(from)); },
          .nested = {},
          .copy = copier(place)};
}

template <typename Target>
Key<Target> texts(std::string_view name, auto member, std::string_view meaning) {
  return texts_at(name, place_of<Target>(member), meaning);
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
                  found[most].fail(
                      fmt::format("is one too many: a file may have at most {} of these", most));
                }
                for (const Value& table : found) read(table, member(into).emplace_back());
              },
          .show = {},
          .nested = nested,
          .copy = [=](const Target& from, Target& into) { member(into) = member(from); }};
}

// The same array, whose elements have keys that need others.
template <typename Target, typename Inner>
Key<Target> with_needs(Key<Target> array, const Keys<Inner>& inner, auto member) {
  array.check_needs = [&inner, member](const Value& root, const Value& given, const Target& from) {
    const std::vector<Value> all = given.tables();
    for (std::size_t i = 0; i < all.size(); ++i) check_needs(root, all[i], inner, member(from)[i]);
  };
  return array;
}

}  // namespace picklock::keys
