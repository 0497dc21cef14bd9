// What a server says about itself, and what is done to it as a whole: TIME, INFO, COMMAND, CONFIG,
// DEBUG, and the databases at once.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <vector>

#include "models/redis/commands.h"
#include "models/redis/config.h"
#include "models/redis/connections.h"
#include "models/redis/glob.h"
#include "models/redis/key_counts.h"
#include "models/redis/lifetime.h"
#include "models/redis/persistence.h"
#include "models/redis/pubsub.h"
#include "models/redis/replication.h"
#include "models/redis/script_runner.h"
#include "models/redis/stats.h"
#include "sim/random.h"

namespace picklock::redis {
namespace of_servers {
namespace {

// ---------------------------------------------------------------- databases

// The clock that runs on, also inside scripts and transactions (R25).
void time(Call& call) {
  const std::int64_t now_us = call.keys.clock().us();
  call.reply.set(Reply::Kind::array);
  call.reply.add().set_bulk(std::to_string(now_us / 1'000'000));
  call.reply.add().set_bulk(std::to_string(now_us % 1'000'000));
}

// Dead keys that nobody has come upon count (R28).
void dbsize(Call& call) {
  call.reply.set_integer(static_cast<std::int64_t>(count_keys(call.keys, call.session.database)));
}

bool is_flush_syntax(Call& call) {
  if (call.words() == 1) return true;
  if (call.words() == 2 && (same_word(call[1], "async") || same_word(call[1], "sync"))) return true;
  syntax_error(call.reply);
  return false;
}

void flushall(Call& call) {
  if (!is_flush_syntax(call)) return;
  for (std::uint32_t database = 0; database < kDatabases; ++database) call.keys.clear(database);
  call.server.persistence.flushed();
  call.replicate(call.argv);  // even if there was nothing
  call.reply.set_status("OK");
}

void flushdb(Call& call) {
  if (!is_flush_syntax(call)) return;
  call.keys.clear(call.session.database);
  call.replicate(call.argv);
  call.reply.set_status("OK");
}

// Who watches a key in either database watches what is under that name there now.
void rewatch(Call& call, std::uint32_t one, std::uint32_t other) {
  for (Session* session : call.server.connections.all()) {
    for (Watch& watch : session->watches) {
      const Entry& before = call.keys.at(watch.slot);  // has changed places already
      if (before.database != one && before.database != other) continue;
      const Entry& after = call.keys.slot(before.database == one ? other : one, before.key);
      if (before.version != watch.version || watch.was_alive ||
          after.alive(call.keys.clock().frozen_ms()))
        session->dirty = true;
      watch = {.slot = after.slot, .version = after.version, .was_alive = false};
    }
  }
}

void swapdb(Call& call) {
  std::array<std::int64_t, 2> databases{};
  for (std::size_t i : {0u, 1u}) {
    if (!strict_integer(call[i + 1], databases[i]) || databases[i] > INT32_MAX ||
        databases[i] < INT32_MIN) {
      call.reply.set_error(i == 0 ? "ERR invalid first DB index" : "ERR invalid second DB index");
      return;
    }
  }
  for (std::int64_t database : databases) {
    if (database < 0 || database >= kDatabases) {
      call.reply.set_error("ERR DB index is out of range");
      return;
    }
  }
  const auto one = static_cast<std::uint32_t>(databases[0]);
  const auto other = static_cast<std::uint32_t>(databases[1]);
  call.keys.swap(one, other);
  if (one != other) {
    rewatch(call, one, other);
    call.server.blocked.swapped(one, other);
  }
  call.reply.set_status("OK");
}

// ---------------------------------------------------------------- INFO

std::string hexadecimal(std::uint64_t seed, std::string_view what) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  sim::Random random(seed, sim::hash_of(what));
  std::string text;
  for (int i = 0; i < 40; ++i) text += kDigits[random.below(16)];
  return text;
}

class Info {
 public:
  explicit Info(Call& call) : call_(call) {}

  const std::string& text() const { return text_; }

  struct Section {
    std::string_view name;
    void (Info::*tell)();
  };
  static std::span<const Section> sections();  // in their order

 private:
  void begin(std::string_view title) {
    if (!text_.empty()) text_ += "\r\n";
    text_.append("# ").append(title).append("\r\n");
  }
  void field(std::string_view name, std::string_view value) {
    text_.append(name).append(":").append(value).append("\r\n");
  }
  void field(std::string_view name, std::uint64_t value) { field(name, std::to_string(value)); }

