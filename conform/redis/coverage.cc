#include "conform/redis/coverage.h"

#include <algorithm>
#include <iterator>

#include "conform/redis/frame.h"
#include "conform/redis/sequence.h"

namespace picklock::conform::redis {

namespace {

constexpr std::string_view kCodes[] = {
    "BUSY",    "ERR", "EXECABORT", "MISCONF",    "NOAUTH",    "NOPROTO",  "NOSCRIPT",
    "NOTBUSY", "OOM", "READONLY",  "UNKILLABLE", "WRONGPASS", "WRONGTYPE"};

}  // namespace

std::string reply_class(std::string_view bytes) {
  Frame frame;
  bool any = false;
  while (!bytes.empty() && take_frame(bytes, frame) == Framing::whole) any = true;
  if (!any) return "none";
  switch (frame.kind) {
    case '+':
      return frame.text == "QUEUED" ? "queued" : "status";
    case '-': {
      // All error codes that scripts make up are one class.
      std::string code = frame.text.substr(0, frame.text.find(' '));
      return std::find(std::begin(kCodes), std::end(kCodes), code) == std::end(kCodes)
                 ? "other-error"
                 : code;
    }
    case ':':
      return "integer";
    case '$':
      return frame.null ? "nil" : "bulk";
    case '*':
      return frame.null ? "nil" : frame.elements.empty() ? "empty-array" : "array";
    case '_':
      return "nil";
    case '>':
      return "push";
    case '%':
      return "map";
    case '~':
      return "set";
    case ',':
      return "double";
    case '=':
      return "verbatim";
    case '#':
      return "boolean";
    default:
      return "other";
  }
}

void count(const Words& words, std::string_view reply, KeyState key, Coverage& coverage) {
  coverage.count_command();
  coverage.count({lower(words[0]), reply_class(reply), static_cast<std::uint8_t>(key)});
}

}  // namespace picklock::conform::redis
