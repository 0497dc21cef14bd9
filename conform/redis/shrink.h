// Cuts a sequence in which model and server differ down to what it takes: without any one of the
// commands, words or connections that are left, they agree.
#pragma once

#include <functional>
#include <optional>

#include "conform/redis/comparison.h"
#include "conform/redis/sequence.h"

namespace picklock::conform::redis {

using Compare = std::function<std::optional<Difference>(const Sequence&)>;

struct Finding {
  Sequence sequence;
  Difference difference;
};

// Another difference that turns up on the way is not followed: the command and the kinds of answer
// must stay the same.
Finding shrink(Finding finding, const Compare& compare);

}  // namespace picklock::conform::redis
