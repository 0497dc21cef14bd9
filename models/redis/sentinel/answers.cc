// The answers of a Sentinel to clients and to other Sentinels.
#include <algorithm>
#include <array>
#include <cstdint>

#include "models/redis/authentication.h"
#include "models/redis/commands.h"
#include "models/redis/sentinel/promotion.h"
#include "models/redis/sentinel/sentinel.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

std::string lowered(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(), lower);
  return text;
}

std::string unknown_sentinel_command(std::span<const std::string_view> argv) {
  std::string words;
  for (std::string_view word : argv.subspan(1)) {
    if (words.size() >= kLongestShown) break;
    words.append(1, '\'').append(shown(word, kLongestShown - words.size())).append("' ");
  }
  return "ERR unknown command '" + std::string(shown(argv[0])) +
         "', with args beginning with: " + words;
}

std::string unknown_subcommand(std::span<const std::string_view> argv) {
  return "ERR unknown subcommand '" + std::string(shown(argv[1])) + "'. Try " + upper(argv[0]) +
         " HELP.";
}

struct SentinelCommand {
  std::string_view name;
  std::size_t least = 1;  // words
  std::size_t most = SIZE_MAX;
};

constexpr std::array kSentinelCommands = {
    SentinelCommand{"auth", 2},       SentinelCommand{"client", 2},
    SentinelCommand{"hello"},         SentinelCommand{"info"},
    SentinelCommand{"ping", 1, 2},    SentinelCommand{"psubscribe", 2},
    SentinelCommand{"publish", 3, 3}, SentinelCommand{"punsubscribe"},
    SentinelCommand{"role", 1, 1},    SentinelCommand{"sentinel", 2},
    SentinelCommand{"subscribe", 2},  SentinelCommand{"unsubscribe"},
};

const SentinelCommand* sentinel_command(std::string_view name) {
  const auto found = std::find_if(kSentinelCommands.begin(), kSentinelCommands.end(),
                                  [name](const SentinelCommand& one) { return one.name == name; });
  return found == kSentinelCommands.end() ? nullptr : &*found;
}

void add_text(Reply& reply, std::string_view name, std::string_view value) {
  reply.add().set_bulk(name);
  reply.add().set_bulk(value);
}

void add_number(Reply& reply, std::string_view name, std::int64_t value) {
  add_text(reply, name, Digits(value).view());
}

std::string_view name(FailoverState state) {
  switch (state) {
    case FailoverState::none:
      return "none";
    case FailoverState::wait_start:
      return "wait_start";
    case FailoverState::select_replica:
      return "select_slave";
    case FailoverState::send_no_one:
      return "send_slaveof_noone";
    case FailoverState::wait_promotion:
      return "wait_promotion";
    case FailoverState::reconfigure_replicas:
      return "reconf_slaves";
    case FailoverState::update_config:
      return "update_config";
  }
  return "unknown";
}

std::string flags_of(const Instance& instance) {
  std::string flags;
  const auto add = [&](bool holds, std::string_view flag) {
    if (!holds) return;
    if (!flags.empty()) flags += ',';
    flags += flag;
  };
  add(instance.subjectively_down, "s_down");
  add(instance.objectively_down, "o_down");
  add(instance.kind == InstanceKind::master, "master");
  add(instance.kind == InstanceKind::replica, "slave");
  add(instance.kind == InstanceKind::sentinel, "sentinel");
  add(instance.contact->disconnected, "disconnected");
  add(instance.finds_master_down, "master_down");
  add(instance.failover_in_progress, "failover_in_progress");
  add(instance.promoted, "promoted");
  add(instance.reconf_sent, "reconf_sent");
  add(instance.reconf_in_progress, "reconf_inprog");
  add(instance.reconf_done, "reconf_done");
  add(instance.forced, "force_failover");
  add(instance.script_kill_sent, "script_kill_sent");
  return flags;
}

}  // namespace

// ---------------------------------------------------------------- connections

