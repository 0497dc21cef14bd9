// The requests of a lock to real servers, as MONITOR shows them, in the form of the transcripts of
// lock libraries in this folder (record/README.md explains it). Test-only.
//
//   Recording recording(1, {{"'del'", "release"}});
//   recording.call("acquire", [&] { return lock.acquire(self, "lock") ? "granted" : "refused"; });
//   recording.text();  // > acquire -> granted
//                      // redis-1 SET lock VALUE-1 NX PX 60000
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "picklock/redis.h"
#include "testing/conform/real_redis_world.h"

namespace picklock::conform::redis::transcripts {

using Words = std::vector<std::string>;

// One line of MONITOR: `1700000000.123456 [0 127.0.0.1:4711] "set" "key" "a \"b\""`.
struct Heard {
  std::string who;  // an address, or `lua`
  Words words;      // the command in upper case
};

inline char unescaped(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    default:
      return letter;
  }
}

inline Heard heard(std::string_view line) {
  Heard one;
  const std::size_t open = line.find('[');
  const std::size_t space = line.find(' ', open);
  const std::size_t close = line.find(']', space);
  if (close == std::string_view::npos) throw std::runtime_error("not a line of MONITOR");
  one.who = line.substr(space + 1, close - space - 1);
  for (std::size_t at = line.find('"', close); at < line.size(); at = line.find('"', at + 1)) {
    std::string& word = one.words.emplace_back();
    for (++at; at < line.size() && line[at] != '"'; ++at) {
      if (line[at] != '\\') {
        word += line[at];
      } else if (line[++at] != 'x') {
        word += unescaped(line[at]);
      } else {
        word += static_cast<char>(std::stoi(std::string(line.substr(at + 1, 2)), nullptr, 16));
        at += 2;
      }
    }
  }
  for (char& letter : one.words.at(0)) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return one;
}

// Listens to one server, and sends it the commands of `another`.
class Monitor {
 public:
  explicit Monitor(const Address& address) : ear_(address), mouth_(address) {
    ear_.ask({"MONITOR"});
  }

  void another(const Words& words) { mouth_.ask(words); }
  bool exists(std::string_view key) { return mouth_.exists(key); }
  bool is_another(const Heard& one) const { return one.who == another_; }

  std::vector<Heard> take() {
    listen();
    return std::exchange(lines_, {});
  }

 private:
  // Returns once everything sent so far has been heard.
  void listen() {
    const std::string mark = "mark " + std::to_string(++marks_);
    mouth_.ask({"ECHO", mark});
    for (;;) {
      Heard one = heard(ear_.next().text);
      if (one.words[0] == "ECHO" && one.words.at(1) == mark) {
        another_ = one.who;
        return;
      }
      lines_.push_back(std::move(one));
    }
  }

  real::Onlooker ear_;
  real::Onlooker mouth_;
  std::uint64_t marks_ = 0;
  std::vector<Heard> lines_;
  std::string another_;  // its address
};

// For each script of a lock: a part that no other of its scripts has, and a name.
using ScriptNames = std::vector<std::pair<std::string, std::string>>;

class Recording {
 public:
  Recording(std::size_t servers, ScriptNames names) : names_(std::move(names)) {
    for (std::size_t i = 0; i < servers; ++i)
      monitors_.emplace_back(real::RealServers::all().address(i));
  }

