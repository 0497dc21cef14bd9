// Commands about connections: PING, HELLO, AUTH, SELECT, QUIT, RESET and CLIENT.
#include <algorithm>
#include <array>
#include <chrono>

#include "models/redis/authentication.h"
#include "models/redis/blocked_clients.h"
#include "models/redis/commands.h"
#include "models/redis/config.h"
#include "models/redis/connections.h"
#include "models/redis/lifetime.h"
#include "models/redis/monitors.h"
#include "models/redis/pause_gate.h"
#include "models/redis/pubsub.h"
#include "models/redis/redirection.h"
#include "models/redis/replication.h"

namespace picklock::redis {
namespace of_connections {
namespace {

void ping(Call& call) {
  if (call.words() > 2) {
    call.reply.set_error("ERR wrong number of arguments for 'ping' command");
  } else if (call.session.protocol == 2 && call.session.subscribed()) {
    call.reply.set(Reply::Kind::array);
    call.reply.add().set_bulk("pong");
    call.reply.add().set_bulk(call.words() == 2 ? call[1] : "");
  } else if (call.words() == 2) {
    call.reply.set_bulk(call[1]);
  } else {
    call.reply.set_status("PONG");
  }
}

void echo(Call& call) { call.reply.set_bulk(call[1]); }

void quit(Call& call) {
  call.server.connections.close(call.session);
  call.reply.set_status("OK");
}

void select(Call& call) {
  std::int64_t database = 0;
  if (!integer(call[1], database, call.reply)) return;
  if (call.server.redirection.slots() != nullptr && database != 0) {
    call.reply.set_error("ERR SELECT is not allowed in cluster mode");
  } else if (database > INT32_MAX || database < INT32_MIN) {
    call.reply.set_error(
        "ERR value is out of range, value must between -2147483648 and 2147483647");
  } else if (database < 0 || database >= kDatabases) {
    call.reply.set_error("ERR DB index is out of range");
  } else {
    call.session.database = static_cast<std::uint32_t>(database);
    call.reply.set_status("OK");
  }
}

void reset(Call& call) {
  Session& session = call.session;
  session.end_transaction();
  PubSub::forget(session);
  call.server.monitors.forget(session);
  session.database = 0;
  session.protocol = 2;
  session.authenticated = call.server.config.password().empty();
  session.name.clear();
  if (session.replies != Replies::skip_this) session.replies = Replies::on;
  call.reply.set_status("RESET");
}

void auth(Call& call) {
  redis::auth(call.argv, call.server.config.password(), call.session.authenticated, call.reply);
}

void hello(Call& call) {
  if (!redis::hello(call.argv, call.server.config.password(), call.session, call.reply)) return;
  Reply& reply = call.reply;
  reply.set(Reply::Kind::map);
  const auto pair = [&reply](std::string_view name) -> Reply& {
    reply.add().set_bulk(name);
    return reply.add();
  };
  pair("server").set_bulk("redis");
  pair("version").set_bulk(kVersion);
  pair("proto").set_integer(call.session.protocol);
  pair("id").set_integer(static_cast<std::int64_t>(call.session.id));
  pair("mode").set_bulk("standalone");
  pair("role").set_bulk(call.server.replication.is_replica() ? "replica" : "master");
  pair("modules").set(Reply::Kind::array);
}

// ---------------------------------------------------------------- CLIENT

enum class ClientType : std::uint8_t { normal, replica, pubsub, master };

bool client_type(Call& call, std::string_view word, ClientType& type) {
  if (same_word(word, "normal")) {
    type = ClientType::normal;
  } else if (same_word(word, "slave") || same_word(word, "replica")) {
    type = ClientType::replica;
  } else if (same_word(word, "pubsub")) {
    type = ClientType::pubsub;
  } else if (same_word(word, "master")) {
    type = ClientType::master;
  } else {
    std::string text = "ERR Unknown client type '";
    call.reply.set_error(text.append(until_zero(word)).append("'"));
    return false;
  }
  return true;
}

bool is_of(const Session& session, ClientType type) {
  if (session.replica != nullptr) return type == ClientType::replica;
  return type == (session.subscribed() ? ClientType::pubsub : ClientType::normal);
}

bool touched(Keyspace& keys, const Session& session) {
  return session.dirty ||
         std::any_of(session.watches.begin(), session.watches.end(), [&](const Watch& watch) {
           const Entry& entry = keys.at(watch.slot);
           return entry.version != watch.version || (watch.was_alive && !entry.present);
         });
}

std::string flags(Keyspace& keys, const Session& session) {
  std::string all;
  if (session.replica != nullptr) all += 'S';
  if (session.monitors) all += 'O';
  if (session.subscribed()) all += 'P';
  if (session.in_multi) all += 'x';
  if (session.held > 0 || session.blocked || !session.postponed.empty()) all += 'b';
  if (touched(keys, session)) all += 'd';
  if (session.closing) all += 'c';
  if (session.no_evict) all += 'e';
  return all.empty() ? "N" : all;
}

// The buffer sizes are those of an idle connection.
std::string info_line(const Call& call, const Session& session) {
  const auto seconds = [&call](sim::Instant since) {
    return std::to_string((call.server.lifetime.now() - since) / std::chrono::seconds(1));
  };
  const std::uint64_t unread = session.connection == nullptr ? 0 : session.connection->unread();
  std::string line = "id=" + std::to_string(session.id);
  const auto field = [&line](std::string_view name, std::string_view value) {
    line.append(" ").append(name).append("=").append(value);
  };
  field("addr", Connections::peer_address(session));
  field("laddr", Connections::own_address(session));
  field("fd", std::to_string(session.id + 7));
  field("name", session.name);
  field("age", seconds(session.connected_at));
  field("idle", seconds(session.last_command_at));
  field("flags", flags(call.keys, session));
  field("db", std::to_string(session.database));
  field("sub", std::to_string(session.channels.size()));
  field("psub", std::to_string(session.patterns.size()));
  field("ssub", std::to_string(session.shards.size()));
  field("multi", session.in_multi ? std::to_string(session.queued.size()) : "-1");
  line += " qbuf=0 qbuf-free=20474 argv-mem=0 multi-mem=0 rbs=1024 rbp=0 obl=0 oll=0";
  field("omem", std::to_string(unread));
  line += " tot-mem=22298 events=r";
  field("cmd", session.last_command == nullptr ? "NULL" : session.last_command->name);
  line += " user=default redir=-1";
  field("resp", std::to_string(session.protocol));
  return line + "\n";
}

void client_id(Call& call) { call.reply.set_integer(static_cast<std::int64_t>(call.session.id)); }

void client_getname(Call& call) {
  if (call.session.name.empty()) {
    call.reply.set(Reply::Kind::nil);
  } else {
    call.reply.set_bulk(call.session.name);
  }
}

void client_setname(Call& call) {
  if (set_name(call.session, call[2], call.reply)) call.reply.set_status("OK");
}

void client_info(Call& call) {
  call.reply.set_bulk(info_line(call, call.session));
  call.reply.kind = Reply::Kind::verbatim;
}

void client_list(Call& call) {
  std::string all;
  const std::span<Session* const> sessions = call.server.connections.all();
  if (call.words() == 4 && same_word(call[2], "type")) {
    ClientType type{};
    if (!client_type(call, call[3], type)) return;
    for (const Session* session : sessions) {
      if (is_of(*session, type)) all += info_line(call, *session);
    }
  } else if (call.words() > 3 && same_word(call[2], "id")) {
    for (std::string_view word : call.argv.subspan(3)) {
      std::int64_t id = 0;
      if (!strict_integer(word, id)) {
        call.reply.set_error("ERR Invalid client ID");
        return;
      }
      for (const Session* session : sessions) {
        if (static_cast<std::int64_t>(session->id) == id) all += info_line(call, *session);
      }
    }
  } else if (call.words() != 2) {
    syntax_error(call.reply);
    return;
  } else {
    for (const Session* session : sessions) all += info_line(call, *session);
  }
  call.reply.set_bulk(all);
  call.reply.kind = Reply::Kind::verbatim;
}

struct Whom {
  std::string_view address{};
  std::string_view local_address{};
  std::int64_t id = 0;
  bool typed = false;
  ClientType type{};
  bool skip_me = true;

