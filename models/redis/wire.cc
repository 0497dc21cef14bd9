#include "models/redis/wire.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "models/redis/numbers.h"
#include "sim/digest.h"
#include "sim/fault.h"

namespace picklock::redis {
namespace {

constexpr std::string_view kEnd = "\r\n";
// Limit of nested replies: clients read them on stacks of 64 KiB.
constexpr std::size_t kDeepest = 32;

// Most numbers have a digit or two.
constexpr std::int64_t kMostShort = 99;
constexpr std::size_t short_header_size(std::int64_t value) { return value <= 9 ? 4 : 5; }

// Line ends are written and compared as one number: std::string_view compares out of line, which
// cost 5 % of a tiny run.
inline char* put_end(char* at) {
  std::memcpy(at, kEnd.data(), kEnd.size());
  return at + kEnd.size();
}
inline bool is_end(const char* at) {
  return sim::little_endian(at, kEnd.size()) == ('\r' | '\n' << 8);
}

inline char* put_short_header(char* at, char kind, std::int64_t value) {
  const auto digit = [](std::int64_t number) { return static_cast<char>('0' + number); };
  *at++ = kind;
  if (value > 9) {
    *at++ = digit(value / 10);
    value %= 10;
  }
  *at++ = digit(value);
  return put_end(at);
}

// Most words have a few bytes. A call that copies them costs more than the copy.
inline char* put(char* at, std::string_view bytes) {
  const std::size_t size = bytes.size();
  const char* const from = bytes.data();
  if (size > 16) {
    std::memcpy(at, from, size);
  } else if (size >= 8) {
    std::memcpy(at, from, 8);
    std::memcpy(at + size - 8, from + size - 8, 8);
  } else {
    for (std::size_t i = 0; i < size; ++i) at[i] = from[i];
  }
  return at + size;
}

inline bool is_short(std::string_view bytes) {
  return bytes.size() <= static_cast<std::size_t>(kMostShort);
}
inline std::size_t short_bulk_size(std::string_view bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  return short_header_size(size) + bytes.size() + kEnd.size();
}
inline char* put_short_bulk(char* at, std::string_view bytes) {
  at = put_short_header(at, '$', static_cast<std::int64_t>(bytes.size()));
  return put_end(put(at, bytes));
}

void write_header(sim::Payload& out, char kind, std::int64_t value) {
  if (value >= 0 && value <= kMostShort) {
    put_short_header(out.extend(short_header_size(value)), kind, value);
    return;
  }
  std::array<char, 24> text;
  text[0] = kind;
  char* end = std::to_chars(text.data() + 1, text.data() + 22, value).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append({text.data(), static_cast<std::size_t>(end - text.data())});
}

// Writes one line, even if the text contains line ends.
void write_line(sim::Payload& out, char kind, std::string_view text) {
  char* at = out.extend(text.size() + 1);
  *at++ = kind;
  for (char letter : text) *at++ = letter == '\r' || letter == '\n' ? ' ' : letter;
  out.append(kEnd);
}

// Line ends after an error's text are not part of it.
void write_error(sim::Payload& out, std::string_view text) {
  while (text.ends_with('\r') || text.ends_with('\n')) text.remove_suffix(1);
  write_line(out, '-', text);
}

// The line after a header's kind, without its end; false: the bytes stop before it.
bool read_line(std::string_view& bytes, std::string_view& line) {
  const std::size_t end = bytes.find(kEnd);
  if (end == std::string_view::npos) return false;
  line = bytes.substr(0, end);
  bytes.remove_prefix(end + kEnd.size());
  return true;
}

inline bool read_header(std::string_view& bytes, char kind, std::int64_t& value) {
  if (bytes.empty() || bytes.front() != kind) return false;
  const auto digit = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at] - '0'); };
  if (bytes.size() >= 5 && digit(1) <= 9) {
    if (is_end(&bytes[2])) {
      value = digit(1);
      bytes.remove_prefix(4);
      return true;
    }
    if (digit(2) <= 9 && is_end(&bytes[3])) {
      value = digit(1) * 10 + digit(2);
      bytes.remove_prefix(5);
      return true;
    }
  }
  const char* const last = bytes.data() + bytes.size();
  const auto [end, error] = std::from_chars(bytes.data() + 1, last, value);
  if (error != std::errc() || last - end < 2 || !is_end(end)) return false;
  bytes.remove_prefix(static_cast<std::size_t>(end + 2 - bytes.data()));
  return true;
}

