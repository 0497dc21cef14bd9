#include "models/mysql/sim_client.h"

#include "models/client/step_of.h"
#include "models/locks/mysql/options.h"
#include "models/mysql/wire.h"

namespace picklock::mysql {

// A connection that is lent to a thread.
class SimClient::Lent final : public Connection {
 public:
  Lent(SimClient& client, std::size_t one) : client_(client), one_(one), life_(client.life_) {}
  ~Lent() override { client_.give_back(one_, life_); }
  void enter() { session_ = pooled().session; }

  Answer execute(const Statement& statement, Role role) override {
    if (life_ != client_.life_ || client_.simulation_->scheduler.inert())
      return {.error = Error::gone_away};
    // A lost session stays lost, unless the driver hides that.
    const bool stands = pooled().caller.connected() && pooled().session == session_;
    if (!stands && (!client_.reconnects_ || !client_.dial(pooled())))
      return {.error = Error::gone_away};
    enter();
    return client_.execute(pooled(), statement, role);
  }
  std::uint32_t session() const override { return session_; }

 private:
  Pooled& pooled() const { return client_.connections_[one_]; }

  SimClient& client_;
  std::size_t one_;
  std::uint64_t life_;
  std::uint32_t session_ = 0;
};

void SimClient::reset(history::RecordedSimulation& simulation, sim::Process& self,
                      std::span<const models::ServerEnd> servers,
                      const models::LockOptions& options, std::size_t first) {
  simulation_ = &simulation;
  self_ = &self;
  servers_ = servers;
  first_ = first;
  patience_ = options.command_timeout;
  const auto& connection = options.of<models::locks::mysql::ConnectionOptions>();
  connect_timeout_ = connection.connect_timeout;
  reconnects_ = connection.reconnect;
  rolls_back_ = connection.pool_resets;
  pool_.reset(simulation.scheduler, self, options.connections);
  while (connections_.size() < pool_.size()) connections_.emplace_back();
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    connections_[i].caller.reset(simulation, self, *servers.front().process,
                                 *servers.front().endpoint, protocol(),
                                 static_cast<std::uint32_t>(i + 1));
  }
  forget();
  if (options.connects != models::Connects::at_start) return;
  for (std::size_t i = 0; i < pool_.size(); ++i) connections_[i].caller.open_early();
}

void SimClient::forget() {
  ++life_;
  server_ = first_;
  out_of_connections_ = false;
  pool_.forget();
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    connections_[i].caller.forget();
    connections_[i].in_transaction = false;
    connections_[i].autocommit = true;
  }
}

std::unique_ptr<Connection> SimClient::connect() {
  if (simulation_->scheduler.inert()) return nullptr;
  if (!out_of_connections_ && pool_.is_lost()) note_lost_pool();
  // Prefers an open connection to one that has to be dialed.
  const auto one =
      pool_.borrow(patience_, [this](std::size_t i) { return connections_[i].caller.connected(); });
  if (!one) return nullptr;
  auto lent = std::make_unique<Lent>(*this, *one);
  Pooled& pooled = connections_[*one];
  if (!pooled.caller.connected() && !dial(pooled)) return nullptr;
  lent->enter();
  return lent;
}

// For judges: a thread that waits from here on waits for ever.
void SimClient::note_lost_pool() {
  out_of_connections_ = true;
  simulation_->recorder.note({.at = simulation_->now(),
                              .what = history::What::out_of_connections,
                              .process = self_->id()});
}

// A thread that unwinds because it is killed returns nothing: its connection stays as it is,
// because the process lives on.
void SimClient::give_back(std::size_t one, std::uint64_t life) {
  if (life != life_ || simulation_->scheduler.running() == nullptr ||
      simulation_->scheduler.inert())
    return;
  Pooled& pooled = connections_[one];
  if (rolls_back_ && pooled.caller.connected()) {
    if (pooled.in_transaction) execute(pooled, {.op = Op::rollback}, Role::upkeep);
    if (!pooled.autocommit) execute(pooled, {.op = Op::set_autocommit, .number = 1}, Role::upkeep);
  }
  if (life != life_) return;
  pool_.give_back(one);
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

// Whether the server is usable: if there are several, only the primary is.
bool SimClient::takes_writes(Pooled& pooled) {
  if (servers_.size() == 1) return true;
  const Answer answer = execute(pooled, {.op = Op::read_only}, Role::upkeep);
  return answer.ok() && !answer.rows.empty() &&
         answer.rows.front().front() == Value(std::int64_t{0});
}

Answer SimClient::execute(Pooled& pooled, const Statement& statement, Role role) {
  const sim::Answer bytes =
      pooled.caller.call(models::step_of(role, simulation_->scheduler), patience_,
                         [&statement](sim::Payload& payload) { write(statement, payload); });
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

}  // namespace picklock::mysql
