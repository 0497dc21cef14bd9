#include "models/mysql/sql_words.h"

#include <charconv>

#include "models/mysql/sql_error.h"

namespace picklock::mysql {
namespace {

using Kind = Token::Kind;

std::optional<std::int64_t> whole_number(std::string_view text) {
  // A driver writes 10.0 as well.
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) {
    std::string_view rest = text.substr(point + 1);
    if (rest.ends_with("e0")) rest.remove_suffix(2);
    if (rest.find_first_not_of('0') != std::string_view::npos) return std::nullopt;
    text = text.substr(0, point);
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

}  // namespace

const Token& SqlWords::take() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

void SqlWords::fail() const { throw not_understood(text_, text_.substr(peek().from)); }

bool SqlWords::is_word(std::string_view word, std::size_t ahead) const {
  return peek(ahead).kind == Kind::word && lower(peek(ahead).text) == word;
}

bool SqlWords::words(std::string_view all) {
  std::size_t count = 0;
  while (!all.empty()) {
    const std::string_view one = all.substr(0, all.find(' '));
    if (!is_word(one, count)) return false;
    ++count;
    all.remove_prefix(std::min(one.size() + 1, all.size()));
  }
  at_ += count;
  return true;
}

bool SqlWords::symbol(std::string_view text) {
  const bool there = peek().kind == Kind::symbol && peek().text == text;
  if (there) take();
  return there;
}

void SqlWords::expect_words(std::string_view all) {
  if (!words(all)) fail();
}

void SqlWords::expect(std::string_view text) {
  if (!symbol(text)) fail();
}

std::string SqlWords::name() {
  if (!is_name()) fail();
  return take().text;
}

std::optional<Value> SqlWords::literal() {
  const Token& token = peek();
  switch (token.kind) {
    case Kind::text:
      return Value(take().text);
    case Kind::parameter:
      if (parameter_ == parameters_.size()) fail();
      take();
      return parameters_[parameter_++];
    case Kind::number:
      return number_token(false);
    case Kind::symbol:
      if (token.text != "-" || peek(1).kind != Kind::number) return std::nullopt;
      take();
      return number_token(true);
    case Kind::word:
      break;
    default:
      return std::nullopt;
  }
  if (words("null")) return Value();
  if (words("true")) return Value(std::int64_t{1});
  if (words("false")) return Value(std::int64_t{0});
  const bool introduced = lower(token.text) == "_binary" || lower(token.text) == "_utf8mb4";
  if (!introduced || peek(1).kind != Kind::text) return std::nullopt;
  take();
  return Value(take().text);
}

Value SqlWords::number_token(bool negative) {
  const auto number = whole_number((negative ? "-" : "") + peek().text);
  if (!number) fail();
  take();
  return *number;
}

std::int64_t SqlWords::integer() {
  const std::optional<Value> value = literal();
  if (!value) fail();
  if (const auto* const number = std::get_if<std::int64_t>(&*value)) return *number;
  const auto* const text = std::get_if<std::string>(&*value);
  const auto number = text == nullptr ? std::nullopt : whole_number(*text);
  if (!number) fail();
  return *number;
}

std::string SqlWords::string() {
  const std::optional<Value> value = literal();
  if (!value) fail();
  if (const auto* const text = std::get_if<std::string>(&*value)) return *text;
  const auto* const number = std::get_if<std::int64_t>(&*value);
  if (number == nullptr) fail();
  return std::to_string(*number);
}

std::string_view SqlWords::text_from(std::size_t place) const {
  const std::size_t to = at_ > 0 ? tokens_[at_ - 1].to : 0;
  return text_.substr(tokens_[place].from, to - tokens_[place].from);
}

}  // namespace picklock::mysql