inline bool read_body(std::string_view& bytes, std::int64_t size, std::string_view& body) {
  if (size < 0 || bytes.size() < static_cast<std::size_t>(size) + kEnd.size()) return false;
  body = bytes.substr(0, static_cast<std::size_t>(size));
  bytes.remove_prefix(static_cast<std::size_t>(size));
  if (!is_end(bytes.data())) return false;
  bytes.remove_prefix(kEnd.size());
  return true;
}

// Reads how many elements of an array follow.
bool read_count(std::string_view header, Reply::Kind kind, std::int64_t each, Reply& reply,
                std::int64_t& elements) {
  std::int64_t count = 0;
  if (!read_integer(header, count)) return false;
  reply.set(count == -1 ? Reply::Kind::nil_array : kind);
  elements = count * each;
  return true;
}

// A reply without its elements.
bool read_one(std::string_view& bytes, Reply& reply, std::int64_t& elements) {
  if (bytes.empty()) return false;
  const char kind = bytes.front();
  bytes.remove_prefix(1);
  std::string_view line;
  if (!read_line(bytes, line)) return false;
  std::int64_t number = 0;
  switch (kind) {
    case '+':
      reply.set_status(line);
      return true;
    case '-':
      reply.set_error(line);
      return true;
    case ':':
      if (!read_integer(line, number)) return false;
      reply.set_integer(number);
      return true;
    case '$': {
      if (!read_integer(line, number)) return false;
      if (number == -1) {
        reply.set(Reply::Kind::nil);
        return true;
      }
      std::string_view body;
      if (!read_body(bytes, number, body)) return false;
      reply.set_bulk(body);
      return true;
    }
    case '=': {
      std::string_view body;
      if (!read_integer(line, number) || !read_body(bytes, number, body) || body.size() < 4)
        return false;
      reply.set_bulk(body.substr(4));
      reply.kind = Reply::Kind::verbatim;
      return true;
    }
    case ',':
      reply.set_bulk(line);
      reply.kind = Reply::Kind::number;
      return true;
    case '(':
      reply.set_bulk(line);
      reply.kind = Reply::Kind::big_number;
      return true;
    case '#':
      if (line != "t" && line != "f") return false;
      reply.set_integer(line == "t" ? 1 : 0);
      reply.kind = Reply::Kind::boolean;
      return true;
    case '_':
      reply.set(Reply::Kind::nil);
      return true;
    case '*':
      return read_count(line, Reply::Kind::array, 1, reply, elements);
    case '%':
      return read_count(line, Reply::Kind::map, 2, reply, elements);
    case '~':
      return read_count(line, Reply::Kind::set, 1, reply, elements);
    case '>':
      return read_count(line, Reply::Kind::push, 1, reply, elements);
    default:
      return false;
  }
}

std::string words(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::nil:
    case Reply::Kind::nil_array:
      return "nil";
    case Reply::Kind::status:
      return reply.text;
    case Reply::Kind::error:
      return "error: " + reply.text;
    case Reply::Kind::integer:
      return std::to_string(reply.integer);
    case Reply::Kind::boolean:
      return reply.integer != 0 ? "true" : "false";
    case Reply::Kind::number:
    case Reply::Kind::big_number:
      return reply.text;
    case Reply::Kind::bulk:
    case Reply::Kind::verbatim:
      return "\"" + reply.text + "\"";
    case Reply::Kind::array:
    case Reply::Kind::map:
    case Reply::Kind::set:
    case Reply::Kind::pairs:
    case Reply::Kind::push: {
      std::string all = "[";
      for (const Reply& element : reply.elements)
        all += (all.size() > 1 ? ", " : "") + words(element);
      return all + "]";
    }
    case Reply::Kind::unknown:
      return "no answer";
    case Reply::Kind::unsent:
      return "not sent";
  }
  return "?";
}

