#include "history/history.h"

namespace picklock::history {

std::string_view name(What what) {
  switch (what) {
    case What::acquire_invoked:
      return "acquire invoked";
    case What::acquire_ok:
      return "acquired";
    case What::acquire_failed:
      return "acquire failed";
    case What::acquire_unknown:
      return "acquire unknown";
    case What::release_invoked:
      return "release invoked";
    case What::release_ok:
      return "released";
    case What::release_failed:
      return "release failed";
    case What::release_unknown:
      return "release unknown";
    case What::wait_begun:
      return "wait begun";
    case What::wait_ended:
      return "wait ended";
    case What::deadlock_broken:
      return "deadlock broken";
    case What::refused_free:
      return "refused though free";
    case What::loss_learned:
      return "loss learned";
    case What::deadline_passed:
      return "deadline passed";
    case What::thread_ended:
      return "thread ended";
    case What::process_crashed:
      return "crashed";
    case What::process_started:
      return "started";
    case What::link_cut:
      return "link cut";
    case What::link_healed:
      return "link healed";
    case What::fault_fired:
      return "fault fired";
    case What::fault_ended:
      return "fault ended";
    case What::entry_created:
      return "entry created";
    case What::entry_altered:
      return "entry altered";
    case What::entry_removed:
      return "entry removed";
    case What::queued:
      return "queued";
    case What::out_of_connections:
      return "out of connections";
    case What::write_accepted:
      return "write accepted";
    case What::write_rejected:
      return "write rejected";
    case What::read_accepted:
      return "read accepted";
    case What::read_rejected:
      return "read rejected";
    case What::token_announced:
      return "token announced";
    case What::token_rejected:
      return "token rejected";
    case What::abandoned:
      return "abandoned";
    case What::horizon:
      return "horizon";
  }
  return "?";
}

std::string_view name(Cause cause) {
  switch (cause) {
    case Cause::command:
      return "command";
    case Cause::expiry:
      return "expiry";
    case Cause::eviction:
      return "eviction";
    case Cause::failover:
      return "failover";
    case Cause::session_end:
      return "session end";
    case Cause::restart:
      return "restart";
    case Cause::interrupt:
      return "interrupt";
    case Cause::coordinator:
      return "coordinator";
    case Cause::version:
      return "version";
    case Cause::crash:
      return "crash";
  }
  return "?";
}

}  // namespace picklock::history
