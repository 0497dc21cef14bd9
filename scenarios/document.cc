#include "scenarios/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>

#include "keys/bad_input.h"
#include "keys/nesting.h"
#include "keys/value.h"
#include "models/locks/option_keys.h"
#include "models/redis/lua.h"
#include "scenarios/checks.h"
#include "scenarios/keys.h"
#include "scenarios/verbs/kind.h"

namespace picklock::scenarios {

using keys::kDeepest;
using keys::message;
using keys::Origin;
using keys::printable;
using keys::read_table;
using keys::too_deep_at;
using keys::Value;
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20U;  // bytes of a file

// The parser's error as a user understands it. The parser's text begins with "Error while parsing
// ...", which reads better after the problem.
std::string in_our_words(std::string_view problem) {
  constexpr std::string_view kOpening = "Error while parsing ";
  constexpr std::string_view kLineEnd = "saw '\\n'";
  const std::size_t colon = problem.find(": ");
  std::string_view inside;
  if (problem.starts_with(kOpening) && colon != std::string_view::npos) {
    inside = problem.substr(kOpening.size(), colon - kOpening.size());
    problem.remove_prefix(colon + 2);
  }
  const std::size_t quote = problem.find('\'');
  if (problem.starts_with("cannot redefine existing ") && quote != std::string_view::npos) {
    return fmt::format("`{}` is given twice",
                       printable(problem.substr(quote + 1, problem.rfind('\'') - quote - 1), 100));
  }
  if (problem.find("invalid utf-8") != std::string_view::npos)
    return "is not TOML: the file is not UTF-8 text";
  if (problem.starts_with("could not determine value type"))
    return "is not TOML: this is not a value; text needs quotes";
  if (problem.starts_with("unescaped control characters"))
    return "is not TOML: a text has no closing quote on its line, or has a control character";
  std::string words = printable(problem, 160);
  if (const std::size_t at = words.find(kLineEnd); at != std::string::npos)
    words.replace(at, kLineEnd.size(), "saw the end of the line");
  return fmt::format("is not TOML: {}{}", words,
                     inside.empty() ? std::string() : fmt::format(" (in a {})", inside));
}

toml::table parsed(std::string_view text, const Origin& origin) {
  if (text.size() > kLargest) throw BadInput(message(origin, 0, "", "is larger than 1 MiB"));
  if (const std::optional<int> line = too_deep_at(text)) {
    throw BadInput(
        message(origin, *line, "", fmt::format("is nested more than {} levels deep", kDeepest)));
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const int line = static_cast<int>(error.source().begin.line);
    throw BadInput(message(origin, line, "", in_our_words(error.description())));
  }
}

// Whether the text is a whole number that is too large for TOML.
bool is_out_of_range(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc::result_out_of_range && stop == end;
}

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string dotted(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, "."));
}

