#include "explore/happenings.h"

#include "explore/signature.h"

namespace picklock::explore {

using sim::TraceKind;

void Happenings::add(const sim::TraceRecord& record, const scenarios::World& world) {
  switch (record.kind) {
    case TraceKind::recorded:
      return add(world.recorded()[record.message]);
    case TraceKind::delivered:
      all_.push_back({Happening::Kind::arrival, record.process, record.peer});
      return;
    // These are told by the receiver.
    case TraceKind::reset:
    case TraceKind::connected:
    case TraceKind::signalled:
      all_.push_back({Happening::Kind::arrival, record.peer, record.process});
      return;
    default:
      all_.push_back({Happening::Kind::other, record.process, record.peer});
  }
}

void Happenings::add(const history::HistoryEvent& event) {
  if (!is_notable(event)) return;
  if (event.what == history::What::acquire_invoked) clients_[event.tenure] = event.process;
  for (const history::TenureId tenure : {event.tenure, event.owner}) {
    const auto client = clients_.find(tenure);
    all_.push_back({Happening::Kind::event, event.process,
                    client == clients_.end() ? event.process : client->second});
  }
}

}  // namespace picklock::explore