  std::string identity(std::string_view what) const {
    const sim::Process& machine = call_.server.lifetime.process();
    return hexadecimal(call_.server.lifetime.seed() + machine.hash() + machine.incarnation(), what);
  }

  void server() {
    const std::int64_t uptime = call_.server.lifetime.uptime_seconds();
    begin("Server");
    field("redis_version", kVersion);
    field("redis_git_sha1", "00000000");
    field("redis_git_dirty", "0");
    field("redis_mode", "standalone");
    field("os", "Linux");
    field("arch_bits", "64");
    field("process_id", call_.server.lifetime.process().id() + 1u);
    field("run_id", identity("run_id"));
    field("tcp_port", "6379");
    field("server_time_usec", std::to_string(call_.keys.clock().us()));
    field("uptime_in_seconds", std::to_string(uptime));
    field("uptime_in_days", std::to_string(uptime / 86400));
    field("hz", "10");
    field("configured_hz", "10");
    field("config_file", "");
  }

  void clients() {
    std::uint64_t blocked = 0;
    for (const Session* session : call_.server.connections.all())
      blocked += session->held > 0 || session->blocked ? 1 : 0;
    begin("Clients");
    field("connected_clients", call_.server.connections.all().size());
    field("cluster_connections", "0");
    field("maxclients", "10000");
    field("blocked_clients", blocked);
    field("tracking_clients", "0");
  }

  void memory() {
    const std::uint64_t used = used_memory(call_.keys);
    begin("Memory");
    field("used_memory", used);
    field("used_memory_peak", used);
    field("maxmemory", call_.server.config.max_memory());
    field("maxmemory_policy", "noeviction");
    field("mem_fragmentation_ratio", "1.00");
  }

  void persistence() {
    begin("Persistence");
    text_ += call_.server.persistence.report();
  }

  void stats() {
    const Stats& stats = call_.server.stats;
    PubSub& pubsub = call_.server.pubsub;
    begin("Stats");
    field("total_connections_received", stats.connections);
    field("total_commands_processed", stats.commands);
    field("total_error_replies", stats.errors);
    field("sync_full", stats.full_syncs);
    field("sync_partial_ok", stats.partial_syncs);
    field("sync_partial_err", stats.refused_partial_syncs);
    field("pubsub_channels", pubsub.channels.listened_to());
    field("pubsub_patterns", pubsub.patterns.listened_to());
  }

  void replication() {
    begin("Replication");
    Replication& replication = call_.server.replication;
    if (replication.is_replica()) {
      link_to_master(replication);
    } else {
      field("role", "master");
    }
    replicas(replication);
    const Backlog& backlog = replication.stream().backlog;
    field("master_failover_state", "no-failover");
    field("master_replid", replication.id());
    field("master_replid2", replication.stream().former_id);
    field("master_repl_offset", std::to_string(replication.stream().offset));
    field("second_repl_offset", std::to_string(replication.stream().former_until));
    field("repl_backlog_active", backlog.active() ? "1" : "0");
    field("repl_backlog_size", "1048576");
    field("repl_backlog_first_byte_offset",
          backlog.active() ? std::to_string(backlog.first()) : "0");
    field("repl_backlog_histlen", backlog.size());
  }

  std::string seconds_since(sim::Instant then) const {
    return std::to_string((call_.server.lifetime.now() - then) / std::chrono::seconds(1));
  }

  void link_to_master(const Replication& replication) {
    const bool up = replication.link() == Replication::Link::connected;
    const bool transfer = replication.link() == Replication::Link::transfer;
    field("role", "slave");
    field("master_host", replication.master()->host());
    field("master_port", replication.master()->port);
    field("master_link_status", up ? "up" : "down");
    field("master_last_io_seconds_ago", up ? seconds_since(replication.last_heard()) : "-1");
    field("master_sync_in_progress", transfer ? "1" : "0");
    field("slave_read_repl_offset", std::to_string(replication.stream().offset));
    field("slave_repl_offset", std::to_string(replication.stream().offset));
    if (!up) field("master_link_down_since_seconds", seconds_since(replication.down_since()));
    field("slave_priority", std::to_string(call_.server.config.replica_priority()));
    field("slave_read_only", "1");
    field("replica_announced", "1");
  }

