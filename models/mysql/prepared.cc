#include "models/mysql/prepared.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "models/mysql/sql_tokens.h"

namespace picklock::mysql {
namespace {

using packets::Fields;
using packets::Type;

constexpr std::size_t kMost = 1000;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::uint16_t kUnsigned = 0x8000;

std::int64_t integer_in(Fields& fields, std::size_t bytes, bool is_unsigned) {
  const std::uint64_t value = fields.number(bytes);
  if (is_unsigned || bytes == 8) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
  return static_cast<std::int64_t>(value ^ sign) - static_cast<std::int64_t>(sign);
}

// Whole numbers stay what they are, as with a driver that has no other.
Value value_of_real(double number) {
  constexpr double kExact = 9e15;
  if (number > -kExact && number < kExact) {
    const auto whole = static_cast<std::int64_t>(number);
    if (static_cast<double>(whole) == number) return whole;
  }
  return fmt::format("{}", number);
}

// Nothing: the model has no such values.
std::optional<Value> value_in(Fields& fields, std::uint16_t type) {
  const bool is_unsigned = (type & kUnsigned) != 0;
  switch (static_cast<Type>(type & 0xff)) {
    case Type::null:
      return Value();
    case Type::tiny:
      return integer_in(fields, 1, is_unsigned);
    case Type::small:
    case Type::year:
      return integer_in(fields, 2, is_unsigned);
    case Type::integer:
    case Type::medium:
      return integer_in(fields, 4, is_unsigned);
    case Type::big:
      return integer_in(fields, 8, is_unsigned);
    case Type::real:
      return value_of_real(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(fields.number(4)))));
    case Type::twice_real:
      return value_of_real(std::bit_cast<double>(fields.number(8)));
    case Type::decimal:
    case Type::varchar:
    case Type::bit:
    case Type::json:
    case Type::new_decimal:
    case Type::tiny_blob:
    case Type::medium_blob:
    case Type::long_blob:
    case Type::blob:
    case Type::var_string:
    case Type::string:
      return Value(std::string(fields.text()));
  }
  return std::nullopt;
}

SqlError bad_arguments(std::string message) { return {1210, "HY000", std::move(message)}; }

}  // namespace

std::size_t parameters_in(std::string_view text) {
  const std::optional<std::vector<Token>> tokens = tokens_of(text);
  if (!tokens) return 0;
  return static_cast<std::size_t>(
      std::count_if(tokens->begin(), tokens->end(),
                    [](const Token& one) { return one.kind == Token::Kind::parameter; }));
}

std::optional<std::uint32_t> Prepared::add(std::string_view text, std::size_t parameters) {
  if (all_.size() == kMost || bytes_ + text.size() > kMostBytes) return std::nullopt;
  bytes_ += text.size();
  all_[++last_] = {.text = std::string(text), .parameters = parameters};
  return last_;
}

void Prepared::remove(std::uint32_t id) {
  const auto found = all_.find(id);
  if (found == all_.end()) return;
  bytes_ -= found->second.text.size();
  all_.erase(found);
}

std::variant<Prepared::Execution, SqlError> Prepared::execution(Fields fields) {
  const auto id = static_cast<std::uint32_t>(fields.number(4));
  fields.bytes(1 + 4);  // whether it wants a cursor, and how often it executes
  const auto found = all_.find(id);
  if (!fields.good() || found == all_.end()) {
    return SqlError{1243, "HY000",
                    fmt::format("Unknown prepared statement handler ({}) given to EXECUTE", id)};
  }
  One& one = found->second;
  Execution execution{.text = one.text, .parameters = {}};
  if (one.parameters == 0) return execution;
  const std::string_view nulls = fields.bytes((one.parameters + 7) / 8);
  if (fields.number(1) != 0) {
    one.types.clear();
    for (std::size_t i = 0; i < one.parameters; ++i)
      one.types.push_back(static_cast<std::uint16_t>(fields.number(2)));
  }
  const bool typed = fields.good() && one.types.size() == one.parameters;
  for (std::size_t i = 0; i < one.parameters && typed; ++i) {
    if ((static_cast<unsigned char>(nulls[i / 8]) >> (i % 8) & 1) != 0) {
      execution.parameters.emplace_back();
      continue;
    }
    const std::optional<Value> value = value_in(fields, one.types[i]);
    if (!value) return bad_arguments("picklock takes numbers and texts as parameters");
    execution.parameters.push_back(*value);
  }
  if (!typed || !fields.good()) return bad_arguments("Incorrect arguments to EXECUTE");
  return execution;
}

}  // namespace picklock::mysql
