// mysql_native_password: a client proves that it knows the password, without sending it.
#pragma once

#include <string>
#include <string_view>

namespace picklock::mysql {

inline constexpr std::string_view kNativePassword = "mysql_native_password";

// The right answer to a challenge: SHA1(password) xor SHA1(challenge + SHA1(SHA1(password))).
// Throws std::runtime_error if the machine has no SHA-1.
std::string proof_of(std::string_view password, std::string_view challenge);

}  // namespace picklock::mysql
