#include "models/zookeeper/sim_client.h"

#include <algorithm>
#include <utility>

#include "models/client/step_of.h"
#include "models/locks/zookeeper/options.h"

namespace picklock::zookeeper {
namespace {

using namespace std::chrono_literals;

// As in the library (ClientCnxn).
constexpr Duration kLongestIdle = 10s;  // it pings after this, however long the session is
constexpr Duration kPingSooner = 1s;    // once nothing was sent for longer
constexpr Duration kDialAgain = 1s;     // at most, before another server is tried

std::int32_t session_milliseconds(Duration time) { return static_cast<std::int32_t>(time / 1ms); }

}  // namespace

// A waiter is in the queue until it is notified. A killed thread unwinds through here, so it leaves
// the queue too.
class SimClient::Queued {
 public:
  Queued(SimClient& client, Waiter& waiter) : client_(client), waiter_(waiter) {
    client_.queue_.push_back(&waiter_);
  }
  Queued(const Queued&) = delete;
  Queued& operator=(const Queued&) = delete;
  ~Queued() { std::erase(client_.queue_, &waiter_); }

 private:
  SimClient& client_;
  Waiter& waiter_;
};

void SimClient::reset(sim::Simulation& simulation, sim::Process& self,
                      std::span<const models::ServerEnd> servers,
                      const models::LockOptions& options, std::size_t first) {
  simulation_ = &simulation;
  self_ = &self;
  servers_ = servers;
  chance_ = sim::Random(simulation.scheduler.record().seed(),
                        sim::mixed(self.hash() ^ sim::hash_of("zookeeper")));
  host_ = first % servers.size();
  asked_timeout_ = options.ttl;
  lost_percent_ = options.of<models::locks::zookeeper::SessionOptions>().lost_after_percent;
  const models::ServerEnd& server = servers_[host_];
  caller_.reset(simulation, self, *server.process, *server.endpoint, protocol(), 1);
  caller_.listen(
      {.self = this,
       .came = [](void* client, std::string_view bytes,
                  history::TenureId from) { static_cast<SimClient*>(client)->came(bytes, from); },
       .lost =
           [](void* client) {
             auto& mine = *static_cast<SimClient*>(client);
             if (mine.keeper_ != nullptr) mine.simulation_->scheduler.threads().wake(*mine.keeper_);
           }});
  outages_ = 0;
  listened_ = 0;
  forget();
}

void SimClient::forget() {
  caller_.forget();
  keeper_ = nullptr;
  session_ = 0;
  seen_ = 0;
  timeout_ = asked_timeout_;
  state_ = State::suspended;
  known_ = false;
  last_sent_ = 0;
  xids_ = 0;
  queue_.clear();
  watches_.clear();
  listeners_.clear();
  speaker_ = 0;
}

void SimClient::start() {
  simulation_->scheduler.threads().spawn(*self_, [this] { live(); });
}

std::int64_t SimClient::now() const {
  return simulation_->scheduler.local_time(*self_, sim::ClockKind::monotonic);
}

// ---------------------------------------------------------------- the session

// Marks the thread that keeps the session; once it has ended, it is not woken any more.
class SimClient::Keeping {
 public:
  explicit Keeping(SimClient& client)
      : client_(client), me_(client.simulation_->scheduler.running()) {
    client_.keeper_ = me_;
  }
  Keeping(const Keeping&) = delete;
  Keeping& operator=(const Keeping&) = delete;
  ~Keeping() {
    if (client_.keeper_ == me_) client_.keeper_ = nullptr;
  }