Session& Sentinel::session_of(sim::Connection& connection) {
  if (connection.session != nullptr) return *static_cast<Session*>(connection.session);
  const auto unused = std::find_if(sessions_.begin(), sessions_.end(),
                                   [](const Session& session) { return !session.connected; });
  Session& session = unused == sessions_.end() ? sessions_.emplace_back() : *unused;
  session = Session{};
  session.id = ++session_ids_;
  session.connected = true;
  session.authenticated = password_.empty();
  session.connection = &connection;
  connection.session = &session;
  return session;
}

void Sentinel::client_gone(sim::Connection& connection) {
  if (connection.session == nullptr) return;
  Session& session = *static_cast<Session*>(connection.session);
  PubSub::forget(session);
  session.connected = false;
  connection.session = nullptr;
}

bool Sentinel::apply(sim::Message& request, sim::Payload& answer) {
  Session& session = session_of(*request.connection);
  if (!read_request(request.payload.view(), argv_)) {
    reply_.set_error("ERR Protocol error");
    write_reply(answer, reply_, session.protocol);
    return true;
  }
  // A fast path, because other Sentinels send hardly anything else.
  const bool plain = session.authenticated && !session.subscribed();
  if (plain && argv_.size() == 1 && argv_[0] == "PING") {
    answer.append("+PONG\r\n");
    return true;
  }
  if (plain && argv_.size() == 3 && argv_[0] == "PUBLISH" && argv_[1] == kHelloChannel) {
    take_hello(argv_[2]);
    write_integer(answer, 1);
    return true;
  }
  if (same_word(argv_[0], "quit")) {
    quit(request);
    return false;
  }
  run(session, argv_, answer);
  return true;
}

// The answer must leave before the end of the connection.
void Sentinel::quit(sim::Message& request) {
  sim::Connection& connection = *request.connection;
  sim::Message& reply = reply_to(request);
  reply.payload.append("+OK\r\n");
  client_gone(connection);
  answer(request, reply);
  if (!process().down()) simulation().network.shut(connection);
}

// ---------------------------------------------------------------- commands

void Sentinel::run(Session& session, Argv argv, sim::Payload& out) {
  const std::string name = lowered(argv[0]);
  const SentinelCommand* const command = sentinel_command(name);
  const bool listens = session.protocol == 2 && session.subscribed();
  if (command == nullptr) {
    reply_.set_error(unknown_sentinel_command(argv));
  } else if (argv.size() < command->least || argv.size() > command->most) {
    wrong_arity(reply_, name);
  } else if (name == "auth") {
    auth(argv, password_, session.authenticated, reply_);
  } else if (!session.authenticated && name != "hello") {
    reply_.set_error(kNoAuth);
  } else if (listens && name != "ping" && !name.ends_with("subscribe")) {
    reply_.set_error("ERR Can't execute '" + name +
                     "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed "
                     "in this context");
  } else if (name.ends_with("subscribe")) {
    run_subscription(session, argv, out);
    return;
  } else if (name == "publish") {
    if (argv[1] == kHelloChannel) {
      take_hello(argv[2]);
      reply_.set_integer(1);
    } else {
      reply_.set_error("ERR Only HELLO messages are accepted by Sentinel instances.");
    }
  } else if (name == "sentinel") {
    run_sentinel(argv);
  } else if (name == "ping") {
    if (listens) {
      reply_.set(Reply::Kind::array);
      reply_.add().set_bulk("pong");
      reply_.add().set_bulk(argv.size() == 2 ? argv[1] : std::string_view());
    } else if (argv.size() == 2) {
      reply_.set_bulk(argv[1]);
    } else {
      reply_.set_status("PONG");
    }
  } else if (name == "info") {
    answer_info(argv);
  } else if (name == "role") {
    reply_.set(Reply::Kind::array);
    reply_.add().set_bulk("sentinel");
    Reply& names = reply_.add();
    names.set(Reply::Kind::array);
    for (const auto& master : masters_) names.add().set_bulk(master->name);
  } else if (name == "hello") {
    answer_hello(session, argv);
  } else {
    answer_client(session, argv);
  }
  write_reply(out, reply_, session.protocol);
}