bool is_number(std::string_view part) {
  return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether the reference says that the key at the path is a text. Elements of arrays have numbers in
// a path, and none in the reference.
bool is_text(const std::vector<std::string>& path) {
  static const std::vector<keys::TableDoc> tables = [] {
    std::vector<keys::TableDoc> docs;
    keys::describe("", "", scenario_keys(), docs);
    for (const auto& key : scenario_keys()) {
      if (key.nested) key.nested("", docs);
    }
    return docs;
  }();
  std::vector<std::string> names = path;
  std::erase_if(names, is_number);
  if (names.size() > 2 && names.front() == "client") names.erase(names.begin());
  if (names.empty()) return false;
  const std::string key = names.back();
  names.pop_back();
  const std::string table = dotted(names);
  return std::any_of(tables.begin(), tables.end(), [&](const keys::TableDoc& doc) {
    const bool is_it = table.empty()
                           ? doc.header.empty()
                           : doc.header == "[" + table + "]" || doc.header == "[[" + table + "]]";
    return is_it && std::any_of(doc.keys.begin(), doc.keys.end(), [&](const keys::KeyDoc& one) {
             return one.name == key && one.type == "text";
           });
  });
}

// The value as TOML, or else as text: `10s` and `client-1` need no quotes. On the command line
// `3.43` needs none either if the key is a text.
toml::table parsed_value(const Change& change, const Origin& origin) {
  const std::string text = "value = " + change.value;
  const bool structured = change.value.find_first_of("[{\"'") == 0;
  const auto as_text = [&] {
    toml::table table;
    table.insert("value", change.value);
    return table;
  };
  if (text.find('\n') != std::string::npos) return as_text();
  if (!structured && origin.line == 0 && is_text(parts_of(change.path))) return as_text();
  if (structured) {
    try {
      return parsed(text, Origin{});
    } catch (const BadInput&) {
      throw BadInput(message(origin, 0, change.path,
                             fmt::format("\"{}\" is not a TOML value", printable(change.value))));
    }
  }
  if (is_out_of_range(change.value)) {
    throw BadInput(
        message(origin, 0, change.path,
                fmt::format("is too {}: {}", change.value.starts_with('-') ? "small" : "large",
                            printable(change.value))));
  }
  try {
    return parsed(text, Origin{});
  } catch (const BadInput&) {
    return as_text();
  }
}

// Part number `at` of a path, which leads into `array`, as an index from 0; in paths, elements
// count from 1.
std::size_t index_in(const toml::array& array, std::vector<std::string> parts, std::size_t at,
                     const Origin& origin) {
  const std::string path = dotted(parts);
  const std::string& part = parts[at];
  std::size_t number = 0;
  const char* end = part.data() + part.size();
  const auto [stop, error] = std::from_chars(part.data(), end, number);
  const bool counts = error != std::errc::invalid_argument && stop == end;
  if (counts && error == std::errc{} && number > 0 && number <= array.size()) return number - 1;
  const std::string name = parts[at - 1];
  if (array.empty()) {
    throw BadInput(
        message(origin, 0, path, fmt::format("there is no `{}` to change", printable(name))));
  }
  const auto numbered = [&](std::size_t one) {
    std::vector<std::string> right = parts;
    if (counts) right.erase(right.begin() + static_cast<std::ptrdiff_t>(at));
    right.insert(right.begin() + static_cast<std::ptrdiff_t>(at), std::to_string(one));
    return printable(dotted(right), 100);
  };
  throw BadInput(message(
      origin, 0, path,
      array.size() == 1 ? fmt::format("there is one `{}`; write `{}`", printable(name), numbered(1))
                        : fmt::format("there are {} of `{}`; write `{}` to `{}`", array.size(),
                                      printable(name), numbered(1), numbered(array.size()))));
}

bool is_changed(const toml::node& node) { return node.source().begin.line == 0; }

// Drops those of the keys that the file gives, other than `kept`.
void drop_given(toml::table& table, std::span<const std::string_view> keys, std::string_view kept) {
  for (const std::string_view key : keys) {
    const toml::node* given = table.get(key);
    if (key != kept && given != nullptr && !is_changed(*given)) table.erase(key);
  }
}

// A fault has one moment and one verb: a change sets another one in place of what the file has. The
// keys that narrow a step go with it where the new moment takes none.
void drop_alternatives(toml::table& fault, std::string_view key, const toml::node& value) {
  static constexpr std::array<std::string_view, 3> kMoments = {"before", "after", "at"};
  static constexpr std::array<std::string_view, 4> kOfSteps = {"on", "command", "nth", "by"};
  const auto is_one_of = [key](std::span<const std::string_view> keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  if (is_one_of(verbs::names())) drop_given(fault, verbs::names(), key);
  if (!is_one_of(kMoments)) return;
  drop_given(fault, kMoments, key);
  const bool mark = value.value_or(std::string_view()).starts_with("mark:");
  if (key == "at") drop_given(fault, kOfSteps, key);
  if (mark) drop_given(fault, std::span(kOfSteps).first(2), key);
}

// Sets the value at the path. Missing tables on the way are added; elements of arrays must exist.
void apply(toml::table& root, const Change& change, const Origin& origin) {
  toml::table holder = parsed_value(change, origin);
  const std::vector<std::string> parts = parts_of(change.path);
  if (parts.size() > static_cast<std::size_t>(kDeepest)) {
    throw BadInput(message(origin, 0, change.path,
                           fmt::format("is nested more than {} levels deep", kDeepest)));
  }
  toml::node* node = &root;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    // The value is copied, for a copy has no line: the file does not contain it.
    const toml::node& value = *holder.get("value");
    if (toml::array* array = node->as_array()) {
      const std::size_t index = index_in(*array, parts, i, origin);
      if (last) array->replace(array->begin() + static_cast<std::ptrdiff_t>(index), value);
      node = array->get(index);
    } else if (toml::table* table = node->as_table()) {
      if (last) {
        if (parts[0] == "fault" && i == 2) drop_alternatives(*table, parts[i], value);
        table->insert_or_assign(parts[i], value);
      } else if (!table->contains(parts[i])) {
        const std::string& next = parts[i + 1];
        if (is_number(next)) index_in({}, parts, i + 1, origin);
        table->insert(parts[i], toml::table{});
      }
      node = table->get(parts[i]);
    } else {
      throw BadInput(message(origin, 0, change.path,
                             fmt::format("`{}` has no keys below it", printable(parts[i - 1]))));
    }
  }
}

void check_format(const Value& root) {
  const auto format = root.find("format");
  if (!format) {
    root.fail_missing(
        "format", fmt::format("is missing: a scenario file starts with `format = {}`", kFormat));
  }
  if (format->integer(std::numeric_limits<int>::min(), std::numeric_limits<int>::max()) !=
      kFormat) {
    format->fail(fmt::format("must be {}, the only format that this program reads", kFormat));
  }
}

// The servers' error for a script that does not compile, beginning with its line: "3: '=' expected
// near 'end'". Empty: it compiles. Every run would refuse such a script, and its author would only
// see a lock that is never granted.
std::string problem_of(std::string_view script) {
  redis::Lua lua;
  std::string error;
  if (lua.compile(script, error) != nullptr) return {};
  constexpr std::string_view kPlace = "user_script:";
  const std::size_t place = error.find(kPlace);
  if (place != std::string::npos) return error.substr(place + kPlace.size());
  // An error in the first line, which declares flags.
  return "1: " + (error.starts_with("ERR ") ? error.substr(4) : error);
}

constexpr std::size_t kLongestScript = std::size_t{64} << 10U;

// A relative path starts at the folder of `scenario_file`, or at the working directory if the
// scenario is not a file.
std::string contents_of(const Value& key, const std::string& file,
                        const std::string& scenario_file) {
  namespace fs = std::filesystem;
  const std::string path =
      fs::absolute(fs::path(scenario_file).parent_path() / file).lexically_normal().string();
  std::error_code error;
  if (fs::is_directory(path, error))
    key.fail(fmt::format("is a directory, not a Lua file: {}", printable(path, 200)));
  if (!fs::exists(path, error))
    key.fail(fmt::format("there is no such file: {}", printable(path, 200)));
  if (!fs::is_regular_file(path, error))
    key.fail(fmt::format("is not a regular file: {}", printable(path, 200)));
  std::ifstream in(path, std::ios::binary);
  std::string text(kLongestScript + 1, '\0');
  if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || !in.is_open()) key.fail("the file cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.empty()) key.fail("the file is empty");
  if (text.size() > kLongestScript) key.fail("the file is longer than 64 KiB");
  // A counterexample carries its scripts, and a scenario file is UTF-8.
  if (!keys::is_utf8(text)) key.fail("the file is not UTF-8 text");
  return text;
}

// Replaces the files of scripts in the table `lock` of this one by their contents.
void load_scripts(const Value& holder, LockSpec& lock, const std::string& scenario_file) {
  const auto table = holder.find("lock");
  for (std::size_t i = 0; table && i < models::kScriptCount; ++i) {
    const auto of = static_cast<models::ScriptOf>(i);
    if (!lock.options.scripts.has(of)) continue;
    const Value key = table->at(models::locks::script_key_name(of));
    const std::string name = lock.options.scripts[of]->file;
    if (!name.empty()) lock.options.scripts.set(of, contents_of(key, name, scenario_file));
    const std::string& text = lock.options.scripts[of]->script.body();
    if (text.size() > kLongestScript) key.fail("is longer than 64 KiB");
    const std::string problem = problem_of(text);
    if (problem.empty()) continue;
    const std::string place =
        name.empty() ? "line " : printable(std::filesystem::path(name).filename().string()) + ":";
    key.fail(fmt::format("is not valid Lua: {}{}", place, printable(problem, 200)));
  }
}

// A program starts in the folder of its scenario, wherever the scenario is run from and a find of
// it is kept.
void place(ClientsSpec& clients, const std::string& scenario_file) {
  namespace fs = std::filesystem;
  if (clients.program.empty()) return;
  clients.folder =
      fs::absolute(fs::path(scenario_file).parent_path() / clients.folder / ".").lexically_normal();
}

void drop_leftovers(toml::table& lock, const AlgorithmWords& words) {
  if (const toml::node* version = lock.get("version"); version != nullptr && !is_changed(*version))
    lock.erase("version");
  for (const auto& key : option_keys()) {
    const toml::node* given = lock.get(key.name);
    if (given != nullptr && !is_changed(*given) && find(words.keys, key.name) == nullptr)
      lock.erase(key.name);
  }
}

// A change (`--set`, a twin) that replaces a lock leaves keys in the file that the new lock lacks;
// otherwise half of all changes would need a second one.
void drop_leftovers(toml::table& root, const AlgorithmWords& words, const Vocabulary& vocabulary) {
  toml::table& common = *root["lock"].as_table();
  const bool replaced = is_changed(*common.get("algorithm"));
  if (replaced) drop_leftovers(common, words);
  toml::array* clients = root["client"].as_array();
  for (std::size_t i = 0; clients != nullptr && i < clients->size(); ++i) {
    toml::table* lock =
        (*clients)[i].as_table() ? (*clients)[i].as_table()->get_as<toml::table>("lock") : nullptr;
    if (lock == nullptr) continue;
    const toml::node* own = lock->get("algorithm");
    const AlgorithmWords* of_own =
        own != nullptr ? vocabulary.find(own->value_or(std::string_view())) : &words;
    if (of_own != nullptr && (own != nullptr ? is_changed(*own) : replaced))
      drop_leftovers(*lock, *of_own);
  }
}

}  // namespace

