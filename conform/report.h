// The result of a campaign, for a user and for a program.
#pragma once

#include <string>
#include <string_view>

#include "conform/server_kind.h"

namespace picklock::conform {

// `options`: those of the command that compares a single case again, ` --address HOST:PORT`.
std::string text_of(const ServerKind& server, const Report& report, std::string_view options);

// One JSON document. `seed` is the campaign's.
std::string json_of(const ServerKind& server, const Report& report, std::string_view options,
                    std::uint64_t seed);

}  // namespace picklock::conform
