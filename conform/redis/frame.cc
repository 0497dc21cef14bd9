#include "conform/redis/frame.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>

namespace picklock::conform::redis {
namespace {

constexpr std::string_view kEnd = "\r\n";
constexpr int kDeepest = 1000;

bool read_count(std::string_view text, std::int64_t& count) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count >= -1;
}

Framing take(std::string_view& bytes, Frame& frame, int depth);

Framing take_elements(std::string_view& bytes, Frame& frame, std::int64_t count, int depth) {
  if (depth > kDeepest) return Framing::malformed;
  for (std::int64_t i = 0; i < count;) {
    Frame& element = frame.elements.emplace_back();
    const Framing framing = take(bytes, element, depth + 1);
    if (framing != Framing::whole) return framing;
    if (!element.pushed_message()) ++i;
  }
  return Framing::whole;
}

Framing take(std::string_view& bytes, Frame& frame, int depth) {
  const std::size_t line_end = bytes.find(kEnd);
  if (line_end == std::string_view::npos) return Framing::partial;
  frame = Frame();
  frame.kind = bytes[0];
  const std::string_view line = bytes.substr(1, line_end - 1);
  std::int64_t count = 0;
  switch (frame.kind) {
    case '+':
    case '-':
    case ':':
    case '_':
    case '#':
    case ',':
    case '(':
      frame.text = line;
      bytes.remove_prefix(line_end + kEnd.size());
      return Framing::whole;
    case '$':
    case '=': {
      if (!read_count(line, count)) return Framing::malformed;
      const std::size_t header = line_end + kEnd.size();
      if (count < 0) {
        frame.null = true;
        bytes.remove_prefix(header);
        return Framing::whole;
      }
      const auto size = static_cast<std::size_t>(count);
      if (bytes.size() < header + size + kEnd.size()) return Framing::partial;
      if (bytes.substr(header + size, kEnd.size()) != kEnd) return Framing::malformed;
      frame.text = bytes.substr(header, size);
      bytes.remove_prefix(header + size + kEnd.size());
      return Framing::whole;
    }
    case '*':
    case '%':
    case '~':
    case '>':
    case '|': {
      if (!read_count(line, count)) return Framing::malformed;
      bytes.remove_prefix(line_end + kEnd.size());
      frame.null = count < 0;
      const bool pairs = frame.kind == '%' || frame.kind == '|';
      return take_elements(bytes, frame, pairs ? 2 * count : count, depth);
    }
    default:
      return Framing::malformed;
  }
}

}  // namespace

bool Frame::pushed_message() const {
  return kind == '>' && !elements.empty() &&
         (elements[0].text == "message" || elements[0].text == "pmessage");
}

Framing take_frame(std::string_view& bytes, Frame& frame) {
  std::string_view rest = bytes;
  const Framing framing = take(rest, frame, 0);
  if (framing == Framing::whole) bytes = rest;
  return framing;
}

void put_frame(std::string& out, const Frame& frame) {
  out += frame.kind;
  if (frame.null) {
    out += "-1";
  } else if (frame.kind == '$' || frame.kind == '=') {
    out += std::to_string(frame.text.size());
    out += kEnd;
    out += frame.text;
  } else if (frame.aggregate()) {
    std::size_t count = 0;
    for (const Frame& element : frame.elements) count += element.pushed_message() ? 0u : 1u;
    out += std::to_string(frame.kind == '%' || frame.kind == '|' ? count / 2 : count);
    out += kEnd;
    for (const Frame& element : frame.elements) put_frame(out, element);
    return;
  } else {
    out += frame.text;
  }
  out += kEnd;
}

std::string request_of(const std::vector<std::string>& words) {
  std::string request = fmt::format("*{}\r\n", words.size());
  for (const std::string& word : words) {
    request += fmt::format("${}\r\n", word.size());
    request += word;
    request += kEnd;
  }
  return request;
}

}  // namespace picklock::conform::redis