Change change_from(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == assignment.size()) {
    throw BadInput(
        fmt::format("--set {}: must be KEY=VALUE, such as clients.count=5", printable(assignment)));
  }
  return {.path = std::string(assignment.substr(0, equals)),
          .value = std::string(assignment.substr(equals + 1))};
}

Document::Document(std::string text, std::string name)
    : text_(std::move(text)), label_(std::move(name)) {}

Document Document::from_file(const std::string& path, const std::string& name) {
  const Origin origin{.file = name, .note = {}};
  const auto refuse = [&](std::string_view problem) {
    throw BadInput(message(origin, 0, "", problem));
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) refuse("there is no such file");
  if (error) refuse("cannot be read: " + error.message());
  if (std::filesystem::is_directory(status)) refuse("is a directory, not a scenario file");
  // A device may never end. A pipe ends when its writer does: `picklock run <(generate)`.
  const bool pipe = std::filesystem::is_fifo(status);
  if (!pipe && !std::filesystem::is_regular_file(status)) refuse("is not a regular file");
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  Document document = from_stream(in, name);
  if (!pipe) document.file_ = path;
  return document;
}

Document Document::from_stream(std::istream& in, const std::string& name) {
  std::string text(kLargest + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) throw BadInput(message({.file = name, .note = {}}, 0, "", "cannot be read"));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return {std::move(text), name};
}

