#include "models/lease_store/lease_store.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "history/recorded_simulation.h"
#include "models/servers/verbs.h"

namespace picklock::lease_store {
namespace {

constexpr std::int64_t kNeverLocal = INT64_MAX;

void append_session(sim::Payload& payload, std::uint32_t session) {
  payload.append("s");
  append_number(payload, session);
}

}  // namespace

void LeaseStore::reset(history::RecordedSimulation& simulation, sim::Process& process,
                       models::Tenures& tenures, models::Keys& keys, const Settings& settings) {
  attach(simulation, process);
  recorder_ = &simulation.recorder;
  tenures_ = &tenures;
  keys_ = &keys;
  settings_ = settings;
  sessions_.clear();
  entries_.clear();
  watchers_.clear();
  opened_ = 0;
  revision_ = 0;
  timer_.bind<&LeaseStore::look>(simulation.scheduler, &process, *this);
  sim::Random chance(simulation.scheduler.record().seed(),
                     sim::mixed(process.hash() ^ sim::hash_of("looks")));
  phase_ = settings.tick > Duration::zero()
               ? chance.between(Duration(0), settings.tick - Duration(1)).count()
               : 0;
}

void LeaseStore::start(sim::Keeps) {
  if (process().incarnation() == 0) return;
  for (Session& session : sessions_) {
    session.deadline = deadline_of(session.ttl);
    for (const Entry& entry : entries_) {
      if (entry.session == session.number)
        note(history::What::entry_altered, history::Cause::restart, entry, 0, Role::none,
             until(session));
    }
  }
  await();
}

void LeaseStore::halted() {
  for (const Watcher& watcher : watchers_) simulation().network.release(*watcher.request);
  watchers_.clear();
  timer_.leave();
}

void LeaseStore::strike(const sim::Strike& strike) {
  if (strike.fault.verb != models::kKillSession) return;
  bool any = false;
  while (!process().down()) {
    const auto of_target =
        std::find_if(sessions_.begin(), sessions_.end(),
                     [&strike](const Session& one) { return one.client == strike.target.id(); });
    if (of_target == sessions_.end()) break;
    any = true;
    end(of_target->number, 0);
  }
  strike.found(any, models::kNoSession);
}

// ---------------------------------------------------------------- requests

bool LeaseStore::apply(sim::Message& message, sim::Payload& answer) {
  const std::optional<Request> request = read(message.payload.view());
  if (!request) {
    answer.append("ERROR no such request");
    return true;
  }
  if (request->verb == Verb::open) {
    open(*request, message, answer);
    return true;
  }
  if (request->verb == Verb::watch) return watch(*request, message, answer);
  Session* const session = session_of(request->session);
  if (session == nullptr) {
    answer.append("GONE");
    return true;
  }
  switch (request->verb) {
    case Verb::keep_alive:
      keep_alive(*session, message);
      answer.append("ALIVE");
      break;
    case Verb::acquire:
      acquire(entry_of(request->key), *session, message, answer);
      break;
    case Verb::release: {
      Entry& entry = entry_of(request->key);
      const bool held = entry.session == session->number;
      answer.append(held ? "RELEASED" : "NOT HELD");
      if (held) free(entry, history::Cause::command, message.tag, message.role);
      break;
    }
    case Verb::close:
      answer.append("CLOSED");
      end(session->number, message.tag);
      break;
    case Verb::open:
    case Verb::watch:
      break;
  }
  return true;
}

void LeaseStore::open(const Request& request, const sim::Message& message, sim::Payload& answer) {
  sessions_.push_back({.number = ++opened_,
                       .client = message.connection->client().id(),
                       .ttl = request.time,
                       .lock_delay = request.lock_delay,
                       .deadline = deadline_of(request.time)});
  answer.append("SESSION ");
  append_session(answer, opened_);
  await();
}

void LeaseStore::keep_alive(Session& session, const sim::Message& message) {
  session.deadline = deadline_of(session.ttl);
  for (const Entry& entry : entries_) {
    if (entry.session == session.number)
      note(history::What::entry_altered, history::Cause::command, entry, message.tag, message.role,
           until(session));
  }
}

void LeaseStore::acquire(Entry& entry, const Session& session, const sim::Message& message,
                         sim::Payload& answer) {
  if (entry.session != 0 && entry.session != session.number) {
    answer.append("HELD BY ");
    append_session(answer, entry.session);
    return;
  }
  if (entry.delayed_until != 0) {
    answer.append("DELAYED ");
    append_number(answer, (entry.delayed_until - now() + 999'999) / 1'000'000);
    return;
  }
  if (entry.session == 0) {
    entry.session = session.number;
    entry.owner = message.tag;
    entry.revision = ++revision_;
    tenures_->granted(message.tag, entry.id);
    note(history::What::entry_created, history::Cause::command, entry, message.tag, message.role,
         until(session));
  }
  answer.append("GRANTED ");
  append_number(answer, entry.revision);
}

bool LeaseStore::watch(const Request& request, sim::Message& message, sim::Payload& answer) {
  const Entry& entry = entry_of(request.key);
  if (to_be_had(entry)) {
    answer.append("FREE");
    return true;
  }
  message.taken = true;
  watchers_.push_back({.request = &message,
                       .entry = static_cast<std::size_t>(&entry - entries_.data()),
                       .until = after(request.time)});
  await();
  return false;
}

// ---------------------------------------------------------------- sessions and what they hold

LeaseStore::Session* LeaseStore::session_of(std::string_view name) {
  std::uint32_t number = 0;
  if (name.starts_with('s')) std::from_chars(name.data() + 1, name.data() + name.size(), number);
  const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                  [number](const Session& one) { return one.number == number; });
  return found == sessions_.end() ? nullptr : &*found;
}

LeaseStore::Entry& LeaseStore::entry_of(std::string_view key) {
  for (Entry& entry : entries_) {
    if (entry.key == key) return entry;
  }
  entries_.push_back({.key = std::string(key), .id = keys_->id(key)});
  return entries_.back();
}

std::int64_t LeaseStore::now() const {
  return simulation().scheduler.local_time(process(), sim::ClockKind::monotonic);
}

std::int64_t LeaseStore::after(Duration time) const {
  const std::int64_t now = this->now();
  return time.count() >= kNeverLocal - now ? kNeverLocal : now + time.count();
}

std::int64_t LeaseStore::deadline_of(Duration ttl) const {
  const Duration longest = Duration::max() / settings_.expire_after;
  return ttl > longest ? kNeverLocal : after(ttl * settings_.expire_after);
}

std::int64_t LeaseStore::ends(const Session& session) const {
  const std::int64_t tick = settings_.tick.count();
  if (session.deadline >= kNeverLocal - tick - 1) return kNeverLocal;
  const std::int64_t first = session.deadline + 1;
  if (tick == 0) return first;
  const std::int64_t since = first - phase_;
  const std::int64_t looks = since / tick + (since % tick > 0 ? 1 : 0);
  return looks * tick + phase_;
}

sim::Instant LeaseStore::until(const Session& session) const {
  const std::int64_t local = ends(session);
  if (local == kNeverLocal) return sim::kNever;
  return process().clock().when(sim::ClockKind::monotonic, local, simulation().now());
}

void LeaseStore::end(std::uint32_t number, history::TenureId actor) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                  [number](const Session& one) { return one.number == number; });
  const std::int64_t delayed_until =
      found->lock_delay > Duration::zero() ? after(found->lock_delay) : 0;
  sessions_.erase(found);
  tell("ends session s" + std::to_string(number));
  for (Entry& entry : entries_) {
    if (entry.session != number) continue;
    entry.delayed_until = delayed_until;
    free(entry, history::Cause::session_end, actor, Role::none);
    if (delayed_until != 0) tell("grants " + entry.key + " to nobody until its lock-delay is over");
    if (process().down()) return;
  }
  await();
}

