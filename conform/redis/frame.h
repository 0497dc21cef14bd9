// The bytes of a reply taken apart, in RESP2 and RESP3: what normalisations rewrite, and how a
// reader knows where a reply ends whose length the two sides may not share. Texts are kept as they
// came: what is put together again is the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conform/framing.h"

namespace picklock::conform::redis {

struct Frame {
  char kind = 0;      // the first byte: + - : $ * _ # , ( = % ~ > |
  bool null = false;  // $-1 or *-1
  std::string text;   // of a line or a bulk
  // Of an aggregate; a map has keys and values in turn. A message pushed into the middle of an
  // aggregate, as 7.0 does within EXEC (R89), stands where it came and is not counted.
  std::vector<Frame> elements;

  bool aggregate() const {
    return kind == '*' || kind == '%' || kind == '~' || kind == '>' || kind == '|';
  }
  bool pushed_message() const;
  bool error() const { return kind == '-'; }
};

// Takes one frame off the front of `bytes`, if it is there whole.
Framing take_frame(std::string_view& bytes, Frame& frame);
void put_frame(std::string& out, const Frame& frame);

// A command as it is sent.
std::string request_of(const std::vector<std::string>& words);

}  // namespace picklock::conform::redis