std::string describe(std::string_view payload, bool is_reply) {
  if (is_reply) {
    Reply reply;
    return read_reply(payload, reply) ? words(reply) : "unreadable";
  }
  std::vector<std::string_view> argv;
  if (!read_request(payload, argv)) return "unreadable";
  std::string text;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (i > 0) text += ' ';
    // The word is more useful in a report than a script's source; the step's role says what it
    // does.
    const bool source = i == 1 && (argv[0] == "EVAL" || argv[0] == "EVAL_RO");
    text += source ? std::string_view("{script}") : argv[i];
  }
  return text;
}

std::string_view command(std::string_view payload) {
  std::int64_t count = 0;
  std::int64_t size = 0;
  std::string_view word;
  if (!read_header(payload, '*', count) || !read_header(payload, '$', size) ||
      !read_body(payload, size, word))
    return {};
  return word;
}

// SET with NX or XX answers nil where it sets nothing.
std::string_view gloss(std::string_view request, std::string_view answer) {
  Reply reply;
  const bool refused =
      sim::is_same_command(command(request), "SET") && read_reply(answer, reply) && reply.is_nil();
  return refused ? "refused" : "";
}

constexpr sim::Protocol kProtocol{
    .name = "redis", .describe = describe, .command = command, .gloss = gloss};
constexpr sim::Protocol kWatchProtocol{
    .name = "redis", .describe = describe, .command = command, .background = true};

// Describes `SET lock:1 4f2a PXAT 1700000010000`, or several commands; `+CONTINUE ...`; a snapshot.
std::string describe_stream(std::string_view payload, bool) {
  if (payload.starts_with('+') || payload.starts_with('-'))
    return std::string(payload.substr(1, payload.find('\r') - 1));
  if (payload.starts_with('$')) return "{snapshot}";
  std::string text;
  std::vector<std::string_view> argv;
  while (take_request(payload, argv)) {
    if (!text.empty()) text += "; ";
    for (std::size_t i = 0; i < argv.size(); ++i) text.append(i > 0 ? " " : "").append(argv[i]);
  }
  return text.empty() ? "unreadable" : text;
}

constexpr sim::Protocol kReplicationProtocol{
    .name = "replication", .describe = describe_stream, .command = command, .background = true};

}  // namespace

void write_request(sim::Payload& out, std::span<const std::string_view> argv) {
  const auto count = static_cast<std::int64_t>(argv.size());
  std::size_t size = short_header_size(count);
  bool all_short = count <= kMostShort;
  for (const std::string_view word : argv) {
    all_short = all_short && is_short(word);
    size += short_bulk_size(word);
  }
  if (!all_short) {
    write_header(out, '*', count);
    for (const std::string_view word : argv) write_bulk(out, word);
    return;
  }
  char* at = put_short_header(out.extend(size), '*', count);
  for (const std::string_view word : argv) at = put_short_bulk(at, word);
}

bool read_request(std::string_view bytes, std::vector<std::string_view>& argv) {
  return take_request(bytes, argv) && bytes.empty();
}

bool take_request(std::string_view& bytes, std::vector<std::string_view>& argv) {
  std::string_view rest = bytes;  // a local copy, so that it stays in registers
  argv.clear();
  std::int64_t count = 0;
  if (!read_header(rest, '*', count) || count < 1) return false;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t size = 0;
    std::string_view word;
    if (!read_header(rest, '$', size) || !read_body(rest, size, word)) return false;
    argv.push_back(word);
  }
  bytes = rest;
  return true;
}

void write_array(sim::Payload& out, std::size_t elements) {
  write_header(out, '*', static_cast<std::int64_t>(elements));
}

void write_push(sim::Payload& out, std::size_t elements, unsigned protocol) {
  write_header(out, protocol < 3 ? '*' : '>', static_cast<std::int64_t>(elements));
}

