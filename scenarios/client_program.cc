#include "scenarios/client_program.h"

#include <algorithm>

#include "models/locks/catalogue.h"
#include "models/servers/kind.h"
#include "scenarios/cut_off.h"
#include "scenarios/setup.h"

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

void ClientProgram::reset(models::ClientMachine& machine, const Scenario& scenario,
                          const Part& part, models::Tenures& tenures, sim::Instant& busy_until,
                          CutOff& cut_off) {
  machine_ = &machine;
  algorithm_ = part.algorithm;
  scenario_ = &scenario;
  clients_ = part.clients;
  lock_ = part.lock;
  key_ids_ = part.keys;
  quorum_ = part.quorum;
  tenures_ = &tenures;
  first_arrival_ = part.arrives;
  is_operator_ = part.is_operator;
  locks_.clear();
  busy_until_ = &busy_until;
  cut_off_ = &cut_off;
  machine.process().set_program(this);
}

void ClientProgram::start(sim::Keeps) {
  waits_since_.reset();
  const bool first = machine_->process().incarnation() == 0;
  sim::Scheduler& scheduler = machine_->simulation().scheduler;
  sim::Process& process = machine_->process();
  const Duration scan = clients_->scan_every;
  if (scan > Duration::zero() && machine_->can_scan())
    scheduler.threads().spawn(process, [this, scan] { machine_->scan(scan); });
  std::size_t locks = make_locks();
  if (is_operator_) {
    scheduler.threads().spawn(
        process, [this, &lock = locks_[locks]] { operate(lock); }, true);
    machine_->started();
    return;
  }
  for (std::uint32_t i = 1; i <= clients_->threads; ++i) {
    const bool shared =
        algorithm_->uses.shared || lock_->options.local_mutex != models::LocalMutex::none;
    if (i > 1 && !shared) locks = make_locks();
    scheduler.threads().spawn(
        process, [this, first, i, locks] { live(first, i, locks); }, true);
  }
  // Comes after them: a fault that ends a thread without naming one must hit a thread that wants
  // the lock.
  machine_->started();
}

// One for each key. Returns the place of the first.
std::size_t ClientProgram::make_locks() {
  const std::size_t first = locks_.size();
  for (std::size_t i = 0; i < keys(); ++i) make_lock();
  return first;
}

// The loader has refused a scenario that needs what its lock cannot do.
void ClientProgram::make_lock() {
  Equipped& lock = locks_.emplace_back();
  lock.verbs = models::locks::make_lock(*algorithm_, lock_options(*scenario_, *clients_, *lock_));
  if (is_operator_) lock.forced_release = &dynamic_cast<ForcedRelease&>(*lock.verbs);
  if (clients_->check_before_write) lock.holder_check = &dynamic_cast<HolderCheck&>(*lock.verbs);
  if (clients_->effect == Effect::database)
    lock.database = &dynamic_cast<DatabaseWrite&>(*lock.verbs);
}

void ClientProgram::live(bool first, std::uint32_t number, std::size_t locks) {
  Worker worker{.self = models::SimClient(*machine_, number), .locks = locks};
  const Duration behind = clients_->threads_arrive_every * (number - 1);
  const Duration arrival = first ? first_arrival_ + behind : Duration{};
  if (arrival > Duration::zero()) worker.self.sleep(arrival);
  for (std::uint32_t i = 0; i < clients_->cycles; ++i) {
    if (i > 0 && clients_->think > Duration::zero()) worker.self.sleep(clients_->think);
    cycle(worker);
  }
}

// The operator acts for the client that holds the lock when it decides. If its command then hits
// another client's lock, that client has lost the lock to somebody else.
void ClientProgram::operate(Equipped& lock) {
  models::SimClient self(*machine_);
  self.sleep(first_arrival_);
  thread().tag = tenures_->holder();
  play(Role::release);
  lock.forced_release->force_release(self, lock_->key, clients_->force == ForceUnlock::conditional);
  thread().tag = 0;
}

