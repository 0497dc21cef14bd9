// Replies parsed into frames, in RESP2 and RESP3, so that normalizations can rewrite them, and so
// that a reader finds the end of a reply whose length may differ on the two sides. Texts are kept
// unchanged: a frame is written as the same bytes.
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
  // The elements of an aggregate; a map has alternating keys and values. A message pushed into the
  // middle of an aggregate, as 7.0 does within EXEC (R89), stays where it came and is not counted.
  std::vector<Frame> elements;

  bool aggregate() const {
    return kind == '*' || kind == '%' || kind == '~' || kind == '>' || kind == '|';
  }
  bool pushed_message() const;
  bool error() const { return kind == '-'; }
};

// Removes the first frame from `bytes`, if it is complete.
Framing take_frame(std::string_view& bytes, Frame& frame);
void put_frame(std::string& out, const Frame& frame);

// The bytes of a command as they are sent.
std::string request_of(const std::vector<std::string>& words);

}  // namespace picklock::conform::redis
