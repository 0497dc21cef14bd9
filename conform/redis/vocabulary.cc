#include "conform/redis/vocabulary.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "conform/redis/holes.h"
#include "conform/redis/sequence.h"

namespace picklock::conform::redis {
namespace {

// Keys, and the usual type of each.
struct Key {
  std::string_view name;
  std::string_view type;
};
constexpr Key kKeys[] = {
    {"k1", "string"}, {"k2", "hash"}, {"k3", "list"}, {"k4", "zset"}, {"k5", "set"}};
constexpr std::string_view kValues[] = {"a", "b", "hello world", "", "token-1", "token-2"};
constexpr std::string_view kBinary[] = {"\r\n", std::string_view("a\0b", 3), "\xff\xfe\x80",
                                        "$5\r\nx", "'quoted' \"twice\" \\"};
constexpr std::string_view kOddWords[] = {
    "", "abc", "-1", "0", "9223372036854775807", "1.5", "NX", "k1", "GET", "\r\n", "KEEPTTL", "*"};

int total_weight() {
  static const int all =
      std::accumulate(rules().begin(), rules().end(), 0,
                      [](int sum, const Rule& rule) { return sum + rule.weight; });
  return all;
}

}  // namespace

// ---------------------------------------------------------------- commands

const Rule& Vocabulary::drawn_rule(bool for_script, bool with_key) {
  for (;;) {
    auto left = static_cast<int>(below(static_cast<std::uint64_t>(total_weight())));
    const Rule* rule = rules().data();
    while (left >= rule->weight) left -= (rule++)->weight;
    if (rule->timed && !timed_) continue;
    if (with_key && !rule->has_key()) continue;
    if (for_script && rule->connection && !one_in(8)) continue;
    return *rule;
  }
}

Words Vocabulary::command(bool for_script) {
  const Rule& rule = drawn_rule(for_script, false);
  Words words = filled(rule.pattern, rule.type);
  if (!rule.exact && one_in(18)) spoil(words);
  words[0] = in_some_case(words[0]);
  return words;
}

Words Vocabulary::command_on(std::string_view key) {
  forced_key_ = key;
  const Rule& rule = drawn_rule(false, true);
  Words words = filled(rule.pattern, rule.type);
  forced_key_ = {};
  return words;
}

Words Vocabulary::listening() {
  static constexpr std::string_view kPatterns[] = {"SUBSCRIBE {channel+}", "UNSUBSCRIBE {channel*}",
                                                   "PSUBSCRIBE {glob+}",   "PUNSUBSCRIBE {glob*}",
                                                   "PING {value?}",        "UNSUBSCRIBE",
                                                   "PUNSUBSCRIBE"};
  if (one_in(30)) return {"QUIT"};
  return filled(one_of(kPatterns));
}

// Removes, adds or changes a word.
void Vocabulary::spoil(Words& words) {
  switch (below(4)) {
    case 0:
      if (words.size() > 1) words.pop_back();
      break;
    case 1:
      words.resize(1);
      break;
    case 2:
      words.emplace_back(one_of(kOddWords));
      break;
    default:
      if (words.size() > 1) words[1 + below(words.size() - 1)] = one_of(kOddWords);
  }
}

Words Vocabulary::filled(std::string_view pattern, std::string_view type) {
  Words words;
  while (!pattern.empty()) {
    const std::string_view word = pattern.substr(0, pattern.find(' '));
    pattern.remove_prefix(std::min(pattern.size(), word.size() + 1));
    if (word.starts_with('{')) {
      fill(words, word.substr(1, word.size() - 2), type);
    } else {
      words.emplace_back(word);
    }
  }
  return words;
}

std::string Vocabulary::in_some_case(std::string_view word) {
  std::string text(word);
  const std::uint64_t manner = below(8);
  if (manner == 0) return lower(word);
  if (manner == 1) {
    for (char& letter : text) {
      if (below(2) == 0) letter = lower(std::string_view(&letter, 1))[0];
    }
  }
  return text;
}

// ---------------------------------------------------------------- words

std::string Vocabulary::key(std::string_view type) {
  if (!forced_key_.empty()) return std::string(forced_key_);
  const std::uint64_t manner = below(20);
  if (manner == 0) return std::string(one_of(kOddKeys));
  if (manner < 13 && !type.empty()) {
    for (const Key& one : kKeys) {
      if (one.type == type) return std::string(one.name);
    }
  }
  return std::string(one_of(kKeys).name);
}

std::string Vocabulary::number() {
  return std::string(one_in(4) ? one_of(kNearIntegers) : one_of(kIntegers));
}

std::string Vocabulary::value() {
  const std::uint64_t manner = below(10);
  if (manner == 0) return std::string(one_of(kBinary));
  if (manner == 1) return std::string(300, 'x');
  if (manner < 5) return number();
  return std::string(one_of(kValues));
}

std::string Vocabulary::small_value() {
  if (one_in(2)) return number();
  return std::string(one_of(kValues));
}

std::string Vocabulary::milliseconds() {
  static constexpr std::string_view kSane[] = {"1",   "2",    "5",     "100",
                                               "500", "1499", "20000", "100000"};
  static constexpr std::string_view kOdd[] = {"0", "-1", "9223372036854775807",
                                              "9000000000000000000", "-9223372036854775808"};
  static constexpr std::string_view kUntimed[] = {"1000000", "3600000", "86400000"};
  if (one_in(8)) return std::string(one_of(kNearIntegers));
  if (one_in(6)) return std::string(one_of(kOdd));
  return std::string(timed_ ? one_of(kSane) : one_of(kUntimed));
}

std::string Vocabulary::seconds() {
  static constexpr std::string_view kSane[] = {"1", "2", "10", "20", "100", "100000"};
  static constexpr std::string_view kOdd[] = {"0",
                                              "-1",
                                              "9223372036854775",
                                              "9223372036854776",
                                              "9000000000000000",
                                              "-9223372036854775",
                                              "-9223372036854776",
                                              "-9223372036854775808"};
  static constexpr std::string_view kUntimed[] = {"1000", "3600", "86400"};
  if (one_in(8)) return std::string(one_of(kNearIntegers));
  if (one_in(6)) return std::string(one_of(kOdd));
  return std::string(timed_ ? one_of(kSane) : one_of(kUntimed));
}

std::string Vocabulary::at_milliseconds() {
  static constexpr std::int64_t kAround[] = {0, 1, -1, 2, 100, 1000, 20000, 1499};
  if (one_in(8)) return number();
  if (one_in(6)) return milliseconds();
  return std::to_string(now_ms_ + one_of(kAround));
}

std::string Vocabulary::at_seconds() {
  static constexpr std::int64_t kAround[] = {0, 1, -1, 2, 10, 100, 20000};
  if (one_in(8)) return number();
  if (one_in(6)) return seconds();
  return std::to_string(now_ms_ / 1000 + one_of(kAround));
}

void Vocabulary::fill_expiry(Words& words, std::string_view option) {
  words.push_back(in_some_case(option));
  if (one_in(25)) return;
  if (option == "PX") {
    words.push_back(milliseconds());
  } else if (option == "EX") {
    words.push_back(seconds());
  } else if (option == "PXAT") {
    words.push_back(at_milliseconds());
  } else if (option == "EXAT") {
    words.push_back(at_seconds());
  }
}

void Vocabulary::fill_set_options(Words& words) {
  static constexpr std::string_view kOptions[] = {"NX", "XX", "GET",  "KEEPTTL",
                                                  "PX", "EX", "PXAT", "EXAT"};
  const std::uint64_t count = 1 + below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (one_in(30)) {
      words.emplace_back(one_of(kOddWords));
      continue;
    }
    const std::string_view option = one_of(kOptions);
    // With a deadline in the past, a server that runs by its own clock could remove the key at any
    // time.
    if (!timed_ && option.ends_with("AT")) continue;
    fill_expiry(words, option);
  }
}