  bool is(const Session& session) const {
    return (address.empty() || Connections::peer_address(session) == address) &&
           (local_address.empty() || Connections::own_address(session) == local_address) &&
           (!typed || is_of(session, type)) &&
           (id == 0 || static_cast<std::int64_t>(session.id) == id);
  }
};

bool read_whom(Call& call, Whom& whom) {
  for (std::size_t i = 2; i < call.words(); i += 2) {
    const std::string_view option = call[i];
    const std::string_view value = i + 1 < call.words() ? call[i + 1] : std::string_view();
    if (i + 1 == call.words()) {
      syntax_error(call.reply);
      return false;
    }
    if (same_word(option, "id")) {
      if (!strict_integer(value, whom.id) || whom.id < 1) {
        call.reply.set_error("ERR client-id should be greater than 0");
        return false;
      }
    } else if (same_word(option, "type")) {
      if (!client_type(call, value, whom.type)) return false;
      whom.typed = true;
    } else if (same_word(option, "addr")) {
      whom.address = value;
    } else if (same_word(option, "laddr")) {
      whom.local_address = value;
    } else if (same_word(option, "user")) {
      if (value != "default") {
        std::string text = "ERR No such user '";
        call.reply.set_error(text.append(until_zero(value)).append("'"));
        return false;
      }
    } else if (same_word(option, "skipme") && same_word(value, "yes")) {
      whom.skip_me = true;
    } else if (same_word(option, "skipme") && same_word(value, "no")) {
      whom.skip_me = false;
    } else {
      syntax_error(call.reply);
      return false;
    }
  }
  return true;
}

void client_kill(Call& call) {
  Whom whom;
  const bool old_form = call.words() == 3;
  if (old_form) {
    whom.address = call[2];
    whom.skip_me = false;
    if (call[2].empty()) whom.address = "nobody";
  } else if (!read_whom(call, whom)) {
    return;
  }
  const std::vector<Session*> sessions(call.server.connections.all().begin(),
                                       call.server.connections.all().end());
  std::int64_t killed = 0;
  for (Session* session : sessions) {
    if (!whom.is(*session) || (session == &call.session && whom.skip_me)) continue;
    call.server.connections.close(*session);
    ++killed;
  }
  if (!old_form) {
    call.reply.set_integer(killed);
  } else if (killed == 0) {
    call.reply.set_error("ERR No such client");
  } else {
    call.reply.set_status("OK");
  }
}

void client_pause(Call& call) {
  Pause what = Pause::all;
  if (call.words() == 4 && same_word(call[3], "write")) {
    what = Pause::writes;
  } else if (call.words() == 4 && !same_word(call[3], "all")) {
    call.reply.set_error("ERR CLIENT PAUSE mode must be WRITE or ALL");
    return;
  } else if (call.words() > 4) {
    wrong_subcommand(call);
    return;
  }
  std::int64_t length_ms = 0;
  std::int64_t until_ms = 0;
  if (!strict_integer(call[2], length_ms)) {
    call.reply.set_error("ERR timeout is not an integer or out of range");
  } else if (length_ms < 0) {
    call.reply.set_error("ERR timeout is negative");
  } else if (__builtin_add_overflow(length_ms, call.keys.clock().ms(), &until_ms)) {
    call.reply.set_error("ERR timeout is out of range");
  } else {
    if (length_ms == 0) until_ms = 0;  // over before it begins
    call.server.pause.pause(until_ms, what);
    call.reply.set_status("OK");
  }
}

void client_unpause(Call& call) {
  call.server.pause.unpause();
  call.reply.set_status("OK");
}

void client_reply(Call& call) {
  Session& session = call.session;
  if (same_word(call[2], "on")) {
    if (session.replies != Replies::skip_next) session.replies = Replies::on;
    call.reply.set_status("OK");
  } else if (same_word(call[2], "off")) {
    session.replies = Replies::off;
    call.written = true;
  } else if (same_word(call[2], "skip")) {
    if (session.replies != Replies::off) session.replies = Replies::skip_next;
    call.written = true;
  } else {
    syntax_error(call.reply);
  }
}

void client_no_evict(Call& call) {
  if (same_word(call[2], "on")) {
    call.session.no_evict = true;
  } else if (same_word(call[2], "off")) {
    call.session.no_evict = false;
  } else {
    syntax_error(call.reply);
    return;
  }
  call.reply.set_status("OK");
}

// Client-side caching is not modeled, so no key is tracked.
void client_getredir(Call& call) { call.reply.set_integer(-1); }

void client_trackinginfo(Call& call) {
  Reply& reply = call.reply;
  reply.set(Reply::Kind::map);
  reply.add().set_bulk("flags");
  Reply& flags = reply.add();
  flags.set(Reply::Kind::set);
  flags.add().set_bulk("off");
  reply.add().set_bulk("redirect");
  reply.add().set_integer(-1);
  reply.add().set_bulk("prefixes");
  reply.add().set(Reply::Kind::array);
}

void client_unblock(Call& call) {
  if (call.words() > 4) {
    wrong_subcommand(call);
    return;
  }
  if (call.words() == 4 && !same_word(call[3], "timeout") && !same_word(call[3], "error")) {
    call.reply.set_error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    return;
  }
  std::int64_t id = 0;
  if (!integer(call[2], id, call.reply)) return;
  const bool error = call.words() == 4 && same_word(call[3], "error");
  call.reply.set_integer(call.server.blocked.unblock_later(id, error) ? 1 : 0);
}

void monitor(Call& call) {
  if (call.session.in_multi) {
    call.reply.set_error("ERR MONITOR isn't allowed for DENY BLOCKING client");
    return;
  }
  call.server.monitors.add(call.session);
  call.reply.set_status("OK");
}

void client_help(Call& call) {
  set_help(call.reply,
           {"CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
            "CACHING (YES|NO)",
            "    Enable/disable tracking of the keys for next command in OPTIN/OPTOUT modes.",
            "GETREDIR",
            "    Return the client ID we are redirecting to when tracking is enabled.",
            "GETNAME",
            "    Return the name of the current connection.",
            "ID",
            "    Return the ID of the current connection.",
            "INFO",
            "    Return information about the current client connection.",
            "KILL <ip:port>",
            "    Kill connection made from <ip:port>.",
            "KILL <option> <value> [<option> <value> [...]]",
            "    Kill connections. Options are:",
            "    * ADDR (<ip:port>|<unixsocket>:0)",
            "      Kill connections made from the specified address",
            "    * LADDR (<ip:port>|<unixsocket>:0)",
            "      Kill connections made to specified local address",
            "    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)",
            "      Kill connections by type.",
            "    * USER <username>",
            "      Kill connections authenticated by <username>.",
            "    * SKIPME (YES|NO)",
            "      Skip killing current connection (default: yes).",
            "LIST [options ...]",
            "    Return information about client connections. Options:",
            "    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)",
            "      Return clients of specified type.",
            "UNPAUSE",
            "    Stop the current client pause, resuming traffic.",
            "PAUSE <timeout> [WRITE|ALL]",
            "    Suspend all, or just write, clients for <timeout> milliseconds.",
            "REPLY (ON|OFF|SKIP)",
            "    Control the replies sent to the current connection.",
            "SETNAME <name>",
            "    Assign the name <name> to the current connection.",
            "UNBLOCK <clientid> [TIMEOUT|ERROR]",
            "    Unblock the specified blocked client.",
            "TRACKING (ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]",
            "         [OPTIN] [OPTOUT] [NOLOOP]",
            "    Control server assisted client side caching.",
            "TRACKINGINFO",
            "    Report tracking status for the current connection.",
            "NO-EVICT (ON|OFF)",
            "    Protect current client connection from eviction.",
            "HELP",
            "    Prints this help."});
}

constexpr std::uint32_t kOwn = kNoScript | kLoading | kStale;  // about the connection itself
constexpr std::uint32_t kOthers = kOwn | kAdmin;               // about others too
constexpr std::uint32_t kAlways = kOwn | kFast | kUngated | kWhileBusy;

constexpr std::array kClientSubcommands = {
    Command{"client|id", 2, kOwn, client_id},
    Command{"client|getname", 2, kOwn, client_getname},
    Command{"client|setname", 3, kOwn, client_setname},
    Command{"client|info", 2, kOwn, client_info},
    Command{"client|list", -2, kOthers, client_list},
    Command{"client|kill", -3, kOthers, client_kill},
    Command{"client|pause", -3, kOthers, client_pause},
    Command{"client|unpause", 2, kOthers, client_unpause},
    Command{"client|reply", 3, kOwn, client_reply},
    Command{"client|no-evict", 3, kOthers, client_no_evict},
    Command{"client|unblock", -3, kOthers, client_unblock},
    Command{"client|getredir", 2, kOwn, client_getredir},
    Command{"client|trackinginfo", 2, kOwn, client_trackinginfo},
    Command{"client|help", 2, kLoading | kStale, client_help},
};

constexpr std::array kCommands = {
    Command{"ping", -1, kFast | kSubscribed, ping},
    Command{"echo", 2, kLoading | kStale | kFast, echo},
    Command{"quit", -1, kAlways | kSubscribed | kNotQueued | kEndsMulti, quit},
    Command{"reset", 1, kAlways | kSubscribed | kNotQueued | kEndsMulti, reset},
    Command{"hello", -1, kAlways, hello},
    Command{"auth", -2, kAlways, auth},
    Command{"monitor", 1, kOthers, monitor},
    Command{"select", 2, kLoading | kStale | kFast, select},
    Command{"client", -2, 0, nullptr, {}, kClientSubcommands},
};

}  // namespace
}  // namespace of_connections

std::span<const Command> connection_commands() { return of_connections::kCommands; }

}  // namespace picklock::redis