Scenario Document::read(const Twin* twin, const Vocabulary& vocabulary) const {
  Origin origin{.file = label_, .note = {}};
  toml::table root = parsed(text_, origin);
  for (const Change& change : changes_) {
    const std::string assignment = printable(change.path + "=" + change.value, 40);
    origin.note =
        fmt::format("{} --set {}", origin.note.empty() ? "with" : origin.note + ",", assignment);
    if (origin.note.size() > 120) origin.note = "with --set";
    apply(root, change, origin);
  }
  if (twin != nullptr) {
    const int line = twin->expect.line;
    origin.note = line > 0 ? fmt::format("in the twin of line {}", line) : "in a twin";
    origin.line = line;
    for (const Change& change : twin->changes) apply(root, change, origin);
    // Twins and neighbors belong to the unchanged file: the twin's lock need not have their steps.
    root.erase("twin");
    root.erase("neighbour");
    root.erase("complete");
  }
  if (!neighbours_) root.erase("neighbour");
  const Value file(origin, root);
  check_format(file);
  Scenario scenario;
  // Options that the file does not set have the defaults of the lock.
  const auto algorithm = root["lock"]["algorithm"].value<std::string_view>();
  if (const AlgorithmWords* words = vocabulary.find(algorithm.value_or("")); words != nullptr) {
    drop_leftovers(root, *words, vocabulary);
    const auto version = root["lock"]["version"].value<std::string_view>();
    scenario.lock.options = scenario.lock.preset = words->preset_of(version.value_or(""));
    scenario.lock.own = words->own;
  }
  read_table(file, scenario_keys(), scenario);
  check(file, scenario, vocabulary);
  load_scripts(file, scenario.lock, file_);
  if (const auto unlike = file.find("client")) {
    const std::vector<Value> tables = unlike->tables();
    for (std::size_t i = 0; i < tables.size(); ++i)
      load_scripts(tables[i], scenario.unlike[i].lock, file_);
  }
  if (const auto expect = file.find("expect")) scenario.expect.line = expect->line();
  place(scenario.clients, file_);
  for (OneClient& one : scenario.unlike) place(one.clients, file_);
  scenario.name = std::filesystem::path(label_).stem().string();
  scenario.file = file_;
  return scenario;
}