void Vocabulary::fill_getex_options(Words& words) {
  static constexpr std::string_view kOptions[] = {"PX", "EX", "PXAT", "EXAT", "PERSIST"};
  const std::uint64_t manner = below(24);
  for (std::uint64_t count = manner < 8 ? 0 : manner < 10 ? 2 : 1; count > 0; --count) {
    const std::string_view option = one_of(kOptions);
    if (timed_ || !option.ends_with("AT")) fill_expiry(words, option);
  }
  if (one_in(20)) words.emplace_back("ZZ");
}

void Vocabulary::fill_flags(Words& words) {
  static constexpr std::string_view kFlags[] = {"NX", "XX", "GT", "LT"};
  // GT and LT compare times that two moments have determined.
  static constexpr std::string_view kUntimed[] = {"NX", "XX"};
  if (below(5) < 3) return;
  const std::uint64_t count = one_in(4) ? 2 : 1;
  for (std::uint64_t i = 0; i < count; ++i)
    words.push_back(in_some_case(timed_ ? one_of(kFlags) : one_of(kUntimed)));
  if (one_in(10)) words.emplace_back("ZZ");
}

void Vocabulary::fill(Words& words, std::string_view hole, std::string_view type) {
  std::uint64_t count = 1;
  switch (hole.back()) {
    case '?':
      count = below(2);
      break;
    case '+':
      count = 1 + below(3);
      break;
    case '*':
      count = one_in(2) ? 0 : 1 + below(3);
      break;
    default:
      return fill_one(words, hole, type);
  }
  hole.remove_suffix(1);
  for (; count > 0; --count) fill_one(words, hole, type);
}

void Vocabulary::fill_one(Words& words, std::string_view hole, std::string_view type) {
  for (const Choice& choice : choices()) {
    if (choice.hole != hole) continue;
    const bool bad = !choice.bad.empty() && one_in(12);
    words.emplace_back(one_of(bad ? choice.bad : choice.good));
    return;
  }
  for (const Form& form : forms()) {
    if (form.hole != hole) continue;
    const Words more = filled(one_of(form.patterns), type);
    words.insert(words.end(), more.begin(), more.end());
    return;
  }
  if (hole == "key") {
    words.push_back(key(type));
  } else if (hole == "value") {
    words.push_back(value());
  } else if (hole == "small-value") {
    words.push_back(small_value());
  } else if (hole == "ms") {
    words.push_back(milliseconds());
  } else if (hole == "seconds") {
    words.push_back(seconds());
  } else if (hole == "at-ms") {
    words.push_back(at_milliseconds());
  } else if (hole == "at-seconds") {
    words.push_back(at_seconds());
  } else if (hole == "set-options") {
    fill_set_options(words);
  } else if (hole == "getex-options") {
    fill_getex_options(words);
  } else if (hole == "expire-flags") {
    fill_flags(words);
  } else if (hole == "empty") {
    words.emplace_back();
  } else if (hole == "client-id") {
    words.push_back(id_word(static_cast<std::uint32_t>(below(connections_))));
  } else {
    throw std::logic_error("nothing fills the hole " + std::string(hole));
  }
}

}  // namespace picklock::conform::redis
