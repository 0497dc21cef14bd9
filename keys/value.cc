#include "keys/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "keys/bad_input.h"
#include "keys/duration_text.h"

namespace picklock::keys {
namespace {

std::string_view kind(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a decimal point";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

void write(std::string& line, std::string_view text) {
  line += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      line += fmt::format("\\u{:04x}", byte);
    } else {
      line += c;
    }
  }
  line += '"';
}

void write(std::string& line, const toml::node& node) {
  std::string_view separator;
  if (const toml::array* array = node.as_array()) {
    line += '[';
    for (const toml::node& element : *array) {
      line += separator;
      write(line, element);
      separator = ", ";
    }
    line += ']';
  } else if (const toml::table* table = node.as_table()) {
    line += '{';
    for (const auto& [key, element] : *table) {
      line += separator;
      write(line, key.str());
      line += " = ";
      write(line, element);
      separator = ", ";
    }
    line += '}';
  } else if (const auto* text = node.as_string()) {
    write(line, text->get());
  } else if (const auto* number = node.as_floating_point()) {
    // The shortest digits that are read as the same number; with a point, so that it stays one.
    const std::string digits = fmt::format("{}", number->get());
    line += digits;
    if (digits.find_first_not_of("-0123456789") == std::string::npos) line += ".0";
  } else {
    std::ostringstream out;
    node.visit([&](const auto& leaf) {
      if constexpr (toml::is_value<decltype(leaf)>) out << leaf;
    });
    line += out.str();
  }
}

}  // namespace

std::string as_toml(std::string_view text) {
  std::string line;
  write(line, text);
  return line;
}

std::string as_toml(const std::vector<std::string>& texts) {
  std::vector<std::string> each;
  each.reserve(texts.size());
  for (const std::string& text : texts) each.push_back(as_toml(text));
  return fmt::format("[{}]", fmt::join(each, ", "));
}

std::string as_toml_lines(std::string_view text) {
  constexpr std::string_view kQuotes = "'''";
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return letter == '\n' || letter == '\t' || (letter >= ' ' && letter != 0x7f);
  });
  // Quotes at the end would join those that end it.
  if (!plain || text.ends_with('\'') || text.find(kQuotes) != std::string_view::npos)
    return as_toml(text);
  // The line break after the first quotes is not part of the text.
  return fmt::format("{0}\n{1}{0}", kQuotes, text);
}

std::string message(const Origin& origin, int line, std::string_view path,
                    std::string_view problem) {
  std::string text = printable(origin.file, 200);
  if (line == 0) line = origin.line;
  if (line > 0) text += fmt::format(":{}", line);
  text += ": ";
  if (!path.empty()) text += fmt::format("key `{}`: ", printable(path, 100));
  text += problem;
  if (!origin.note.empty()) text += fmt::format(" ({})", origin.note);
  return text;
}

Value::Value(const Origin& origin, const toml::table& root)
    : origin_(&origin), node_(&root), line_(1) {}

// A value without a line of its own comes from a change, or stands on the line of its table.
Value::Value(const Value& parent, std::string_view name, const toml::node& node)
    : origin_(parent.origin_),
      name_(name),
      path_(parent.path_.empty() ? name_ : fmt::format("{}.{}", parent.path_, name)),
      node_(&node),
      line_(line_of(node)) {}

bool Value::is_array() const { return node_->is_array(); }
bool Value::is_table() const { return node_->is_table(); }

std::string Value::text() const {
  const auto* text = node_->as_string();
  if (text == nullptr) fail_type("text in quotes");
  if (text->get().empty()) fail("must not be empty");
  return text->get();
}

bool Value::boolean() const {
  const auto* boolean = node_->as_boolean();
  if (boolean == nullptr) fail_type("true or false");
  return boolean->get();
}

std::int64_t Value::integer(std::int64_t least, std::int64_t most) const {
  const auto* integer = node_->as_integer();
  if (integer == nullptr) fail_type("a whole number");
  const std::int64_t number = integer->get();
  if (number < least || number > most) {
    fail(fmt::format("must be from {} to {}, not {}", least, most, number));
  }
  return number;
}

sim::Duration Value::duration(Sign sign) const {
  const auto* text = node_->as_string();
  if (text == nullptr)
    fail_type(from_command_line() ? "a duration, such as 1.5s"
                                  : "a duration in quotes, such as \"1.5s\"");
  const std::optional<sim::Duration> length = duration_from(text->get());
  if (!length) fail(duration_problem(text->get()));
  const std::string shown = printable(text->get());
  if (sign == Sign::positive && length->count() <= 0) {
    fail(fmt::format("must be more than 0s, not \"{}\"", shown));
  }
  if (sign == Sign::not_negative && length->count() < 0) {
    fail(fmt::format("must not be negative, but is \"{}\"", shown));
  }
  return *length;
}

