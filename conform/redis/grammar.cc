#include "conform/redis/grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "conform/redis/script_text.h"
#include "conform/redis/vocabulary.h"
#include "picklock/redis.h"
#include "sim/digest.h"
#include "sim/random.h"

namespace picklock::conform::redis {
namespace {

class Author {
 public:
  Author(std::uint64_t seed, bool steered_clock)
      : chance_(seed, sim::fingerprint("conform")),
        vocabulary_(chance_, steered_clock),
        scripts_(vocabulary_) {
    sequence_.seed = seed;
    sequence_.connections = static_cast<std::uint32_t>(2 + vocabulary_.below(3));
    vocabulary_.set_connections(sequence_.connections);
    vocabulary_.set_now(now_ms_);
    speakers_.resize(sequence_.connections);
  }

  Sequence write() {
    furnish();
    while (left_ > 0) scene();
    return std::move(sequence_);
  }

 private:
  // The probable state of a connection; a command that fails makes the guess wrong, which does no
  // harm.
  struct Speaker {
    bool in_multi = false;
    bool listening = false;
    bool resp3 = false;
  };

  void say(std::uint32_t connection, Words words) {
    if (left_ == 0) return;
    --left_;
    const std::string name = lower(words[0]);
    Speaker& speaker = speakers_[connection];
    if (name == "multi") speaker.in_multi = true;
    if (name == "exec" || name == "discard") speaker.in_multi = false;
    if (name == "subscribe" || name == "psubscribe") speaker.listening = true;
    if (name == "unsubscribe" || name == "punsubscribe") speaker.listening = !vocabulary_.one_in(2);
    if (name == "hello" && words.size() > 1) speaker.resp3 = words[1] == "3";
    if (name == "quit") speaker = {};
    sequence_.steps.push_back({connection, std::move(words), 0});
  }

  void pass(std::int64_t ms) {
    if (left_ == 0 || !vocabulary_.timed()) return;
    now_ms_ += ms;
    vocabulary_.set_now(now_ms_);
    sequence_.steps.push_back({0, {}, ms});
  }

  std::uint32_t anyone() {
    return static_cast<std::uint32_t>(vocabulary_.below(sequence_.connections));
  }

  // A connection that neither listens nor queues, if there is one.
  std::uint32_t anyone_free() {
    std::uint32_t connection = anyone();
    for (std::uint32_t i = 0; i < sequence_.connections; ++i) {
      const Speaker& speaker = speakers_[connection];
      if (!speaker.in_multi && (!speaker.listening || speaker.resp3)) break;
      connection = (connection + 1) % sequence_.connections;
    }
    return connection;
  }

  void furnish() {
    static constexpr std::string_view kFurniture[] = {
        "SET k1 10",        "SET k1 token-1 PX {ms}", "HSET k2 f1 1 f2 b",
        "RPUSH k3 a b c a", "ZADD k4 1 m1 2 m2 3 m3", "SADD k5 1 2 300",
        "SADD k5 m1 m2"};
    for (const std::string_view piece : kFurniture) {
      if (!vocabulary_.one_in(2)) say(0, vocabulary_.filled(piece));
    }
    if (vocabulary_.one_in(2)) say(anyone(), {"HELLO", "3"});
    if (vocabulary_.one_in(3)) watch_keyspace();
  }

  // Turns keyspace notifications on, with a listener that gets all of them (R125).
  void watch_keyspace() {
    static constexpr std::string_view kLetters[] = {"KEA", "EAmn", "KAm", "Eg$lshzxn"};
    if (!vocabulary_.timed()) return;
    const std::string_view letters = vocabulary_.one_of(kLetters);
    say(anyone_free(), {"CONFIG", "SET", "notify-keyspace-events", std::string(letters)});
    say(anyone(), {"PSUBSCRIBE", "__key*"});
  }

