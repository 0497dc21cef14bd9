// Bytes that were changed by chance, for what must survive any that come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sim/random.h"

namespace picklock::fuzz {

// How many are tried: PICKLOCK_FUZZ_INPUTS, or `usual`.
inline std::uint64_t inputs(std::uint64_t usual) {
  const char* given = std::getenv("PICKLOCK_FUZZ_INPUTS");
  return given == nullptr ? usual : std::strtoull(given, nullptr, 10);
}

inline std::string big_endian(std::uint64_t number, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(number >> (8 * i));
  return out;
}

// Changes a few bytes, as senders without sense would.
class Mutation {
 public:
  explicit Mutation(sim::Random& random) : random_(random) {}

  std::string operator()(std::string text) {
    for (std::uint64_t left = random_.below(5); left > 0; --left) change(text);
    return text;
  }

 private:
  std::size_t place(const std::string& text) { return random_.below(text.size() + 1); }

  void change(std::string& text) {
    const std::size_t at = place(text);
    const std::size_t length = std::min(random_.below(9), text.size() - at);
    switch (random_.below(7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_.below(256));
        break;
      case 1:
        if (at < text.size()) text[at] = "\0\xff\x7f\x80\r\n$*-+9"[random_.below(11)];
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, std::string(text, at, length));
        break;
      case 4:
        text.insert(at, std::string(random_.below(300), static_cast<char>(random_.below(256))));
        break;
      case 5:
        text.resize(at);
        break;
      default:
        text.replace(at, std::min<std::size_t>(4, text.size() - at),
                     big_endian(random_.below(2) == 0 ? random_.below(70'000) : random_.next(), 4));
    }
  }

  sim::Random& random_;
};

}  // namespace picklock::fuzz
