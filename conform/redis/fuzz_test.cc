// Bytes that no client sends: as requests, as words of commands, as scripts, as replies. Nothing
// may crash or hang, and the same bytes have the same answer. PICKLOCK_FUZZ multiplies the number
// of rounds (label fuzz).
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "conform/redis/frame.h"
#include "conform/redis/grammar.h"
#include "conform/redis/script_text.h"
#include "conform/redis/vocabulary.h"
#include "models/redis/lone_server.h"
#include "models/redis/lua.h"
#include "models/redis/wire.h"
#include "sim/digest.h"
#include "sim/random.h"
#include "testing/whole.h"

namespace picklock::conform::redis {

using namespace picklock::redis;
namespace {

std::uint64_t times(std::uint64_t count) {
  const char* factor = std::getenv("PICKLOCK_FUZZ");
  return factor == nullptr ? count : count * std::strtoull(factor, nullptr, 10);
}

sim::Random chance_for(std::string_view purpose, std::uint64_t seed) {
  return {seed, sim::fingerprint(purpose)};
}

// Changes, removes or doubles a few bytes, or inserts some from elsewhere.
void corrupt(std::string& bytes, sim::Random& chance) {
  static constexpr std::string_view kPieces[] = {
      "\r\n", "*", "$", "-1", "0",   ":", "99999999999999999999", "end", "(", "'", "\\", "[", "%",
      "..",   "{", "}", "]]", "nil", ","};
  for (std::uint64_t changes = 1 + chance.below(4); changes > 0; --changes) {
    const auto at = static_cast<std::size_t>(chance.below(bytes.size() + 1));
    const auto size = static_cast<std::size_t>(chance.below(8));
    switch (chance.below(5)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(chance.below(256));
        break;
      case 1:
        bytes.erase(at, size);
        break;
      case 2:
        bytes.insert(at, bytes.substr(bytes.size() - at, size));
        break;
      case 3:
        bytes.insert(at, kPieces[chance.below(std::size(kPieces))]);
        break;
      default:
        bytes.resize(at);
    }
  }
}

std::string noise(sim::Random& chance) {
  std::string bytes(static_cast<std::size_t>(chance.below(24)), '\0');
  for (char& byte : bytes) byte = static_cast<char>(chance.below(256));
  return bytes;
}

// Whether the bytes are complete frames and nothing else.
bool well_formed(std::string_view bytes) {
  Frame frame;
  while (!bytes.empty()) {
    if (take_frame(bytes, frame) != Framing::whole) return false;
  }
  return true;
}

// Two servers that receive the same commands.
class Twins {
 public:
  void tell(std::span<const std::string_view> argv) {
    const std::string reply = one_.send(argv);
    ASSERT_EQ(reply, other_.send(argv));
    ASSERT_TRUE(well_formed(reply)) << shown(reply);
    if (!one_.first->connected) {
      one_.first = &one_.connect();
      other_.first = &other_.connect();
    }
  }

 private:
  LoneServer one_;
  LoneServer other_;
};

TEST(Fuzz, RequestsOfAnyBytesAreReadOrRefused) {
  for (std::uint64_t seed = 0; seed < times(2000); ++seed) {
    sim::Random chance = chance_for("requests", seed);
    Twins servers;
    for (const Step& step : draw_sequence(seed, true).steps) {
      const std::vector<std::string_view> words(step.words.begin(), step.words.end());
      if (words.empty()) continue;
      sim::Payload request;
      write_request(request, words);
      std::string bytes(request.view());
      corrupt(bytes, chance);
      std::vector<std::string_view> argv;
      if (!read_request(bytes, argv)) continue;
      ASSERT_NO_FATAL_FAILURE(servers.tell(argv)) << "seed " << seed << ": " << shown(bytes);
    }
  }
}

TEST(Fuzz, CommandsOfAnyWordsAreAnswered) {
  for (std::uint64_t seed = 0; seed < times(2000); ++seed) {
    sim::Random chance = chance_for("words", seed);
    Twins servers;
    for (Step& step : draw_sequence(seed, true).steps) {
      if (step.words.empty()) continue;
      for (std::size_t i = 1; i < step.words.size(); ++i) {
        if (chance.below(4) == 0) step.words[i] = noise(chance);
      }
      const std::vector<std::string_view> argv(step.words.begin(), step.words.end());
      ASSERT_NO_FATAL_FAILURE(servers.tell(argv)) << "seed " << seed << ": " << shown(step);
    }
  }
}

// Answers every command with its last word, and ends scripts that run too long.
class Patience final : public ScriptHost {
 public:
  struct Ended {};

  void run_command(std::span<const std::string_view> argv, Reply& reply) override {
    reply.set_bulk(argv.back());
  }
  void speak(std::uint8_t) override {}
  void spend(sim::Duration time) override {
    left_ -= time;
    if (left_ < sim::Duration(0)) throw Ended();
  }
  bool script_kill_wanted() const override { return false; }

 private:
  sim::Duration left_ = std::chrono::milliseconds(20);
};

// Compiles and runs it in an interpreter of its own.
std::string outcome(std::string_view body, std::span<const std::string_view> words) {
  Lua lua;
  std::string error;
  const Lua::Compiled* script = lua.compile(body, error);
  if (script == nullptr) return error;
  Patience host;
  Reply reply;
  try {
    lua.run(*script, words, words, host, reply);
  } catch (const Patience::Ended&) {
    return "ended";
  }
  sim::Payload bytes;
  write_reply(bytes, reply);
  return std::string(bytes.view());
}

TEST(Fuzz, ScriptsOfAnyTextEndTheSameWay) {
  for (std::uint64_t seed = 0; seed < times(shortened(40'000, 6000)); ++seed) {
    sim::Random chance = chance_for("scripts", seed);
    Vocabulary vocabulary(chance, true);
    std::string body = ScriptText(vocabulary).drawn().body;
    if (chance.below(8) != 0) corrupt(body, chance);
    const std::string_view words[] = {"k1", "10"};
    const std::string once = outcome(body, words);
    ASSERT_EQ(once, outcome(body, words)) << "seed " << seed << ": " << shown(body);
  }
}

TEST(Fuzz, RepliesOfAnyBytesAreReadOrRefused) {
  for (std::uint64_t seed = 0; seed < times(200'000); ++seed) {
    sim::Random chance = chance_for("replies", seed);
    std::string bytes =
        "*3\r\n$3\r\nfoo\r\n*2\r\n:1\r\n$-1\r\n-ERR x\r\n%1\r\n+a\r\n,1.5\r\n~1\r\n_\r\n";
    corrupt(bytes, chance);
    std::string_view rest = bytes;
    Reply reply;
    while (!rest.empty() && read_reply(rest, reply)) {
      sim::Payload again;
      write_reply(again, reply);
      ASSERT_TRUE(well_formed(again.view())) << "seed " << seed << ": " << shown(bytes);
    }
  }
}

}  // namespace
}  // namespace picklock::conform::redis
