// Replication: REPLICAOF, the handshake of a replica, and WAIT.
#include <array>
#include <string>

#include "models/redis/blocked_clients.h"
#include "models/redis/commands.h"
#include "models/redis/connections.h"
#include "models/redis/replication.h"

namespace picklock::redis {
namespace of_replication {
namespace {

void replicaof(Call& call) {
  Replication& replication = call.server.replication;
  if (same_word(call[1], "no") && same_word(call[2], "one")) {
    replication.lead();
    call.reply.set_status("OK");
    return;
  }
  std::int64_t port = 0;
  if (!strict_integer(call[2], port) || port < 0 || port > 65535) {
    call.reply.set_error("ERR Invalid master port");
    return;
  }
  const Node* node = call.server.replication.node_at(call[1], static_cast<std::uint16_t>(port));
  if (node == nullptr) {
    call.reply.set_error("ERR nobody listens at this address, as far as the model knows");
  } else if (node == replication.master()) {
    call.reply.set_status("OK Already connected to specified master");
  } else {
    replication.follow(*node);
    call.reply.set_status("OK");
  }
}

std::string_view link_name(Replication::Link link) {
  switch (link) {
    case Replication::Link::none:
      return "none";
    case Replication::Link::wanted:
      return "connect";
    case Replication::Link::dialling:
      return "connecting";
    case Replication::Link::handshake:
      return "handshake";
    case Replication::Link::transfer:
      return "sync";
    case Replication::Link::connected:
      break;
  }
  return "connected";
}

void role(Call& call) {
  const Replication& replication = call.server.replication;
  Reply& reply = call.reply;
  reply.set(Reply::Kind::array);
  if (replication.is_replica()) {
    reply.add().set_bulk("slave");
    reply.add().set_bulk(replication.master()->host());
    reply.add().set_integer(replication.master()->port);
    reply.add().set_bulk(link_name(replication.link()));
    const bool knows = replication.link() == Replication::Link::connected;
    reply.add().set_integer(knows ? replication.stream().offset : -1);
    return;
  }
  reply.add().set_bulk("master");
  reply.add().set_integer(replication.stream().offset);
  Reply& replicas = reply.add();
  replicas.set(Reply::Kind::array);
  for (const Session* session : call.server.connections.all()) {
    if (session->replica == nullptr || session->replica->state != AttachedReplica::State::online)
      continue;
    Reply& replica = replicas.add();
    replica.set(Reply::Kind::array);
    replica.add().set_bulk(call.server.replication.host_of_peer(*session));
    replica.add().set_bulk(std::to_string(session->listening_port));
    replica.add().set_bulk(std::to_string(session->replica->acknowledged));
  }
}

// Takes pairs of options and values; an acknowledgement is not answered.
void replconf(Call& call) {
  if (call.words() % 2 == 0) {
    syntax_error(call.reply);
    return;
  }
  for (std::size_t i = 1; i < call.words(); i += 2) {
    const std::string_view option = call[i];
    std::int64_t number = 0;
    if (same_word(option, "listening-port")) {
      if (!integer(call[i + 1], number, call.reply)) return;
      call.session.listening_port = static_cast<std::uint16_t>(number);
    } else if (same_word(option, "ack")) {
      call.written = true;
      if (call.session.replica == nullptr || !strict_integer(call[i + 1], number)) return;
      call.server.replication.replicas().acknowledged(call.session, number);
      return;
    } else if (same_word(option, "getack")) {
      call.written = true;
      return;
    } else if (!same_word(option, "ip-address") && !same_word(option, "capa") &&
               !same_word(option, "rdb-only") && !same_word(option, "rdb-filter-only")) {
      call.reply.set_error("ERR Unrecognized REPLCONF option: " + std::string(until_zero(option)));
      return;
    }
  }
  call.reply.set_status("OK");
}

// The answer is a stream.
void psync(Call& call) {
  Replication& replication = call.server.replication;
  if (replication.is_replica() && replication.link() != Replication::Link::connected) {
    call.reply.set_error("NOMASTERLINK Can't SYNC while not connected with my master");
    return;
  }
  std::int64_t offset = 0;
  if (!integer(call[2], offset, call.reply)) return;
  call.written = true;
  replication.replicas().psync(call.session, call[1], offset);
}

// Counts replicas and promises nothing: a write that they lack is not undone (R51). Only this
// connection's own writes count (R52).
void wait(Call& call) {
  if (call.server.replication.is_replica()) {
    call.reply.set_error(
        "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if "
        "a "
        "replica is configured to be writable (which is not the default) writes to replicas are "
        "just local and are not propagated.");
    return;
  }
  std::int64_t wanted = 0;
  std::int64_t timeout_ms = 0;
  if (!integer(call[1], wanted, call.reply)) return;
  if (!strict_integer(call[2], timeout_ms)) {
    call.reply.set_error("ERR timeout is not an integer or out of range");
    return;
  }
  if (timeout_ms < 0) {
    call.reply.set_error("ERR timeout is negative");
    return;
  }
  const std::int64_t there =
      call.server.replication.replicas().acknowledged_by(call.session.written_until);
  if (there >= wanted || call.session.in_multi) {
    call.reply.set_integer(there);
  } else {
    call.server.blocked.block(call, wanted, timeout_ms);
  }
}

constexpr std::uint32_t kAnytime = kNoScript | kLoading | kStale;

constexpr std::array kCommands = {
    Command{"replicaof", 3, kNoScript | kAdmin | kStale, replicaof},
    Command{"slaveof", 3, kNoScript | kAdmin | kStale, replicaof},
    Command{"role", 1, kAnytime | kFast, role},
    Command{"replconf", -1, kAnytime | kAdmin | kWhileBusy, replconf},
    Command{"psync", -3, kNoScript | kAdmin | kNotInMulti, psync},
    Command{"wait", 3, kNoScript | kBlocking, wait},
};

}  // namespace
}  // namespace of_replication

std::span<const Command> replication_commands() { return of_replication::kCommands; }

}  // namespace picklock::redis
