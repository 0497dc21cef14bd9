#include "models/redis/sort.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/redis/blocked_clients.h"
#include "models/redis/script_runner.h"

namespace picklock::redis {
namespace {

struct SortOptions {
  bool descending = false;
  bool alpha = false;
  std::int64_t offset = 0;
  std::int64_t count = -1;  // negative: all
  std::optional<std::string_view> by{};
  std::vector<std::string_view> get{};
  std::optional<std::string_view> store{};

  // A pattern without a star asks for no order.
  bool sorts() const { return !by || by->find('*') != std::string_view::npos; }
};

struct Sorted {
  std::string element;
  double score = 0;
  std::optional<std::string> text{};  // by which it is sorted
};

bool read_sort_options(const Call& call, bool may_store, SortOptions& options) {
  for (std::size_t i = 2; i < call.words(); ++i) {
    const std::string_view word = call[i];
    const std::size_t left = call.words() - i - 1;
    if (same_word(word, "asc")) {
      options.descending = false;
    } else if (same_word(word, "desc")) {
      options.descending = true;
    } else if (same_word(word, "alpha")) {
      options.alpha = true;
    } else if (same_word(word, "limit") && left >= 2) {
      if (!integer(call[i + 1], options.offset, call.reply) ||
          !integer(call[i + 2], options.count, call.reply))
        return false;
      i += 2;
    } else if (may_store && same_word(word, "store") && left >= 1) {
      options.store = call[++i];
    } else if (same_word(word, "by") && left >= 1) {
      options.by = call[++i];
    } else if (same_word(word, "get") && left >= 1) {
      options.get.push_back(call[++i]);
    } else {
      syntax_error(call.reply);
      return false;
    }
  }
  return true;
}

std::vector<std::string> elements_of(Value& value, bool descending) {
  std::vector<std::string> all;
  switch (value.type()) {
    case Type::list:
      all.assign(value.list().begin(), value.list().end());
      break;
    case Type::set:
      all.assign(value.set().begin(), value.set().end());
      break;
    default:
      value.sorted_set().become_large();
      for (const SortedSet::Member& member : value.sorted_set()) all.push_back(member.name);
      if (descending) std::reverse(all.begin(), all.end());
      break;
  }
  return all;
}

// The text to which the pattern leads: of the key in which the element stands for the star, or of
// a field of it, behind an arrow.
std::optional<std::string> found_by(const Call& call, std::string_view pattern,
                                    std::string_view element) {
  if (pattern == "#") return std::string(element);
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return std::nullopt;
  std::size_t arrow = pattern.find("->", star + 1);
  if (arrow != std::string_view::npos && arrow + 2 == pattern.size())
    arrow = std::string_view::npos;
  std::string key(pattern.substr(0, star));
  key.append(element).append(pattern.substr(
      star + 1, arrow == std::string_view::npos ? std::string_view::npos : arrow - star - 1));
  Entry* const entry = call.read(key);
  if (entry == nullptr) return std::nullopt;
  if (arrow == std::string_view::npos) {
    if (entry->value.type() != Type::string) return std::nullopt;
    return entry->value.text();
  }
  if (entry->value.type() != Type::hash) return std::nullopt;
  const Hash::Field* const field = entry->value.hash().find(pattern.substr(arrow + 2));
  if (field == nullptr) return std::nullopt;
  return field->value;
}

// As C's strtod, which takes nothing for 0.
bool read_score(std::string_view text, double& score) {
  text = until_zero(text);
  score = 0;
  if (text.empty()) return true;
  const std::size_t begin = text.find_first_not_of(" \t\n\v\f\r");
  return begin != std::string_view::npos && strict_double(text.substr(begin), score);
}

// False: an element cannot be sorted by a number, and the reply says so.
bool weigh(const Call& call, const SortOptions& options, Sorted& one) {
  const std::optional<std::string> by =
      options.by ? found_by(call, *options.by, one.element) : std::optional(one.element);
  if (!by) return true;
  if (options.alpha) {
    // The locale's order, which is that of bytes, sees nothing behind a zero byte.
    one.text = options.store ? *by : std::string(until_zero(*by));
  } else if (!read_score(*by, one.score)) {
    call.reply.set_error("ERR One or more scores can't be converted into double");
    return false;
  }
  return true;
}

void put_in_order(const SortOptions& options, std::vector<Sorted>& all) {
  const auto before = [&](const Sorted& one, const Sorted& other) {
    if (options.alpha) return one.text < other.text;
    if (one.score != other.score) return one.score < other.score;
    return one.element < other.element;
  };
  std::stable_sort(all.begin(), all.end(), [&](const Sorted& one, const Sorted& other) {
    return options.descending ? before(other, one) : before(one, other);
  });
}

void store(Call& call, const SortOptions& options, const std::vector<Sorted>& all) {
  std::vector<std::string> elements;
  for (const Sorted& one : all) {
    if (options.get.empty()) elements.push_back(one.element);
    for (const std::string_view pattern : options.get)
      elements.push_back(found_by(call, pattern, one.element).value_or(std::string()));
  }
  call.reply.set_integer(count_of(elements));
  if (!elements.empty()) {
    put_key(call, *options.store, Type::list).list().assign(elements.begin(), elements.end());
    call.notify(EventClass::list, "sortstore", *options.store);
    call.server.blocked.ready(call.session.database, *options.store);
  } else if (Entry& old = call.keys.slot(call.session.database, *options.store); old.present) {
    remove_key(call, old);  // even if it is dead: the real server does not look
  }
}

void sort(Call& call, bool may_store) {
  SortOptions options;
  if (!read_sort_options(call, may_store, options)) return;
  Entry* const entry = call.read(call[1]);
  const Type type = entry == nullptr ? Type::list : entry->value.type();
  if (type == Type::string || type == Type::hash) {
    wrong_type(call.reply);
    return;
  }
  // A set has no order that would be the same everywhere.
  if (!options.sorts() && type == Type::set && (options.store || call.server.scripts.running())) {
    options.by.reset();
    options.alpha = true;
  }
  std::vector<Sorted> all;
  if (entry != nullptr) {
    for (std::string& element : elements_of(entry->value, options.descending && !options.sorts()))
      all.push_back({.element = std::move(element)});
  }
  if (options.sorts()) {
    for (Sorted& one : all) {
      if (!weigh(call, options, one)) return;
    }
    put_in_order(options, all);
  }
  const std::int64_t size = count_of(all);
  const std::int64_t first = std::min(std::max<std::int64_t>(options.offset, 0), size);
  const std::int64_t count =
      options.count < 0 ? size - first : std::min(options.count, size - first);
  all.erase(all.begin(), all.begin() + first);
  all.resize(static_cast<std::size_t>(count));
  if (options.store) return store(call, options, all);
  call.reply.set(Reply::Kind::array);
  for (const Sorted& one : all) {
    if (options.get.empty()) call.reply.add().set_bulk(one.element);
    for (const std::string_view pattern : options.get) {
      const std::optional<std::string> found = found_by(call, pattern, one.element);
      Reply& reply = call.reply.add();
      if (found) reply.set_bulk(*found);
    }
  }
}

}  // namespace

void sort(Call& call) { sort(call, true); }
void sort_ro(Call& call) { sort(call, false); }

}  // namespace picklock::redis