void LeaseStore::free(Entry& entry, history::Cause cause, history::TenureId actor, Role role) {
  note(history::What::entry_removed, cause, entry, actor, role, sim::kNever);
  entry.session = 0;
  entry.owner = 0;
  if (to_be_had(entry)) wake_watchers(entry);
}

void LeaseStore::note(history::What what, history::Cause cause, const Entry& entry,
                      history::TenureId actor, Role role, sim::Instant until) {
  recorder_->note({.at = simulation().now(),
                   .what = what,
                   .cause = cause,
                   .role = role,
                   .process = process().id(),
                   .tenure = actor,
                   .owner = what == history::What::entry_created ? 0 : entry.owner,
                   .key = entry.id,
                   .until = until});
}

// ---------------------------------------------------------------- watchers

void LeaseStore::wake_watchers(const Entry& entry) {
  const auto index = static_cast<std::size_t>(&entry - entries_.data());
  for (;;) {
    const auto next = std::find_if(watchers_.begin(), watchers_.end(),
                                   [index](const Watcher& one) { return one.entry == index; });
    if (next == watchers_.end()) return;
    tell_watcher(static_cast<std::size_t>(next - watchers_.begin()), "FREE");
  }
}

// A fault may stop the store at this very step; then no watchers are left.
void LeaseStore::tell_watcher(std::size_t index, std::string_view what) {
  sim::Message& request = *watchers_[index].request;
  watchers_.erase(watchers_.begin() + static_cast<std::ptrdiff_t>(index));
  sim::Message& reply = reply_to(request);
  reply.payload.append(what);
  answer(request, reply);
  simulation().network.release(request);
}

void LeaseStore::hung_up(const sim::Connection& connection) {
  std::erase_if(watchers_, [&](const Watcher& watcher) {
    if (watcher.request->connection != &connection) return false;
    simulation().network.release(*watcher.request);
    return true;
  });
}

// ---------------------------------------------------------------- time

void LeaseStore::await() {
  std::int64_t next = kNeverLocal;
  for (const Session& session : sessions_) next = std::min(next, ends(session));
  for (const Watcher& watcher : watchers_) next = std::min(next, watcher.until);
  for (const Entry& entry : entries_) {
    if (entry.delayed_until != 0) next = std::min(next, entry.delayed_until);
  }
  if (process().down()) return;
  if (next == kNeverLocal) {
    timer_.disarm();
  } else {
    timer_.arm_on(sim::ClockKind::monotonic, next);
  }
}

void LeaseStore::look() {
  const std::int64_t now = this->now();
  const auto over = [&](const Session& session) { return ends(session) <= now; };
  for (auto found = sessions_.begin(); !process().down();) {
    found = std::find_if(sessions_.begin(), sessions_.end(), over);
    if (found == sessions_.end()) break;
    end(found->number, 0);
  }
  for (Entry& entry : entries_) {
    if (entry.delayed_until == 0 || entry.delayed_until > now) continue;
    entry.delayed_until = 0;
    wake_watchers(entry);
  }
  for (std::size_t i = 0; i < watchers_.size();) {
    if (watchers_[i].until <= now) {
      tell_watcher(i, "TAKEN");
    } else {
      ++i;
    }
  }
  await();
}

}  // namespace picklock::lease_store
