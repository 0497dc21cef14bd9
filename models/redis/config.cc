#include "models/redis/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "models/redis/commands.h"
#include "models/redis/glob.h"

namespace picklock::redis {
namespace {

enum class Form : std::uint8_t {
  text,
  memory,
  integer,
  yes_no,
  policy,  // what to evict
  fsync,   // when
  saves,   // save points
  limits,  // of output buffers
  events,  // of keyspace notifications
};

enum class Use : std::uint8_t {
  rules,      // the model obeys it
  idle,       // nothing in the model depends on it
  fixed,      // the model knows only this value
  immutable,  // the real server too refuses to change it while it runs
  guarded,    // likewise, unless it is configured to trust the client
};

struct Parameter {
  std::string_view name;
  std::string_view value;  // of a server just started
  Form form = Form::text;
  Use use = Use::fixed;
  std::int64_t low = 0;
  std::int64_t high = INT64_MAX;
  std::string_view same_as{};  // another name of it
  bool hidden = false;         // from patterns
};

constexpr std::int64_t kInt = 2147483647;

constexpr std::array kParameters = {
    Parameter{"aof-load-truncated", "yes", Form::yes_no},
    Parameter{"aof-use-rdb-preamble", "yes", Form::yes_no, Use::idle},
    Parameter{"appenddirname", "appendonlydir", Form::text, Use::immutable},
    Parameter{"appendfilename", "appendonly.aof", Form::text, Use::immutable},
    Parameter{"appendfsync", "everysec", Form::fsync, Use::rules},
    Parameter{"appendonly", "no", Form::yes_no, Use::rules},
    Parameter{"bind", "* -::*"},
    Parameter{"busy-reply-threshold", "5000", Form::integer, Use::rules},
    Parameter{"client-output-buffer-limit",
              "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", Form::limits,
              Use::rules},
    Parameter{"cluster-enabled", "no", Form::yes_no, Use::immutable},
    Parameter{"databases", "16", Form::integer, Use::immutable},
    Parameter{"dbfilename", "dump.rdb", Form::text, Use::guarded},
    Parameter{"dir", "/", Form::text, Use::guarded},
    Parameter{"enable-debug-command", "yes", Form::yes_no, Use::immutable},
    Parameter{"hash-max-listpack-entries", "512", Form::integer, Use::rules},
    Parameter{"hash-max-listpack-value", "64", Form::memory, Use::rules},
    Parameter{"hash-max-ziplist-entries", "512", Form::integer, Use::rules, 0, INT64_MAX,
              "hash-max-listpack-entries"},
    Parameter{"hash-max-ziplist-value", "64", Form::memory, Use::rules, 0, INT64_MAX,
              "hash-max-listpack-value"},
    Parameter{"hz", "10", Form::integer, Use::fixed, 0, kInt},
    Parameter{.name = "key-load-delay",
              .value = "0",
              .form = Form::integer,
              .use = Use::rules,
              .low = -kInt - 1,
              .high = kInt,
              .hidden = true},
    Parameter{"latency-monitor-threshold", "0", Form::integer, Use::idle},
    Parameter{"lazyfree-lazy-user-flush", "no", Form::yes_no, Use::idle},
    Parameter{.name = "loading-process-events-interval-bytes",
              .value = "2097152",
              .form = Form::integer,
              .use = Use::idle,
              .low = 1024,
              .high = kInt,
              .hidden = true},
    Parameter{"loglevel", "notice"},
    Parameter{"lua-time-limit", "5000", Form::integer, Use::rules, 0, INT64_MAX,
              "busy-reply-threshold"},
    Parameter{"masterauth", "", Form::text, Use::rules},
    Parameter{"maxclients", "10000", Form::integer, Use::fixed, 1, 4294967295},
    Parameter{"maxmemory", "0", Form::memory, Use::rules},
    Parameter{"maxmemory-policy", "noeviction", Form::policy},
    Parameter{"maxmemory-samples", "5", Form::integer, Use::idle, 1, 64},
    Parameter{"min-replicas-max-lag", "10", Form::integer, Use::rules, 0, kInt},
    Parameter{"min-replicas-to-write", "0", Form::integer, Use::rules, 0, kInt},
    Parameter{"min-slaves-max-lag", "10", Form::integer, Use::rules, 0, kInt,
              "min-replicas-max-lag"},
    Parameter{"min-slaves-to-write", "0", Form::integer, Use::rules, 0, kInt,
              "min-replicas-to-write"},
    Parameter{"notify-keyspace-events", "", Form::events, Use::rules},
    Parameter{"port", "6379", Form::integer, Use::fixed, 0, 65535},
    Parameter{"proto-max-bulk-len", "536870912", Form::memory, Use::fixed, 1048576},
    Parameter{"rdbcompression", "yes", Form::yes_no, Use::idle},
    Parameter{"repl-backlog-size", "1048576", Form::memory},
    Parameter{"repl-diskless-sync", "yes", Form::yes_no, Use::rules},
    Parameter{"repl-diskless-sync-delay", "5", Form::integer, Use::rules, 0, kInt},
    Parameter{"repl-ping-replica-period", "10", Form::integer, Use::rules, 1, kInt},
    Parameter{"repl-timeout", "60", Form::integer, Use::rules, 1, kInt},
    Parameter{"replica-priority", "100", Form::integer, Use::rules, 0, kInt},
    Parameter{"replica-read-only", "yes", Form::yes_no},
    Parameter{"replica-serve-stale-data", "yes", Form::yes_no, Use::rules},
    Parameter{"requirepass", "", Form::text, Use::rules},
    Parameter{"save", "", Form::saves, Use::rules},
    Parameter{"set-max-intset-entries", "512", Form::integer, Use::rules},
    Parameter{"slowlog-log-slower-than", "10000", Form::integer, Use::idle, -1},
    Parameter{"slowlog-max-len", "128", Form::integer, Use::idle},
    Parameter{"stop-writes-on-bgsave-error", "yes", Form::yes_no, Use::idle},
    Parameter{"tcp-keepalive", "300", Form::integer, Use::idle, 0, kInt},
    Parameter{"timeout", "0", Form::integer, Use::fixed, 0, kInt},
    Parameter{"zset-max-listpack-entries", "128", Form::integer, Use::rules},
    Parameter{"zset-max-listpack-value", "64", Form::memory, Use::rules},
    Parameter{"zset-max-ziplist-entries", "128", Form::integer, Use::rules, 0, INT64_MAX,
              "zset-max-listpack-entries"},
    Parameter{"zset-max-ziplist-value", "64", Form::memory, Use::rules, 0, INT64_MAX,
              "zset-max-listpack-value"},
};

constexpr std::size_t kCount = kParameters.size();

std::size_t index_of(std::string_view name) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (same_word(name, kParameters[i].name)) return i;
  }
  return kCount;
}