void Sentinel::run_subscription(Session& session, Argv argv, sim::Payload& out) {
  const std::string command = lowered(argv[0]);
  const bool patterns = command.starts_with('p');
  Topics& topics = patterns ? pubsub_.patterns : pubsub_.channels;
  std::vector<Topic*>& mine = patterns ? session.patterns : session.channels;
  const auto confirm = [&](const std::string* topic) {
    write_push(out, 3, session.protocol);
    write_bulk(out, command);
    if (topic != nullptr) {
      write_bulk(out, *topic);
    } else {
      write_nil(out, session.protocol);
    }
    write_integer(out,
                  static_cast<std::int64_t>(session.channels.size() + session.patterns.size()));
  };
  if (!command.ends_with("unsubscribe")) {
    for (std::string_view word : argv.subspan(1)) {
      Topic& topic = topics.get(word);
      listen(session, mine, topic);
      confirm(&topic.name);
    }
    return;
  }
  std::vector<std::string> names;
  for (std::string_view word : argv.subspan(1)) names.emplace_back(word);
  if (argv.size() == 1) {
    for (const Topic* topic : mine) names.push_back(topic->name);
    if (names.empty()) confirm(nullptr);
  }
  for (const std::string& topic_name : names) {
    if (Topic* topic = topics.find(topic_name)) stop_listening(session, mine, *topic);
    confirm(&topic_name);
  }
}

void Sentinel::answer_hello(Session& session, Argv argv) {
  if (!hello(argv, password_, session, reply_)) return;
  reply_.set(Reply::Kind::map);
  add_text(reply_, "server", "redis");
  add_text(reply_, "version", kVersion);
  reply_.add().set_bulk("proto");
  reply_.add().set_integer(session.protocol);
  reply_.add().set_bulk("id");
  reply_.add().set_integer(static_cast<std::int64_t>(session.id));
  add_text(reply_, "mode", "sentinel");
  reply_.add().set_bulk("modules");
  reply_.add().set(Reply::Kind::array);
}

void Sentinel::answer_client(Session& session, Argv argv) {
  const std::string what = lowered(argv[1]);
  const std::size_t words = what == "setname" ? 3 : 2;
  if (what != "setname" && what != "getname" && what != "id") {
    reply_.set_error(unknown_subcommand(argv));
  } else if (argv.size() != words) {
    wrong_arity(reply_, "client|" + what);
  } else if (what == "setname") {
    if (set_name(session, argv[2], reply_)) reply_.set_status("OK");
  } else if (what == "id") {
    reply_.set_integer(static_cast<std::int64_t>(session.id));
  } else if (session.name.empty()) {
    reply_.set(Reply::Kind::nil);
  } else {
    reply_.set_bulk(session.name);
  }
}

void Sentinel::answer_info(Argv argv) {
  const auto wants = [&](std::string_view section) {
    if (argv.size() == 1) return true;
    return std::any_of(argv.begin() + 1, argv.end(), [&](std::string_view word) {
      const std::string asked = lowered(word);
      return asked == section || asked == "all" || asked == "default" || asked == "everything";
    });
  };
  std::string text;
  if (wants("server")) {
    text = "# Server\r\nredis_version:" + std::string(kVersion) + "\r\nredis_mode:sentinel\r\n" +
           "tcp_port:" + std::to_string(own_.port) + "\r\n";
  }
  if (wants("sentinel")) {
    if (!text.empty()) text += "\r\n";
    const Milliseconds tilted = tilt_ ? (now() - tilt_since_) / 1000 : -1;
    text += "# Sentinel\r\nsentinel_masters:" + std::to_string(masters_.size()) +
            "\r\nsentinel_tilt:" + (tilt_ ? '1' : '0') +
            "\r\nsentinel_tilt_since_seconds:" + std::to_string(tilted) +
            "\r\nsentinel_running_scripts:0\r\nsentinel_scripts_queue_length:0\r\n"
            "sentinel_simulate_failure_flags:0\r\n";
    std::size_t number = 0;
    for (const auto& master : masters_) {
      const std::string_view status = master->objectively_down    ? "odown"
                                      : master->subjectively_down ? "sdown"
                                                                  : "ok";
      text += "master" + std::to_string(number++) + ":name=" + master->name +
              ",status=" + std::string(status) + ",address=" + master->address.host + ':' +
              std::to_string(master->address.port) +
              ",slaves=" + std::to_string(master->replicas.size()) +
              ",sentinels=" + std::to_string(master->sentinels.size() + 1) + "\r\n";
    }
  }
  reply_.set_bulk(text);
}

