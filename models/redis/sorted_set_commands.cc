// Sorted sets, in which locks keep semaphores and queues of waiters by time.
#include <algorithm>
#include <array>

#include "models/redis/commands.h"
#include "models/redis/config.h"
#include "models/redis/scan.h"

namespace picklock::redis {
namespace of_sorted_sets {
namespace {

constexpr std::string_view kNoScoreRange = "ERR min or max is not a float";
constexpr std::string_view kNoNameRange = "ERR min or max not valid string range item";

bool sorted_set_of(const Call& call, Entry*& entry, SortedSet*& set) {
  if (!live_of(call, call[1], Type::sorted_set, entry)) return false;
  set = entry == nullptr ? nullptr : &entry->value.sorted_set();
  return true;
}

void answer_score(double score, Reply& reply) {
  reply.set(Reply::Kind::number);
  write_double(score, reply.text);
}

// ---------------------------------------------------------------- ZADD

struct AddOptions {
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;
  bool changed = false;  // CH: those whose score changed count too
  bool incr = false;

  bool take(std::string_view word) {
    for (const auto& [name, option] : {std::pair<std::string_view, bool*>{"nx", &nx},
                                       {"xx", &xx},
                                       {"ch", &changed},
                                       {"incr", &incr},
                                       {"gt", &gt},
                                       {"lt", &lt}}) {
      if (same_word(word, name)) {
        *option = true;
        return true;
      }
    }
    return false;
  }
};

enum class Added : std::uint8_t { no, same, moved, created, not_a_number };

// `score`: the requested score on entry, the resulting score on return.
Added add(SortedSet& set, std::string_view name, double& score, const AddOptions& options,
          const CompactLimits& limits) {
  const std::size_t rank = set.rank(name);
  if (rank == set.size()) {
    if (options.xx) return Added::no;
    set.add(name, score, limits);
    return Added::created;
  }
  if (options.nx) return Added::no;
  const double before = set[rank].score;
  if (options.incr) score += before;
  if (score != score) return Added::not_a_number;
  if ((options.lt && score >= before) || (options.gt && score <= before)) return Added::no;
  if (score == before) return Added::same;
  set.set_score(rank, score);
  return Added::moved;
}

void add(const Call& call, AddOptions options) {
  std::size_t first = 2;
  while (first < call.words() && options.take(call[first])) ++first;
  const std::size_t words = call.words() - first;
  if (words == 0 || words % 2 == 1) {
    syntax_error(call.reply);
    return;
  }
  if (options.nx && options.xx) {
    call.reply.set_error("ERR XX and NX options at the same time are not compatible");
    return;
  }
  if ((options.gt && options.nx) || (options.lt && options.nx) || (options.gt && options.lt)) {
    call.reply.set_error("ERR GT, LT, and/or NX options at the same time are not compatible");
    return;
  }
  if (options.incr && words > 2) {
    call.reply.set_error("ERR INCR option supports a single increment-element pair");
    return;
  }
  double score = 0;
  for (std::size_t i = first; i < call.words(); i += 2) {
    if (strict_double(call[i], score)) continue;
    call.reply.set_error("ERR value is not a valid float");
    return;
  }
  Entry* entry = nullptr;
  SortedSet* set = nullptr;
  if (!sorted_set_of(call, entry, set)) return;
  std::int64_t created = 0;
  std::int64_t moved = 0;
  Added last = Added::no;
  if (set == nullptr && !options.xx)
    set = &to_change(call, call[1], Type::sorted_set, nullptr).sorted_set();
  for (std::size_t i = first; set != nullptr && i < call.words(); i += 2) {
    strict_double(call[i], score);
    last = add(*set, call[i + 1], score, options, call.server.config.compact());
    created += last == Added::created ? 1 : 0;
    moved += last == Added::moved ? 1 : 0;
  }
  if (entry != nullptr && created + moved > 0) call.keys.altered(*entry);
  if (created + moved > 0)
    call.notify(EventClass::sorted_set, options.incr ? "zincr" : "zadd", call[1]);
  if (last == Added::not_a_number) {
    call.reply.set_error("ERR resulting score is not a number (NaN)");
  } else if (!options.incr) {
    call.reply.set_integer(options.changed ? created + moved : created);
  } else if (last == Added::no) {
    call.reply.set(Reply::Kind::nil);
  } else {
    answer_score(score, call.reply);
  }
}
void zadd(Call& call) { add(call, {}); }
void zincrby(Call& call) {
  AddOptions options;
  options.incr = true;
  add(call, options);
}

// ---------------------------------------------------------------- ranges

enum class By : std::uint8_t { rank, score, name };
enum class Way : std::uint8_t { up, down };

struct ScoreRange {
  double least = 0;
  double most = 0;
  bool above_least = false;  // "(1": 1 itself is not in it
  bool below_most = false;