// `100mb`, `1k`: digits, then a unit; without digits it is 0.
std::optional<std::uint64_t> memory(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  struct Unit {
    std::string_view name;
    std::uint64_t bytes;
  };
  constexpr std::array kUnits = {Unit{"", 1},
                                 Unit{"b", 1},
                                 Unit{"k", 1000},
                                 Unit{"kb", 1024},
                                 Unit{"m", 1000 * 1000},
                                 Unit{"mb", 1024 * 1024},
                                 Unit{"g", 1000ull * 1000 * 1000},
                                 Unit{"gb", 1024ull * 1024 * 1024}};
  for (const Unit& unit : kUnits) {
    if (!same_word(text.substr(digits), unit.name)) continue;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
    if (error == std::errc::result_out_of_range) value = UINT64_MAX;
    return value * unit.bytes;
  }
  return std::nullopt;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t end = text.find(' ');
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

struct Limits {
  struct Class {
    std::string_view name;
    std::uint64_t hard = 0;
    std::uint64_t soft = 0;
    std::int64_t seconds = 0;
  };
  std::array<Class, 3> classes = {Class{"normal"}, Class{"slave"}, Class{"pubsub"}};

  // Classes that are not named keep their limits. False: `error` says why.
  bool read(std::string_view text, std::string& error) {
    const std::vector<std::string_view> words = words_of(text);
    if (words.size() % 4 != 0) {
      error = "Wrong number of arguments in buffer limit configuration.";
      return false;
    }
    for (std::size_t i = 0; i < words.size(); i += 4) {
      const std::string_view name = same_word(words[i], "replica") ? "slave" : words[i];
      const auto found = std::find_if(classes.begin(), classes.end(),
                                      [&](const Class& one) { return same_word(name, one.name); });
      if (found == classes.end()) {
        error = "Invalid client class specified in buffer limit configuration.";
        return false;
      }
      const auto hard = memory(words[i + 1]);
      const auto soft = memory(words[i + 2]);
      std::int64_t seconds = 0;
      const std::string_view last = words[i + 3];
      const auto [end, wrong] = std::from_chars(last.data(), last.data() + last.size(), seconds);
      if (!hard || !soft || wrong != std::errc() || end != last.data() + last.size() ||
          seconds < 0) {
        error = "Error in hard, soft or soft_seconds setting in buffer limit configuration.";
        return false;
      }
      found->hard = *hard;
      found->soft = *soft;
      found->seconds = seconds;
    }
    return true;
  }

  std::string text() const {
    std::string all;
    for (const Class& one : classes) {
      if (!all.empty()) all += ' ';
      all.append(one.name).append(" ").append(std::to_string(one.hard)).append(" ");
      all.append(std::to_string(one.soft)).append(" ").append(std::to_string(one.seconds));
    }
    return all;
  }
};

// `3600 1 300 100`: pairs of seconds and changes. nullopt: the text is malformed.
std::optional<std::vector<Config::SavePoint>> save_points_of(std::string_view text) {
  std::vector<Config::SavePoint> points;
  if (text.empty()) return points;
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    Config::SavePoint point;
    if (!strict_integer(words[i], point.seconds) || point.seconds < 1 ||
        !strict_integer(words[i + 1], point.changes) || point.changes < 0)
      return std::nullopt;
    points.push_back(point);
  }
  return points;
}

