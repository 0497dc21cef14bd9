#include "models/redis/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "keys/key_kinds.h"
#include "models/redis/commands.h"

namespace picklock::redis {

// Some names of keys mean something else in Redis.
namespace in_files {
namespace {

using keys::as_toml;
using keys::at;
using keys::boolean;
using keys::describe;
using keys::duration;
using keys::integer;
using keys::Key;
using keys::Keys;
using keys::needing;
using keys::read_table;
using keys::Sign;
using keys::table;
using keys::TableDoc;
using keys::tables;
using keys::text;
using keys::texts;
using keys::to_text;
using keys::Value;
using keys::without_default;
using keys::word;

// More servers than this are refused, so that no file can exhaust memory.
constexpr std::size_t kMostNodes = 1000;

// Lines of redis.conf; their meaning is checked when the whole file is known.
template <typename Target>
Key<Target> config_lines(const std::string& meaning) {
  return texts<Target>(
      "config", [](auto& into) -> auto& { return into.config; }, meaning);
}

const Keys<SentinelSpec>& sentinel_keys() {
  static const Keys<SentinelSpec> keys = {
      integer<SentinelSpec>(
          "quorum", 0, 99, at<&SentinelSpec::quorum>,
          "how many Sentinels must consider a primary down; 0: more than half of them"),
      duration<SentinelSpec>("down_after", Sign::positive, at<&SentinelSpec::down_after>,
                             "how long a server may be silent before a Sentinel considers it down "
                             "(down-after-milliseconds)"),
      duration<SentinelSpec>("failover_timeout", Sign::positive,
                             at<&SentinelSpec::failover_timeout>,
                             "the parameter failover-timeout of the Sentinels"),
  };
  return keys;
}

const Keys<ClusterSpec>& cluster_keys() {
  static const Keys<ClusterSpec> keys = {
      boolean<ClusterSpec>("enabled", at<&ClusterSpec::enabled>,
                           "cluster-enabled: the masters are the shards of one Redis Cluster, "
                           "which is one server to "
                           "a lock. redis-1 has the slot of the lock's key"),
      needing(
          word<ClusterSpec>("first_map", {"whole", "none"}, at<&ClusterSpec::first_map>,
                            "whether a client knows at first which server has which slots (whole), "
                            "or sends a command to a server of its own and is told (-MOVED)"),
          {.other = "enabled",
           .met = [](const ClusterSpec& cluster) { return cluster.enabled; },
           .else_what = "unless `enabled` is true"}),
  };
  return keys;
}

const Keys<NodeSpec>& node_keys() {
  static const Keys<NodeSpec> keys = {
      text<NodeSpec>("name", at<&NodeSpec::name>,
                     "the process, a Redis server or Sentinel; must be given"),
      duration<NodeSpec>("clock_offset", Sign::any, at<&NodeSpec::clock_offset>,
                         "how far its wall clock is ahead of true time"),
      {.name = "clock_rate_ppb",
       .type = "whole number, -999000000 to 999000000000",
       .meaning = "how much faster than true time its clocks run, in parts per billion",
       .read =
           [](const Value& value, NodeSpec& node) {
             node.clock_rate_ppb = value.integer(-999'000'000, 999'000'000'000);
           },
       .show = {},
       .nested = {}},
      without_default(
          config_lines<NodeSpec>("lines of its redis.conf, which override those of all servers")),
  };
  return keys;
}

// A single master has every slot, and no client can ask another one.
keys::Key<Spec> cluster_table() {
  keys::Key<Spec> key = table<Spec>("cluster", cluster_keys(), at<&Spec::cluster>,
                                    "Redis Cluster: the slots of keys, and redirections.");
  key.check_needs = [inner = key.check_needs](const Value& root, const Value& given,
                                              const Spec& spec) {
    inner(root, given, spec);
    const auto first_map = given.find("first_map");
    if (first_map && spec.masters == 1)
      keys::fail_without_effect(root, given, *first_map, "servers.redis.masters",
                                "with a single master");
  };
  return key;
}

const Keys<Spec>& spec_keys() {
  static const Keys<Spec> keys = {
      integer<Spec>("masters", 1, 99, at<&Spec::masters>,
                    "how many independent primaries there are: redis-1, redis-2 and so on"),
      integer<Spec>("replicas", 0, 9, at<&Spec::replicas>,
                    "how many replicas each of them has: redis-1-replica-1 and so on"),
      integer<Spec>("sentinels", 0, 9, at<&Spec::sentinels>,
                    "how many Sentinels watch each of them: redis-1-sentinel-1 and so on"),
      config_lines<Spec>("lines of redis.conf for every server, such as `appendonly yes` or "
                         "`min-replicas-to-write 1`"),
      needing(
          boolean<Spec>("relative_expiry", at<&Spec::relative_expiry>,
                        "whether replicas get an expiry as a length of time, as before Redis 7.0, "
                        "so that it is later there by the time that the stream takes; otherwise as "
                        "an instant"),
          {.other = "replicas",
           .met = [](const Spec& spec) { return spec.replicas > 0; },
           .else_what = "without `replicas`"}),
      duration<Spec>("service", Sign::not_negative, at<&Spec::service>,
                     "time that a server needs for one command"),
      duration<Spec>("clock_offset", Sign::any, at<&Spec::clock_offset>,
                     "how far their wall clocks are ahead of true time"),
      integer<Spec>("clock_rate_ppb", -999'000'000, 999'000'000'000, at<&Spec::clock_rate_ppb>,
                    "how much faster than true time their clocks run, in parts per billion"),
      duration<Spec>(
          "restart_delay", Sign::not_negative,
          [](auto& spec) -> auto& { return spec.restart_delay.length; },
          "how long a guard on its machine keeps a server down at each restart; not "
          "a Sentinel"),
      needing(
          word<Spec>(
              "restart_clock", {"monotonic", "wall"},
              [](auto& spec) -> auto& { return spec.restart_delay.clock; },
              "which clock of its machine measures `restart_delay`"),
          {.other = "restart_delay",
           .met =
               [](const Spec& spec) { return spec.restart_delay.length > sim::Duration::zero(); },
           .else_what = "without `restart_delay`"}),
      needing(table<Spec>("sentinel", sentinel_keys(), at<&Spec::sentinel>,
                          "Settings of all Sentinels."),
              {.other = "sentinels",
               .met = [](const Spec& spec) { return spec.sentinels > 0; },
               .else_what = "without `sentinels`"}),
      cluster_table(),
      tables<Spec>(
          "node", kMostNodes, at<&Spec::nodes>,
          [](const Value& table, NodeSpec& node) {
            node.line = table.line();
            read_table(table, node_keys(), node);
          },
          [](const std::string& path, std::vector<TableDoc>& docs) {
            describe("[[" + path + ".node]]",
                     "A Redis server or Sentinel that differs from the others.", node_keys(), docs);
          }),
      table<Spec>("gc", servers::gc_keys(), at<&Spec::gc>, "Stop-the-world pauses of the servers."),
  };
  return keys;
}

}  // namespace
}  // namespace in_files

keys::Key<servers::Specs> spec_table() {
  return keys::table<servers::Specs>(
      "redis", in_files::spec_keys(),
      [](auto& specs) -> auto& { return specs.template of<Spec>(); },
      "The servers of a lock on Redis, processes `redis-1` to `redis-N`.");
}

std::string nodes_text(const servers::Specs& specs) {
  std::string text;
  for (const NodeSpec& node : specs.of<Spec>().nodes) {
    text += fmt::format("\n[[servers.redis.node]]\nname = {}\n", keys::as_toml(node.name));
    if (node.clock_offset)
      text += fmt::format("clock_offset = {}\n", keys::as_toml(keys::to_text(*node.clock_offset)));
    if (node.clock_rate_ppb) text += fmt::format("clock_rate_ppb = {}\n", *node.clock_rate_ppb);
    if (!node.config.empty()) text += fmt::format("config = {}\n", keys::as_toml(node.config));
  }
  return text;
}

std::pair<std::string, std::string> config_line(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(begin);
  const std::size_t end = std::min(line.find(' '), line.size());
  std::string_view value = line.substr(end);
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  return {std::string(line.substr(0, end)), std::string(value)};
}

std::vector<std::string> config_of(const Spec& spec, std::string_view server) {
  std::vector<std::string> words;
  const auto add = [&words](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      auto [parameter, value] = config_line(line);
      for (std::size_t i = 0; i < words.size(); i += 2) {
        if (words[i] != parameter) continue;
        const auto earlier = words.begin() + static_cast<std::ptrdiff_t>(i);
        words.erase(earlier, earlier + 2);
        break;
      }
      words.push_back(std::move(parameter));
      words.push_back(std::move(value));
    }
  };
  add(spec.config);
  for (const NodeSpec& node : spec.nodes) {
    if (node.name == server) add(node.config);
  }
  return words;
}

bool persists(const Spec& spec, std::string_view server) {
  const std::vector<std::string> words = config_of(spec, server);
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (words[i] == "appendonly" && same_word(words[i + 1], "yes")) return true;
    if (words[i] == "save" && !words[i + 1].empty()) return true;
  }
  return false;
}

}  // namespace picklock::redis
