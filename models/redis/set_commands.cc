// Sets.
#include <array>

#include "models/redis/commands.h"
#include "models/redis/config.h"
#include "models/redis/random_elements.h"
#include "models/redis/scan.h"

namespace picklock::redis {
namespace of_sets {
namespace {

bool set_of(const Call& call, Entry*& entry, Set*& set) {
  if (!live_of(call, call[1], Type::set, entry)) return false;
  set = entry == nullptr ? nullptr : &entry->value.set();
  return true;
}

void sadd(Call& call) {
  Entry* entry = nullptr;
  Set* set = nullptr;
  if (!set_of(call, entry, set)) return;
  if (set == nullptr) set = &to_change(call, call[1], Type::set, nullptr).set();
  std::int64_t added = 0;
  for (std::string_view member : call.argv.subspan(2))
    added += set->add(member, call.server.config.compact()) ? 1 : 0;
  if (entry != nullptr && added > 0) call.keys.altered(*entry);
  if (added > 0) call.notify(EventClass::set, "sadd", call[1]);
  call.reply.set_integer(added);
}

void srem(Call& call) {
  Entry* entry = nullptr;
  Set* set = nullptr;
  if (!set_of(call, entry, set)) return;
  std::int64_t removed = 0;
  for (std::string_view member : call.argv.subspan(2))
    removed += set != nullptr && set->remove(member) ? 1 : 0;
  if (removed > 0) taken_from(call, *entry, EventClass::set, "srem");
  call.reply.set_integer(removed);
}

void smembers(Call& call) {
  Entry* entry = nullptr;
  Set* set = nullptr;
  if (!set_of(call, entry, set)) return;
  call.reply.set(Reply::Kind::set);
  if (set == nullptr) return;
  for (const std::string& member : *set) call.reply.add().set_bulk(member);
}

void sismember(Call& call) {
  Entry* entry = nullptr;
  Set* set = nullptr;
  if (!set_of(call, entry, set)) return;
  call.reply.set_integer(set != nullptr && set->contains(call[2]) ? 1 : 0);
}

void smismember(Call& call) {
  Entry* entry = nullptr;
  Set* set = nullptr;
  if (!set_of(call, entry, set)) return;
  call.reply.set(Reply::Kind::array);
  for (std::string_view member : call.argv.subspan(2))
    call.reply.add().set_integer(set != nullptr && set->contains(member) ? 1 : 0);
}

void scard(Call& call) {
  Entry* entry = nullptr;
  Set* set = nullptr;
  if (!set_of(call, entry, set)) return;
  call.reply.set_integer(set == nullptr ? 0 : count_of(*set));
}

void spop(Call& call) {
  if (call.words() > 3) {
    syntax_error(call.reply);
    return;
  }
  const bool counted = call.words() == 3;
  std::int64_t count = 1;
  if (counted && !positive_count(call[2], count, call.reply)) return;
  Entry* entry = nullptr;
  Set* set = nullptr;
  if (!set_of(call, entry, set)) return;
  call.reply.set(counted ? Reply::Kind::set : Reply::Kind::nil);
  if (set == nullptr || count == 0) return;
  const bool all = counted && count >= count_of(*set);  // in order, then
  for (; count > 0 && !set->empty(); --count) {
    const std::uint64_t place = all ? 0 : call.keys.chance().below(set->size());
    Reply& reply = counted ? call.reply.add() : call.reply;
    reply.set_bulk(set->take(static_cast<std::size_t>(place)));
    if (!all) call.replicate({"SREM", call[1], reply.text});
  }
  if (all) call.replicate({"DEL", call[1]});
  taken_from(call, *entry, EventClass::set, "spop");
}

void srandmember(Call& call) {
  if (call.words() > 3) {
    syntax_error(call.reply);
    return;
  }
  const bool counted = call.words() == 3;
  std::int64_t count = 1;
  if (counted && !read_count(call, call[2], count)) return;
  Entry* entry = nullptr;
  Set* set = nullptr;
  if (!set_of(call, entry, set)) return;
  call.reply.set(counted ? Reply::Kind::array : Reply::Kind::nil);
  if (set == nullptr) return;
  if (counted) {
    choose(call, *set, count,
           [&](const std::string& member) { call.reply.add().set_bulk(member); });
  } else {
    call.reply.set_bulk(any_of(call, *set));
  }
}

void sscan(Call& call) {
  scan_elements<Set>(call, set_of,
                     [](const auto& options, const std::string& member, Reply& found) {
                       if (options.wants(member)) found.add().set_bulk(member);
                     });
}

constexpr std::array kCommands = {
    Command{"sadd", -3, kWrite | kMayGrow | kFast, sadd, {1, 1, 1}},
    Command{"srem", -3, kWrite | kFast, srem, {1, 1, 1}},
    Command{"smembers", 2, kRead, smembers, {1, 1, 1}},
    Command{"sismember", 3, kRead | kFast, sismember, {1, 1, 1}},
    Command{"smismember", -3, kRead | kFast, smismember, {1, 1, 1}},
    Command{"scard", 2, kRead | kFast, scard, {1, 1, 1}},
    Command{"srandmember", -2, kRead, srandmember, {1, 1, 1}},
    Command{"sscan", -3, kRead, sscan, {1, 1, 1}},
    Command{"spop", -2, kWrite | kFast, spop, {1, 1, 1}},
};

}  // namespace
}  // namespace of_sets

std::span<const Command> set_commands() { return of_sets::kCommands; }

}  // namespace picklock::redis
