// The words of an SQL text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::mysql {

struct Token {
  enum class Kind : std::uint8_t {
    word,
    name,       // in backticks
    text,       // in quotes
    number,     // digits, and a fraction or an exponent
    variable,   // @@name
    parameter,  // ?
    symbol,
    end
  };
  Kind kind = Kind::end;
  std::string text{};    // without its quotes; of a variable, its name
  std::size_t from = 0;  // where it begins and ends in the whole
  std::size_t to = 0;
};

// In lower case: words mean the same in either.
std::string lower(std::string_view text);

// Comments are left out; the last token is the end. Nothing: a quote or a comment is not closed.
std::optional<std::vector<Token>> tokens_of(std::string_view sql);

}  // namespace picklock::mysql