  void scene() {
    switch (vocabulary_.below(32)) {
      case 0:
      case 1:
        return pass(vocabulary_.one_of(kPasses));
      case 2:
      case 3:
      case 4:
        return outlive();
      case 5:
      case 6:
      case 7:
        return run_script();
      case 8:
        return run_script_again();
      case 9:
        return watch();
      case 10:
        return broadcast();
      case 11:
        return fill_memory();
      case 12:
        return look_at_random();
      case 13:
        return pause();
      case 14:
        return retype();
      default:
        return speak(anyone());
    }
  }

  void speak(std::uint32_t connection) {
    const Speaker& speaker = speakers_[connection];
    if (speaker.in_multi && vocabulary_.one_in(4)) {
      return say(connection, {vocabulary_.one_in(6) ? "DISCARD" : "EXEC"});
    }
    if (speaker.listening && !speaker.resp3 && !vocabulary_.one_in(4))
      return say(connection, vocabulary_.listening());
    say(connection, vocabulary_.command());
  }

  std::string some_key() { return vocabulary_.key({}); }

  // A key expires, and a command finds it dead but still in memory (R16), or not quite expired.
  void outlive() {
    if (!vocabulary_.timed()) return;
    const std::string key = some_key();
    const std::uint32_t connection = anyone_free();
    say(connection, {"PEXPIRE", key, "5"});
    pass(vocabulary_.one_in(6) ? 5 : 6);
    say(vocabulary_.one_in(2) ? connection : anyone_free(), vocabulary_.command_on(key));
  }

  // Changes a key to a type that commands do not expect.
  void retype() {
    static constexpr std::string_view kPieces[] = {
        "SET {key} text", "HSET {key} f1 1", "RPUSH {key} a", "ZADD {key} 1 m1", "SADD {key} 1"};
    const std::string key = some_key();
    const std::uint32_t connection = anyone_free();
    Words words = vocabulary_.filled(vocabulary_.one_of(kPieces));
    words[1] = key;
    say(connection, {"DEL", key});
    say(connection, std::move(words));
    say(connection, vocabulary_.command_on(key));
  }

  Words evaluation(std::string_view command, std::string body, const DrawnScript& script) {
    Words words = {std::string(command), std::move(body)};
    const std::uint64_t manner = vocabulary_.below(30);
    if (manner == 0) {
      words.push_back(vocabulary_.number());
    } else if (manner == 1) {
      words.push_back(std::to_string(script.keys.size() + script.args.size() + 1));
    } else {
      words.push_back(std::to_string(script.keys.size()));
    }
    words.insert(words.end(), script.keys.begin(), script.keys.end());
    words.insert(words.end(), script.args.begin(), script.args.end());
    if (manner == 2) words.resize(2);
    return words;
  }

  void run_script() {
    static constexpr std::string_view kCommands[] = {"EVAL", "EVAL", "EVAL", "eval", "EVAL_RO"};
    DrawnScript script = scripts_.drawn();
    const std::uint32_t connection = vocabulary_.one_in(4) ? anyone() : anyone_free();
    if (vocabulary_.one_in(8)) {
      say(connection, {"SCRIPT", "LOAD", script.body});
    } else {
      const std::string_view command = vocabulary_.one_of(kCommands);
      say(connection, evaluation(command, script.body, script));
    }
    known_.push_back(std::move(script));
  }

  // By its name, which is known, or was until a flush, or never was (R81).
  void run_script_again() {
    static constexpr std::string_view kUnknown[] = {"0123456789012345678901234567890123456789",
                                                    "xyz", "",
                                                    "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"};
    const std::uint32_t connection = anyone_free();
    if (known_.empty() || vocabulary_.one_in(6)) {
      const std::string_view name = vocabulary_.one_of(kUnknown);
      return say(connection, {"EVALSHA", std::string(name), vocabulary_.number()});
    }
    const DrawnScript& script = vocabulary_.one_of(known_);
    std::string name = picklock::redis::sha1_hex(script.body);
    if (vocabulary_.one_in(6)) return say(connection, {"SCRIPT", "EXISTS", name, "nosuch", name});
    if (vocabulary_.one_in(3)) {
      std::transform(name.begin(), name.end(), name.begin(), [](char digit) {
        return digit >= 'a' && digit <= 'f' ? static_cast<char>(digit - 'a' + 'A') : digit;
      });
    }
    const std::string_view command = vocabulary_.one_in(5) ? "EVALSHA_RO" : "EVALSHA";
    say(connection, evaluation(command, std::move(name), script));
  }

