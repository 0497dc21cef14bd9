// The MySQL server that the model follows: its behavior was seen on this MariaDB
// (docs/facts/fidelity.md section 3). What differs with `servers.mysql.variant = "mysql"` is from
// the manual of MySQL, not from a server.
#pragma once

#include <string_view>

namespace picklock::mysql {

inline constexpr std::string_view kVersion = "MariaDB 10.11.19";
inline constexpr std::string_view kVariantVersion = "MySQL 8.0";

}  // namespace picklock::mysql