constexpr std::array<std::string_view, 3> kFsyncs = {"everysec", "always", "no"};
constexpr std::array<std::string_view, 8> kPolicies = {
    "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
    "allkeys-lru",  "allkeys-lfu",  "allkeys-random",  "noeviction"};

std::string folded(std::string_view text) {
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(), lower);
  return low;
}

// Converts a value to the form that CONFIG GET reports. False: `error` says what is wrong with it.
bool read(const Parameter& parameter, std::string_view value, std::string& text,
          std::string& error) {
  const auto in_range = [&](std::int64_t number) {
    if (number >= parameter.low && number <= parameter.high) return true;
    error = "argument must be between " + std::to_string(parameter.low) + " and " +
            std::to_string(parameter.high) + " inclusive";
    return false;
  };
  const auto one_of = [&](std::span<const std::string_view> choices) {
    text = folded(value);
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return true;
    error = "argument(s) must be one of the following: ";
    for (std::string_view choice : choices)
      error.append(choice == choices.front() ? "" : ", ").append(choice);
    return false;
  };
  switch (parameter.form) {
    case Form::text:
      text.assign(value);
      return true;
    case Form::memory: {
      const auto bytes = memory(value);
      if (!bytes) {
        error = "argument must be a memory value";
        return false;
      }
      text = std::to_string(*bytes);
      return *bytes > INT64_MAX || in_range(static_cast<std::int64_t>(*bytes));
    }
    case Form::integer: {
      std::int64_t number = 0;
      if (!strict_integer(value, number)) {
        error = "argument couldn't be parsed into an integer";
        return false;
      }
      text = std::to_string(number);
      return in_range(number);
    }
    case Form::yes_no:
      text = folded(value);
      if (text == "yes" || text == "no") return true;
      error = "argument must be 'yes' or 'no'";
      return false;
    case Form::policy:
      return one_of(kPolicies);
    case Form::fsync:
      return one_of(kFsyncs);
    case Form::saves: {
      const auto points = save_points_of(value);
      if (!points) {
        error = "Invalid save parameters";
        return false;
      }
      text.clear();
      for (const Config::SavePoint& point : *points) {
        text.append(text.empty() ? "" : " ").append(std::to_string(point.seconds));
        text.append(" ").append(std::to_string(point.changes));
      }
      return true;
    }
    case Form::events:
      text.assign(until_zero(value));
      if (EventSettings().read(text)) return true;
      error = "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
      return false;
    case Form::limits: {
      Limits limits;
      std::string none;
      limits.read(text, none);
      if (!limits.read(value, error)) return false;
      text = limits.text();
      return true;
    }
  }
  return false;
}

}  // namespace

void Config::reset() {
  if (!altered_) return;
  altered_ = false;
  values_.clear();
  for (const Parameter& parameter : kParameters) values_.emplace_back(parameter.value);
  take_over();
}

const std::string& Config::value_of(std::string_view name) const { return values_[index_of(name)]; }

