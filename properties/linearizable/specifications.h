// The behavior of each kind of object if its operations come one after another. A specification has
// a state, and `apply` gives the state after an action, or nothing if the object would not have
// answered so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace picklock::properties::linearizable {

// Owners are tenures, threads or clients; 0 is nobody.
using Owner = std::uint32_t;

constexpr std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

// A lock that one owner has at a time.
struct Mutex {
  enum class Verb : std::uint8_t {
    acquire,
    release,
    refused,  // an attempt that found the lock held
  };
  struct Action {
    Verb verb{};
    Owner owner = 0;
  };
  using State = Owner;

  static State initial() { return 0; }
  static std::uint64_t hash(State state) { return mixed(state); }
  static std::optional<State> apply(State state, const Action& action) {
    switch (action.verb) {
      case Verb::acquire:
        return state == 0 ? std::optional(action.owner) : std::nullopt;
      case Verb::release:
        return state == action.owner ? std::optional<State>(0) : std::nullopt;
      case Verb::refused:
        return state != 0 ? std::optional(state) : std::nullopt;
    }
    return std::nullopt;
  }
};

// A lock that its owner can acquire again, and that is free after as many releases.
struct ReentrantLock {
  enum class Verb : std::uint8_t {
    acquire,
    release,
    lose,     // ends all holds of the owner
    refused,  // an attempt that found the lock held by another
  };
  struct Action {
    Verb verb{};
    Owner owner = 0;
  };
  struct State {
    Owner owner = 0;
    std::uint32_t holds = 0;
    bool operator==(const State&) const = default;
  };

  static State initial() { return {}; }
  static std::uint64_t hash(const State& state) {
    return mixed(std::uint64_t{state.owner} << 32 | state.holds);
  }
  static std::optional<State> apply(const State& state, const Action& action) {
    const bool own = state.owner == action.owner;
    switch (action.verb) {
      case Verb::acquire:
        if (state.owner != 0 && !own) return std::nullopt;
        return State{action.owner, state.holds + 1};
      case Verb::release:
        if (!own) return std::nullopt;
        return state.holds == 1 ? State{} : State{state.owner, state.holds - 1};
      case Verb::lose:
        return own ? std::optional(State{}) : std::nullopt;
      case Verb::refused:
        return state.owner != 0 && !own ? std::optional(state) : std::nullopt;
    }
    return std::nullopt;
  }
};

// A lock that one writer has alone, or any number of readers together. Not reentrant, and a reader
// cannot become the writer without ending its read.
struct ReadWriteLock {
  enum class Verb : std::uint8_t { read, end_read, write, end_write };
  struct Action {
    Verb verb{};
    Owner owner = 0;
  };
  struct State {
    Owner writer = 0;
    std::vector<Owner> readers{};  // sorted
    bool operator==(const State&) const = default;
  };

  static State initial() { return {}; }
  static std::uint64_t hash(const State& state) {
    std::uint64_t all = mixed(state.writer);
    for (const Owner reader : state.readers) all = mixed(all ^ reader);
    return all;
  }
  // Counts against the limit of what is remembered.
  static std::size_t weight(const State& state) { return state.readers.size() / 8; }
  static std::optional<State> apply(const State& state, const Action& action) {
    const auto place = std::lower_bound(state.readers.begin(), state.readers.end(), action.owner);
    const bool reads = place != state.readers.end() && *place == action.owner;
    const auto at = place - state.readers.begin();
    State after = state;
    switch (action.verb) {
      case Verb::read:
        if (state.writer != 0 || reads) return std::nullopt;
        after.readers.insert(after.readers.begin() + at, action.owner);
        return after;
      case Verb::end_read:
        if (!reads) return std::nullopt;
        after.readers.erase(after.readers.begin() + at);
        return after;
      case Verb::write:
        if (state.writer != 0 || !state.readers.empty()) return std::nullopt;
        after.writer = action.owner;
        return after;
      case Verb::end_write:
        if (state.writer != action.owner) return std::nullopt;
        after.writer = 0;
        return after;
    }
    return std::nullopt;
  }
};

// Permits that anybody may take and anybody may put back, up to their first number.
struct Semaphore {
  enum class Verb : std::uint8_t {
    acquire,
    release,
    refused,  // an attempt that found fewer permits than it wanted
  };
  struct Action {
    Verb verb{};
    std::uint32_t permits = 1;
  };
  using State = std::uint32_t;  // permits that are taken

  std::uint32_t permits = 1;

  static State initial() { return 0; }
  static std::uint64_t hash(State state) { return mixed(state); }
  std::optional<State> apply(State taken, const Action& action) const {
    const bool enough = permits - taken >= action.permits;
    switch (action.verb) {
      case Verb::acquire:
        return enough ? std::optional(taken + action.permits) : std::nullopt;
      case Verb::release:
        return taken >= action.permits ? std::optional(taken - action.permits) : std::nullopt;
      case Verb::refused:
        return enough ? std::nullopt : std::optional(taken);
    }
    return std::nullopt;
  }
};

// A lock that gives every grant a larger token than the one before, together with a resource that
// accepts no write with a smaller token than the largest it has seen.
struct FencingToken {
  enum class Verb : std::uint8_t {
    grant,
    read,  // shows its token, and is accepted whatever it is
    write,
    refused,  // a write with a token that is too small
  };
  struct Action {
    Verb verb{};
    std::uint32_t token = 0;
  };
  struct State {
    std::uint32_t granted = 0;  // the largest token given out
    std::uint32_t newest = 0;   // the largest token seen by the resource
    bool operator==(const State&) const = default;
  };

  // Tokens up to this one were granted before the history begins.
  std::uint32_t granted_before = 0;

  State initial() const { return {.granted = granted_before}; }
  static std::uint64_t hash(const State& state) {
    return mixed(std::uint64_t{state.granted} << 32 | state.newest);
  }
  static std::optional<State> apply(const State& state, const Action& action) {
    if (action.verb == Verb::grant) {
      if (action.token <= state.granted) return std::nullopt;
      return State{action.token, state.newest};
    }
    if (action.token > state.granted) return std::nullopt;  // nobody has been given it
    const bool stale = action.token < state.newest;
    if (action.verb == Verb::refused) return stale ? std::optional(state) : std::nullopt;
    if (action.verb == Verb::write && stale) return std::nullopt;
    return State{state.granted, std::max(state.newest, action.token)};
  }
};

}  // namespace picklock::properties::linearizable
