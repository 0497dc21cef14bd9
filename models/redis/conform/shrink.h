// Cuts a sequence in which model and server differ down to what it takes: without any one of the
// commands, words or connections that are left, they agree.
#pragma once

#include <functional>
#include <optional>

#include "models/redis/conform/comparison.h"
#include "models/redis/conform/sequence.h"

namespace picklock::redis::conform {

using Compare = std::function<std::optional<Difference>(const Sequence&)>;

struct Finding {
  Sequence sequence;
  Difference difference;
};

// Another difference that turns up on the way is not followed: the command and the kinds of answer
// must stay the same.
Finding shrink(Finding finding, const Compare& compare);

}  // namespace picklock::redis::conform
