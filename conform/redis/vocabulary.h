// The words of sequences: the patterns of commands (rules.h), and the words that fill their holes
// (holes.h). They are few keys of mixed types, integers and almost-integers, deadlines around now,
// options in any case and order, and occasionally a bad one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conform/redis/rules.h"
#include "sim/random.h"

namespace picklock::conform::redis {

using Words = std::vector<std::string>;

class Vocabulary {
 public:
  Vocabulary(sim::Random& chance, bool steered_clock) : chance_(chance), timed_(steered_clock) {}

  void set_now(std::int64_t ms) { now_ms_ = ms; }
  void set_connections(std::uint32_t count) { connections_ = count; }
  bool timed() const { return timed_; }

  // --- chance
  std::uint64_t below(std::uint64_t bound) { return chance_.below(bound); }
  bool one_in(std::uint64_t many) { return below(many) == 0; }
  template <typename Values>
  const auto& one_of(const Values& values) {
    return values[static_cast<std::size_t>(below(std::size(values)))];
  }

  // --- words
  // A command that any connection may send, or, for scripts, one that works on data.
  Words command(bool for_script = false);
  // A well-formed command on this key.
  Words command_on(std::string_view key);
  // A command that a listening RESP2 connection may send.
  Words listening();
  // The words of a pattern; well-formed if its words are.
  Words filled(std::string_view pattern, std::string_view type = {});
  std::string key(std::string_view type);
  std::string value();
  std::string number();  // an integer, mostly

 private:
  const Rule& drawn_rule(bool for_script, bool with_key);
  void fill(Words& words, std::string_view hole, std::string_view type);
  void fill_one(Words& words, std::string_view hole, std::string_view type);
  std::string in_some_case(std::string_view word);
  void spoil(Words& words);
  void fill_set_options(Words& words);
  void fill_expiry(Words& words, std::string_view option);
  void fill_getex_options(Words& words);
  void fill_flags(Words& words);
  std::string small_value();  // of a size that keeps a hash in insertion order
  std::string milliseconds();
  std::string seconds();
  std::string at_milliseconds();
  std::string at_seconds();

  sim::Random& chance_;
  bool timed_;
  std::int64_t now_ms_ = 0;
  std::uint32_t connections_ = 1;
  std::string_view forced_key_;
};

}  // namespace picklock::conform::redis
