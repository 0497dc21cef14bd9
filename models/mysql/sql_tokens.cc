#include "models/mysql/sql_tokens.h"

#include <cctype>

namespace picklock::mysql {
namespace {

using Kind = Token::Kind;

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

char unescaped(char c) {
  switch (c) {
    case '0':
      return '\0';
    case 'b':
      return '\b';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'Z':
      return '\x1a';
    default:
      return c;
  }
}

class Tokens {
 public:
  explicit Tokens(std::string_view sql) : sql_(sql) {}

  std::optional<std::vector<Token>> all() {
    for (;;) {
      if (!skip()) return std::nullopt;
      if (at_ == sql_.size()) break;
      Token token{.from = at_};
      if (!read(token)) return std::nullopt;
      token.to = at_;
      tokens_.push_back(std::move(token));
    }
    tokens_.push_back({.from = at_, .to = at_});
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }
  bool begins(std::string_view text) const { return sql_.substr(at_).starts_with(text); }

  // White space and comments.
  bool skip() {
    for (;;) {
      while (at_ < sql_.size() && is_space(sql_[at_])) ++at_;
      const bool dashes = begins("--") && (at_ + 2 == sql_.size() || is_space(sql_[at_ + 2]));
      if (dashes || begins("#")) {
        at_ = std::min(sql_.find('\n', at_), sql_.size());
      } else if (begins("/*")) {
        const std::size_t end = sql_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return false;
        at_ = end + 2;
      } else {
        return true;
      }
    }
  }

  bool read(Token& token) {
    const char c = peek();
    if (c == '\'' || c == '"') return read_text(token);
    if (c == '`') return read_name(token);
    if (is_digit(c)) return read_number(token);
    if (begins("@@")) {
      at_ += 2;
      token.kind = Kind::variable;
      take_while(token, [](char one) { return is_of_word(one) || one == '.'; });
      return true;
    }
    if (is_of_word(c)) {
      token.kind = Kind::word;
      take_while(token, is_of_word);
      return true;
    }
    token.kind = c == '?' ? Kind::parameter : Kind::symbol;
    const std::size_t size = begins("<=") || begins(">=") || begins("<>") || begins(":=") ? 2 : 1;
    token.text = sql_.substr(at_, size);
    at_ += size;
    return true;
  }

  template <typename Belongs>
  void take_while(Token& token, Belongs belongs) {
    while (at_ < sql_.size() && belongs(sql_[at_])) token.text += sql_[at_++];
  }

  bool read_number(Token& token) {
    token.kind = Kind::number;
    take_while(token, is_digit);
    if (peek() == '.' && is_digit(peek(1))) {
      token.text += sql_[at_++];
      take_while(token, is_digit);
    }
    const std::size_t sign = peek(1) == '-' || peek(1) == '+' ? 2 : 1;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign))) {
      token.text += sql_.substr(at_, sign);
      at_ += sign;
      take_while(token, is_digit);
    }
    return true;
  }

  // A quote in it is doubled, or behind a backslash.
  bool read_text(Token& token) {
    token.kind = Kind::text;
    const char quote = sql_[at_++];
    while (at_ < sql_.size()) {
      const char c = sql_[at_++];
      if (c == '\\' && at_ < sql_.size()) {
        token.text += unescaped(sql_[at_++]);
      } else if (c != quote) {
        token.text += c;
      } else if (peek() == quote && at_ < sql_.size()) {
        token.text += sql_[at_++];
      } else {
        return true;
      }
    }
    return false;
  }

  bool read_name(Token& token) {
    token.kind = Kind::name;
    const std::size_t end = sql_.find('`', at_ + 1);
    if (end == std::string_view::npos) return false;
    token.text = sql_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::optional<std::vector<Token>> tokens_of(std::string_view sql) { return Tokens(sql).all(); }

}  // namespace picklock::mysql
