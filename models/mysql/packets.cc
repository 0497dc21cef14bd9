#include "models/mysql/packets.h"

#include "models/mysql/native_password.h"

namespace picklock::mysql::packets {
namespace {

constexpr std::uint8_t kProtocolVersion = 10;
constexpr std::uint8_t kUtf8mb4 = 45;
constexpr std::uint8_t kBinary = 63;
constexpr std::uint32_t kCapabilities = kLongPassword | kLongFlag | kConnectWithDb | kProtocol41 |
                                        kTransactions | kSecureConnection | kMultiResults |
                                        kPluginAuth | kConnectAttributes | kLengthEncodedAuth;

std::string digits_or_text(const Value& value) {
  if (const auto* const number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

}  // namespace

void put_number(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

void put_length(std::string& out, std::uint64_t length) {
  if (length < 251) return put_number(out, length, 1);
  const bool two = length <= 0xffff;
  const bool three = !two && length <= 0xff'ffff;
  out += static_cast<char>(two ? 0xfc : three ? 0xfd : 0xfe);
  put_number(out, length, two ? 2 : three ? 3 : 8);
}

void put_text(std::string& out, std::string_view text) {
  put_length(out, text.size());
  out += text;
}

// ---------------------------------------------------------------- fields

std::uint64_t Fields::number(std::size_t count) {
  const std::string_view taken = bytes(count);
  std::uint64_t value = 0;
  for (std::size_t i = taken.size(); i > 0; --i)
    value = (value << 8) | static_cast<unsigned char>(taken[i - 1]);
  return value;
}

std::uint64_t Fields::length() {
  const std::uint64_t first = number(1);
  if (first < 251) return first;
  if (first == 0xfc) return number(2);
  if (first == 0xfd) return number(3);
  if (first == 0xfe) return number(8);
  good_ = false;
  return 0;
}

std::string_view Fields::bytes(std::uint64_t count) {
  good_ = good_ && count <= rest_.size();
  if (!good_) return {};
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

std::string_view Fields::until_nul() {
  const std::size_t end = rest_.find('\0');
  good_ = good_ && end != std::string_view::npos;
  if (!good_) return {};
  const std::string_view taken = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return taken;
}

// ---------------------------------------------------------------- answers

// One as long as the longest is followed by another, which may be empty.
void Answers::packet(std::string_view payload) {
  for (bool more = true; more;) {
    const std::string_view part = payload.substr(0, kLongest);
    more = part.size() == kLongest;
    put_number(out_, part.size(), 3);
    put_number(out_, next_++, 1);
    out_ += part;
    payload.remove_prefix(part.size());
  }
}

void Answers::ok(std::uint64_t affected, std::uint16_t status) {
  std::string payload(1, '\0');
  put_length(payload, affected);
  put_length(payload, 0);  // no row gets a number by itself
  put_number(payload, status, 2);
  put_number(payload, 0, 2);  // warnings
  packet(payload);
}

void Answers::error(const SqlError& error) {
  std::string payload(1, '\xff');
  put_number(payload, error.number, 2);
  payload += '#';
  payload += error.state;
  payload += error.message;
  packet(payload);
}

void Answers::end(std::uint16_t status) {
  std::string payload(1, '\xfe');
  put_number(payload, 0, 2);  // warnings
  put_number(payload, status, 2);
  packet(payload);
}

void Answers::column(std::string_view title, bool is_text) {
  std::string payload;
  put_text(payload, "def");
  for (int unnamed = 0; unnamed < 3; ++unnamed) put_text(payload, "");  // database and tables
  put_text(payload, title);
  put_text(payload, title);
  put_length(payload, 12);  // of what follows
  put_number(payload, is_text ? kUtf8mb4 : kBinary, 2);
  put_number(payload, is_text ? 1024 : 20, 4);
  put_number(payload, static_cast<std::uint8_t>(is_text ? Type::var_string : Type::big), 1);
  put_number(payload, is_text ? 0 : 0x8000, 2);  // whether it is a number
  put_number(payload, 0, 3);
  packet(payload);
}

std::string text_row(const Row& row) {
  std::string payload;
  for (const Value& value : row) {
    if (std::holds_alternative<std::monostate>(value)) {
      payload += '\xfb';
    } else {
      put_text(payload, digits_or_text(value));
    }
  }
  return payload;
}

std::string binary_row(const Row& row, const std::vector<bool>& is_text) {
  constexpr std::size_t kReserved = 2;  // bits of the map of NULLs
  std::string payload(1 + (row.size() + kReserved + 7) / 8, '\0');
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t bit = i + kReserved;
    if (std::holds_alternative<std::monostate>(row[i])) {
      payload[1 + bit / 8] = static_cast<char>(payload[1 + bit / 8] | (1 << (bit % 8)));
    } else if (is_text[i]) {
      put_text(payload, digits_or_text(row[i]));
    } else {
      const auto* const number = std::get_if<std::int64_t>(&row[i]);
      put_number(payload, static_cast<std::uint64_t>(number == nullptr ? 0 : *number), 8);
    }
  }
  return payload;
}

// ---------------------------------------------------------------- the beginning

std::string greeting(const Greeting& greeting) {
  std::string payload;
  put_number(payload, kProtocolVersion, 1);
  payload += greeting.version;
  payload += '\0';
  put_number(payload, greeting.connection, 4);
  payload += greeting.challenge.substr(0, 8);
  payload += '\0';
  put_number(payload, kCapabilities & 0xffff, 2);
  put_number(payload, kUtf8mb4, 1);
  put_number(payload, greeting.status, 2);
  put_number(payload, kCapabilities >> 16, 2);
  put_number(payload, greeting.challenge.size() + 1, 1);
  payload.append(10, '\0');
  payload += greeting.challenge.substr(8);
  payload += '\0';
  payload += kNativePassword;
  payload += '\0';
  return payload;
}

std::string switch_of_proof(std::string_view challenge) {
  std::string payload(1, '\xfe');
  payload += kNativePassword;
  payload += '\0';
  payload += challenge;
  payload += '\0';
  return payload;
}

bool wants_tls(std::string_view payload) {
  return (Fields(payload).number(4) & (kProtocol41 | kSsl)) == (kProtocol41 | kSsl);
}

std::optional<Handshake> read_handshake(std::string_view payload) {
  Fields fields(payload);
  const auto wants = static_cast<std::uint32_t>(fields.number(4));
  fields.bytes(4 + 1 + 23);  // its longest packet, its character set, and room
  if ((wants & kProtocol41) == 0 || (wants & kSsl) != 0) return std::nullopt;
  Handshake handshake;
  handshake.user = fields.until_nul();
  if ((wants & kLengthEncodedAuth) != 0) {
    handshake.proof = fields.text();
  } else if ((wants & kSecureConnection) != 0) {
    handshake.proof = fields.bytes(fields.number(1));
  } else {
    handshake.proof = fields.until_nul();
  }
  if ((wants & kConnectWithDb) != 0) handshake.database = fields.until_nul();
  if (!fields.good()) return std::nullopt;
  // Some clients leave out what comes now.
  if ((wants & kPluginAuth) != 0) handshake.plugin = fields.until_nul();
  if ((wants & kConnectAttributes) == 0) return handshake;
  Fields attributes(fields.text());
  while (attributes.good() && !attributes.rest().empty()) {
    const std::string_view name = attributes.text();
    const std::string_view value = attributes.text();
    if (attributes.good() && name == "program_name") handshake.program = value;
  }
  return handshake;
}

}  // namespace picklock::mysql::packets
