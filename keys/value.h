// One value of a parsed file with its place: line and dotted path. A read either returns the
// requested type or throws a BadInput that names the place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keys/nearest.h"
#include "sim/time.h"

// toml++ is the matter of a few sources.
namespace toml {
inline namespace v3 {
class node;
class table;
}  // namespace v3
}  // namespace toml

namespace picklock::keys {

// Where the values of one document come from, for messages.
struct Origin {
  std::string file;
  std::string note;  // ends every message, e.g. "in the twin of line 31"; empty: nothing
  int line = 0;      // for values without a line of their own, which a twin or `--set` has set
};

enum class Sign : std::uint8_t { positive, not_negative, any };

class Value {
 public:
  // The root of a document. `origin` and `root` must outlive every value that comes from it.
  Value(const Origin& origin, const toml::table& root);

  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }  // the key itself, last in the path
  int line() const { return line_; }

  std::string text() const;  // not empty
  bool boolean() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  sim::Duration duration(Sign sign) const;
  std::int64_t rate_ppb() const;  // a factor such as 1.01, as parts per billion away from 1
  std::size_t word(const Words& words) const;  // index of one of them

  bool is_array() const;
  bool is_table() const;
  std::vector<Value> elements() const;  // of an array; their paths count from 1
  std::vector<Value> tables() const;    // of an array that has only tables

  void must_be_table() const;
  std::vector<Value> entries() const;  // of a table, in the order of the file
  std::optional<Value> find(std::string_view key) const;
  Value at(std::string_view key) const;  // the table itself where it has no such key

  std::string toml() const;  // as one line of TOML

  [[noreturn]] void fail(std::string_view problem) const;
  // The message ends with the word of `words` that is nearest to `given`, or with `otherwise` if
  // none is near.
  [[noreturn]] void fail(std::string_view problem, std::string_view given, const Words& words,
                         std::string_view otherwise = "") const;
  [[noreturn]] void fail_unknown(const Words& keys) const;  // for a key that is not in `keys`
  [[noreturn]] void fail_missing(std::string_view key, std::string_view problem) const;
  // At the key, or at the table if the key is missing and its default is wrong.
  [[noreturn]] void fail_key(std::string_view key, std::string_view problem) const;

 private:
  Value(const Value& parent, std::string_view name, const toml::node& node);

  // Values of the command line need no quotes.
  bool from_command_line() const { return line_ == 0 && origin_->line == 0; }
  [[noreturn]] void fail_type(std::string_view wanted) const;
  [[noreturn]] void fail_at(const std::string& path, std::string_view problem) const;

  const Origin* origin_;
  std::string name_;
  std::string path_;
  const toml::node* node_;
  int line_ = 0;
};

// The value that `path` names: a key of `table`, or the whole path of a key below `root`.
std::optional<Value> lookup(const Value& root, const Value& table, std::string_view path);

// Refuses a key that has no effect `else_what`. A change of `other` excuses a key of the file:
// otherwise half of all changes would need a second one.
void fail_without_effect(const Value& root, const Value& table, const Value& given,
                         std::string_view other, std::string_view else_what);

// Text as a TOML string.
std::string as_toml(std::string_view text);
std::string as_toml(const std::vector<std::string>& texts);
// The same, line by line where the text allows it.
std::string as_toml_lines(std::string_view text);

// The line of a message: "file:line: key `path`: problem (note)", without the parts that are not
// known.
std::string message(const Origin& origin, int line, std::string_view path,
                    std::string_view problem);

}  // namespace picklock::keys
