// The variables of a session that clients look at and set, as a server has them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "picklock/mysql.h"

namespace picklock::mysql {

// `@@session.autocommit` is `autocommit`.
std::string variable_name(std::string_view name);

// A client may set these to anything.
bool is_without_effect(std::string_view variable);

// The value of a variable that changes nothing in the model; nullopt: it has none.
std::optional<Value> constant_of(std::string_view variable);

// The part of About that is the value of this variable; nullopt: there is none.
std::optional<About> about_of(std::string_view variable);

}  // namespace picklock::mysql