void write_bulk(sim::Payload& out, std::string_view bytes) {
  if (is_short(bytes)) {
    put_short_bulk(out.extend(short_bulk_size(bytes)), bytes);
    return;
  }
  write_header(out, '$', static_cast<std::int64_t>(bytes.size()));
  out.append(bytes);
  out.append(kEnd);
}

void write_integer(sim::Payload& out, std::int64_t value) { write_header(out, ':', value); }

void write_nil(sim::Payload& out, unsigned protocol) {
  out.append(protocol < 3 ? "$-1\r\n" : "_\r\n");
}

void write_reply(sim::Payload& out, const Reply& reply, unsigned protocol) {
  const bool plain = protocol < 3;
  const auto write_elements = [&](char kind, std::size_t count) {
    write_header(out, kind, static_cast<std::int64_t>(count));
    for (const Reply& element : reply.elements) write_reply(out, element, protocol);
  };
  switch (reply.kind) {
    case Reply::Kind::status:
      write_line(out, '+', reply.text);
      break;
    case Reply::Kind::error:
      write_error(out, reply.text);
      break;
    case Reply::Kind::integer:
      write_header(out, ':', reply.integer);
      break;
    case Reply::Kind::bulk:
      write_bulk(out, reply.text);
      break;
    case Reply::Kind::number:
      if (plain) {
        write_bulk(out, reply.text);
      } else {
        write_line(out, ',', reply.text);
      }
      break;
    case Reply::Kind::big_number:
      if (plain) {
        write_bulk(out, reply.text);
      } else {
        write_line(out, '(', reply.text);
      }
      break;
    case Reply::Kind::boolean:
      if (plain) {
        write_header(out, ':', reply.integer);
      } else {
        out.append(reply.integer != 0 ? "#t\r\n" : "#f\r\n");
      }
      break;
    case Reply::Kind::verbatim:
      if (plain) {
        write_bulk(out, reply.text);
      } else {
        write_header(out, '=', static_cast<std::int64_t>(reply.text.size() + 4));
        out.append("txt:");
        out.append(reply.text);
        out.append(kEnd);
      }
      break;
    case Reply::Kind::array:
      write_elements('*', reply.elements.size());
      break;
    case Reply::Kind::map:
      write_elements(plain ? '*' : '%', reply.elements.size() / (plain ? 1 : 2));
      break;
    case Reply::Kind::set:
      write_elements(plain ? '*' : '~', reply.elements.size());
      break;
    case Reply::Kind::pairs:
      if (plain) {
        write_elements('*', reply.elements.size());
        break;
      }
      write_header(out, '*', static_cast<std::int64_t>(reply.elements.size() / 2));
      for (std::size_t i = 0; i < reply.elements.size(); ++i) {
        if (i % 2 == 0) write_header(out, '*', 2);
        write_reply(out, reply.elements[i], protocol);
      }
      break;
    case Reply::Kind::push:
      write_elements(plain ? '*' : '>', reply.elements.size());
      break;
    case Reply::Kind::nil_array:
      out.append(plain ? "*-1\r\n" : "_\r\n");
      break;
    case Reply::Kind::nil:
    case Reply::Kind::unknown:
    case Reply::Kind::unsent:
      write_nil(out, protocol);
      break;
  }
}

bool read_reply(std::string_view& bytes, Reply& reply) {
  struct Open {
    Reply* reply;
    std::int64_t missing;  // elements
  };
  std::array<Open, kDeepest> open;
  std::size_t depth = 0;
  for (Reply* next = &reply;;) {
    std::int64_t elements = 0;
    if (!read_one(bytes, *next, elements)) return false;
    if (elements > 0) {
      if (depth == open.size()) return false;
      open[depth++] = {next, elements};
    }
    while (depth > 0 && open[depth - 1].missing == 0) --depth;
    if (depth == 0) return true;
    --open[depth - 1].missing;
    next = &open[depth - 1].reply->add();
  }
}

const sim::Protocol& protocol() { return kProtocol; }
const sim::Protocol& watch_protocol() { return kWatchProtocol; }
const sim::Protocol& replication_protocol() { return kReplicationProtocol; }

}  // namespace picklock::redis