  static bool read(std::string_view text, double& bound, bool& open) {
    open = text.starts_with('(');
    return lax_double(open ? text.substr(1) : text, bound);
  }
  bool read(std::string_view from, std::string_view to) {
    return read(from, least, above_least) && read(to, most, below_most);
  }
  bool reaches_up_to(const SortedSet::Member& member) const {
    return below_most ? member.score < most : member.score <= most;
  }
  bool reaches_down_to(const SortedSet::Member& member) const {
    return above_least ? member.score > least : member.score >= least;
  }
  bool may_hold(const SortedSet&) const { return true; }
};

struct NameRange {
  struct Bound {
    int end = 0;  // -1: before every name; 1: after every name
    std::string_view name;
    bool open = false;  // the name itself is not in the range

    bool read(std::string_view text) {
      if (text.empty()) return false;
      open = text[0] != '[';
      if (text[0] == '[' || text[0] == '(') {
        name = text.substr(1);
        return true;
      }
      end = text[0] == '+' ? 1 : -1;
      return (text[0] == '+' || text[0] == '-') && (text.size() == 1 || text[1] == '\0');
    }
    // Compares the bound with a name.
    int against(std::string_view other) const { return end != 0 ? end : name.compare(other); }
    int against(const Bound& other) const {
      return end == other.end && end == 0 ? name.compare(other.name) : end - other.end;
    }
  };
  Bound from;
  Bound to;

  bool read(std::string_view first, std::string_view second) {
    return from.read(first) && to.read(second);
  }
  bool reaches_up_to(const SortedSet::Member& member) const {
    const int order = to.against(member.name);
    return to.open ? order > 0 : order >= 0;
  }
  bool reaches_down_to(const SortedSet::Member& member) const {
    const int order = from.against(member.name);
    return from.open ? order < 0 : order <= 0;
  }
  // Members are in the order of their names only if all have the same score. If not, the result
  // depends on the check of both ends with which the real server begins.
  bool may_hold(const SortedSet& set) const {
    const int order = from.against(to);
    if (order > 0 || (order == 0 && (from.open || to.open))) return false;
    return reaches_down_to(set[set.size() - 1]) && reaches_up_to(set[0]);
  }
};

// The places from `offset` members after the first in the range to the end of the range.
template <typename Range>
Places places_in(const SortedSet& set, const Range& range, Way way, std::int64_t offset) {
  Places places(0, -1, 0);
  const std::size_t size = set.size();
  const auto at = [&](std::size_t step) -> const SortedSet::Member& {
    return set[way == Way::up ? step : size - 1 - step];
  };
  const auto begins = [&](std::size_t step) {
    return way == Way::up ? range.reaches_down_to(at(step)) : range.reaches_up_to(at(step));
  };
  const auto goes_on = [&](std::size_t step) {
    return way == Way::up ? range.reaches_up_to(at(step)) : range.reaches_down_to(at(step));
  };
  if (!range.may_hold(set)) return places;
  std::size_t first = 0;
  while (first < size && !begins(first)) ++first;
  if (first == size || !goes_on(first)) return places;
  if (offset < 0 || offset >= static_cast<std::int64_t>(size - first)) return places;
  first += static_cast<std::size_t>(offset);
  std::size_t end = first;
  while (end < size && goes_on(end)) ++end;
  places.first = way == Way::up ? first : size - end;
  places.count = end - first;
  return places;
}

struct Span {
  std::string_view from;
  std::string_view to;
  By by = By::rank;
  std::int64_t first_place = 0;
  std::int64_t last_place = 0;
  ScoreRange scores;
  NameRange names;

