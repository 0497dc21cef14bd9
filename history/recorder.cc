#include "history/recorder.h"

namespace picklock::history {
namespace {

constexpr bool same(What what, sim::Occurred occurred) {
  return static_cast<std::uint8_t>(what) == static_cast<std::uint8_t>(occurred);
}

static_assert(same(What::thread_ended, sim::Occurred::thread_ended));
static_assert(same(What::process_crashed, sim::Occurred::process_crashed));
static_assert(same(What::process_started, sim::Occurred::process_started));
static_assert(same(What::link_cut, sim::Occurred::link_cut));
static_assert(same(What::link_healed, sim::Occurred::link_healed));
static_assert(same(What::fault_fired, sim::Occurred::fault_fired));
static_assert(same(What::fault_ended, sim::Occurred::fault_ended));

}  // namespace

void Recorder::receive(const sim::Occurrence& occurrence) {
  append({.at = occurrence.at,
          .what = static_cast<What>(occurrence.what),
          .process = occurrence.process,
          .peer = occurrence.peer,
          .thread = occurrence.thread,
          .tenure = occurrence.tag,
          .key = occurrence.fault},
         occurrence.request);
}

}  // namespace picklock::history
