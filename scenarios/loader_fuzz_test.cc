// A file of arbitrary bytes loads or is refused in one printable line; the sanitizers find the
// rest.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "testing/sample_scenario.h"
#include "testing/whole.h"

namespace picklock::scenarios {
namespace {

// SplitMix64: the same mutations on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

constexpr std::array kTokens = {"[",
                                "]",
                                "[[",
                                "]]",
                                "{",
                                "}",
                                "=",
                                ".",
                                ",",
                                "\"",
                                "'",
                                "\"\"\"",
                                "'''",
                                "\\",
                                "#",
                                "\n",
                                "\r\n",
                                "\t",
                                "-",
                                "1",
                                "0x",
                                "1e999",
                                "inf",
                                "nan",
                                "true",
                                "2020-01-01",
                                "9223372036854775807",
                                "-1",
                                "0",
                                "\"client-1\"",
                                "\"redis-1\"",
                                "resource",
                                "\"mark:owner-checked\"",
                                "\"release.sent\"",
                                "\"0s\"",
                                "\"-1s\"",
                                "\"876000h\"",
                                "[[fault]]\n",
                                "[[twin]]\n",
                                "[[neighbour]]\n",
                                "[expect]\n",
                                "[lock]\n",
                                "pause = ",
                                "before = ",
                                "at = ",
                                "for = ",
                                "fault.1.",
                                "lock.algorithm = ",
                                "clients.count = ",
                                "\xff",
                                "\xe2\x80\xae",
                                "\xef\xbb\xbf",
                                "\x1b[2J",
                                "\\u0000",
                                "\\ud800",
                                "\x7f",
                                "_"};

// A line of `text`, with its end.
std::string some_line(const std::string& text, Dice& dice) {
  const std::size_t at = dice.below(text.size() + 1);
  const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const std::size_t end = text.find('\n', start);
  return text.substr(start, end == std::string::npos ? end : end - start + 1);
}

// Mutations that mostly leave TOML behind, so that the loader's own checks are reached: a line
// goes, or its value becomes another.
void mutate_line(std::string& text, const std::string& other, Dice& dice) {
  const std::string line = some_line(text, dice);
  const std::size_t at = text.find(line);
  text.erase(at, line.size());
  const std::size_t equals = line.find(" = ");
  if (equals == std::string::npos || dice.below(3) == 0) return;
  const std::string donor = some_line(other, dice);
  const std::size_t value = donor.find(" = ");
  if (value == std::string::npos) {
    text.insert(at, line);
  } else {
    text.insert(at, line.substr(0, equals) + donor.substr(value));
  }
}

void mutate(std::string& text, const std::string& other, Dice& dice) {
  const std::size_t at = dice.below(text.size() + 1);
  switch (dice.below(16)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << dice.below(8)));
      break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(dice.below(256));
      break;
    case 2:
      text.resize(at);
      break;
    case 3:
      text.erase(at, dice.below(40));
      break;
    case 4:
      text.insert(at, other.substr(dice.below(other.size() + 1), dice.below(200)));
      break;
    case 5: {
      const std::string line = some_line(text, dice);
      const std::size_t start = text.rfind('\n', at);
      text.insert(start == std::string::npos ? 0 : start + 1, line);
      break;
    }
    case 6:
      text.insert(at, std::string(1 + dice.below(300), kTokens[dice.below(kTokens.size())][0]));
      break;
    case 7:
      text.insert(at, kTokens[dice.below(kTokens.size())]);
      break;
    default:
      mutate_line(text, other, dice);
  }
}

bool is_one_printable_line(const std::string& message) {
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return false;
  }
  return !message.empty() && message.size() < 700;
}

enum class Fate { not_toml, refused, loaded };

Fate fate_of(const std::string& text) {
  const std::string line = testing::error_of(text);
  EXPECT_TRUE(is_one_printable_line(line)) << line << "\nfor\n" << text;
  if (line == "loads") return Fate::loaded;
  return line.find(": key `") == std::string::npos ? Fate::not_toml : Fate::refused;
}

int rounds() {
  const char* chosen = std::getenv("PICKLOCK_FUZZ_ROUNDS");
  return chosen == nullptr ? static_cast<int>(shortened(4000, 800)) : std::atoi(chosen);
}

TEST(LoaderFuzz, AcceptsOrRefusesEveryMutationOfAValidFile) {
  const std::string plan = testing::with_fault(
      "pause = \"client-1\"\nbefore = \"release.sent\"\nfor = \"8s\"\n[expect]\nviolated = "
      "[\"own-release\"]\n"
      "[[twin]]\nlock.algorithm = \"lua-check-delete\"\nviolated = []\n");
  const std::vector<std::string> valid = {testing::kComplete, testing::head(), plan};
  std::array<int, 3> fates{};
  const int all = rounds();
  for (int round = 0; round < all; ++round) {
    Dice dice(static_cast<std::uint64_t>(round));
    std::string text = valid[dice.below(valid.size())];
    const std::string& other = valid[dice.below(valid.size())];
    for (std::size_t left = 1 + dice.below(4); left > 0; --left) mutate(text, other, dice);
    ++fates[static_cast<std::size_t>(fate_of(text))];
  }
  // Otherwise the mutations would test only the parser, or nothing.
  for (const int count : fates) EXPECT_GT(count, all / 25);
}

TEST(LoaderFuzz, AcceptsOrRefusesEveryChange) {
  constexpr std::array kPaths = {
      "lock.ttl",      "fault.1.for",       "fault.1", "fault",   "network.latency",
      "clients.count", "twin.1.seed",       "expect",  "twin",    "fault.1.from.1",
      "lock",          "neighbour.1.fault", "seed",    "a.b.c.d", ""};
  for (int round = 0; round < rounds() / 2; ++round) {
    Dice dice(static_cast<std::uint64_t>(round));
    std::string path = kPaths[dice.below(kPaths.size())];
    std::string value = kTokens[dice.below(kTokens.size())];
    value += kTokens[dice.below(kTokens.size())];
    if (dice.below(4) == 0) mutate(path, testing::kComplete, dice);
    if (dice.below(2) == 0) mutate(value, testing::kComplete, dice);
    Document document(testing::kComplete, "story.toml");
    const std::string line = testing::error_from([&] {
      document.set(change_from(path + "=" + value));
      document.scenario(testing::vocabulary());
    });
    EXPECT_TRUE(is_one_printable_line(line)) << line;
  }
}

TEST(LoaderFuzz, RefusesNoise) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Dice dice(seed);
    std::string noise(1 + dice.below(100'000), '\0');
    for (char& c : noise)
      c = static_cast<char>(seed % 2 == 0 ? dice.below(256) : 32 + dice.below(95));
    EXPECT_NE(fate_of(noise), Fate::loaded);
  }
}

}  // namespace
}  // namespace picklock::scenarios