// ---------------------------------------------------------------- SENTINEL

Instance* Sentinel::named_master(std::string_view name) {
  Instance* const master = find_master(name);
  if (master == nullptr) reply_.set_error("ERR No such master with that name");
  return master;
}

void Sentinel::run_sentinel(Argv argv) {
  const std::string what = lowered(argv[1]);
  std::size_t words = 3;
  if (what == "masters" || what == "myid" || what == "flushconfig") words = 2;
  if (what == "is-master-down-by-addr") words = 6;
  static constexpr std::string_view kKnown[] = {"masters",
                                                "myid",
                                                "flushconfig",
                                                "master",
                                                "slaves",
                                                "replicas",
                                                "ckquorum",
                                                "sentinels",
                                                "failover",
                                                "get-master-addr-by-name",
                                                "is-master-down-by-addr"};
  if (std::find(std::begin(kKnown), std::end(kKnown), what) == std::end(kKnown)) {
    reply_.set_error(unknown_subcommand(argv));
  } else if (argv.size() != words) {
    wrong_arity(reply_, "sentinel|" + what);
  } else if (what == "is-master-down-by-addr") {
    answer_is_master_down(argv);
  } else if (what == "get-master-addr-by-name") {
    const Instance* master = find_master(argv[2]);
    if (master == nullptr) {
      reply_.set(Reply::Kind::nil_array);  // R70
      return;
    }
    const Address& address = master->current_address();
    reply_.set(Reply::Kind::array);
    add_number(reply_, address.host, address.port);
  } else if (what == "masters") {
    describe_all(masters_);
  } else if (what == "myid") {
    reply_.set_bulk(id_);
  } else if (what == "flushconfig") {
    save();
    reply_.set_status("OK");
  } else if (what == "failover") {
    answer_failover(argv);
  } else if (const Instance* master = named_master(argv[2])) {
    if (what == "master") {
      describe(*master, reply_);
    } else if (what == "sentinels") {
      describe_all(master->sentinels);
    } else if (what == "ckquorum") {
      answer_quorum(*master);
    } else {
      describe_all(master->replicas);
    }
  }
}

void Sentinel::answer_is_master_down(Argv argv) {
  std::int64_t port = 0;
  std::int64_t epoch = 0;
  if (!integer(argv[3], port, reply_) || !integer(argv[4], epoch, reply_)) return;
  Instance* asked = nullptr;
  for (const auto& master : masters_) {
    const bool same = master->address.host == argv[2] && master->address.port == port;
    if (same && asked == nullptr) asked = master.get();
  }
  const bool down = !tilt_ && asked != nullptr && asked->subjectively_down;
  std::string leader;
  std::uint64_t leader_epoch = 0;
  if (asked != nullptr && argv[5] != "*") {
    leader = vote(*asked, static_cast<std::uint64_t>(epoch), argv[5]);
    leader_epoch = asked->leader_epoch;
  }
  reply_.set(Reply::Kind::array);
  reply_.add().set_integer(down ? 1 : 0);
  reply_.add().set_bulk(leader.empty() ? "*" : std::string_view(leader));
  reply_.add().set_integer(static_cast<std::int64_t>(leader_epoch));
}

void Sentinel::answer_failover(Argv argv) {
  Instance* const master = named_master(argv[2]);
  if (master == nullptr) return;
  if (master->failover_in_progress) {
    reply_.set_error("INPROG Failover already in progress");
  } else if (best_for_promotion(*master, now()) == nullptr) {
    reply_.set_error("NOGOODSLAVE No suitable replica to promote");
  } else {
    log("Executing user requested FAILOVER of '" + master->name + "'");
    start_failover(*master);
    master->forced = true;
    reply_.set_status("OK");
  }
}