// The parser returns a number as a double. Nine decimals and at most four digits before them
// identify a double uniquely, so printing it gives the digits of the file, which are then read as
// whole numbers.
std::int64_t Value::rate_ppb() const {
  constexpr std::int64_t kBillion = 1'000'000'000;
  constexpr std::string_view kRange = "must be from 0.001 to 1000";
  if (const auto* integer = node_->as_integer()) {
    if (integer->get() < 1 || integer->get() > 1000) fail(kRange);
    return (integer->get() - 1) * kBillion;
  }
  const auto* number = node_->as_floating_point();
  if (number == nullptr) fail_type("a factor such as 1.01");
  if (!(number->get() >= 0.001 && number->get() <= 1000.0)) fail(kRange);
  std::string digits = fmt::format("{:.9f}", number->get());
  double again = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), again);
  if (again < number->get() || again > number->get()) fail("must have at most 9 decimals");
  digits.erase(digits.find('.'), 1);
  std::int64_t billionths = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), billionths);
  return billionths - kBillion;
}

std::size_t Value::word(const Words& words) const {
  const std::string given = text();
  const auto found = std::find(words.begin(), words.end(), given);
  if (found == words.end()) {
    fail(fmt::format("\"{}\" is not one of {}", printable(given), listed(words)), given, words);
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::vector<Value> Value::elements() const {
  const toml::array* array = node_->as_array();
  if (array == nullptr) fail_type("an array in square brackets");
  std::vector<Value> elements;
  for (const toml::node& node : *array) {
    elements.push_back(Value(*this, std::to_string(elements.size() + 1), node));
  }
  return elements;
}

std::vector<Value> Value::tables() const {
  if (!node_->is_array())
    fail(fmt::format("must be an array of tables: write [[{}]] before each of them",
                     printable(path_)));
  std::vector<Value> tables = elements();
  for (const Value& table : tables) table.must_be_table();
  return tables;
}

void Value::must_be_table() const {
  if (!node_->is_table()) fail_type("a table");
}

std::vector<Value> Value::entries() const {
  must_be_table();
  std::vector<Value> entries;
  for (const auto& [key, node] : *node_->as_table()) {
    entries.push_back(Value(*this, key.str(), node));
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Value& a, const Value& b) { return a.line_ < b.line_; });
  return entries;
}

std::optional<Value> Value::find(std::string_view key) const {
  const toml::node* node = node_->as_table()->get(key);
  if (node == nullptr) return std::nullopt;
  return Value(*this, key, *node);
}

Value Value::at(std::string_view key) const { return find(key).value_or(*this); }

std::string Value::toml() const {
  std::string line;
  write(line, *node_);
  return line;
}

void Value::fail(std::string_view problem) const { fail_at(path_, problem); }

void Value::fail(std::string_view problem, std::string_view given, const Words& words,
                 std::string_view otherwise) const {
  fail(fmt::format("{}{}", problem, did_you_mean(given, words, otherwise)));
}

void Value::fail_unknown(const Words& keys) const {
  const std::string above = path_.substr(0, path_.size() - name_.size());
  const std::string_view best = nearest(name_, keys);
  if (!best.empty())
    fail(fmt::format("there is no such key; did you mean `{}{}`?", printable(above, 100), best));
  constexpr std::size_t kReadable = 140;
  const std::string all = listed(keys);
  fail(fmt::format("there is no such key; {}", all.size() <= kReadable
                                                   ? "the keys here are " + all
                                                   : "docs/scenario-format.md lists them all"));
}

void Value::fail_missing(std::string_view key, std::string_view problem) const {
  fail_at(path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key), problem);
}

void Value::fail_key(std::string_view key, std::string_view problem) const {
  if (const auto value = find(key)) value->fail(problem);
  fail_missing(key, problem);
}

void Value::fail_type(std::string_view wanted) const {
  fail(fmt::format("must be {}, not {}", wanted, kind(*node_)));
}

void Value::fail_at(const std::string& path, std::string_view problem) const {
  throw BadInput(message(*origin_, line_, path, problem));
}

std::optional<Value> lookup(const Value& root, const Value& table, std::string_view path) {
  if (path.find('.') == std::string_view::npos) return table.find(path);
  std::optional<Value> at = root;
  while (at && !path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    at = at->is_table() ? at->find(path.substr(0, end)) : std::nullopt;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return at;
}

void fail_without_effect(const Value& root, const Value& table, const Value& given,
                         std::string_view other, std::string_view else_what) {
  const auto needed = lookup(root, table, other);
  if (given.line() != 0 && needed && needed->line() == 0) return;
  given.fail(fmt::format("has no effect {}", else_what));
}

}  // namespace picklock::keys
