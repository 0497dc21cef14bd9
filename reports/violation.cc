#include "reports/violation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "picklock/client.h"
#include "reports/wording.h"

namespace picklock::reports {
namespace {

using history::Cause;
using history::HistoryEvent;
using history::What;
using sim::ProcessId;

std::string_view operation(What what) {
  switch (what) {
    case What::read_accepted:
      return "read";
    case What::write_rejected:
      return "rejected write";
    case What::read_rejected:
      return "rejected read";
    case What::token_announced:
    case What::token_rejected:
      return "token";
    default:
      return "write";
  }
}

// The kind of a rejected request.
std::string_view request(What what) {
  return what == What::read_rejected ? "read" : what == What::token_rejected ? "token" : "write";
}

std::string_view change(What what) {
  return what == What::entry_altered   ? "altered"
         : what == What::entry_created ? "created"
                                       : "removed";
}

std::string_view not_granted(const HistoryEvent& event) {
  return event.what == What::acquire_unknown ? "left without an answer" : "refused";
}

// Whether a release freed the lock and told its client that there was nothing to release.
bool denies_release(const HistoryEvent& told, const HistoryEvent& other) {
  return told.what == What::release_failed && other.what == What::entry_removed;
}

bool is_endless(Property property, const HistoryEvent& event) {
  return (property == Property::not_stuck || property == Property::progress) &&
         event.what == What::acquire_invoked;
}

// Whether the event cut a critical section off, so that its work was not finished.
bool cuts_off(const HistoryEvent& event) {
  return event.what == What::loss_learned || event.what == What::release_unknown ||
         event.what == What::release_failed;
}

struct CutOff {
  std::string_view event;     // of its client
  std::string_view although;  // of the lock
};

CutOff cut_off(const HistoryEvent& event) {
  switch (event.what) {
    case What::loss_learned:
      return {"was told that it had lost", "nothing had taken its entry"};
    case What::release_failed:
      return {"failed to release", "its entry was still there"};
    default:
      return {"could not know whether it had released", "no fault had struck"};
  }
}

// A violation, in parts of sentences.
struct Facts {
  const Narrator& say;
  const HistoryEvent& at;
  const HistoryEvent& other;  // is `at` if alone
  bool alone = false;
  bool same = false;  // one process caused both
  std::string actor;  // caused `at`
  std::string against;
  std::string when;
  std::string then;
  std::string lock;
};

// Says that no work was done. `other` is the first acquire, or it cut the first section off.
std::string without_work(const Facts& v) {
  const std::string lock = v.say.lock(v.other.key);
  if (!cuts_off(v.other)) return fmt::format("no client was granted {} in the whole run", lock);
  const auto [event, although] = cut_off(v.other);
  return fmt::format(
      "no critical section was finished in the whole run: at {} {} {} {}, although {}", v.then,
      v.say.who(v.other, false), event, lock, although);
}

// All that is said of a property: what it means, and a violation in a few words and in full.
struct Words {
  Property property;
  std::string_view meaning;
  std::string (*headline)(const Facts& v);
  std::string (*sentence)(const Facts& v);  // empty: the headline says it all
};

constexpr Words kMutualExclusion{
    .property = Property::mutual_exclusion,
    .meaning = "two clients never believe at the same time that they hold the lock",
    .headline = [](const Facts& v) -> std::string {
      return v.alone ? v.actor + " and another client both believe they hold the lock"
                     : fmt::format("{} and {} both believe they hold the lock", v.against, v.actor);
    },
    .sentence = [](const Facts& v) -> std::string {
      if (v.alone) return "";
      return fmt::format(
          "{} was told at {} that it holds {}, but {} had believed the same since {}", v.actor,
          v.when, v.lock, v.against, v.then);
    }};

constexpr Words kResourceExclusion{
    .property = Property::resource_exclusion,
    .meaning =
        "between two accepted operations of one holder, the resource accepts none of another",
    .headline = [](const Facts& v) -> std::string {
      return v.alone ? v.actor + "'s operations are interleaved with those of another client"
                     : fmt::format("{}'s {} fell between two operations of {}", v.against,
                                   operation(v.other.what), v.actor);
    },
    .sentence = [](const Facts& v) -> std::string {
      if (v.alone) return "";
      return fmt::format("{} {} {} again at {}, but {}'s {} had been accepted there at {}", v.actor,
                         v.at.what == What::read_accepted ? "read from" : "wrote to",
                         v.say.process(v.at.process), v.when, v.against, operation(v.other.what),
                         v.then);
    }};

constexpr Words kNoStaleWrite{
    .property = Property::no_stale_write,
    .meaning = "the resource accepts no write of an older grant after an operation of a newer one",
    .headline = [](const Facts& v) -> std::string {
      return v.alone ? v.actor + "'s stale write was accepted"
                     : fmt::format("{}'s write was accepted after a {} of {}, the newer holder",
                                   v.actor, operation(v.other.what), v.against);
    },
    .sentence = [](const Facts& v) -> std::string {
      if (v.alone) return "";
      return fmt::format(
          "{} accepted {}'s write at {}, after a {} of {}, whose grant is newer, at {}",
          v.say.process(v.at.process), v.actor, v.when, operation(v.other.what), v.against, v.then);
    }};

constexpr Words kNoLostUpdate{
    .property = Property::no_lost_update,
    .meaning =
        "the resource accepts no write based on a version that another holder has replaced since, "
        "and shows no version older than one it has accepted",
    .headline = [](const Facts& v) -> std::string {
      return v.alone ? v.actor + "'s write replaced an update that it had not read"
                     : fmt::format("{}'s write replaced an update of {} that it had not read",
                                   v.actor, v.against);
    },
    .sentence = [](const Facts& v) -> std::string {
      if (v.alone) return "";
      if (v.at.what == What::read_accepted) {
        return fmt::format(
            "{} showed {} version {} at {}, although version {} had been accepted from {} at {}",
            v.say.process(v.at.process), v.actor, v.at.version, v.when, v.other.version, v.against,
            v.then);
      }
      return fmt::format(
          "{} accepted {}'s write at {}, based on version {}, in place of version {}, which {} had "
          "written at {}",
          v.say.process(v.at.process), v.actor, v.when, v.at.base, v.other.version, v.against,
          v.then);
    }};

constexpr Words kNoHolderRefused{
    .property = Property::no_holder_refused,
    .meaning = "the resource rejects no request of the valid holder, whose grant is the newest",
    .headline = [](const Facts& v) -> std::string {
      return fmt::format("{} holds the lock, but its {} was rejected", v.say.who(v.at, false),
                         request(v.at.what));
    },
    .sentence = [](const Facts& v) -> std::string {
      if (v.alone) return "";
      return fmt::format("{} rejected {}'s {} at {}{}, although no grant is newer than {}'s, at {}",
                         v.say.process(v.at.process), v.say.who(v.at, false), request(v.at.what),
                         v.when,
                         v.at.cause == Cause::version
                             ? fmt::format(" because version {} was current", v.at.version)
                             : "",
                         v.say.who(v.at, false), v.then);
    }};

constexpr Words kOwnRelease{
    .property = Property::own_release,
    .meaning =
        "no holder removes or changes the lock's key while the key belongs to another holder",
    .headline = [](const Facts& v) -> std::string {
      return fmt::format("{} {} {}'s entry",
                         v.say.doer(v.at, v.say.actor_of(v.at) == v.say.process_of(v.at.owner)),
                         change(v.at.what), v.say.owner(v.at));
    },
    .sentence = [](const Facts& v) -> std::string {
      const auto role = v.at.role;
      const bool named = v.at.role != Role::none && !v.say.operator_behind(v.at);
      return fmt::format("{} {} {}'s entry of {} on {} at {}{}",
                         v.say.doer(v.at, v.say.actor_of(v.at) == v.say.process_of(v.at.owner)),
                         change(v.at.what), v.say.owner(v.at), v.say.key(v.at.key),
                         v.say.process(v.at.process), v.when,
                         named ? fmt::format(", with its {}", name(role)) : "");
    }};

constexpr Words kBalancedHolds{
    .property = Property::balanced_holds,
    .meaning = "the server counts exactly as many holds of a client as the client was told of",
    .headline = [](const Facts& v) -> std::string {
      if (denies_release(v.at, v.other))
        return v.say.who(v.at, false) +
               "'s release freed the lock, yet reported nothing to release";
      return v.alone ? v.actor + "'s holds are miscounted"
                     : fmt::format("{} miscounts the holds of {}", v.say.process(v.other.process),
                                   v.say.who(v.at, false));
    },
    .sentence = [](const Facts& v) -> std::string {
      if (v.alone) return "";
      if (denies_release(v.at, v.other)) {
        return fmt::format(
            "{} was told at {} that it had nothing to release, although its release had "
            "removed its entry on {} at {}",
            v.say.who(v.at, false), v.when, v.say.process(v.other.process), v.then);
      }
      const std::string told = v.at.what == What::acquire_ok ? " was told that it holds "
                               : v.at.what == What::release_failed
                                   ? " was told that it had no hold to release on "
                                   : " had released ";
      return fmt::format("when {}{}{} at {}, {} counted {} of its holds, a number set at {}",
                         v.say.who(v.at, false), told, v.lock, v.when,
                         v.say.process(v.other.process), v.other.holds, v.then);
    }};

constexpr Words kLossNoticed{
    .property = Property::loss_noticed,
    .meaning = "a holder whose key is gone learns of it, or its own declared deadline has passed",
    .headline = [](const Facts& v) -> std::string {
      const auto loser = v.say.process_of(v.other.owner);
      return (loser ? v.say.process(*loser) : v.actor) + " never noticed that it had lost the lock";
    },
    .sentence = [](const Facts& v) -> std::string {
      if (v.alone) return "";
      const HistoryEvent& lost = v.say.first_loss(v.other);
      const HistoryEvent* const crash = v.say.crash_that_lost(lost);
      const std::string believed = v.at.what == What::release_invoked
                                       ? "until it began to release at " + v.when
                                   : v.at.what == What::horizon ? "until the run ended at " + v.when
                                                                : "until " + v.when;
      const std::string how = crash != nullptr ? fmt::format("was lost in the crash of {}",
                                                             v.say.process(crash->process))
                                               : v.say.loss(lost);
      return fmt::format(
          "{}'s entry {} at {}; its owner believed that it held {} {} and never learned of the "
          "loss",
          v.say.owner(lost), how, instant(crash != nullptr ? crash->at : lost.at),
          v.say.lock(lost.key), believed);
    }};

constexpr Words kNotStuck{
    .property = Property::not_stuck,
    .meaning = "no waiter waits forever behind a key that has no deadline and no live holder",
    .headline = [](const Facts& v) -> std::string { return v.actor + " waits forever"; },
    .sentence = [](const Facts& v) -> std::string {
      const auto holder = v.say.process_of(v.other.owner != 0 ? v.other.owner : v.other.tenure);
      if (v.other.what == What::out_of_connections)
        return fmt::format(
            "{} has waited for {} since {}, to the end of the run, without a connection: each of "
            "its process is lent to a thread that has ended",
            v.actor, v.lock, v.when);
      if (v.alone || !holder)
        return fmt::format("{} has waited for {} since {}, to the end of the run", v.actor, v.lock,
                           v.when);
      if (v.say.is_client(v.other.process))
        return fmt::format(
            "{} has waited for {} since {}, to the end of the run, behind a mutex of its own "
            "process "
            "that no live thread can release",
            v.actor, v.lock, v.when);
      return fmt::format(
          "{} has waited for {} since {}, to the end of the run, behind an entry of {} {}", v.actor,
          v.lock, v.when, v.say.process(*holder),
          v.other.until == sim::kNever ? "that has no deadline"
                                       : "that is renewed without a holder");
    }};

constexpr Words kNoDeadlock{
    .property = Property::no_deadlock,
    .meaning = "there is no cycle of waiters and holders, and no holder waits for itself",
    .headline = [](const Facts& v) -> std::string {
      if (v.at.what == What::deadlock_broken) return v.actor + " is the victim of a deadlock";
      const auto holder = v.say.process_of(v.other.owner != 0 ? v.other.owner : v.other.tenure);
      return v.alone || !holder ? v.actor + " waits in a cycle of waiters"
                                : fmt::format("{} waits for {}", v.actor, v.say.process(*holder));
    },
    .sentence = [](const Facts& v) -> std::string {
      if (v.at.what == What::deadlock_broken)
        return fmt::format("{} found a deadlock at {}, and {} was its victim",
                           v.say.process(v.at.process), v.when, v.actor);
      const auto holder = v.say.process_of(v.other.owner != 0 ? v.other.owner : v.other.tenure);
      if (v.alone || !holder)
        return fmt::format("{} has waited for {} since {}", v.actor, v.lock, v.when);
      return fmt::format("{} has waited since {} for {}, held by {} since {}", v.actor, v.when,
                         v.lock, v.say.process(*holder), v.then);
    }};

constexpr Words kNoLostWakeup{
    .property = Property::no_lost_wakeup,
    .meaning = "no waiter sleeps longer than the algorithm's bound while the lock is free",
    .headline = [](const Facts& v) -> std::string {
      return v.actor + " keeps sleeping while the lock is free";
    },
    .sentence = [](const Facts& v) -> std::string {
      return fmt::format(
          "{} began to wait for {} at {} and kept sleeping, although it could have had it since {}",
          v.say.who(v.at, !v.alone && v.same), v.lock, v.when, v.alone ? "then" : v.then);
    }};

constexpr Words kBoundedWakeups{
    .property = Property::bounded_wakeups,
    .meaning = "one release or loss wakes no more waiters than the algorithm promises",
    .headline = [](const Facts& v) -> std::string {
      const auto waker = v.say.process_of(v.at.owner);
      return waker ? fmt::format("{} wakes more waiters than allowed", v.say.process(*waker))
                   : v.actor + " is woken beyond the allowed number of waiters";
    },
    .sentence = [](const Facts& v) -> std::string {
      const auto waker = v.say.process_of(v.at.owner);
      if (v.alone || !waker) return "";
      return v.other.what == What::release_invoked
                 ? fmt::format(
                       "{} was woken at {}, one waiter more than {}'s release at {} may wake",
                       v.actor, v.when, v.say.process(*waker), v.then)
                 : fmt::format("{} was woken at {} by {}, one waiter more than {} may wake",
                               v.actor, v.when, v.say.process(*waker), v.say.process(*waker));
    }};

constexpr Words kFairOrder{
    .property = Property::fair_order,
    .meaning = "no waiter is overtaken by later ones more often than the algorithm promises",
    .headline = [](const Facts& v) -> std::string {
      return v.alone ? v.actor + " overtakes once more than allowed"
                     : fmt::format("{} overtakes {} once more than allowed", v.actor, v.against);
    },
    .sentence = [](const Facts& v) -> std::string {
      if (v.alone) return "";
      return fmt::format(
          "{} was told at {} that it holds {}, although {} had requested it earlier, at {}, and "
          "had "
          "already been overtaken as often as allowed",
          v.actor, v.when, v.lock, v.against, v.then);
    }};

constexpr Words kAvailable{
    .property = Property::available,
    .meaning =
        "an acquire is not refused while the algorithm's documented condition for success holds",
    .headline = [](const Facts& v) -> std::string {
      return fmt::format("{} was {} although the lock was available", v.actor, not_granted(v.at));
    },
    .sentence = [](const Facts& v) -> std::string {
      return fmt::format("{} was {} at {}, although the lock's condition for a grant was met",
                         v.actor, not_granted(v.at), v.when);
    }};

constexpr Words kProgress{
    .property = Property::progress,
    .meaning =
        "some client gets the lock and finishes its work, and none waits to the end for a lock "
        "that nobody holds",
    .headline = [](const Facts& v) -> std::string {
      return v.at.what == What::horizon && cuts_off(v.other)
                 ? "no client ever finished its work with the lock"
             : v.at.what == What::horizon ? "no client was ever granted the lock"
             : v.at.what == What::acquire_invoked
                 ? v.actor + " waits for a lock that nobody holds"
                 : v.against + " waited for a lock that nobody held";
    },
    .sentence = [](const Facts& v) -> std::string {
      if (v.at.what == What::horizon) return without_work(v);
      if (v.at.what == What::acquire_invoked)
        return fmt::format(
            "{} has waited for {} since {}, to the end of the run, although nobody held it",
            v.actor, v.lock, v.when);
      return fmt::format(
          "nobody held {} for more than {} until {}, although {} had waited for it since {}",
          v.say.lock(v.other.key), rounded(v.say.run().patience), v.when, v.say.who(v.other, false),
          v.then);
    }};

constexpr std::array<Words, kPropertyCount> kWords{
    kMutualExclusion, kResourceExclusion, kNoStaleWrite, kNoLostUpdate, kNoHolderRefused,
    kOwnRelease,      kBalancedHolds,     kLossNoticed,  kNotStuck,     kNoDeadlock,
    kNoLostWakeup,    kBoundedWakeups,    kFairOrder,    kAvailable,    kProgress};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    if (kWords[i].property != static_cast<Property>(i)) return false;
  }
  return true;
}
static_assert(are_in_order());

