// The normal forms: replies that two servers may word differently though they do the same. A
// comparison ignores nothing else; each rule has its reason.
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

// A client that listens to its own changes, in RESP3, gets some notifications before the reply,
// some within it and some after it. Puts those of keys before all other frames.
void put_notifications_first(std::vector<Frame>& frames);

// Rewrites the frames of a connection where the server does not determine their order.
void normalise_frames(std::vector<Frame>& frames);

// Rewrites the reply to a command; `ids` are the ids of this side's connections, in order.
void normalise(std::span<const std::string> words, std::span<const std::int64_t> ids, Frame& reply);

}  // namespace picklock::conform::redis
