#include "conform/mysql/grammar.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sim/random.h"

namespace picklock::conform::mysql {
namespace {

enum class Kind : std::uint8_t {
  begin,
  end,
  look,  // without a lock
  read,
  lock,
  skip,
  insert,
  update,
  remove,
  scan,
  name,
  savepoint,
  back,  // to the savepoint with which its transaction began
  autocommit,
  kill,
  rare,
};

// The keys and statements of an interleaving, with their weights.
struct Theme {
  std::vector<const char*> keys;
  std::vector<std::pair<Kind, std::uint64_t>> kinds;
  std::uint64_t loose = 4;            // one session in so many begins without a transaction
  bool reads_committed = false;       // READ COMMITTED in every second session
  std::optional<Statement> before{};  // by the first session, before any transaction
  // at the start of every transaction with which a session begins
  std::optional<Statement> first{};
};

const Theme& everything() {
  using enum Kind;
  static const Theme theme{.keys = {"a", "c", "m", "p", "z", "zz"},
                           .kinds = {{begin, 1},
                                     {end, 1},
                                     {lock, 2},
                                     {read, 1},
                                     {insert, 2},
                                     {update, 1},
                                     {remove, 1},
                                     {scan, 1},
                                     {name, 1},
                                     {rare, 1}}};
  return theme;
}

Statement lock_of(std::string key) {
  return {
      .op = Op::select, .table = schema().name, .key = std::move(key), .locking = Locking::update};
}
Statement savepoint_of(std::string name) { return {.op = Op::savepoint, .name = std::move(name)}; }

// Combinations that chance seldom produces.
const std::vector<Theme>& themes() {
  using enum Kind;
  static const std::vector<Theme> all = {
      // One gap, and inserts into it.
      {.keys = {"c", "d"},
       .kinds = {{insert, 6}, {lock, 1}, {end, 1}},
       .loose = 2,
       .first = lock_of("d")},
      // A locked row, and its neighbors.
      {.keys = {"m", "m", "p"}, .kinds = {{lock, 2}, {skip, 4}, {insert, 4}, {end, 1}}},
      // Cycles, and their victims.
      {.keys = {"a", "m", "z", "zz"},
       .kinds = {{lock, 4}, {scan, 3}, {insert, 3}, {update, 1}, {end, 1}, {kill, 1}}},
      {.keys = {"a", "m", "z", "zz"},
       .kinds = {{lock, 2}, {scan, 4}, {insert, 2}, {update, 2}, {remove, 1}, {end, 2}},
       .reads_committed = true},
      // Snapshots.
      {.keys = {"a", "m"},
       .kinds = {{look, 5}, {update, 4}, {remove, 1}, {begin, 1}, {end, 2}},
       .loose = 2},
      // Transactions that are rolled back to their beginning.
      {.keys = {"a", "m"},
       .kinds = {{back, 4}, {savepoint, 1}, {lock, 3}, {update, 4}, {end, 1}},
       .first = savepoint_of("s")},
      {.keys = {"a"},
       .kinds = {{back, 3}, {look, 4}, {update, 3}},
       .loose = 2,
       .first = savepoint_of("s")},
      // A deleted row that is locked.
      {.keys = {"c", "m", "m"},
       .kinds = {{lock, 4}, {insert, 3}, {end, 1}},
       .reads_committed = true,
       .before = Statement{.op = Op::remove, .table = schema().name, .key = "m"}},
      // Named locks, held several times and crossed.
      {.keys = {"a"}, .kinds = {{name, 14}, {kill, 1}}, .loose = 1},
      // Transactions without BEGIN.
      {.keys = {"a", "c"},
       .kinds = {{autocommit, 4}, {update, 3}, {insert, 1}, {lock, 2}, {look, 2}, {end, 1}},
       .loose = 1},
  };
  return all;
}

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed, sim::hash_of("conform.mysql")) {
    drawn_.seed = seed;
    if (!one_in(3)) theme_ = &themes()[random_.below(themes().size())];
    const bool all = theme_ == &everything();
    // With few rows and few sessions, more of them meet.
    keys_ = all && one_in(3) ? 2 : theme_->keys.size();
    drawn_.connections = 2 + static_cast<std::uint32_t>(random_.below(3)) / (all ? 1 : 2);
  }

  Interleaving run() {
    if (theme_->before) add(1, *theme_->before);
    // Time-outs are expensive: they take real time on a real server.
    const bool impatient = one_in(40);
    for (std::uint32_t session = 1; session <= drawn_.connections; ++session) {
      if (theme_->reads_committed && one_in(2)) {
        add(session, {.op = Op::set_isolation, .isolation = Isolation::read_committed});
      } else if (one_in(4)) {
        add(session, isolation());
      }
      if (one_in(theme_->loose)) continue;
      add(session, {.op = Op::begin});
      if (theme_->first) add(session, *theme_->first);
    }
    while (drawn_.steps.size() < kStepsPerInterleaving) {
      const auto session = 1 + static_cast<std::uint32_t>(random_.below(drawn_.connections));
      add(session, statement(session));
      if (impatient && one_in(2)) drawn_.steps.back().impatient = true;
    }
    return std::move(drawn_);
  }