const Words& words_of(Property property) { return kWords[static_cast<std::size_t>(property)]; }

Facts facts(const Narrator& say, const HistoryEvent& at, const HistoryEvent* second) {
  const HistoryEvent& other = second != nullptr ? *second : at;
  const bool same = say.actor_of(at) == say.actor_of(other);
  return {.say = say,
          .at = at,
          .other = other,
          .alone = &other == &at,
          .same = same,
          .actor = say.who(at, same),
          .against = say.who(other, same),
          .when = instant(at.at),
          .then = instant(other.at),
          .lock = say.lock(at.key)};
}

}  // namespace

std::string_view meaning(Property property) { return words_of(property).meaning; }

Violation::Violation(const Narrator& narrator, Property property, const Witness& witness)
    : narrator_(narrator), property_(property), witness_(witness) {}

const HistoryEvent* Violation::event(std::uint32_t index) const {
  const history::History& history = narrator_.run().history;
  return index < history.size() ? &history[index] : nullptr;
}

std::string Violation::headline() const {
  const HistoryEvent* at = event(witness_.event);
  if (at == nullptr) return "";
  return words_of(property_).headline(facts(narrator_, *at, event(witness_.other)));
}

std::string Violation::sentence() const {
  const HistoryEvent* at = event(witness_.event);
  if (at == nullptr) return fmt::format("event {} of the history", witness_.event);
  const Facts all = facts(narrator_, *at, event(witness_.other));
  const std::string text = words_of(property_).sentence(all);
  return text.empty() ? headline() + " at " + all.when : text;
}

