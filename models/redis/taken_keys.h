// Which keys a request takes as a lock does: only if nobody has them (SET with NX, SETNX, HSETNX,
// MSETNX, RENAMENX), or by a script, which may look first.
#pragma once

#include <string_view>
#include <vector>

namespace picklock::redis {

// Views into the request. A script takes the keys that it is given. Whether the request is granted
// does not matter.
std::vector<std::string_view> taken_keys(std::string_view request);

}  // namespace picklock::redis