  void replicas(Replication& replication) {
    std::string lines;
    std::uint64_t count = 0;
    for (const Session* session : call_.server.connections.all()) {
      if (session->replica == nullptr) continue;
      const AttachedReplica& replica = *session->replica;
      const bool online = replica.state == AttachedReplica::State::online;
      const std::int64_t known = std::max<std::int64_t>(replica.acknowledged, 0);
      lines += "slave" + std::to_string(count++) + ":ip=" + replication.host_of_peer(*session) +
               ",port=" + std::to_string(session->listening_port) +
               ",state=" + (online ? "online" : "wait_bgsave") +
               ",offset=" + std::to_string(known) +
               ",lag=" + std::to_string(replication.replicas().lag_seconds(replica)) + "\r\n";
    }
    field("connected_slaves", count);
    if (call_.server.config.fewest_replicas() != 0 && call_.server.config.most_lag_seconds() != 0)
      field("min_slaves_good_slaves", std::to_string(replication.replicas().good()));
    text_ += lines;
  }

  void cluster() {
    begin("Cluster");
    field("cluster_enabled", call_.server.redirection.slots() != nullptr ? "1" : "0");
  }

  void keyspace() {
    begin("Keyspace");
    for (std::uint32_t database = 0; database < kDatabases; ++database) {
      const std::size_t keys = count_keys(call_.keys, database);
      if (keys == 0) continue;
      field("db" + std::to_string(database),
            "keys=" + std::to_string(keys) + ",expires=" +
                std::to_string(count_keys_with_deadline(call_.keys, database)) + ",avg_ttl=0");
    }
  }