  // False: the reply says that the bounds make no sense.
  bool read(Reply& reply) {
    switch (by) {
      case By::rank:
        return integer(from, first_place, reply) && integer(to, last_place, reply);
      case By::score:
        if (scores.read(from, to)) return true;
        reply.set_error(kNoScoreRange);
        return false;
      case By::name:
        if (names.read(from, to)) return true;
        reply.set_error(kNoNameRange);
        return false;
    }
    return false;
  }

  Places in(const SortedSet& set, Way way, std::int64_t offset = 0) const {
    if (by == By::score) return places_in(set, scores, way, offset);
    if (by == By::name) return places_in(set, names, way, offset);
    Places places(first_place, last_place, count_of(set));
    if (way == Way::down) places.first = set.size() - places.first - places.count;
    return places;
  }
};

// ZRANGE takes everything from options; the older commands imply some of it by their names.
void range(const Call& call, By by, Way way, bool free) {
  Span span;
  span.by = by;
  bool with_scores = false;
  std::int64_t offset = 0;
  std::int64_t limit = -1;
  for (std::size_t i = 4; i < call.words(); ++i) {
    const std::string_view word = call[i];
    if (same_word(word, "withscores")) {
      with_scores = true;
    } else if (same_word(word, "limit") && i + 2 < call.words()) {
      if (!integer(call[i + 1], offset, call.reply) || !integer(call[i + 2], limit, call.reply))
        return;
      i += 2;
    } else if (free && way == Way::up && same_word(word, "rev")) {
      way = Way::down;
    } else if (free && span.by == By::rank && same_word(word, "bylex")) {
      span.by = By::name;
    } else if (free && span.by == By::rank && same_word(word, "byscore")) {
      span.by = By::score;
    } else {
      syntax_error(call.reply);
      return;
    }
  }
  if (limit != -1 && span.by == By::rank) {
    call.reply.set_error(
        "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
    return;
  }
  if (with_scores && span.by == By::name) {
    call.reply.set_error("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
    return;
  }
  const bool swapped = way == Way::down && span.by != By::rank;  // the larger bound comes first
  span.from = call[swapped ? 3 : 2];
  span.to = call[swapped ? 2 : 3];
  if (!span.read(call.reply)) return;
  Entry* entry = nullptr;
  SortedSet* set = nullptr;
  if (!sorted_set_of(call, entry, set)) return;
  call.reply.set(with_scores ? Reply::Kind::pairs : Reply::Kind::array);
  if (set == nullptr) return;
  const Places places = span.in(*set, way, offset);
  std::size_t count = places.count;
  if (limit >= 0) count = std::min(count, static_cast<std::size_t>(limit));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t step = way == Way::up ? i : places.count - 1 - i;
    const SortedSet::Member& member = (*set)[places.first + step];
    call.reply.add().set_bulk(member.name);
    if (with_scores) answer_score(member.score, call.reply.add());
  }
}
void zrange(Call& call) { range(call, By::rank, Way::up, true); }
void zrevrange(Call& call) { range(call, By::rank, Way::down, false); }
void zrangebyscore(Call& call) { range(call, By::score, Way::up, false); }
void zrevrangebyscore(Call& call) { range(call, By::score, Way::down, false); }
void zrangebylex(Call& call) { range(call, By::name, Way::up, false); }
void zrevrangebylex(Call& call) { range(call, By::name, Way::down, false); }

void count_in(const Call& call, By by) {
  Span span;
  span.by = by;
  span.from = call[2];
  span.to = call[3];
  if (!span.read(call.reply)) return;
  Entry* entry = nullptr;
  SortedSet* set = nullptr;
  if (!sorted_set_of(call, entry, set)) return;
  call.reply.set_integer(set == nullptr ? 0
                                        : static_cast<std::int64_t>(span.in(*set, Way::up).count));
}
void zcount(Call& call) { count_in(call, By::score); }
void zlexcount(Call& call) { count_in(call, By::name); }

void remove_in(const Call& call, By by, std::string_view event) {
  Span span;
  span.by = by;
  span.from = call[2];
  span.to = call[3];
  if (!span.read(call.reply)) return;
  Entry* entry = nullptr;
  SortedSet* set = nullptr;
  if (!sorted_set_of(call, entry, set)) return;
  call.reply.set_integer(0);
  if (set == nullptr) return;
  const Places places = span.in(*set, Way::up);
  if (places.count == 0) return;
  set->remove(places.first, places.count);
  taken_from(call, *entry, EventClass::sorted_set, event);
  call.reply.set_integer(static_cast<std::int64_t>(places.count));
}
void zremrangebyrank(Call& call) { remove_in(call, By::rank, "zremrangebyrank"); }
void zremrangebyscore(Call& call) { remove_in(call, By::score, "zremrangebyscore"); }
void zremrangebylex(Call& call) { remove_in(call, By::name, "zremrangebylex"); }

// ---------------------------------------------------------------- single members

void zrem(Call& call) {
  Entry* entry = nullptr;
  SortedSet* set = nullptr;
  if (!sorted_set_of(call, entry, set)) return;
  std::int64_t removed = 0;
  for (std::string_view name : call.argv.subspan(2)) {
    const std::size_t rank = set == nullptr ? 0 : set->rank(name);
    if (set == nullptr || rank == set->size()) continue;
    set->remove(rank, 1);
    ++removed;
  }
  if (removed > 0) taken_from(call, *entry, EventClass::sorted_set, "zrem");
  call.reply.set_integer(removed);
}

void answer_score(const SortedSet* set, std::string_view name, Reply& reply) {
  reply.set(Reply::Kind::nil);
  if (set == nullptr) return;
  const std::size_t rank = set->rank(name);
  if (rank < set->size()) answer_score((*set)[rank].score, reply);
}

void zscore(Call& call) {
  Entry* entry = nullptr;
  SortedSet* set = nullptr;
  if (sorted_set_of(call, entry, set)) answer_score(set, call[2], call.reply);
}

void zmscore(Call& call) {
  Entry* entry = nullptr;
  SortedSet* set = nullptr;
  if (!sorted_set_of(call, entry, set)) return;
  call.reply.set(Reply::Kind::array);
  for (std::string_view name : call.argv.subspan(2)) answer_score(set, name, call.reply.add());
}

void zcard(Call& call) {
  Entry* entry = nullptr;
  SortedSet* set = nullptr;
  if (!sorted_set_of(call, entry, set)) return;
  call.reply.set_integer(set == nullptr ? 0 : count_of(*set));
}

void rank(const Call& call, Way way) {
  Entry* entry = nullptr;
  SortedSet* set = nullptr;
  if (!sorted_set_of(call, entry, set)) return;
  call.reply.set(Reply::Kind::nil);
  if (set == nullptr) return;
  const std::size_t rank = set->rank(call[2]);
  if (rank == set->size()) return;
  call.reply.set_integer(static_cast<std::int64_t>(way == Way::up ? rank : set->size() - 1 - rank));
}
void zrank(Call& call) { rank(call, Way::up); }
void zrevrank(Call& call) { rank(call, Way::down); }

void pop(const Call& call, Way way) {
  if (call.words() > 3) {
    syntax_error(call.reply);
    return;
  }
  const bool counted = call.words() == 3;
  std::int64_t count = 1;
  if (counted && !positive_count(call[2], count, call.reply)) return;
  Entry* entry = nullptr;
  SortedSet* set = nullptr;
  if (!sorted_set_of(call, entry, set)) return;
  call.reply.set(counted ? Reply::Kind::pairs : Reply::Kind::array);
  if (set == nullptr || count == 0) return;
  for (; count > 0 && !set->empty(); --count) {
    const std::size_t rank = way == Way::up ? 0 : set->size() - 1;
    call.reply.add().set_bulk((*set)[rank].name);
    answer_score((*set)[rank].score, call.reply.add());
    set->remove(rank, 1);
  }
  taken_from(call, *entry, EventClass::sorted_set, way == Way::up ? "zpopmin" : "zpopmax");
}
void zpopmin(Call& call) { pop(call, Way::up); }
void zpopmax(Call& call) { pop(call, Way::down); }

void zscan(Call& call) {
  scan_elements<SortedSet>(call, sorted_set_of,
                           [](const auto& options, const SortedSet::Member& member, Reply& found) {
                             if (!options.wants(member.name)) return;
                             found.add().set_bulk(member.name);
                             std::string score;
                             write_double(member.score, score);
                             found.add().set_bulk(score);
                           });
}

constexpr std::array kCommands = {
    Command{"zadd", -4, kWrite | kMayGrow | kFast, zadd, {1, 1, 1}},
    Command{"zincrby", 4, kWrite | kMayGrow | kFast, zincrby, {1, 1, 1}},
    Command{"zrem", -3, kWrite | kFast, zrem, {1, 1, 1}},
    Command{"zremrangebyrank", 4, kWrite, zremrangebyrank, {1, 1, 1}},
    Command{"zremrangebyscore", 4, kWrite, zremrangebyscore, {1, 1, 1}},
    Command{"zremrangebylex", 4, kWrite, zremrangebylex, {1, 1, 1}},
    Command{"zpopmin", -2, kWrite | kFast, zpopmin, {1, 1, 1}},
    Command{"zpopmax", -2, kWrite | kFast, zpopmax, {1, 1, 1}},
    Command{"zrange", -4, kRead, zrange, {1, 1, 1}},
    Command{"zrevrange", -4, kRead, zrevrange, {1, 1, 1}},
    Command{"zrangebyscore", -4, kRead, zrangebyscore, {1, 1, 1}},
    Command{"zrevrangebyscore", -4, kRead, zrevrangebyscore, {1, 1, 1}},
    Command{"zrangebylex", -4, kRead, zrangebylex, {1, 1, 1}},
    Command{"zrevrangebylex", -4, kRead, zrevrangebylex, {1, 1, 1}},
    Command{"zcard", 2, kRead | kFast, zcard, {1, 1, 1}},
    Command{"zcount", 4, kRead | kFast, zcount, {1, 1, 1}},
    Command{"zlexcount", 4, kRead | kFast, zlexcount, {1, 1, 1}},
    Command{"zscore", 3, kRead | kFast, zscore, {1, 1, 1}},
    Command{"zmscore", -3, kRead | kFast, zmscore, {1, 1, 1}},
    Command{"zrank", 3, kRead | kFast, zrank, {1, 1, 1}},
    Command{"zscan", -3, kRead, zscan, {1, 1, 1}},
    Command{"zrevrank", 3, kRead | kFast, zrevrank, {1, 1, 1}},
};

}  // namespace
}  // namespace of_sorted_sets

std::span<const Command> sorted_set_commands() { return of_sorted_sets::kCommands; }

}  // namespace picklock::redis
