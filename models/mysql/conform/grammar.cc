#include "models/mysql/conform/grammar.h"

#include <array>

#include "sim/random.h"

namespace picklock::models::mysql::conform {
namespace {

constexpr std::array<const char*, 6> kKeys = {"a", "c", "m", "p", "z", "zz"};

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed, sim::hash_of("conform.mysql")) {
    drawn_.seed = seed;
    drawn_.sessions = 2 + static_cast<std::uint32_t>(random_.below(3));
  }

  Interleaving run() {
    // Where few rows are spoken of, more of it meets.
    keys_ = one_in(3) ? 2 : kKeys.size();
    // Patience is dear: a real server has to be waited for.
    const bool impatient = one_in(40);
    for (std::uint32_t session = 1; session <= drawn_.sessions; ++session) {
      if (one_in(4)) add(session, isolation());
      if (!one_in(4)) add(session, {.op = Op::begin});
    }
    while (drawn_.steps.size() < kStepsPerInterleaving) {
      const auto session = 1 + static_cast<std::uint32_t>(random_.below(drawn_.sessions));
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
  std::string key() { return kKeys[random_.below(keys_)]; }
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

  Statement statement(std::uint32_t session) {
    switch (random_.below(12)) {
      case 0:
        return {.op = Op::begin};
      case 1:
        return {.op = one_in(3) ? Op::rollback : Op::commit};
      case 2:
      case 3:
        return {.op = Op::select,
                .table = schema().name,
                .key = key(),
                .locking = Locking::update,
                .waiting = waiting()};
      case 4:
        return plain_or_shared();
      case 5:
      case 6:
        return insert();
      case 7:
        return {
            .op = Op::update, .table = schema().name, .key = key(), .set = {addition(number(2))}};
      case 8:
        return {.op = Op::remove, .table = schema().name, .key = key()};
      case 9:
        return of_every_row();
      case 10:
        return named();
      default:
        return rare(session);
    }
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
    switch (random_.below(5)) {
      case 0:
      case 1:
        return {.op = Op::get_lock, .name = name, .number = one_in(4) ? -1 : one_in(3) ? 0 : 100};
      case 2:
        return {.op = Op::is_used_lock, .name = name};
      default:
        return {.op = Op::release_lock, .name = name};
    }
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
        return {.op = one_in(2) ? Op::savepoint : Op::rollback_to, .name = one_in(2) ? "s" : "u"};
      default: {
        // Of itself it would be the last that is heard of it.
        const Op op = one_in(3) ? Op::kill : Op::kill_query;
        std::int64_t whom = 1 + number(drawn_.sessions);
        if (op == Op::kill && whom == session) whom = 1 + whom % drawn_.sessions;
        return {.op = op, .number = whom};
      }
    }
  }

  sim::Random random_;
  Interleaving drawn_;
  std::size_t keys_ = kKeys.size();
};

}  // namespace

Interleaving draw_interleaving(std::uint64_t seed) { return Drawing(seed).run(); }

std::uint64_t interleaving_seed(std::uint64_t run_seed, std::uint64_t index) {
  return index == 0 ? run_seed : sim::mixed(run_seed ^ sim::mixed(index)) >> 1;
}

}  // namespace picklock::models::mysql::conform
