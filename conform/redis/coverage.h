// The cells of the coverage table of Redis: command x class of the reply x state of its key.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "conform/coverage.h"
#include "conform/redis/model_side.h"
#include "conform/redis/vocabulary.h"

namespace picklock::conform::redis {

// Ordered as KeyState.
inline constexpr std::array<State, 5> kKeyStates = {
    {{'-', "no-key"}, {'m', "missing"}, {'l', "live"}, {'e', "expired"}, {'w', "wrong-type"}}};

// nil, status, queued, integer, bulk, array, empty-array, push, map, ..., or the code word of an
// error of the server itself. The last of several frames counts, because those before it were
// pushed. `none`: no answer yet.
std::string reply_class(std::string_view bytes);

void count(const Words& words, std::string_view reply, KeyState key, Coverage& coverage);

// The cells that must be filled. If the clock of a server cannot be set, commands that depend on
// time or that change the server are left out.
std::vector<Cell> expected_cells(bool steered_clock);

}  // namespace picklock::conform::redis