const HistoryEvent* Violation::broke_at() const {
  const HistoryEvent* at = event(witness_.event);
  if (at == nullptr) return nullptr;
  // A wait that does not end is one only at the horizon; what caused it may come after its
  // beginning.
  if (is_endless(property_, *at)) return &narrator_.run().history.back();
  const HistoryEvent* other = event(witness_.other);
  const bool later = property_ == Property::no_lost_wakeup && other != nullptr;
  return later ? std::max(at, other) : at;
}

std::vector<ProcessId> Violation::concerned() const {
  std::vector<ProcessId> all;
  const auto add = [&all](std::optional<ProcessId> process) {
    if (process && std::find(all.begin(), all.end(), *process) == all.end())
      all.push_back(*process);
  };
  const HistoryEvent* other = event(witness_.other);
  // The process that caused a loss is not concerned: it is not to blame for an unnoticed loss.
  if (property_ == Property::loss_noticed && other != nullptr)
    add(narrator_.process_of(other->owner));
  if (!all.empty()) return all;
  for (const HistoryEvent* one : {event(witness_.event), other}) {
    if (one == nullptr) continue;
    add(narrator_.actor_of(*one));
    if (one->what >= What::entry_created && one->what <= What::entry_removed)
      add(narrator_.process_of(one->owner));
  }
  return all;
}

}  // namespace picklock::reports
