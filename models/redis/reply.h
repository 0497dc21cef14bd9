// What a Redis command came to, as the client that sent it knows it: the server's answer, or that
// there is none. An answer that never came says nothing about whether the command was applied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::models::redis {

struct Reply {
  enum class Kind : std::uint8_t {
    nil,      // $-1; _ in protocol 3, as nil_array
    status,   // +OK
    error,    // -ERR ...
    integer,  // :1
    bulk,     // $5 hello
    array,    // *2 ...
    // Told apart in protocol 3 only.
    nil_array,   // *-1
    map,         // %1: key, value, ...; else an array
    set,         // ~2; else an array
    pairs,       // *1 *2 member, score, ...; else an array without the inner ones
    push,        // >3: nobody asked for it; else an array
    number,      // ,3.5; else a bulk
    verbatim,    // =15 txt:...; else a bulk
    boolean,     // #t; else an integer
    big_number,  // (123; else a bulk
    unknown,     // sent, but no answer: timed out or connection lost
    unsent,      // no connection: certainly not applied
  };

  Kind kind = Kind::nil;
  std::int64_t integer = 0;
  std::string text;  // status, error (with its code word, without the leading -), bulk, number
  std::vector<Reply> elements;
  bool resent = false;       // to a command sent again: an earlier copy of it may have been applied
  bool interrupted = false;  // unknown because its thread was interrupted: the answer may yet come

  bool ok() const { return kind == Kind::status && text == "OK"; }
  bool is_nil() const { return kind == Kind::nil || kind == Kind::nil_array; }
  bool is_error() const { return kind == Kind::error; }
  // To EVALSHA: the server does not have the script, or no longer since it started (R81).
  bool is_unknown_script() const { return is_error() && text.starts_with("NOSCRIPT"); }
  bool is_integer(std::int64_t value) const { return kind == Kind::integer && integer == value; }
  bool is_bulk(std::string_view value) const { return kind == Kind::bulk && text == value; }
  bool answered() const { return kind != Kind::unknown && kind != Kind::unsent; }

  // A reused reply keeps its strings' memory.
  void set(Kind what) {
    kind = what;
    integer = 0;
    text.clear();
    elements.clear();
  }
  void set_status(std::string_view word) { set(Kind::status), text.assign(word); }
  void set_error(std::string_view message) { set(Kind::error), text.assign(message); }
  void set_bulk(std::string_view bytes) { set(Kind::bulk), text.assign(bytes); }
  void set_integer(std::int64_t value) { set(Kind::integer), integer = value; }
  Reply& add() { return elements.emplace_back(); }
};

}  // namespace picklock::models::redis
