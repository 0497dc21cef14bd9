// The packets of MySQL's protocol 4.1 and their fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/mysql/sql_error.h"
#include "picklock/mysql.h"

namespace picklock::mysql::packets {

inline constexpr std::size_t kHeader = 4;           // of a packet: its length and its number
inline constexpr std::size_t kLongest = 0xff'ffff;  // a longer one comes in parts

// Types of columns and parameters.
enum class Type : std::uint8_t {
  decimal = 0,
  tiny = 1,
  small = 2,
  integer = 3,
  real = 4,
  twice_real = 5,
  null = 6,
  big = 8,
  medium = 9,
  year = 13,
  varchar = 15,
  bit = 16,
  json = 245,
  new_decimal = 246,
  tiny_blob = 249,
  medium_blob = 250,
  long_blob = 251,
  blob = 252,
  var_string = 253,
  string = 254,
};

// Capabilities that this side has to know.
enum : std::uint32_t {
  kLongPassword = 1,
  kLongFlag = 1 << 2,
  kConnectWithDb = 1 << 3,
  kProtocol41 = 1 << 9,
  kSsl = 1 << 11,
  kTransactions = 1 << 13,
  kSecureConnection = 1 << 15,
  kMultiResults = 1 << 17,
  kPluginAuth = 1 << 19,
  kConnectAttributes = 1 << 20,
  kLengthEncodedAuth = 1 << 21,
};

// Status of a session.
enum : std::uint16_t { kInTransaction = 1, kAutocommit = 2 };

void put_number(std::string& out, std::uint64_t value, std::size_t bytes);
void put_length(std::string& out, std::uint64_t length);
void put_text(std::string& out, std::string_view text);  // behind its length

// Reads the fields of one packet. Once one is missing, nothing more is read.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  std::string_view rest() const { return rest_; }
  std::uint64_t number(std::size_t bytes);
  std::uint64_t length();
  std::string_view bytes(std::uint64_t count);
  std::string_view text() { return bytes(length()); }
  std::string_view until_nul();

 private:
  std::string_view rest_;
  bool good_ = true;
};

// The packets of one answer, with the numbers that follow that of the request.
class Answers {
 public:
  Answers(std::string& out, std::uint8_t next) : out_(out), next_(next) {}

  void packet(std::string_view payload);
  void ok(std::uint64_t affected, std::uint16_t status);
  void error(const SqlError& error);
  void end(std::uint16_t status);  // of columns or of rows
  void column(std::string_view title, bool is_text);

 private:
  std::string& out_;
  std::uint8_t next_;
};

// A row of a result, for COM_QUERY and for COM_STMT_EXECUTE.
std::string text_row(const Row& row);
std::string binary_row(const Row& row, const std::vector<bool>& is_text);

// A challenge that nobody has drawn: for servers without a password.
inline constexpr std::string_view kNoChallenge = "picklock-challenge-0";

struct Greeting {
  std::string version;
  std::uint32_t connection = 0;
  std::uint16_t status = kAutocommit;
  std::string_view challenge = kNoChallenge;  // of as many bytes, none of which is zero
};
std::string greeting(const Greeting& greeting);

// Asks for a proof by mysql_native_password from a client that has sent another one.
std::string switch_of_proof(std::string_view challenge);

struct Handshake {
  std::string user;
  std::string proof;   // of the password; empty: the client has none
  std::string plugin;  // by which it is made; empty: as the greeting says
  std::string database;
  std::string program;  // of its attributes; empty: it names none
};
// Nothing: it is no response of protocol 4.1, or is about to begin TLS.
std::optional<Handshake> read_handshake(std::string_view payload);
bool wants_tls(std::string_view payload);

}  // namespace picklock::mysql::packets
