// Which lock servers a client could reach undisturbed, and since when. Judges use it for promises
// that an algorithm makes only for healthy servers and networks. A paused server, a slow link or a
// lost reply may cost time, so the time of any fault does not count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "history/history.h"
#include "properties/timeline.h"

namespace picklock::properties {

struct SurroundingsScratch {
  struct Server {
    Instant since{};
    bool up = true;
  };
  struct Link {
    Instant healed{};
    std::uint8_t cut = 0;  // one bit per direction
  };
  std::vector<Server> servers;
  std::vector<Link> links;  // by client and server
};

class Surroundings {
 public:
  Surroundings(const Case& run, SurroundingsScratch& scratch)
      : context_(run.context), scratch_(scratch) {
    scratch_.servers.assign(context_.servers, {});
    scratch_.links.assign(run.timeline.processes() * context_.servers, {});
  }

  // kNone: it is none.
  std::uint32_t server_of(ProcessId process) const {
    const std::uint32_t first = context_.first_server;
    return process >= first && process - first < context_.servers ? process - first : kNone;
  }

  // The time since which the client could reach the server undisturbed; kNever: it cannot.
  Instant since(ProcessId client, std::uint32_t server) const {
    const SurroundingsScratch::Link& link = scratch_.links[client * context_.servers + server];
    if (faults_ > 0 || link.cut != 0 || !scratch_.servers[server].up) return sim::kNever;
    return std::max({calm_, link.healed, scratch_.servers[server].since});
  }
  bool up(std::uint32_t server) const { return scratch_.servers[server].up; }
  bool disturbed() const { return faults_ > 0; }

  // Whether the event makes the surroundings worse, so that a condition that has held so far may
  // end now.
  static bool worsens(const HistoryEvent& event) {
    return event.what == history::What::process_crashed || event.what == history::What::link_cut ||
           event.what == history::What::fault_fired;
  }

  // Every event, in order.
  void follow(const HistoryEvent& event) {
    using history::What;
    switch (event.what) {
      case What::process_crashed:
      case What::process_started:
        if (const std::uint32_t server = server_of(event.process); server != kNone)
          scratch_.servers[server] = {event.at, event.what == What::process_started};
        break;
      case What::link_cut:
      case What::link_healed:
        link(event);
        break;
      case What::fault_fired:
        ++faults_;
        calm_ = event.at;
        break;
      case What::fault_ended:
        if (faults_ > 0) --faults_;
        calm_ = event.at;
        break;
      default:
        break;
    }
  }

 private:
  void link(const HistoryEvent& event) {
    std::uint8_t direction = 1;
    std::uint32_t server = server_of(event.peer);
    ProcessId client = event.process;
    if (server == kNone) {
      direction = 2;
      server = server_of(event.process);
      client = event.peer;
      if (server == kNone) return;
    }
    const bool cut = event.what == history::What::link_cut;
    SurroundingsScratch::Link& link = scratch_.links[client * context_.servers + server];
    if (!cut && (link.cut & direction) == 0) return;
    link.cut = static_cast<std::uint8_t>(cut ? link.cut | direction : link.cut & ~direction);
    link.healed = event.at;
  }

  const Context& context_;
  SurroundingsScratch& scratch_;
  std::uint32_t faults_ = 0;
  Instant calm_ = sim::kStart;
};

}  // namespace picklock::properties