// A lock that is not granted ends the cycle: those before it are released.
void ClientProgram::cycle(Worker& worker, std::size_t number, Held* first, Held* last) {
  Equipped& lock = locks_[worker.locks + number];
  const history::TenureId tenure = tenures_->begin(key_ids_[number], quorum_);
  thread().tag = tenure;
  if (last == nullptr && waits_without_limit()) {
    waits_since_ = machine_->simulation().now();
    waiter_ = thread().id();
  }
  const Acquired acquired = acquire(worker, lock, key(number));
  waits_since_.reset();
  if (acquired) {
    tenures_->settle(tenure);
    const Duration deadline = acquired.lease().deadline;
    if (deadline != Duration::zero())
      worker.self.witness().believe_until(acquired.lease(), deadline);
    Held mine{.lock = lock, .key = key(number), .tenure = tenure, .lease = acquired.lease()};
    if (last != nullptr) last->next = &mine;
    if (first == nullptr) first = &mine;
    number + 1 < keys() ? cycle(worker, number + 1, first, &mine) : work(worker, *first);
    act_for(mine);
    machine_->end_belief(tenure);
    clients_->releases ? release(worker, lock, acquired.lease())
                       : abandon(worker, lock, acquired.lease());
    if (last != nullptr) last->next = nullptr;
  }
  thread().tag = 0;
  play(Role::none);
}

Acquired ClientProgram::acquire(Worker& worker, Equipped& lock, const std::string& key) {
  play(Role::acquire);
  busy_for(Duration::zero());
  if (const auto& leases = clients_->leases; !leases.empty())
    lock.verbs->set_lease(leases[std::min<std::size_t>(worker.acquires++, leases.size() - 1)]);
  worker.self.note(What::acquire_invoked);
  Acquired acquired = lock.verbs->acquire(worker.self, key);
  const bool gave_way = thread().gave_way();
  worker.self.note(acquired                ? What::acquire_ok
                   : acquired.is_unknown() ? What::acquire_unknown
                                           : What::acquire_failed,
                   gave_way && !acquired ? history::Cause::interrupt : history::Cause::command);
  if (acquired) busy_for(length_of_section(*clients_));
  return acquired;
}

void ClientProgram::release(Worker& worker, Equipped& lock, const Lease& lease) {
  play(Role::release);
  worker.self.note(What::release_invoked);
  switch (lock.verbs->release(worker.self, lease)) {
    case Released::ok:
      worker.self.note(What::release_ok);
      break;
    case Released::not_held:
      worker.self.note(What::release_failed);
      break;
    case Released::unknown:
      worker.self.note(What::release_unknown);
      break;
  }
}

void ClientProgram::abandon(Worker& worker, Equipped& lock, const Lease& lease) {
  play(Role::release);
  worker.self.note(What::abandoned);
  lock.verbs->abandon(worker.self, lease);
}

// With several threads, one may hold a lock while another waits.
bool ClientProgram::waits_without_limit() const {
  const models::LockOptions& options = lock_->options;
  return clients_->threads == 1 && options.acquire_timeout == Duration::zero() &&
         options.attempts == 0;
}

// Another thread may find out while the waiter sleeps until a message: a sleep that never ends
// would look like a lost wake-up.
void ClientProgram::found_no_server() {
  if (!waits_since_ || thread().id() != waiter_) return;
  if (!cut_off_->set_aside(machine_->process())) return;
  tell(*machine_,
       "can never reach a server again that would grant its lock, so what it still tries is left "
       "out");
}

void ClientProgram::busy_for(Duration length) {
  *busy_until_ = std::max(*busy_until_, machine_->simulation().now() + length);
}

bool ClientProgram::prepare(Worker& worker, Held& held) {
  const Fencing fencing = scenario_->servers.resource.fencing;
  const bool own_log = fencing == Fencing::revoke || fencing == Fencing::revoke_late;
  const bool by_owner = fencing == Fencing::owner_token;
  held.shown = {.token = held.lease.fence,
                .owner = by_owner ? held.lease.token : std::string_view(),
                .log = own_log ? held.lease.token : std::string_view()};
  act_for(held);
  play(Role::write);
  if (fencing != Fencing::after) return true;
  held.shown.token = lock_server(*scenario_).fetch_token(worker.self, held.key);
  if (held.shown.token != 0) return true;  // nothing may be written without one
  tell(*machine_, "has no fencing token, so it gives the lock back without a write");
  return false;
}