void Config::take_over() {
  max_memory_ = memory(value_of("maxmemory")).value_or(0);
  strict_integer(value_of("busy-reply-threshold"), busy_after_ms_);
  password_ = value_of("requirepass");
  events_.read(value_of("notify-keyspace-events"));
  const auto limit = [this](std::string_view name) { return memory(value_of(name)).value_or(0); };
  compact_ = {.hash_entries = limit("hash-max-listpack-entries"),
              .hash_value = limit("hash-max-listpack-value"),
              .set_entries = limit("set-max-intset-entries"),
              .zset_entries = limit("zset-max-listpack-entries"),
              .zset_value = limit("zset-max-listpack-value")};
  password_of_master_ = value_of("masterauth");
  serves_stale_data_ = value_of("replica-serve-stale-data") == "yes";
  strict_integer(value_of("min-replicas-to-write"), fewest_replicas_);
  strict_integer(value_of("min-replicas-max-lag"), most_lag_seconds_);
  syncs_from_disk_ = value_of("repl-diskless-sync") == "no";
  strict_integer(value_of("repl-diskless-sync-delay"), sync_delay_seconds_);
  strict_integer(value_of("repl-timeout"), replication_timeout_seconds_);
  strict_integer(value_of("repl-ping-replica-period"), replica_ping_seconds_);
  strict_integer(value_of("replica-priority"), replica_priority_);
  keeps_log_ = value_of("appendonly") == "yes";
  const std::string& fsync = value_of("appendfsync");
  fsync_ = fsync == "always" ? Fsync::always : fsync == "no" ? Fsync::never : Fsync::every_second;
  save_points_ = *save_points_of(value_of("save"));
  strict_integer(value_of("key-load-delay"), key_load_delay_us_);
  Limits limits;
  std::string none;
  limits.read(value_of("client-output-buffer-limit"), none);
  const Limits::Class& subscribers = limits.classes.back();
  subscriber_limit_ = {subscribers.hard, subscribers.soft, subscribers.seconds};
}

void Config::get(std::span<const std::string_view> patterns, Reply& reply) const {
  reply.set(Reply::Kind::map);
  std::array<bool, kCount> told{};
  const auto tell = [&](std::size_t i, std::string_view as) {
    if (told[i]) return;
    told[i] = true;
    reply.add().set_bulk(as);
    reply.add().set_bulk(kParameters[i].form == Form::events ? events_.letters() : values_[i]);
  };
  for (std::string_view pattern : patterns) {
    // A plain name is reported as the client has written it.
    if (pattern.find_first_of("[*?") == std::string_view::npos) {
      const std::size_t i = index_of(pattern);
      if (i < kCount) tell(i, pattern);
      continue;
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      if (!kParameters[i].hidden && matches_glob(pattern, kParameters[i].name, true))
        tell(i, kParameters[i].name);
    }
  }
}

void Config::set(std::span<const std::string_view> pairs, Reply& reply) {
  const auto failed = [&reply](std::string_view name, std::string_view why) {
    std::string text = "ERR CONFIG SET failed (possibly related to argument '";
    reply.set_error(text.append(name).append("') - ").append(why));
  };
  if (pairs.size() % 2 != 0) {
    syntax_error(reply);
    return;
  }
  std::vector<std::size_t> chosen;
  for (std::size_t at = 0; at < pairs.size(); at += 2) {
    const std::string_view name = pairs[at];
    const std::size_t i = index_of(name);
    if (i == kCount) {
      std::string text = "ERR Unknown option or number of arguments for CONFIG SET - '";
      reply.set_error(text.append(name).append("'"));
      return;
    }
    if (kParameters[i].use == Use::immutable) {
      failed(name, "can't set immutable config");
      return;
    }
    if (kParameters[i].use == Use::guarded) {
      failed(name, "can't set protected config");
      return;
    }
    if (std::find(chosen.begin(), chosen.end(), i) != chosen.end()) {
      failed(name, "duplicate parameter");
      return;
    }
    chosen.push_back(i);
  }
  const std::vector<std::string> before = values_;
  for (std::size_t at = 0; at < pairs.size(); at += 2) {
    const std::size_t i = chosen[at / 2];
    std::string error;
    if (!assign(i, pairs[at + 1], error)) {
      values_ = before;
      failed(kParameters[i].name, error);
      return;
    }
  }
  altered_ = true;
  take_over();
  reply.set_status("OK");
}

bool Config::assign(std::size_t i, std::string_view value, std::string& error) {
  const Parameter& parameter = kParameters[i];
  std::string text = values_[i];
  if (!read(parameter, value, text, error)) return false;
  if (parameter.use == Use::fixed && text != parameter.value) {
    error.assign("the model knows only '").append(parameter.value).append("'");
    return false;
  }
  // A parameter with two names has one value.
  for (std::size_t other = 0; other < kCount; ++other) {
    if (kParameters[other].same_as == parameter.name ||
        parameter.same_as == kParameters[other].name)
      values_[other] = text;
  }
  values_[i] = std::move(text);
  return true;
}

}  // namespace picklock::redis