 private:
  SimClient& client_;
  sim::Thread* me_;
};

void SimClient::live() {
  const Keeping keeping(*this);
  for (bool first = true;; first = false) {
    if (!first) simulation_->scheduler.sleep(chance_.between(Duration::zero(), kDialAgain));
    if (connect()) {
      keep_alive();
      suspended();
    } else {
      // Requests that came meanwhile have waited for this attempt.
      serve_queue(Code::connection_loss);
    }
  }
}

bool SimClient::connect() {
  const models::ServerEnd& server = servers_[host_];
  host_ = (host_ + 1) % servers_.size();
  caller_.aim(*server.process, *server.endpoint);
  if (caller_.connect(timeout_ / static_cast<std::int64_t>(servers_.size())) && greet())
    return true;
  caller_.hang_up();
  return false;
}

// Requests a new session, or resumes the one that it has.
bool SimClient::greet() {
  const std::string password = session_ == 0 ? std::string(kPasswordSize, '\0') : password_;
  const sim::Answer answer =
      caller_.call(Role::none, timeout_ / static_cast<std::int64_t>(servers_.size()),
                   [&](sim::Payload& payload) {
                     write(ConnectRequest{.last_zxid = seen_,
                                          .timeout = session_milliseconds(asked_timeout_),
                                          .session = session_,
                                          .password = password},
                           payload);
                   });
  last_sent_ = now();
  ConnectResponse response;
  if (!answer.ok() || !read(answer.bytes(), response)) return false;
  if (response.session == 0) {
    lost();
    return false;
  }
  session_ = response.session;
  password_ = response.password;
  timeout_ = std::chrono::milliseconds(response.timeout);
  restore_watches();
  enter(State::connected);
  serve_queue(Code::ok);
  return true;
}

// Returns when the connection is lost, or when the server was silent for two thirds of the
// time-out.
void SimClient::keep_alive() {
  const Duration patience = timeout_ * 2 / 3;
  while (caller_.connected()) {
    const Duration idle(now() - caller_.last_heard());
    if (idle >= patience) {
      caller_.hang_up();
      return;
    }
    const Duration unsent(now() - last_sent_);
    const Duration to_ping =
        patience / 2 - unsent - (unsent > kPingSooner ? kPingSooner : Duration::zero());
    if (to_ping <= Duration::zero() || unsent > kLongestIdle) {
      caller_.post(Role::renew, [](sim::Payload& payload) {
        write(Request{.xid = kPing, .op = OpCode::ping}, payload);
      });
      last_sent_ = now();
      continue;
    }
    simulation_->scheduler.park_until(sim::ClockKind::monotonic,
                                      now() + std::min(to_ping, patience - idle).count());
  }
}

void SimClient::suspended() {
  if (state_ != State::connected) return;
  ++outages_;
  if (lost_percent_ > 0) await_loss();
  enter(State::suspended);
}

// Curator's own judgment: a session that was silent for its time-out is over, whatever its server
// may say (docs/facts/algorithms.md 6.3).
void SimClient::await_loss() {
  simulation_->scheduler.threads().spawn(*self_, [this, outage = outages_] {
    simulation_->scheduler.sleep(timeout_ * lost_percent_ / 100);
    if (outages_ != outage || state_ != State::suspended) return;
    caller_.hang_up();
    lost();
  });
}

// The next attempt begins another session.
void SimClient::lost() {
  session_ = 0;
  seen_ = 0;
  timeout_ = asked_timeout_;
  enter(State::lost);
  watches_.clear();
  serve_queue(Code::session_expired);
}

void SimClient::enter(State state) {
  state_ = state;
  const std::map<std::uint64_t, Listener> listeners = listeners_;
  for (const auto& [number, listener] : listeners) listener(state);
  const std::vector<Kept> watches = watches_;
  for (const Kept& kept : watches) kept.watch({EventType::none, state});
}

void SimClient::restore_watches() {
  if (watches_.empty()) return;
  Request request{.xid = kSetWatches, .op = OpCode::set_watches, .seen = seen_};
  for (const Kept& kept : watches_) {
    std::vector<std::string_view>& paths = kept.table == Table::data     ? request.data_watches
                                           : kept.table == Table::exists ? request.exists_watches
                                                                         : request.child_watches;
    if (std::find(paths.begin(), paths.end(), kept.path) == paths.end()) paths.push_back(kept.path);
  }
  caller_.post(Role::none, [&request](sim::Payload& payload) { write(request, payload); });
  last_sent_ = now();
}

void SimClient::serve_queue(Code outcome) {
  for (Waiter* waiter : queue_) {
    if (waiter->told) continue;
    waiter->told = true;
    waiter->outcome = outcome;
    simulation_->scheduler.threads().wake(*waiter->thread);
  }
}

// ---------------------------------------------------------------- requests

Code SimClient::await_connection() {
  if (state_ == State::connected && caller_.connected()) return Code::ok;
  Waiter me{.thread = simulation_->scheduler.running()};
  const Queued queued(*this, me);
  while (!me.told) simulation_->scheduler.park();
  return me.outcome;
}

Answer SimClient::ask(Request request, Role role) {
  Answer answer;
  if (simulation_->scheduler.inert()) return answer;
  answer.code = await_connection();
  if (!answer.ok()) return answer;
  answer.code = Code::connection_loss;
  request.xid = ++xids_;
  last_sent_ = now();
  const SessionId session = session_;
  const sim::Answer bytes =
      caller_.call(models::step_of(role, simulation_->scheduler), Duration::zero(),
                   [&](sim::Payload& payload) { write(request, payload); });
  Reply reply;
  reply.op = request.op;
  if (!bytes.ok() || !read(bytes.bytes(), reply)) return answer;
  if (session == session_) seen_ = std::max(seen_, reply.zxid);
  answer.code = reply.code;
  answer.zxid = reply.zxid;
  answer.path = reply.path;
  if (reply.data) answer.data = std::string(*reply.data);
  answer.stat = reply.stat;
  answer.children.assign(reply.children.begin(), reply.children.end());
  return answer;
}

Answer SimClient::ask_watching(Request request, Watch watch, Table table, Role role) {
  request.watch = static_cast<bool>(watch);
  const std::string path(request.path);
  const SessionId session = session_;
  Answer answer = ask(std::move(request), role);
  const bool missing = table == Table::exists && answer.code == Code::no_node;
  if (!watch || (!answer.ok() && !missing) || (session != 0 && session != session_)) return answer;
  watches_.push_back(
      {table == Table::exists && answer.ok() ? Table::data : table, path, std::move(watch)});
  return answer;
}

Answer SimClient::create(std::string_view path, std::string_view data, CreateMode mode, Role role) {
  return ask({.op = mode == CreateMode::container ? OpCode::create_container : OpCode::create,
              .path = path,
              .data = data,
              .flags = static_cast<std::int32_t>(mode)},
             role);
}

Answer SimClient::remove(std::string_view path, Role role) {
  return ask({.op = OpCode::remove, .path = path}, role);
}

Answer SimClient::exists(std::string_view path, Watch watch, Role role) {
  return ask_watching({.op = OpCode::exists, .path = path}, std::move(watch), Table::exists, role);
}

Answer SimClient::get_data(std::string_view path, Watch watch, Role role) {
  return ask_watching({.op = OpCode::get_data, .path = path}, std::move(watch), Table::data, role);
}

Answer SimClient::get_children(std::string_view path, Watch watch, Role role) {
  return ask_watching({.op = OpCode::get_children, .path = path}, std::move(watch), Table::children,
                      role);
}

Answer SimClient::set_data(std::string_view path, std::string_view data, std::int32_t version,
                           Role role) {
  return ask({.op = OpCode::set_data, .path = path, .data = data, .version = version}, role);
}

Answer SimClient::sync(std::string_view path, Role role) {
  return ask({.op = OpCode::sync, .path = path}, role);
}

std::uint64_t SimClient::listen(Listener listener) {
  listeners_.emplace(++listened_, std::move(listener));
  return listened_;
}

void SimClient::forget(std::uint64_t listener) { listeners_.erase(listener); }

// ---------------------------------------------------------------- notifications

void SimClient::came(std::string_view bytes, history::TenureId from) {
  Event event;
  if (!read(bytes, event)) return;
  speaker_ = from;
  fire(event.type, event.path);
  speaker_ = 0;
}

// Notifies each watch once; the deletion of a node concerns all its watches.
void SimClient::fire(EventType type, std::string_view path) {
  const auto hears = [type, path](const Kept& kept) {
    if (kept.path != path) return false;
    if (type == EventType::deleted) return true;
    return (type == EventType::children_changed) == (kept.table == Table::children);
  };
  std::vector<Kept> fired;
  for (auto kept = watches_.begin(); kept != watches_.end();) {
    if (!hears(*kept)) {
      ++kept;
      continue;
    }
    fired.push_back(std::move(*kept));
    kept = watches_.erase(kept);
  }
  for (const Kept& kept : fired) kept.watch({type, state_});
}

}  // namespace picklock::zookeeper