  // Records a call of the lock, which returns its outcome as a word.
  template <typename Run>
  void call(std::string_view verb, Run&& run) {
    take();
    const std::size_t begun = lines_.size();
    const std::string outcome(run());
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(begun),
                  {.text = "> " + std::string(verb) + " -> " + outcome});
    take();
  }

  void another(std::size_t server, const Words& words) { monitors_[server].another(words); }
  bool exists(std::string_view key) {
    return std::any_of(monitors_.begin(), monitors_.end(),
                       [&](Monitor& monitor) { return monitor.exists(key); });
  }
  // Everything so far was preparation: the servers and the recording now know the lock's scripts.
  void forget() {
    take();
    learn_scripts();
    lines_.clear();
  }

  std::string text() {
    take();
    learn_scripts();
    std::map<std::string, std::string> values;
    std::string text;
    Words arguments;  // of the current command; scripts get them
    for (Line& line : lines_) {
      if (!line.heard.words.empty()) line.text = shown(line, arguments);
      text += with_values(line.text, values) + "\n";
    }
    return text;
  }

 private:
  struct Line {
    std::string text = {};
    std::size_t server = 0;
    bool another = false;
    Heard heard = {};
  };

  void take() {
    for (std::size_t i = 0; i < monitors_.size(); ++i) {
      for (Heard& one : monitors_[i].take()) {
        const bool another = monitors_[i].is_another(one);
        if (another && one.words[0] == "EXISTS") continue;  // it only looks
        lines_.push_back({.server = i, .another = another, .heard = std::move(one)});
      }
    }
  }

  static std::string& script_of(Words& words) {
    static std::string none;
    if (words[0] == "EVAL") return words.at(1);
    return words[0] == "SCRIPT" && words.size() == 3 ? words[2] : none;
  }

  void learn_scripts() {
    for (Line& line : lines_) {
      if (line.heard.words.empty()) continue;
      std::string& body = script_of(line.heard.words);
      if (body.empty()) continue;
      for (const auto& [part, name] : names_) {
        if (body.find(part) == std::string::npos) continue;
        digests_[picklock::redis::sha1_hex(body)] = name;
        body = "SCRIPT(" + name + ")";
        break;
      }
    }
  }

  std::string shown(const Line& line, Words& arguments) const {
    Words words = line.heard.words;
    const std::string server = "redis-" + std::to_string(line.server + 1);
    if (line.another) return "another on " + server + ": " + joined(words);
    if (line.heard.who == "lua") {
      // The script computes it from the rest of the lease.
      if (words[0] == "PEXPIRE" &&
          std::find(arguments.begin(), arguments.end(), words.at(2)) == arguments.end())
        words[2] = "COMPUTED";
      return server + " lua " + joined(words);
    }
    arguments = words;
    if (words[0] == "EVALSHA") {
      const auto known = digests_.find(words.at(1));
      if (known != digests_.end()) words[1] = "SHA(" + known->second + ")";
    }
    return server + " " + joined(words);
  }

  static std::string joined(const Words& words) {
    std::string text;
    for (const std::string& word : words) {
      const bool quoted = word.empty() || word.find_first_of(" \t\r\n") != std::string::npos;
      text += (text.empty() ? "" : " ") + (quoted ? "\"" + word + "\"" : word);
    }
    return text;
  }

  // A word of twelve hexadecimal digits or more, perhaps with hyphens in it, is a random value.
  static std::string with_values(std::string_view text,
                                 std::map<std::string, std::string>& values) {
    constexpr std::string_view kWord =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    std::string out;
    while (!text.empty()) {
      const std::string word(text.substr(0, std::min(text.find_first_not_of(kWord), text.size())));
      const auto hyphens = static_cast<std::size_t>(std::count(word.begin(), word.end(), '-'));
      if (word.size() - hyphens >= 12 &&
          word.find_first_not_of("0123456789abcdef-") == std::string::npos) {
        out += values.emplace(word, "VALUE-" + std::to_string(values.size() + 1)).first->second;
      } else {
        out += word;
      }
      text.remove_prefix(word.size());
      if (word.empty()) {
        out += text.front();
        text.remove_prefix(1);
      }
    }
    return out;
  }

  ScriptNames names_;
  std::deque<Monitor> monitors_;
  std::vector<Line> lines_;
  std::map<std::string, std::string> digests_;  // names of scripts
};

}  // namespace picklock::conform::redis::transcripts
