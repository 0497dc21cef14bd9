#include "models/mysql/native_password.h"

#include <openssl/evp.h>

#include <stdexcept>

namespace picklock::mysql {
namespace {

std::string sha1(std::string_view text) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  auto* const out = reinterpret_cast<unsigned char*>(digest.data());
  if (EVP_Digest(text.data(), text.size(), out, &size, EVP_sha1(), nullptr) != 1)
    throw std::runtime_error("SHA-1 is not available from the cryptographic library");
  digest.resize(size);
  return digest;
}

}  // namespace

std::string proof_of(std::string_view password, std::string_view challenge) {
  std::string proof = sha1(password);
  const std::string mask = sha1(std::string(challenge) + sha1(proof));
  for (std::size_t i = 0; i < proof.size(); ++i)
    proof[i] = static_cast<char>(static_cast<unsigned char>(proof[i]) ^
                                 static_cast<unsigned char>(mask[i]));
  return proof;
}

}  // namespace picklock::mysql