// A single write is the section's last act. Several are evenly spread, and the first opens the
// section.
void ClientProgram::work(Worker& worker, Held& first) {
  const bool has_steps = !clients_->work.empty();
  const std::uint32_t writes = has_steps ? 0 : clients_->writes;
  const Duration hold = clients_->hold;
  for (Held* held = &first; held != nullptr; held = held->next) {
    if (!prepare(worker, *held)) return;
  }
  if (writes > 1) write(worker, first, 1);
  if (clients_->nested && clients_->nested_after == Duration::zero()) nest(worker, first);
  keep_progress(worker, first);
  if (has_steps) return take_steps(worker, first);
  if (writes <= 1) {
    stay(worker, first, Duration::zero(), hold);
    if (writes == 1) write(worker, first, 1);
    return;
  }
  const Duration gap = hold / static_cast<std::int64_t>(writes - 1);
  for (std::uint32_t i = 2; i <= writes; ++i) {
    stay(worker, first, gap * (i - 2), gap * (i - 1));
    write(worker, first, i);
  }
}

void ClientProgram::take_steps(Worker& worker, Held& first) {
  for (const WorkStep& step : clients_->work) {
    if (step.deed == WorkStep::Deed::think) {
      worker.self.sleep(step.length);
      continue;
    }
    for (Held* held = &first; held != nullptr; held = held->next) {
      if (!take(worker, step, *held)) return;
    }
  }
}

bool ClientProgram::take(Worker& worker, const WorkStep& step, Held& held) {
  act_for(held);
  const bool checks = step.deed == WorkStep::Deed::write && clients_->check_before_write;
  if (!may_write(worker, held, checks)) return false;
  models::ResourceClient& resource = machine_->resource();
  if (step.deed == WorkStep::Deed::fence) {
    play(Role::write);
    return resource.announce(held.shown) == Written::accepted;
  }
  if (step.deed == WorkStep::Deed::read) {
    play(Role::read);
    const std::optional<models::Seen> found = resource.read(held.shown);
    if (found) held.seen = *found;
    return found.has_value();
  }
  play(Role::write);
  const std::int64_t value = held.seen.value + 1;
  return resource.update(step.mode, value, held.seen, held.shown) != Written::rejected;
}

// Works between two moments of the section, and acquires the lock again if the nested acquire falls
// between them.
void ClientProgram::stay(Worker& worker, Held& first, Duration from, Duration until) {
  const Duration again = clients_->nested_after;
  const bool nests = clients_->nested && from < again && again <= until;
  if (nests) {
    worker.self.sleep(again - from);
    nest(worker, first);
    from = again;
  }
  if (until > from || !nests) worker.self.sleep(until - from);
}

void ClientProgram::nest(Worker& worker, Held& first) {
  act_for(first);
  const Acquired again = acquire(worker, first.lock, first.key);
  if (!again) return;
  if (clients_->nested_for > Duration::zero()) worker.self.sleep(clients_->nested_for);
  release(worker, first.lock, again.lease());
}

void ClientProgram::keep_progress(Worker& worker, Held& first) {
  const Progress progress = clients_->progress;
  if (progress == Progress::none) return;
  play(Role::write);
  for (Held* held = &first; held != nullptr; held = held->next) {
    act_for(*held);
    lock_server(*scenario_)
        .write_key(worker.self, held->key, "half-done", progress == Progress::set_keepttl);
  }
}

void ClientProgram::write(Worker& worker, Held& first, std::uint32_t number) {
  for (Held* held = &first; held != nullptr; held = held->next) write_for(worker, *held, number);
}

// A client that has learned that the lock is lost changes nothing.
void ClientProgram::write_for(Worker& worker, Held& held, std::uint32_t number) {
  act_for(held);
  // A client that begins with a write has just been granted the lock.
  const bool first = number == 1 && clients_->writes > 1;
  if (!may_write(worker, held, clients_->check_before_write && !first)) return;
  play(Role::write);
  if (clients_->effect == Effect::database) {
    // A statement that fails tells the holder that its session is over.
    if (held.lock.database->write_in_database(worker.self, held.lease) != Written::accepted)
      worker.self.witness().record_loss(held.lease);
    return;
  }
  machine_->resource().write(number, held.shown);
}

bool ClientProgram::may_write(Worker& worker, Held& held, bool checks) {
  if (machine_->has_lost(held.tenure)) return false;
  if (!checks) return true;
  play(Role::check);
  const picklock::Held answer = held.lock.holder_check->check_held(worker.self, held.lease);
  if (answer == picklock::Held::no) worker.self.witness().record_loss(held.lease);
  return answer == picklock::Held::yes;
}

}  // namespace picklock::scenarios