void Sentinel::answer_quorum(const Instance& master) {
  const auto usable = 1 + static_cast<std::size_t>(std::count_if(
                              master.sentinels.begin(), master.sentinels.end(),
                              [](const auto& other) { return !other->subjectively_down; }));
  const bool quorum = usable >= master.quorum;
  const bool majority = usable >= (master.sentinels.size() + 1) / 2 + 1;
  const std::string number = std::to_string(usable);
  if (quorum && majority) {
    reply_.set_status("OK " + number +
                      " usable Sentinels. Quorum and failover authorization can be reached");
    return;
  }
  std::string text = "NOQUORUM " + number + " usable Sentinels. ";
  if (!quorum)
    text += "Not enough available Sentinels to reach the specified quorum for this master";
  if (!quorum && !majority) text += ". ";
  if (!majority)
    text += "Not enough available Sentinels to reach the majority and authorize a failover";
  reply_.set_error(text);
}

void Sentinel::describe_all(const Instances& instances) {
  reply_.set(Reply::Kind::array);
  for (const auto& instance : instances) describe(*instance, reply_.add());
}

void Sentinel::describe(const Instance& instance, Reply& reply) const {
  const Milliseconds time = now();
  const Contact& contact = *instance.contact;
  const bool master = instance.kind == InstanceKind::master;
  reply.set(Reply::Kind::map);
  add_text(reply, "name", instance.name);
  add_text(reply, "ip", instance.address.host);
  add_number(reply, "port", instance.address.port);
  add_text(reply, "runid", instance.run_id);
  add_text(reply, "flags", flags_of(instance));
  add_number(reply, "link-pending-commands", static_cast<std::int64_t>(contact.commands.pending()));
  add_number(reply, "link-refcount", instance.contact.use_count());
  if (instance.failover_in_progress)
    add_text(reply, "failover-state", name(instance.failover_state));
  add_number(reply, "last-ping-sent",
             contact.unanswered_since != 0 ? time - contact.unanswered_since : 0);
  add_number(reply, "last-ok-ping-reply", time - contact.last_available_at);
  add_number(reply, "last-ping-reply", time - contact.last_pong_at);
  if (instance.subjectively_down)
    add_number(reply, "s-down-time", time - instance.subjectively_down_since);
  if (instance.objectively_down)
    add_number(reply, "o-down-time", time - instance.objectively_down_since);
  add_number(reply, "down-after-milliseconds", instance.down_after);
  if (instance.kind == InstanceKind::sentinel) {
    add_number(reply, "last-hello-message", time - instance.last_hello_at);
    add_text(reply, "voted-leader", instance.leader.empty() ? "?" : instance.leader);
    add_number(reply, "voted-leader-epoch", static_cast<std::int64_t>(instance.leader_epoch));
    return;
  }
  add_number(reply, "info-refresh", instance.info_at != 0 ? time - instance.info_at : 0);
  add_text(reply, "role-reported",
           instance.role_reported == InstanceKind::master ? "master" : "slave");
  add_number(reply, "role-reported-time", time - instance.role_reported_at);
  if (master) {
    add_number(reply, "config-epoch", static_cast<std::int64_t>(instance.config_epoch));
    add_number(reply, "num-slaves", static_cast<std::int64_t>(instance.replicas.size()));
    add_number(reply, "num-other-sentinels", static_cast<std::int64_t>(instance.sentinels.size()));
    add_number(reply, "quorum", instance.quorum);
    add_number(reply, "failover-timeout", instance.failover_timeout);
    add_number(reply, "parallel-syncs", instance.parallel_syncs);
    return;
  }
  add_number(reply, "master-link-down-time", instance.link_down_ms);
  add_text(reply, "master-link-status", instance.link_up ? "ok" : "err");
  add_text(reply, "master-host", instance.master_host.empty() ? "?" : instance.master_host);
  add_number(reply, "master-port", instance.master_port);
  add_number(reply, "slave-priority", instance.priority);
  add_number(reply, "slave-repl-offset", static_cast<std::int64_t>(instance.offset));
  add_number(reply, "replica-announced", 1);
}

}  // namespace picklock::redis
