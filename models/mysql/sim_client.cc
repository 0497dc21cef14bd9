#include "models/mysql/sim_client.h"

#include <algorithm>

#include "models/mysql/wire.h"

namespace picklock::models::mysql {

// A connection in the hands of a thread.
class SimClient::Lent final : public Connection {
 public:
  Lent(SimClient& client, Pooled& pooled) : client_(client), pooled_(pooled), life_(client.life_) {}
  ~Lent() override { client_.give_back(pooled_, life_); }
  // It stands.
  void enter() { session_ = pooled_.session; }

  Answer execute(const Statement& statement, Role role) override {
    if (life_ != client_.life_ || client_.simulation_->scheduler.inert())
      return {.error = Error::gone_away};
    // What was lost is lost, unless the driver hides it.
    const bool stands = pooled_.caller.connected() && pooled_.session == session_;
    if (!stands && (!client_.reconnects_ || !client_.dial(pooled_)))
      return {.error = Error::gone_away};
    enter();
    return client_.execute(pooled_, statement, role);
  }
  std::uint32_t session() const override { return session_; }

 private:
  SimClient& client_;
  Pooled& pooled_;
  std::uint64_t life_;
  std::uint32_t session_ = 0;
};

void SimClient::reset(sim::Simulation& simulation, sim::Process& self,
                      std::span<const ServerEnd> servers, const LockOptions& options) {
  simulation_ = &simulation;
  self_ = &self;
  servers_ = servers;
  patience_ = options.command_timeout;
  connect_timeout_ = options.connect_timeout;
  reconnects_ = options.reconnect;
  rolls_back_ = options.pool_resets;
  size_ = options.connections;
  while (pool_.size() < size_) pool_.emplace_back();
  for (std::size_t i = 0; i < size_; ++i) {
    pool_[i].caller.reset(simulation, self, *servers.front().process, *servers.front().endpoint,
                          protocol(), static_cast<std::uint32_t>(i + 1));
  }
  forget();
}

void SimClient::forget() {
  ++life_;
  server_ = 0;
  queue_.clear();
  for (std::size_t i = 0; i < size_; ++i) {
    pool_[i].caller.forget();
    pool_[i].lent = false;
    pool_[i].in_transaction = false;
    pool_[i].autocommit = true;
  }
}

std::uint8_t SimClient::step(Role role) const {
  if (role == Role::upkeep) return 0;
  return role == Role::none ? simulation_->scheduler.running()->role
                            : static_cast<std::uint8_t>(role);
}

// ---------------------------------------------------------------- the pool

// A thread that is killed while it waits leaves the queue. It may have been woken for a connection
// just before: then the next is.
class SimClient::Leaving {
 public:
  Leaving(SimClient& client, sim::Thread* thread) : client_(client), thread_(thread) {}
  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;
  ~Leaving() {
    if (!leaves_) return;
    std::erase(client_.queue_, thread_);
    client_.wake_next();
  }
  void stays() { leaves_ = false; }

 private:
  SimClient& client_;
  sim::Thread* thread_;
  bool leaves_ = true;
};

SimClient::Pooled* SimClient::borrow() {
  sim::Scheduler& scheduler = simulation_->scheduler;
  const std::int64_t limit =
      scheduler.local_time(*self_, sim::ClockKind::monotonic) + patience_.count();
  sim::Thread* const me = scheduler.running();
  const auto end = pool_.begin() + static_cast<std::ptrdiff_t>(size_);
  for (bool queued = false;;) {
    // One that stands goes before one that has to be dialled.
    auto idle = std::find_if(pool_.begin(), end,
                             [](const Pooled& one) { return !one.lent && one.caller.connected(); });
    if (idle == end)
      idle = std::find_if(pool_.begin(), end, [](const Pooled& one) { return !one.lent; });
    const bool my_turn = queued ? queue_.front() == me : queue_.empty();
    if (idle != end && my_turn) {
      if (queued) queue_.pop_front();
      idle->lent = true;
      wake_next();
      return &*idle;
    }
    if (!queued) queue_.push_back(me);
    queued = true;
    Leaving leaving(*this, me);
    if (!scheduler.park_patiently(limit)) return nullptr;
    leaving.stays();
  }
}

void SimClient::wake_next() {
  const auto end = pool_.begin() + static_cast<std::ptrdiff_t>(size_);
  const bool idle = std::any_of(pool_.begin(), end, [](const Pooled& one) { return !one.lent; });
  if (idle && !queue_.empty()) simulation_->scheduler.wake(*queue_.front());
}

std::unique_ptr<Connection> SimClient::connect() {
  if (simulation_->scheduler.inert()) return nullptr;
  Pooled* const pooled = borrow();
  if (pooled == nullptr) return nullptr;
  auto lent = std::make_unique<Lent>(*this, *pooled);
  if (!pooled->caller.connected() && !dial(*pooled)) return nullptr;
  lent->enter();
  return lent;
}

// A thread that ends on the way gives nothing back: its connection stays as it is, for the process
// lives on.
void SimClient::give_back(Pooled& pooled, std::uint64_t life) {
  if (life != life_ || simulation_->scheduler.running() == nullptr ||
      simulation_->scheduler.inert())
    return;
  if (rolls_back_ && pooled.caller.connected()) {
    if (pooled.in_transaction) execute(pooled, {.op = Op::rollback}, Role::upkeep);
    if (!pooled.autocommit) execute(pooled, {.op = Op::set_autocommit, .number = 1}, Role::upkeep);
  }
  if (life != life_) return;
  pooled.lent = false;
  wake_next();
}

// ---------------------------------------------------------------- connections

bool SimClient::dial(Pooled& pooled) {
  for (std::size_t tried = 0; tried < servers_.size(); ++tried) {
    const std::size_t at = (server_ + tried) % servers_.size();
    pooled.caller.hang_up();
    pooled.caller.aim(*servers_[at].process, *servers_[at].endpoint);
    if (!pooled.caller.connect(connect_timeout_)) continue;
    pooled.in_transaction = false;
    pooled.autocommit = true;
    if (!takes_writes(pooled)) continue;
    ++pooled.session;
    server_ = at;
    return true;
  }
  pooled.caller.hang_up();
  return false;
}

// Of several servers only the primary is of use.
bool SimClient::takes_writes(Pooled& pooled) {
  if (servers_.size() == 1) return true;
  const Answer answer = execute(pooled, {.op = Op::read_only}, Role::upkeep);
  return answer.ok() && !answer.rows.empty() &&
         answer.rows.front().front() == Value(std::int64_t{0});
}

Answer SimClient::execute(Pooled& pooled, const Statement& statement, Role role) {
  const sim::Answer bytes = pooled.caller.call(
      step(role), patience_, [&statement](sim::Payload& payload) { write(statement, payload); });
  Answer answer{.error = Error::lost};
  if (bytes.status() == sim::Answer::Status::unreachable) answer.error = Error::gone_away;
  if (bytes.ok()) answer = read_answer(bytes.bytes()).value_or(answer);
  if (statement.op == Op::begin && answer.ok()) pooled.in_transaction = true;
  if (statement.op == Op::set_autocommit && answer.ok()) pooled.autocommit = statement.number != 0;
  const bool over = (statement.op == Op::commit || statement.op == Op::rollback) && answer.ok();
  if (over || ends_transaction(answer.error)) pooled.in_transaction = false;
  if (!pooled.autocommit && is_of_rows(statement.op)) pooled.in_transaction = true;
  return answer;
}

}  // namespace picklock::models::mysql
