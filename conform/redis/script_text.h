// Lua scripts for sequences: the scripts of locks, and random ones with random commands, values of
// every type that a script can return, errors, and the contents and gaps of the sandbox (R71-R85).
#pragma once

#include <string>
#include <string_view>

#include "conform/redis/vocabulary.h"

namespace picklock::conform::redis {

struct DrawnScript {
  std::string body;
  Words keys;
  Words args;
};

class ScriptText {
 public:
  explicit ScriptText(Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  DrawnScript drawn();

 private:
  std::string expression(int depth);
  std::string call(bool statement);
  std::string argument(const std::string& word);
  std::string filled(std::string_view form, int depth);
  std::string number();
  std::string text();

  Vocabulary& vocabulary_;
  DrawnScript script_;
};

// A Lua string literal of these bytes.
std::string lua_quoted(std::string_view bytes);

}  // namespace picklock::conform::redis
