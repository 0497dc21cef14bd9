// Transactions: MULTI queues commands, and EXEC runs them at one instant of the clock (R26), unless
// a watched key has changed (R27) or a command could not be queued (R105).
#include <array>

#include "models/redis/commands.h"
#include "models/redis/executor.h"
#include "models/redis/monitors.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace of_transactions {
namespace {

void multi(Call& call) {
  if (call.session.in_multi) {
    call.reply.set_error("ERR MULTI calls can not be nested");
    return;
  }
  call.session.in_multi = true;
  call.reply.set_status("OK");
}

void discard(Call& call) {
  if (!call.session.in_multi) {
    call.reply.set_error("ERR DISCARD without MULTI");
    return;
  }
  call.session.end_transaction();
  call.reply.set_status("OK");
}

// A key that was dead when it was watched may be forgotten without a change. One that was alive and
// is dead now has changed, even if the server has not noticed it.
bool changed(Keyspace& keys, const Session& session) {
  if (session.dirty) return true;
  for (const Watch& watch : session.watches) {
    const Entry& entry = keys.at(watch.slot);
    if (entry.version != watch.version) return true;
    if (watch.was_alive && !entry.alive(keys.clock().frozen_ms())) return true;
  }
  return false;
}

void exec(Call& call) {
  Session& session = call.session;
  if (!session.in_multi) {
    call.reply.set_error("ERR EXEC without MULTI");
    return;
  }
  if (session.spoilt) {
    call.reply.set_error("EXECABORT Transaction discarded because of previous errors.");
    session.end_transaction();
    return;
  }
  if (changed(call.keys, session)) {
    call.reply.set(Reply::Kind::nil_array);
    session.end_transaction();
    return;
  }
  session.watches.clear();
  // Each reply is written at once, so a message that a command pushes to this same connection is
  // inside the array (R89).
  sim::Payload& out = call.server.executor.answer_to(call);
  if (session.wants_replies()) write_array(out, session.queued.size());
  session.queued.each(call.server.executor.queued_words(), [&](Argv argv) {
    Call queued{.server = call.server,
                .keys = call.keys,
                .session = session,
                .argv = argv,
                .reply = call.reply};
    const bool heard = !session.closing;
    const Command& command = *command_called(argv);
    const auto show = [&] { call.server.monitors.show(&session, session.database, command, argv); };
    if (command.is(kRunsScript)) show();
    call.server.executor.invoke(queued, command);
    if (!command.is(kRunsScript)) show();
    if (!queued.written && heard && session.wants_replies())
      write_reply(out, queued.reply, session.protocol);
  });
  session.end_transaction();
}

void watch(Call& call) {
  if (call.session.in_multi) {
    call.reply.set_error("ERR WATCH inside MULTI is not allowed");
    return;
  }
  for (std::string_view key : call.argv.subspan(1)) {
    const Entry& entry = call.keys.slot(call.session.database, key);
    bool watched = false;
    for (const Watch& watch : call.session.watches) watched = watched || watch.slot == entry.slot;
    if (watched) continue;
    call.session.watches.push_back({.slot = entry.slot,
                                    .version = entry.version,
                                    .was_alive = entry.alive(call.keys.clock().frozen_ms())});
  }
  call.reply.set_status("OK");
}

void unwatch(Call& call) {
  call.session.watches.clear();
  call.session.dirty = false;
  call.reply.set_status("OK");
}

constexpr std::uint32_t kCommon = kNoScript | kLoading | kStale;

constexpr std::array kCommands = {
    Command{"multi", 1, kCommon | kFast | kWhileBusy | kNotQueued, multi},
    Command{"exec", 1, kCommon | kNotQueued | kEndsMulti | kRunsQueue, exec},
    Command{"discard", 1, kCommon | kFast | kWhileBusy | kNotQueued | kEndsMulti, discard},
    Command{"watch", -2, kCommon | kFast | kWhileBusy | kNotQueued, watch, {1, -1, 1}},
    Command{"unwatch", 1, kCommon | kFast | kWhileBusy, unwatch},
};

}  // namespace
}  // namespace of_transactions

std::span<const Command> transaction_commands() { return of_transactions::kCommands; }

}  // namespace picklock::redis
