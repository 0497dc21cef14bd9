// The messages that arrive in a run and its events, in order, with the processes that they concern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "history/history.h"
#include "scenarios/world.h"
#include "sim/trace.h"

namespace picklock::explore {

struct Happening {
  enum class Kind : std::uint8_t {
    arrival,  // of a message from `process`, also of one between the kernels
    event,    // a notable one of the history: at a server, also of the client whose tenure it is
    other     // of the trace
  };
  Kind kind = Kind::other;
  sim::ProcessId process = 0;
  sim::ProcessId peer = 0;
};

class Happenings {
 public:
  // Requires: it is the record after the last, of the last run of the world.
  void add(const sim::TraceRecord& record, const scenarios::World& world);

  std::size_t size() const { return all_.size(); }
  // Whether this is true of one of them, from that number to before the other.
  template <typename Predicate>
  bool any(std::size_t from, std::size_t to, Predicate is_one) const {
    for (std::size_t i = from; i < to; ++i) {
      if (is_one(all_[i])) return true;
    }
    return false;
  }

 private:
  void add(const history::HistoryEvent& event);

  std::vector<Happening> all_;
  std::map<history::TenureId, sim::ProcessId> clients_;
};

}  // namespace picklock::explore
