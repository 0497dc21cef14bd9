// The words and values of one SQL statement, taken one after another. Each function fails with the
// SqlError of the server if there is something else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/mysql/sql_tokens.h"
#include "picklock/mysql.h"

namespace picklock::mysql {

class SqlWords {
 protected:
  // `parameters`: the values of the question marks.
  SqlWords(std::string_view text, std::vector<Token> tokens, std::span<const Value> parameters)
      : text_(text), tokens_(std::move(tokens)), parameters_(parameters) {}
  ~SqlWords() = default;

  // --- words
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& take();
  [[noreturn]] void fail() const;
  bool is_word(std::string_view word, std::size_t ahead = 0) const;
  // Takes these words, or none of them.
  bool words(std::string_view all);
  bool symbol(std::string_view text);
  void expect_words(std::string_view all);
  void expect(std::string_view text);
  bool is_name() const {
    return peek().kind == Token::Kind::word || peek().kind == Token::Kind::name;
  }
  std::string name();

  // --- values
  std::optional<Value> literal();  // nullopt: there is none
  std::int64_t integer();
  std::string string();

  // --- places: the numbers of tokens
  std::size_t place() const { return at_; }
  void go_to(std::size_t place) { at_ = place; }
  std::span<const Token> tokens() const { return tokens_; }
  // From the token of this place up to the last one that was taken.
  std::string_view text_from(std::size_t place) const;

 private:
  Value number_token(bool negative);

  std::string_view text_;
  std::vector<Token> tokens_;
  std::span<const Value> parameters_;
  std::size_t at_ = 0;
  std::size_t parameter_ = 0;
};

}  // namespace picklock::mysql