  Call& call_;
  std::string text_;
};

std::span<const Info::Section> Info::sections() {
  static constexpr Section kSections[] = {
      {"server", &Info::server},   {"clients", &Info::clients},
      {"memory", &Info::memory},   {"persistence", &Info::persistence},
      {"stats", &Info::stats},     {"replication", &Info::replication},
      {"cluster", &Info::cluster}, {"keyspace", &Info::keyspace}};
  return kSections;
}

void info(Call& call) {
  const std::span<const Info::Section> sections = Info::sections();
  std::vector<bool> wanted(sections.size());
  const auto want = [&](std::string_view word) {
    const bool every =
        same_word(word, "all") || same_word(word, "default") || same_word(word, "everything");
    for (std::size_t i = 0; i < sections.size(); ++i)
      wanted[i] = wanted[i] || every || same_word(word, sections[i].name);
  };
  if (call.words() == 1) want("default");
  for (std::string_view word : call.argv.subspan(1)) want(word);
  Info text(call);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (wanted[i]) (text.*sections[i].tell)();
  }
  call.reply.set_bulk(text.text());
  call.reply.kind = Reply::Kind::verbatim;
}

// ---------------------------------------------------------------- COMMAND

struct FlagName {
  Flags flag;
  std::string_view name;
};
constexpr std::array kFlagNames = {
    FlagName{kWrite, "write"},         FlagName{kRead, "readonly"},
    FlagName{kMayGrow, "denyoom"},     FlagName{kAdmin, "admin"},
    FlagName{kPubsub, "pubsub"},       FlagName{kNoScript, "noscript"},
    FlagName{kBlocking, "blocking"},   FlagName{kLoading, "loading"},
    FlagName{kStale, "stale"},         FlagName{kFast, "fast"},
    FlagName{kUngated, "no_auth"},     FlagName{kNoAsyncLoading, "no_async_loading"},
    FlagName{kNotInMulti, "no_multi"}, FlagName{kWhileBusy, "allow_busy"}};

// Those that follow from its flags.
std::vector<std::string_view> categories(const Command& command) {
  std::vector<std::string_view> names;
  if (command.is(kRead)) names.emplace_back("@read");
  if (command.is(kWrite)) names.emplace_back("@write");
  if (command.is(kPubsub)) names.emplace_back("@pubsub");
  if (command.is(kAdmin)) names.emplace_back("@admin");
  names.emplace_back(command.is(kFast) ? "@fast" : "@slow");
  if (command.is(kAdmin)) names.emplace_back("@dangerous");
  return names;
}

void describe(const Command& command, Reply& reply) {
  reply.set(Reply::Kind::array);
  reply.add().set_bulk(command.name);
  reply.add().set_integer(command.arity);
  Reply& flags = reply.add();
  flags.set(Reply::Kind::set);
  for (const FlagName& flag : kFlagNames) {
    if (command.is(flag.flag)) flags.add().set_status(flag.name);
  }
  reply.add().set_integer(command.keys.first);
  reply.add().set_integer(command.keys.last);
  reply.add().set_integer(command.keys.step);
  Reply& groups = reply.add();
  groups.set(Reply::Kind::set);
  for (std::string_view category : categories(command)) groups.add().set_status(category);
  reply.add().set(Reply::Kind::set);  // hints
  reply.add().set(Reply::Kind::set);  // positions of keys in a more general form
  Reply& subcommands = reply.add();
  subcommands.set(command.subcommands.empty() ? Reply::Kind::set : Reply::Kind::array);
  for (const Command& subcommand : command.subcommands) describe(subcommand, subcommands.add());
}

// The name of a command or, with a bar, a subcommand.
const Command* command_of_full_name(std::string_view name) {
  const std::size_t bar = name.find('|');
  if (bar == std::string_view::npos) return command_named(name);
  const std::string_view argv[] = {name.substr(0, bar), name.substr(bar + 1)};
  const Command* command = command_called(argv);
  return command != nullptr && command->subcommands.empty() ? command : nullptr;
}

void describe_all(Call& call) {
  call.reply.set(Reply::Kind::array);
  for (const Command* command : all_commands()) {
    if (command->known()) describe(*command, call.reply.add());
  }
}

void command_info(Call& call) {
  if (call.words() == 2) {
    describe_all(call);
    return;
  }
  call.reply.set(Reply::Kind::array);
  for (std::string_view name : call.argv.subspan(2)) {
    const Command* command = command_of_full_name(name);
    Reply& reply = call.reply.add();
    if (command == nullptr || !command->known()) {
      reply.set(Reply::Kind::nil);
    } else {
      describe(*command, reply);
    }
  }
}

void command_count(Call& call) {
  std::int64_t count = 0;
  for (const Command* command : all_commands()) count += command->known() ? 1 : 0;
  call.reply.set_integer(count);
}

void command_list(Call& call) {
  const bool filtered = call.words() == 5 && same_word(call[2], "filterby");
  const bool by_pattern = filtered && same_word(call[3], "pattern");
  const bool by_category = filtered && same_word(call[3], "aclcat");
  const bool by_module = filtered && same_word(call[3], "module");
  if (call.words() != 2 && !by_pattern && !by_category && !by_module) {
    syntax_error(call.reply);
    return;
  }
  const auto wanted = [&](const Command& command) {
    if (by_pattern) return matches_glob(call[4], command.name, true);
    if (by_category) {
      for (std::string_view category : categories(command)) {
        if (same_word(call[4], category.substr(1))) return true;
      }
    }
    return !filtered;
  };
  call.reply.set(Reply::Kind::array);
  for (const Command* command : all_commands()) {
    if (!command->known()) continue;
    if (wanted(*command)) call.reply.add().set_bulk(command->name);
    for (const Command& subcommand : command->subcommands) {
      if (wanted(subcommand)) call.reply.add().set_bulk(subcommand.name);
    }
  }
}

// No documentation is kept here.
void command_docs(Call& call) { call.reply.set(Reply::Kind::map); }

void command_getkeys(Call& call) {
  const Argv argv = call.argv.subspan(2);
  const Command* command = command_called(argv);
  if (command == nullptr || !command->known()) {
    call.reply.set_error("ERR Invalid command specified");
    return;
  }
  const bool counted = command->is(kRunsScript);
  if (command->keys.first == 0 && !counted) {
    call.reply.set_error("ERR The command has no key arguments");
    return;
  }
  if (!command->takes(argv.size())) {
    call.reply.set_error("ERR Invalid number of arguments specified for command");
    return;
  }
  std::int64_t first = command->keys.first;
  std::int64_t step = command->keys.step;
  const auto words = static_cast<std::int64_t>(argv.size());
  std::int64_t last = command->keys.last < 0 ? words + command->keys.last : command->keys.last;
  if (counted) {
    std::int64_t keys = 0;
    if (!strict_integer(argv[2], keys) || keys < 0 || keys > words - 3) {
      call.reply.set_error("ERR Invalid arguments specified for command");
      return;
    }
    first = 3;
    last = 2 + keys;
    step = 1;
  }
  call.reply.set(Reply::Kind::array);
  for (std::int64_t i = first; i <= last; i += step)
    call.reply.add().set_bulk(argv[static_cast<std::size_t>(i)]);
}

void command_help(Call& call) {
  set_help(call.reply, {"COMMAND <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
                        "(no subcommand)",
                        "    Return details about all Redis commands.",
                        "COUNT",
                        "    Return the total number of commands in this Redis server.",
                        "LIST",
                        "    Return a list of all commands in this Redis server.",
                        "INFO [<command-name> ...]",
                        "    Return details about multiple Redis commands.",
                        "    If no command names are given, documentation details for all",
                        "    commands are returned.",
                        "DOCS [<command-name> ...]",
                        "    Return documentation details about multiple Redis commands.",
                        "    If no command names are given, documentation details for all",
                        "    commands are returned.",
                        "GETKEYS <full-command>",
                        "    Return the keys from a full Redis command.",
                        "GETKEYSANDFLAGS <full-command>",
                        "    Return the keys and the access flags from a full Redis command.",
                        "HELP",
                        "    Prints this help."});
}

// ---------------------------------------------------------------- CONFIG and DEBUG

void config_get(Call& call) { call.server.config.get(call.argv.subspan(2), call.reply); }
void config_set(Call& call) {
  call.server.config.set(call.argv.subspan(2), call.reply);
  call.server.replication.replicas().config_changed();
  call.server.persistence.config_changed();
}

void config_resetstat(Call& call) {
  call.server.stats = {};
  call.reply.set_status("OK");
}

// Who is one of several servers has a file: whom it follows survives a restart.
void config_rewrite(Call& call) {
  if (call.server.replication.has_directory()) {
    call.server.replication.keep_configuration();
    call.reply.set_status("OK");
    return;
  }
  call.reply.set_error("ERR The server is running without a config file");
}

void config_help(Call& call) {
  set_help(call.reply,
           {"CONFIG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:", "GET <pattern>",
            "    Return parameters matching the glob-like <pattern> and their values.",
            "SET <directive> <value>", "    Set the configuration <directive> to <value>.",
            "RESETSTAT", "    Reset statistics reported by the INFO command.", "REWRITE",
            "    Rewrite the configuration file.", "HELP", "    Prints this help."});
}

// As strtod and atoi read them: what is no number is 0.
template <typename Number>
Number leading_number(std::string_view text) {
  Number value{};
  if (text.starts_with('+')) text.remove_prefix(1);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void debug(Call& call) {
  if (call.words() == 3 && same_word(call[1], "sleep")) {
    constexpr double kLongest = 1e9;
    const double seconds = leading_number<double>(call[2]);
    const double sane = seconds > 0 ? (seconds < kLongest ? seconds : kLongest) : 0;
    const auto us = static_cast<std::int64_t>(sane * 1e6);
    if (us > 0) call.server.scripts.spend(std::chrono::microseconds(us));
  } else if (call.words() == 3 && same_word(call[1], "set-active-expire")) {
    call.keys.cycle().set_active(leading_number<int>(call[2]) != 0);
  } else {
    wrong_subcommand(call);
    return;
  }
  call.reply.set_status("OK");
}

constexpr std::uint32_t kAnytime = kLoading | kStale;
constexpr std::uint32_t kAdministration = kAdmin | kNoScript | kAnytime;

constexpr std::array kCommandSubcommands = {
    Command{"command|count", 2, kAnytime, command_count},
    Command{"command|info", -2, kAnytime, command_info},
    Command{"command|list", -2, kAnytime, command_list},
    Command{"command|docs", -2, kAnytime, command_docs},
    Command{"command|getkeys", -4, kAnytime, command_getkeys},
    Command{"command|help", 2, kAnytime, command_help},
};

constexpr std::array kConfigSubcommands = {
    Command{"config|get", -3, kAdministration, config_get},
    Command{"config|set", -4, kAdministration, config_set},
    Command{"config|resetstat", 2, kAdministration, config_resetstat},
    Command{"config|rewrite", 2, kAdministration, config_rewrite},
    Command{"config|help", 2, kAnytime, config_help},
};

constexpr std::array kCommands = {
    Command{"time", 1, kAnytime | kFast, time},
    Command{"dbsize", 1, kRead | kFast, dbsize},
    Command{"flushall", -1, kWrite, flushall},
    Command{"flushdb", -1, kWrite, flushdb},
    Command{"swapdb", 3, kWrite | kFast, swapdb},
    Command{"info", -1, kAnytime, info},
    Command{"command", -1, kAnytime, describe_all, {}, kCommandSubcommands},
    Command{"config", -2, 0, nullptr, {}, kConfigSubcommands},
    Command{"debug", -2, kAdministration | kOwnStack, debug},
};

}  // namespace
}  // namespace of_servers

std::span<const Command> server_commands() { return of_servers::kCommands; }

}  // namespace picklock::redis
