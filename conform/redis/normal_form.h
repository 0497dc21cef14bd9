// What two servers may say differently though they do the same: the only things that a comparison
// does not see, each with its reason.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conform/redis/frame.h"
#include "conform/server_kind.h"

namespace picklock::conform::redis {

std::span<const Normalisation> normalisations();

// Whether the reply to a command has a normal form other than itself.
bool is_normalised(std::span<const std::string> words);

// Rewrites what came to a connection, where the order of frames is not the server's to choose.
void normalise_frames(std::vector<Frame>& frames);

// Rewrites the reply to a command; `ids` are those of the connections of this side, in order.
void normalise(std::span<const std::string> words, std::span<const std::int64_t> ids, Frame& reply);

}  // namespace picklock::conform::redis
