#include "conform/zookeeper/grammar.h"

#include <array>
#include <string_view>

#include "sim/random.h"

namespace picklock::conform::zookeeper {
namespace {

using Kind = Step::Kind;

// The server's tick is 200 ms: sessions of 1 s end within 1.2 s of silence, those of 4 s do not.
constexpr std::int32_t kBrief = 1000;
constexpr std::int32_t kLong = 4000;
constexpr std::int32_t kBeyondBrief = 1400;

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed, sim::hash_of("conform.zookeeper")) {
    sequence_.seed = seed;
    sequence_.connections = 2 + static_cast<std::uint32_t>(random_.below(3));
  }

  Sequence run() {
    few_paths_ = one_in(3);
    // Silence is expensive: it takes real time on a real server.
    const bool silent = one_in(30);
    for (std::uint32_t i = 0; i < sequence_.connections; ++i)
      add({.kind = Kind::connect, .connection = i, .timeout = silent && i == 0 ? kBrief : kLong});
    const std::uint64_t silence = random_.below(kStepsPerSequence);
    for (std::size_t i = 0; i < kStepsPerSequence; ++i) {
      if (silent && i == silence)
        add({.kind = Kind::pass, .timeout = kBeyondBrief});
      else
        add(step());
    }
    return std::move(sequence_);
  }

 private:
  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  template <typename Element, std::size_t n>
  const Element& some(const std::array<Element, n>& all) {
    return all[random_.below(n)];
  }
  void add(Step step) { sequence_.steps.push_back(std::move(step)); }

  Step step() {
    const auto connection = static_cast<std::uint32_t>(random_.below(sequence_.connections));
    Step step{.connection = connection};
    const std::uint64_t kind = random_.below(100);
    if (kind < 2) {
      step.kind = Kind::drop;
    } else if (kind < 6) {
      step.kind = Kind::resume;
    } else if (kind < 7) {
      step.kind = Kind::intrude;
    } else if (kind < 9) {
      step.kind = Kind::connect;
      step.timeout = kLong;
    } else if (kind < 11) {
      step.kind = Kind::usurp;
      step.from = static_cast<std::uint32_t>(random_.below(sequence_.connections));
    } else {
      step.ask = ask();
    }
    return step;
  }

  Ask ask() {
    // A check occurs only in a multi: 3.8.0 never answers a successful check by itself.
    static constexpr std::array<OpCode, 32> kOps = {
        OpCode::create,       OpCode::create,         OpCode::create,
        OpCode::create,       OpCode::create,         OpCode::create,
        OpCode::create2,      OpCode::create2,        OpCode::create_container,
        OpCode::remove,       OpCode::remove,         OpCode::remove,
        OpCode::remove,       OpCode::exists,         OpCode::exists,
        OpCode::exists,       OpCode::get_data,       OpCode::get_data,
        OpCode::get_data,     OpCode::set_data,       OpCode::set_data,
        OpCode::get_children, OpCode::get_children,   OpCode::get_children2,
        OpCode::sync,         OpCode::ping,           OpCode::multi,
        OpCode::multi,        OpCode::remove_watches, OpCode::set_watches,
        OpCode::ping,         OpCode::exists};
    if (one_in(60)) return {.op = OpCode::close_session};
    if (one_in(300)) return {.op = static_cast<OpCode>(77)};
    Ask ask = of(some(kOps));
    if (ask.op == OpCode::multi) {
      static constexpr std::array<OpCode, 8> kParts = {
          OpCode::create, OpCode::create, OpCode::create2,  OpCode::create_container,
          OpCode::remove, OpCode::remove, OpCode::set_data, OpCode::check};
      const std::uint64_t parts = random_.below(5);
      for (std::uint64_t i = 0; i < parts; ++i) ask.parts.push_back(of(some(kParts)));
    }
    return ask;
  }

  Ask of(OpCode op) {
    Ask ask{.op = op};
    switch (op) {
      case OpCode::ping:
      case OpCode::multi:
        return ask;
      case OpCode::set_watches:
        ask.seen = static_cast<Zxid>(random_.below(6));
        for (auto* paths : {&ask.data_watches, &ask.exists_watches, &ask.child_watches}) {
          const std::uint64_t count = random_.below(3);
          for (std::uint64_t i = 0; i < count; ++i) paths->push_back(good_path());
        }
        return ask;
      default:
        break;
    }
    ask.path = one_in(12) ? odd_path() : good_path();
    ask.watch = one_in(2);
    if (one_in(3)) ask.version = static_cast<std::int32_t>(random_.below(3));
    static constexpr std::array<std::string_view, 3> kData = {"", "x", "some data"};
    if (!one_in(8)) ask.data = std::string(some(kData));
    if (op == OpCode::create || op == OpCode::create2) {
      static constexpr std::array<std::int32_t, 12> kFlags = {0, 0, 0, 1, 1, 1, 2, 3, 3, 4, 5, 9};
      ask.flags = some(kFlags);
      // The root's counters are not this sequence's own.
      if (ask.path == kRoot) ask.flags = 0;
      ask.has_acl = !one_in(25);
    }
    if (op == OpCode::create_container) ask.flags = 4;
    if (op == OpCode::remove_watches) ask.flags = 1 + static_cast<std::int32_t>(random_.below(3));
    return ask;
  }

  std::string good_path() {
    static constexpr std::array<std::string_view, 8> kPaths = {
        "/t/a", "/t/b", "/t/a/x", "/t/a/y", "/t/b/n-", "/t/n-", "/t/n-0000000001", "/t/c"};
    return std::string(kPaths[random_.below(few_paths_ ? 3 : kPaths.size())]);
  }
  std::string odd_path() {
    static constexpr std::array<std::string_view, 12> kPaths = {
        "/t",     "t",        "/t/",          "/t//a",    "t/a",      "/t/a/",
        "/t/./a", "/t/a\x01", "/t/a\xc2\x85", "/t/q/w/e", "/t/a/x/y", "/t/.."};
    return std::string(some(kPaths));
  }

  bool few_paths_ = false;  // so that much happens to each
  sim::Random random_;
  Sequence sequence_;
};

}  // namespace

Sequence draw_sequence(std::uint64_t seed) { return Drawing(seed).run(); }

std::uint64_t sequence_seed(std::uint64_t run_seed, std::uint64_t index) {
  return index == 0 ? run_seed : sim::mixed(run_seed + 0x9e3779b97f4a7c15ULL * index) >> 1;
}

}  // namespace picklock::conform::zookeeper