std::string Document::algorithm() const {
  const Origin origin{.file = label_, .note = {}};
  toml::table root = parsed(text_, origin);
  for (const Change& change : changes_) apply(root, change, origin);
  return root["lock"]["algorithm"].value_or(std::string());
}

Scenario Document::as_twin(const Twin& twin, const Vocabulary& vocabulary) const {
  Scenario scenario = read(&twin, vocabulary);
  scenario.expect = twin.expect;
  return scenario;
}

Scenario Document::scenario(const Vocabulary& vocabulary) const {
  Scenario scenario = read(nullptr, vocabulary);
  for (const Twin& twin : scenario.twins) as_twin(twin, vocabulary);
  return scenario;
}

Scenario Document::twin(std::size_t index, const Vocabulary& vocabulary) const {
  return as_twin(read(nullptr, vocabulary).twins.at(index), vocabulary);
}

Scenario Document::neighbour(std::size_t index, const Vocabulary& vocabulary) const {
  Scenario scenario = read(nullptr, vocabulary);
  const Neighbour neighbour = scenario.neighbours.at(index);
  scenario.faults.at(neighbour.fault - 1).trigger = neighbour.trigger;
  scenario.expect = neighbour.expect;
  scenario.twins.clear();
  scenario.neighbours.clear();
  return scenario;
}

}  // namespace picklock::scenarios