  void watch() {
    const std::string key = some_key();
    const std::uint32_t connection = anyone_free();
    if (vocabulary_.timed() && vocabulary_.one_in(3)) say(connection, {"PEXPIRE", key, "5"});
    say(connection, {"WATCH", key});
    if (vocabulary_.one_in(3)) pass(6);
    if (vocabulary_.one_in(2)) say(anyone_free(), vocabulary_.command_on(key));
    say(connection, {"MULTI"});
    for (std::uint64_t commands = vocabulary_.below(3); commands > 0; --commands)
      say(connection, vocabulary_.command_on(key));
    say(connection, {"EXEC"});
  }

  void broadcast() {
    static constexpr std::string_view kWays[] = {"SUBSCRIBE c1", "SUBSCRIBE c1 c2", "PSUBSCRIBE c*",
                                                 "PSUBSCRIBE c* *"};
    const std::uint32_t listener = anyone();
    const std::string_view way = vocabulary_.one_of(kWays);
    say(listener, vocabulary_.filled(way));
    const std::uint32_t speaker = vocabulary_.one_in(3) ? listener : anyone_free();
    say(speaker, {"PUBLISH", "c1", vocabulary_.value()});
    if (vocabulary_.one_in(2)) say(listener, vocabulary_.listening());
  }

  // Memory is full: commands that may need more are refused, commands that free some are not
  // (R106).
  void fill_memory() {
    if (!vocabulary_.timed()) return;
    const std::uint32_t connection = anyone_free();
    say(connection, {"CONFIG", "SET", "maxmemory", "1"});
    for (int i = 0; i < 3; ++i) say(anyone(), vocabulary_.command());
    if (vocabulary_.one_in(2)) run_script();
    say(anyone_free(), {"CONFIG", "SET", "maxmemory", "0"});
  }

  // A server that looks for a live key may find dead keys first: SCAN removes them.
  void look_at_random() {
    const std::uint32_t connection = anyone_free();
    if (left_ < 2) return;
    say(connection, {"SCAN", "0", "COUNT", "1000"});
    say(connection, {"RANDOMKEY"});
  }

  // Reads are answered while writes must wait (R107).
  void pause() {
    if (!vocabulary_.timed() || left_ < 6) return;
    const std::uint32_t connection = anyone_free();
    const std::string key = some_key();
    say(connection, {"CLIENT", "PAUSE", "50", "WRITE"});
    say(anyone_free(), {"GET", key});
    pass(51);
  }

  static constexpr std::int64_t kPasses[] = {1, 1, 2, 5, 100, 101, 500, 1000, 1001, 20'000};

  sim::Random chance_;
  Vocabulary vocabulary_;
  ScriptText scripts_;
  Sequence sequence_;
  std::vector<Speaker> speakers_;
  std::vector<DrawnScript> known_;
  std::int64_t now_ms_ = kEpochMs;
  std::size_t left_ = kCommandsPerSequence;
};

}  // namespace

Sequence draw_sequence(std::uint64_t seed, bool steered_clock) {
  return Author(seed, steered_clock).write();
}

std::uint64_t sequence_seed(std::uint64_t run_seed, std::uint64_t index) {
  constexpr std::uint64_t kMost = INT64_MAX;  // the largest that --seed accepts
  return index == 0 ? run_seed : sim::Random(run_seed, index).next() & kMost;
}

}  // namespace picklock::conform::redis
