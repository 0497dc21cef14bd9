// The server version that the model follows; its behavior was observed on this MariaDB
// (docs/facts/fidelity.md section 3). The differences of `servers.mysql.variant = "mysql"` come
// from the manual of MySQL, not from a server.
#pragma once

#include <string_view>

namespace picklock::mysql {

inline constexpr std::string_view kVersion = "MariaDB 10.11.19";
inline constexpr std::string_view kVariantVersion = "MySQL 8.0";

// The same as the servers write it: SELECT VERSION().
inline constexpr std::string_view kServerVersion = "10.11.19-MariaDB";
inline constexpr std::string_view kVariantServerVersion = "8.0.0";

}  // namespace picklock::mysql
