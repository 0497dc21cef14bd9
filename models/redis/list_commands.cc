// Lists, in which locks queue their waiters or keep what wakes them.
#include <algorithm>
#include <array>
#include <utility>

#include "models/redis/blocked_clients.h"
#include "models/redis/commands.h"

namespace picklock::redis {
namespace of_lists {
namespace {

enum class End : std::uint8_t { head, tail };

constexpr std::string_view push_event(End end) { return end == End::head ? "lpush" : "rpush"; }
constexpr std::string_view pop_event(End end) { return end == End::head ? "lpop" : "rpop"; }

bool list_of(const Call& call, Entry*& entry, List*& list) {
  if (!live_of(call, call[1], Type::list, entry)) return false;
  list = entry == nullptr ? nullptr : &entry->value.list();
  return true;
}

void push(const Call& call, End end, bool only_if_there) {
  Entry* entry = nullptr;
  if (!live_of(call, call[1], Type::list, entry)) return;
  if (entry == nullptr && only_if_there) {
    call.reply.set_integer(0);
    return;
  }
  List& list = to_change(call, call[1], Type::list, entry).list();
  for (std::string_view element : call.argv.subspan(2)) {
    if (end == End::head) {
      list.emplace_front(element);
    } else {
      list.emplace_back(element);
    }
  }
  call.notify(EventClass::list, push_event(end), call[1]);
  if (entry == nullptr) call.server.blocked.ready(call.session.database, call[1]);
  call.reply.set_integer(count_of(list));
}
void lpush(Call& call) { push(call, End::head, false); }
void rpush(Call& call) { push(call, End::tail, false); }
void lpushx(Call& call) { push(call, End::head, true); }
void rpushx(Call& call) { push(call, End::tail, true); }

void take(List& list, End end, Reply& reply) {
  if (end == End::head) {
    reply.set_bulk(list.front());
    list.pop_front();
  } else {
    reply.set_bulk(list.back());
    list.pop_back();
  }
}

void pop(const Call& call, End end, std::string_view command) {
  if (call.words() > 3) {
    wrong_arity(call.reply, command);
    return;
  }
  const bool counted = call.words() == 3;
  std::int64_t count = 1;
  if (counted && !positive_count(call[2], count, call.reply)) return;
  Entry* entry = nullptr;
  List* list = nullptr;
  if (!list_of(call, entry, list)) return;
  if (list == nullptr) {
    call.reply.set(counted ? Reply::Kind::nil_array : Reply::Kind::nil);
  } else if (!counted) {
    take(*list, end, call.reply);
    taken_from(call, *entry, EventClass::list, pop_event(end));
  } else {
    call.reply.set(Reply::Kind::array);
    if (count == 0) return;
    for (; count > 0 && !list->empty(); --count) take(*list, end, call.reply.add());
    taken_from(call, *entry, EventClass::list, pop_event(end));
  }
}
void lpop(Call& call) { pop(call, End::head, "lpop"); }
void rpop(Call& call) { pop(call, End::tail, "rpop"); }

// False: it is none, and the reply says so.
bool read_timeout(std::string_view text, std::int64_t& timeout_ms, Reply& reply) {
  long double seconds = 0;
  if (!strict_long_double(text, seconds)) {
    reply.set_error("ERR timeout is not a float or out of range");
    return false;
  }
  // The real server converts a number beyond the range to the least integer.
  constexpr long double kBeyond = 9223372036854775808.0L;
  const long double ms = seconds * 1000;
  if (ms < 0 || ms >= kBeyond) {
    reply.set_error("ERR timeout is negative");
    return false;
  }
  timeout_ms = static_cast<std::int64_t>(ms);
  if (static_cast<long double>(timeout_ms) < ms) ++timeout_ms;
  return true;
}

// Takes an element of the first list that there is. Without any it waits for one, but not in a
// transaction (R127).
void pop_or_block(Call& call, End end, std::string_view as_replicated) {
  std::int64_t timeout_ms = 0;
  if (!read_timeout(call.argv.back(), timeout_ms, call.reply)) return;
  const Argv keys = call.argv.subspan(1, call.words() - 2);
  for (const std::string_view key : keys) {
    Entry* entry = nullptr;
    if (!live_of(call, key, Type::list, entry)) return;
    if (entry == nullptr) continue;
    call.reply.set(Reply::Kind::array);
    call.reply.add().set_bulk(key);
    take(entry->value.list(), end, call.reply.add());
    taken_from(call, *entry, EventClass::list, pop_event(end));
    call.replicate({as_replicated, key});
    return;
  }
  if (call.session.in_multi) {
    call.reply.set(Reply::Kind::nil_array);
  } else {
    call.server.blocked.block_on_lists(call, keys, timeout_ms);
  }
}
void blpop(Call& call) { pop_or_block(call, End::head, "LPOP"); }
void brpop(Call& call) { pop_or_block(call, End::tail, "RPOP"); }

// Moves an element from one list to another, or within one.
void move(Call& call, End from, End to) {
  Entry* source = nullptr;
  Entry* target = nullptr;
  if (!live_of(call, call[1], Type::list, source)) return;
  if (source == nullptr) {
    call.reply.set(Reply::Kind::nil);
    return;
  }
  if (!live_of(call, call[2], Type::list, target)) return;
  take(source->value.list(), from, call.reply);
  List& list = to_change(call, call[2], Type::list, target).list();
  if (to == End::head) {
    list.emplace_front(call.reply.text);
  } else {
    list.emplace_back(call.reply.text);
  }
  call.notify(EventClass::list, push_event(to), call[2]);
  if (source != target) {
    taken_from(call, *source, EventClass::list, pop_event(from));
  } else {
    call.notify(EventClass::list, pop_event(from), call[1]);
  }
  if (target == nullptr) call.server.blocked.ready(call.session.database, call[2]);
}
void rpoplpush(Call& call) { move(call, End::tail, End::head); }

bool read_end(const Call& call, std::string_view word, End& end) {
  end = same_word(word, "left") ? End::head : End::tail;
  if (end == End::head || same_word(word, "right")) return true;
  syntax_error(call.reply);
  return false;
}

void lmove(Call& call) {
  End from{}, to{};
  if (read_end(call, call[3], from) && read_end(call, call[4], to)) move(call, from, to);
}

void llen(Call& call) {
  Entry* entry = nullptr;
  List* list = nullptr;
  if (!list_of(call, entry, list)) return;
  call.reply.set_integer(list == nullptr ? 0 : count_of(*list));
}

// nullptr: the index is out of range.
std::string* element_at(List& list, std::int64_t index) {
  if (index < 0) index += count_of(list);
  if (index < 0 || index >= count_of(list)) return nullptr;
  return &list[static_cast<std::size_t>(index)];
}

void lindex(Call& call) {
  Entry* entry = nullptr;
  List* list = nullptr;
  if (!list_of(call, entry, list)) return;
  call.reply.set(Reply::Kind::nil);
  std::int64_t index = 0;
  if (list == nullptr || !integer(call[2], index, call.reply)) return;
  if (const std::string* element = element_at(*list, index)) call.reply.set_bulk(*element);
}

void lset(Call& call) {
  Entry* entry = nullptr;
  List* list = nullptr;
  if (!list_of(call, entry, list)) return;
  if (list == nullptr) {
    no_such_key(call.reply);
    return;
  }
  std::int64_t index = 0;
  if (!integer(call[2], index, call.reply)) return;
  std::string* element = element_at(*list, index);
  if (element == nullptr) {
    call.reply.set_error("ERR index out of range");
    return;
  }
  element->assign(call[3]);
  call.keys.altered(*entry);
  call.notify(EventClass::list, "lset", call[1]);
  call.reply.set_status("OK");
}

void lrange(Call& call) {
  std::int64_t from = 0, to = 0;
  if (!integer(call[2], from, call.reply) || !integer(call[3], to, call.reply)) return;
  Entry* entry = nullptr;
  List* list = nullptr;
  if (!list_of(call, entry, list)) return;
  call.reply.set(Reply::Kind::array);
  if (list == nullptr) return;
  const Places places(from, to, count_of(*list));
  for (std::size_t i = 0; i < places.count; ++i)
    call.reply.add().set_bulk((*list)[places.first + i]);
}

void ltrim(Call& call) {
  std::int64_t from = 0, to = 0;
  if (!integer(call[2], from, call.reply) || !integer(call[3], to, call.reply)) return;
  Entry* entry = nullptr;
  List* list = nullptr;
  if (!list_of(call, entry, list)) return;
  call.reply.set_status("OK");
  if (list == nullptr) return;
  const Places kept(from, to, count_of(*list));
  call.replicated = kept.count == list->size();  // no effect, though it counts as a change
  const auto begin = list->begin() + static_cast<std::ptrdiff_t>(kept.first);
  list->erase(begin + static_cast<std::ptrdiff_t>(kept.count), list->end());
  list->erase(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(kept.first));
  taken_from(call, *entry, EventClass::list, "ltrim");
}

void lrem(Call& call) {
  std::int64_t wanted = 0;
  if (!integer(call[2], wanted, call.reply)) return;
  Entry* entry = nullptr;
  List* list = nullptr;
  if (!list_of(call, entry, list)) return;
  call.reply.set_integer(0);
  if (list == nullptr) return;
  // 0: all; negative: from the tail.
  const std::uint64_t most =
      wanted < 0 ? 0 - static_cast<std::uint64_t>(wanted) : static_cast<std::uint64_t>(wanted);
  std::uint64_t removed = 0;
  const auto goes = [&](const std::string& element) {
    const bool going = element == call[3] && (most == 0 || removed < most);
    if (going) ++removed;
    return going;
  };
  if (wanted >= 0) {
    list->erase(std::remove_if(list->begin(), list->end(), goes), list->end());
  } else {
    list->erase(list->begin(), std::remove_if(list->rbegin(), list->rend(), goes).base());
  }
  if (removed == 0) return;
  taken_from(call, *entry, EventClass::list, "lrem");
  call.reply.set_integer(static_cast<std::int64_t>(removed));
}

constexpr std::array kCommands = {
    Command{"lpush", -3, kWrite | kMayGrow | kFast, lpush, {1, 1, 1}},
    Command{"rpush", -3, kWrite | kMayGrow | kFast, rpush, {1, 1, 1}},
    Command{"lpushx", -3, kWrite | kMayGrow | kFast, lpushx, {1, 1, 1}},
    Command{"rpushx", -3, kWrite | kMayGrow | kFast, rpushx, {1, 1, 1}},
    Command{"lpop", -2, kWrite | kFast, lpop, {1, 1, 1}},
    Command{"rpop", -2, kWrite | kFast, rpop, {1, 1, 1}},
    Command{"blpop", -3, kWrite | kNoScript | kBlocking, blpop, {1, -2, 1}},
    Command{"brpop", -3, kWrite | kNoScript | kBlocking, brpop, {1, -2, 1}},
    Command{"lmove", 5, kWrite | kMayGrow, lmove, {1, 2, 1}},
    Command{"rpoplpush", 3, kWrite | kMayGrow, rpoplpush, {1, 2, 1}},
    Command{"llen", 2, kRead | kFast, llen, {1, 1, 1}},
    Command{"lindex", 3, kRead, lindex, {1, 1, 1}},
    Command{"lset", 4, kWrite | kMayGrow, lset, {1, 1, 1}},
    Command{"lrange", 4, kRead, lrange, {1, 1, 1}},
    Command{"ltrim", 4, kWrite, ltrim, {1, 1, 1}},
    Command{"lrem", 4, kWrite, lrem, {1, 1, 1}},
};

}  // namespace
}  // namespace of_lists

std::span<const Command> list_commands() { return of_lists::kCommands; }

}  // namespace picklock::redis
