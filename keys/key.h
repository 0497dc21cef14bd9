// One key of one table of a scenario file: its name, type, default and meaning, and how it is read
// into the aggregate. Reader, writer and reference are all made from these keys, so that they
// cannot disagree.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keys/nearest.h"
#include "keys/value.h"

namespace picklock::keys {

// The entry of a key and of a table in the reference.
struct KeyDoc {
  std::string name;
  std::string type;
  std::string fallback;  // as TOML; empty: the key has no default
  std::string meaning;
};

struct TableDoc {
  std::string header;  // as it is written in a file, e.g. "[lock]"
  std::string meaning;
  std::vector<KeyDoc> keys;
};

// Another key without which this one has no effect. A file that gives it all the same is refused.
template <typename Target>
struct Needs {
  std::string other;  // a key of the same table, or the whole path of a key of another one
  std::function<bool(const Target&)> met;
  std::string else_what;  // what the message says: "has no effect " and this
};

template <typename Target>
struct Key {
  std::string name;
  std::string type;
  std::string meaning;
  std::function<void(const Value&, Target&)> read;
  std::function<std::string(const Target&)> show;  // as TOML; not set: the key has no default
  // Set for a key that is itself a table: the tables below it, for the reference, and as the text
  // of a file.
  std::function<void(const std::string& path, std::vector<TableDoc>& docs)> nested;
  std::function<void(const std::string& path, const Target& from, std::string& text)> write = {};
  std::optional<Needs<Target>> needs = {};
  // Set for a key that is itself a table with keys that need others: refuses those without effect.
  std::function<void(const Value& root, const Value& table, const Target& from)> check_needs = {};
  // Not set for a key that an aggregate cannot take from another one.
  std::function<void(const Target& from, Target& into)> copy = {};
  // Why one of several of a kind cannot have a value of its own; empty: it can.
  std::string common = {};
};

template <typename Target>
Key<Target> common(Key<Target> key, std::string_view why) {
  key.common = why;
  return key;
}

template <typename Target>
Key<Target> needing(Key<Target> key, Needs<Target> needs) {
  key.needs = std::move(needs);
  return key;
}

template <typename Target>
using Keys = std::vector<Key<Target>>;

template <typename Target>
Words names_of(const Keys<Target>& keys) {
  Words names;
  for (const Key<Target>& key : keys) names.push_back(key.name);
  return names;
}

template <typename Target>
const Key<Target>* find(const Keys<Target>& keys, std::string_view name) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [name](const Key<Target>& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

template <typename Target>
void read_table(const Value& table, const Keys<Target>& keys, Target& into) {
  for (const Value& value : table.entries()) {
    const Key<Target>* key = find(keys, value.name());
    if (key == nullptr) value.fail_unknown(names_of(keys));
    key->read(value, into);
  }
}

// Refuses the keys of the table that have no effect without another one.
template <typename Target>
void check_needs(const Value& root, const Value& table, const Keys<Target>& keys,
                 const Target& from) {
  for (const Value& given : table.entries()) {
    const Key<Target>* key = find(keys, given.name());
    if (key == nullptr) continue;
    if (key->needs && !key->needs->met(from)) {
      // A table is blamed on its keys.
      const std::vector<Value> idle =
          key->nested && given.is_table() ? given.entries() : std::vector<Value>{given};
      for (const Value& one : idle)
        fail_without_effect(root, table, one, key->needs->other, key->needs->else_what);
    }
    if (key->check_needs) key->check_needs(root, given, from);
  }
}

template <typename Target>
void describe(const std::string& header, const std::string& meaning, const Keys<Target>& keys,
              std::vector<TableDoc>& docs) {
  TableDoc doc{.header = header, .meaning = meaning, .keys = {}};
  for (const Key<Target>& key : keys) {
    if (key.nested) continue;
    doc.keys.push_back({.name = key.name,
                        .type = key.type,
                        .fallback = key.show ? key.show(Target{}) : std::string(),
                        .meaning = key.meaning});
  }
  docs.push_back(std::move(doc));
}

// An aggregate before a file has set anything in it.
template <typename Target>
Target fresh_like(const Target&) {
  return {};
}

// Copies the values of the keys of these names.
template <typename Target>
void copy_keys(const Keys<Target>& keys, const std::vector<std::string>& names, const Target& from,
               Target& into) {
  for (const std::string& name : names) {
    if (const Key<Target>* key = find(keys, name); key != nullptr && key->copy)
      key->copy(from, into);
  }
}

// Appends the keys that differ from their defaults and have an effect, as the text of a file. The
// caller writes the keys that have no default.
template <typename Target>
void write_table(const std::string& path, const Keys<Target>& keys, const Target& from,
                 std::string& text) {
  const Target fresh = fresh_like(from);
  std::string lines;
  const auto has_effect = [&from](const Key<Target>& key) {
    return !key.needs || key.needs->met(from);
  };
  for (const Key<Target>& key : keys) {
    if (!key.show || !has_effect(key)) continue;
    const std::string shown = key.show(from);
    if (shown != key.show(fresh)) lines.append(key.name).append(" = ").append(shown).append("\n");
  }
  if (!lines.empty() && !path.empty()) text.append("\n[").append(path).append("]\n");
  text += lines;
  for (const Key<Target>& key : keys) {
    if (key.write && has_effect(key)) key.write(path, from, text);
  }
}

// The same keys for an outer aggregate: `member` finds the inner aggregate in it.
template <typename Outer, typename Inner, typename Member>
void add_lifted(Keys<Outer>& keys, const Keys<Inner>& inner, Member member) {
  for (const Key<Inner>& key : inner) {
    Key<Outer> lifted{.name = key.name,
                      .type = key.type,
                      .meaning = key.meaning,
                      .read = [read = key.read, member](const Value& value,
                                                        Outer& into) { read(value, member(into)); },
                      .show = {},
                      .nested = key.nested};
    if (key.show) {
      lifted.show = [show = key.show, member](const Outer& from) { return show(member(from)); };
    }
    if (key.write) {
      lifted.write = [write = key.write, member](const std::string& path, const Outer& from,
                                                 std::string& text) {
        write(path, member(from), text);
      };
    }
    if (key.needs) {
      lifted.needs = Needs<Outer>{
          .other = key.needs->other,
          .met = [met = key.needs->met, member](const Outer& from) { return met(member(from)); },
          .else_what = key.needs->else_what};
    }
    if (key.check_needs) {
      lifted.check_needs = [check = key.check_needs, member](const Value& root, const Value& table,
                                                             const Outer& from) {
        check(root, table, member(from));
      };
    }
    if (key.copy) {
      lifted.copy = [copy = key.copy, member](const Outer& from, Outer& into) {
        copy(member(from), member(into));
      };
    }
    lifted.common = key.common;
    keys.push_back(std::move(lifted));
  }
}

// `path` is empty for the table of the whole file.
inline std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

// A key that is a table of its own, [name].
template <typename Target, typename Inner, typename Member>
Key<Target> table(const std::string& name, const Keys<Inner>& inner, Member member,
                  const std::string& meaning) {
  return {
      .name = name,
      .type = "table",
      .meaning = meaning,
      .read = [&inner, member](const Value& value,
                               Target& into) { read_table(value, inner, member(into)); },
      .show = {},
      .nested =
          [name, meaning, &inner](const std::string& path, std::vector<TableDoc>& docs) {
            const std::string whole = joined(path, name);
            describe("[" + whole + "]", meaning, inner, docs);
            for (const Key<Inner>& key : inner) {
              if (key.nested) key.nested(whole, docs);
            }
          },
      .write =
          [name, &inner, member](const std::string& path, const Target& from, std::string& text) {
            write_table(joined(path, name), inner, member(from), text);
          },
      .check_needs = [&inner, member](
                         const Value& root, const Value& given,
                         const Target& from) { check_needs(root, given, inner, member(from)); },
      .copy = [member](const Target& from, Target& into) { member(into) = member(from); }};
}

}  // namespace picklock::keys