 private:
  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  void add(std::uint32_t session, Statement statement) {
    drawn_.steps.push_back({.session = session, .statement = std::move(statement)});
  }
  std::string key() { return theme_->keys[random_.below(keys_)]; }
  std::int64_t number(std::uint64_t below) {
    return static_cast<std::int64_t>(random_.below(below));
  }
  Statement isolation() {
    return {.op = Op::set_isolation, .isolation = static_cast<Isolation>(random_.below(3))};
  }
  Assignment addition(std::int64_t plus) {
    return {"n", {.of = Term::Of::column, .column = "n", .plus = plus}};
  }
  Waiting waiting() {
    if (!one_in(5)) return Waiting::waits;
    return one_in(2) ? Waiting::nowait : Waiting::skips;
  }
  Condition condition() {
    return {"n", static_cast<Condition::Is>(random_.below(3)), {.value = number(3)}};
  }

  Kind kind() {
    std::uint64_t all = 0;
    for (const auto& [kind, weight] : theme_->kinds) all += weight;
    std::uint64_t left = random_.below(all);
    return std::ranges::find_if(theme_->kinds,
                                [&left](const auto& one) {
                                  if (left < one.second) return true;
                                  left -= one.second;
                                  return false;
                                })
        ->first;
  }

  Statement statement(std::uint32_t session) {
    const Kind kind = this->kind();
    switch (kind) {
      case Kind::begin:
        return {.op = Op::begin};
      case Kind::end:
        return {.op = one_in(3) ? Op::rollback : Op::commit};
      case Kind::look:
        return {.op = Op::select, .table = schema().name, .key = key()};
      case Kind::read:
        return plain_or_shared();
      case Kind::lock:
      case Kind::skip:
        return {.op = Op::select,
                .table = schema().name,
                .key = key(),
                .locking = Locking::update,
                .waiting = kind == Kind::skip ? Waiting::skips : waiting()};
      case Kind::insert:
        return insert();
      case Kind::update:
        return {.op = Op::update,
                .table = schema().name,
                .key = key(),
                .set = {addition(one_in(4) ? 0 : 1)}};
      case Kind::remove:
        return {.op = Op::remove, .table = schema().name, .key = key()};
      case Kind::scan:
        return of_every_row();
      case Kind::name:
        return named();
      case Kind::savepoint:
        return savepoint();
      case Kind::back:
        return {.op = Op::rollback_to, .name = "s"};
      case Kind::autocommit:
        return {.op = Op::set_autocommit, .number = number(2)};
      case Kind::kill:
        return kill(session);
      case Kind::rare:
        return rare(session);
    }
    return {};
  }

  Statement plain_or_shared() {
    Statement read{.op = Op::select, .table = schema().name};
    if (!one_in(3)) read.key = key();
    if (one_in(2)) read.locking = Locking::share;
    return read;
  }

  Statement insert() {
    Statement insert{.op = Op::insert,
                     .table = schema().name,
                     .values = {{.value = key()}, {.value = number(3)}}};
    if (one_in(3)) insert.on_duplicate = one_in(2) ? OnDuplicate::ignores : OnDuplicate::updates;
    if (insert.on_duplicate == OnDuplicate::updates) insert.set = {addition(number(2))};
    return insert;
  }

  Statement of_every_row() {
    Statement scan{.table = schema().name, .where = {condition()}};
    constexpr Op kOps[] = {Op::select, Op::update, Op::remove};
    scan.op = kOps[random_.below(3)];
    if (scan.op == Op::select) {
      scan.locking = Locking::update;
      scan.waiting = waiting();
    }
    if (scan.op == Op::update) scan.set = {addition(1)};
    return scan;
  }

  Statement named() {
    const std::string name = one_in(20) ? std::string(193, 'n') : one_in(2) ? "x" : "y";
    switch (random_.below(7)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return {.op = Op::get_lock, .name = name, .number = one_in(8) ? -1 : one_in(4) ? 0 : 100};
      case 4:
        return {.op = Op::is_used_lock, .name = name};
      default:
        return {.op = Op::release_lock, .name = name};
    }
  }

  Statement savepoint() {
    return {.op = one_in(2) ? Op::savepoint : Op::rollback_to, .name = one_in(2) ? "s" : "u"};
  }

  Statement rare(std::uint32_t session) {
    switch (random_.below(7)) {
      case 0:
        return isolation();
      case 1:
        return {.op = Op::set_autocommit, .number = number(2)};
      case 2:
        return {.op = Op::ddl, .name = "beside"};
      case 3:
      case 4:
        return savepoint();
      default:
        return kill(session);
    }
  }

  Statement kill(std::uint32_t session) {
    // After killing itself, a session would say nothing any more.
    const Op op = one_in(3) ? Op::kill : Op::kill_query;
    std::int64_t whom = 1 + number(drawn_.connections);
    if (op == Op::kill && whom == session) whom = 1 + whom % drawn_.connections;
    return {.op = op, .number = whom};
  }

  sim::Random random_;
  Interleaving drawn_;
  const Theme* theme_ = &everything();
  std::size_t keys_ = theme_->keys.size();
};

}  // namespace

Interleaving draw_interleaving(std::uint64_t seed) { return Drawing(seed).run(); }

std::uint64_t interleaving_seed(std::uint64_t run_seed, std::uint64_t index) {
  return index == 0 ? run_seed : sim::mixed(run_seed ^ sim::mixed(index)) >> 1;
}

}  // namespace picklock::conform::mysql
