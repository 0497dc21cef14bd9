#include "scenarios/client_program.h"

#include <algorithm>

#include "models/locks/catalogue.h"
#include "models/servers/kind.h"

namespace picklock::scenarios {

using history::What;
namespace {

// For readers of the trace.
void tell(const models::ClientMachine& machine, std::string_view what) {
  sim::Scheduler& scheduler = machine.simulation().scheduler;
  sim::Tracer& tracer = scheduler.record().tracer();
  if (!tracer.on()) return;
  tracer.add(
      {.at = scheduler.now(), .kind = sim::TraceKind::told, .process = machine.process().id()},
      what);
}

}  // namespace

void ClientProgram::reset(models::ClientMachine& machine, const models::Algorithm& algorithm,
                          const Scenario& scenario, models::Tenures& tenures,
                          Duration first_arrival, bool is_operator, sim::Instant& busy_until) {
  machine_ = &machine;
  algorithm_ = &algorithm;
  scenario_ = &scenario;
  tenures_ = &tenures;
  first_arrival_ = first_arrival;
  is_operator_ = is_operator;
  locks_.clear();
  busy_until_ = &busy_until;
  machine.process().set_program(this);
}

void ClientProgram::start(sim::Keeps) {
  const bool first = machine_->process().incarnation() == 0;
  sim::Scheduler& scheduler = machine_->simulation().scheduler;
  sim::Process& process = machine_->process();
  const Duration scan = scenario_->clients.scan_every;
  if (scan > Duration::zero() && machine_->can_scan())
    scheduler.threads().spawn(process, [this, scan] { machine_->scan(scan); });
  if (is_operator_) {
    scheduler.threads().spawn(
        process, [this, &lock = make_lock()] { operate(lock); }, true);
    machine_->started();
    return;
  }
  Equipped* lock = &make_lock();
  for (std::uint32_t i = 1; i <= scenario_->clients.threads; ++i) {
    const bool shared =
        algorithm_->uses.shared || scenario_->lock.options.local_mutex != models::LocalMutex::none;
    if (i > 1 && !shared) lock = &make_lock();
    scheduler.threads().spawn(
        process, [this, first, i, lock] { live(first, i, *lock); }, true);
  }
  // Comes after them: a fault that ends a thread without naming one must hit a thread that wants
  // the lock.
  machine_->started();
}

// The loader has refused a scenario that needs what its lock cannot do.
ClientProgram::Equipped& ClientProgram::make_lock() {
  Equipped& lock = locks_.emplace_back();
  lock.verbs = models::locks::make_lock(*algorithm_, lock_options(*scenario_));
  if (is_operator_) lock.forced_release = &dynamic_cast<ForcedRelease&>(*lock.verbs);
  if (scenario_->clients.check_before_write)
    lock.holder_check = &dynamic_cast<HolderCheck&>(*lock.verbs);
  if (scenario_->clients.effect == Effect::database)
    lock.database = &dynamic_cast<DatabaseWrite&>(*lock.verbs);
  return lock;
}

void ClientProgram::live(bool first, std::uint32_t number, Equipped& lock) {
  models::SimClient self(*machine_, number);
  const Duration behind = scenario_->clients.threads_arrive_every * (number - 1);
  const Duration arrival = first ? first_arrival_ + behind : Duration{};
  if (arrival > Duration::zero()) self.sleep(arrival);
  for (std::uint32_t i = 0; i < scenario_->clients.cycles; ++i) {
    if (i > 0 && scenario_->clients.think > Duration::zero()) self.sleep(scenario_->clients.think);
    cycle(self, lock);
  }
}

// The operator acts for the client that holds the lock when it decides. If its command then hits
// another client's lock, that client has lost the lock to somebody else.
void ClientProgram::operate(Equipped& lock) {
  models::SimClient self(*machine_);
  self.sleep(first_arrival_);
  thread().tag = tenures_->holder();
  play(Role::release);
  lock.forced_release->force_release(self, scenario_->lock.key,
                                     scenario_->clients.force == ForceUnlock::conditional);
  thread().tag = 0;
}

void ClientProgram::cycle(models::SimClient& self, Equipped& lock) {
  thread().tag = tenures_->begin();
  const Acquired acquired = acquire(self, lock);
  if (acquired) {
    const history::TenureId tenure = thread().tag;
    tenures_->settle(tenure);
    const Duration deadline = acquired.lease().deadline;
    if (deadline != Duration::zero()) self.witness().believe_until(acquired.lease(), deadline);
    work(self, lock, acquired.lease());
    machine_->end_belief(tenure);
    release(self, lock, acquired.lease());
  }
  thread().tag = 0;
  play(Role::none);
}

Acquired ClientProgram::acquire(models::SimClient& self, Equipped& lock) {
  play(Role::acquire);
  busy_for(Duration::zero());
  self.note(What::acquire_invoked);
  Acquired acquired = lock.verbs->acquire(self, scenario_->lock.key);
  const bool gave_way = thread().gave_way();
  self.note(acquired                ? What::acquire_ok
            : acquired.is_unknown() ? What::acquire_unknown
                                    : What::acquire_failed,
            gave_way && !acquired ? history::Cause::interrupt : history::Cause::command);
  if (acquired) busy_for(length_of_section(scenario_->clients));
  return acquired;
}

void ClientProgram::release(models::SimClient& self, Equipped& lock, const Lease& lease) {
  play(Role::release);
  self.note(What::release_invoked);
  switch (lock.verbs->release(self, lease)) {
    case Released::ok:
      self.note(What::release_ok);
      break;
    case Released::not_held:
      self.note(What::release_failed);
      break;
    case Released::unknown:
      self.note(What::release_unknown);
      break;
  }
}

void ClientProgram::busy_for(Duration length) {
  *busy_until_ = std::max(*busy_until_, machine_->simulation().now() + length);
}

// A single write is the section's last act. Several are evenly spread, and the first opens the
// section.
void ClientProgram::work(models::SimClient& self, Equipped& lock, const Lease& lease) {
  const bool has_steps = !scenario_->clients.work.empty();
  const std::uint32_t writes = has_steps ? 0 : scenario_->clients.writes;
  const Duration hold = scenario_->clients.hold;
  const Fencing fencing = scenario_->servers.resource.fencing;
  const bool own_log = fencing == Fencing::revoke || fencing == Fencing::revoke_late;
  const bool by_owner = fencing == Fencing::owner_token;
  models::Credentials shown{.token = lease.fence,
                            .owner = by_owner ? lease.token : std::string_view(),
                            .log = own_log ? lease.token : std::string_view()};
  play(Role::write);
  if (fencing == Fencing::after) {
    shown.token = lock_server(*scenario_).fetch_token(self, scenario_->lock.key);
    if (shown.token == 0) {  // nothing may be written without one
      tell(*machine_, "has no fencing token, so it gives the lock back without a write");
      return;
    }
  }
  if (writes > 1) write(self, lock, lease, 1, shown);
  if (scenario_->clients.nested && scenario_->clients.nested_after == Duration::zero())
    nest(self, lock);
  keep_progress(self);
  if (has_steps) return take_steps(self, lock, lease, shown);
  if (writes <= 1) {
    stay(self, lock, Duration::zero(), hold);
    if (writes == 1) write(self, lock, lease, 1, shown);
    return;
  }
  const Duration gap = hold / static_cast<std::int64_t>(writes - 1);
  for (std::uint32_t i = 2; i <= writes; ++i) {
    stay(self, lock, gap * (i - 2), gap * (i - 1));
    write(self, lock, lease, i, shown);
  }
}

void ClientProgram::take_steps(models::SimClient& self, Equipped& lock, const Lease& lease,
                               const models::Credentials& shown) {
  models::Seen seen;
  for (const WorkStep& step : scenario_->clients.work) {
    if (step.deed == WorkStep::Deed::think) {
      self.sleep(step.length);
      continue;
    }
    const bool checks = step.deed == WorkStep::Deed::write && scenario_->clients.check_before_write;
    if (!may_write(self, lock, lease, checks) || !take(step, seen, shown)) return;
  }
}

bool ClientProgram::take(const WorkStep& step, models::Seen& seen,
                         const models::Credentials& shown) {
  models::ResourceClient& resource = machine_->resource();
  if (step.deed == WorkStep::Deed::fence) {
    play(Role::write);
    return resource.announce(shown) == Written::accepted;
  }
  if (step.deed == WorkStep::Deed::read) {
    play(Role::read);
    const std::optional<models::Seen> found = resource.read(shown);
    if (found) seen = *found;
    return found.has_value();
  }
  play(Role::write);
  const std::int64_t value = seen.value + 1;
  return resource.update(step.mode, value, seen, shown) != Written::rejected;
}

// Works between two moments of the section, and acquires the lock again if the nested acquire falls
// between them.
void ClientProgram::stay(models::SimClient& self, Equipped& lock, Duration from, Duration until) {
  const Duration again = scenario_->clients.nested_after;
  const bool nests = scenario_->clients.nested && from < again && again <= until;
  if (nests) {
    self.sleep(again - from);
    nest(self, lock);
    from = again;
  }
  if (until > from || !nests) self.sleep(until - from);
}

void ClientProgram::nest(models::SimClient& self, Equipped& lock) {
  const Acquired again = acquire(self, lock);
  if (again) release(self, lock, again.lease());
}

void ClientProgram::keep_progress(models::SimClient& self) {
  const Progress progress = scenario_->clients.progress;
  if (progress == Progress::none) return;
  play(Role::write);
  lock_server(*scenario_)
      .write_key(self, scenario_->lock.key, "half-done", progress == Progress::set_keepttl);
}

// A client that has learned that the lock is lost changes nothing.
void ClientProgram::write(models::SimClient& self, Equipped& lock, const Lease& lease,
                          std::uint32_t number, const models::Credentials& shown) {
  // A client that begins with a write has just been granted the lock.
  const bool first = number == 1 && scenario_->clients.writes > 1;
  if (!may_write(self, lock, lease, scenario_->clients.check_before_write && !first)) return;
  play(Role::write);
  if (scenario_->clients.effect == Effect::database) {
    // A statement that fails tells the holder that its session is over.
    if (lock.database->write_in_database(self, lease) != Written::accepted)
      self.witness().record_loss(lease);
    return;
  }
  machine_->resource().write(number, shown);
}

bool ClientProgram::may_write(models::SimClient& self, Equipped& lock, const Lease& lease,
                              bool checks) {
  if (machine_->has_lost(thread().tag)) return false;
  if (!checks) return true;
  play(Role::check);
  const Held held = lock.holder_check->check_held(self, lease);
  if (held == Held::no) self.witness().record_loss(lease);
  return held == Held::yes;
}

}  // namespace picklock::scenarios
