#include "models/zookeeper/server.h"

#include <algorithm>
#include <utility>

#include "history/recorded_simulation.h"
#include "models/servers/verbs.h"

namespace picklock::zookeeper {
namespace {

using namespace std::chrono_literals;

// How often a leader looks for containers that are no longer used
// (znode.container.checkIntervalMs).
constexpr Duration kContainersEvery = 60s;

std::int64_t milliseconds(Duration time) { return time / 1ms; }

bool is_write(OpCode op) {
  switch (op) {
    case OpCode::create:
    case OpCode::create2:
    case OpCode::create_container:
    case OpCode::remove:
    case OpCode::set_data:
    case OpCode::multi:
    case OpCode::check:
    case OpCode::close_session:
      return true;
    default:
      return false;
  }
}

Write write_of(const Request& request, SessionId session) {
  Write write{.op = request.op,
              .session = session,
              .path = std::string(request.path),
              .version = request.version,
              .flags = request.flags,
              .has_acl = request.has_acl};
  if (request.data) write.data = *request.data;
  for (const Request& part : request.parts) write.parts.push_back(write_of(part, session));
  return write;
}

// A part of a multi that creates a container is answered like createContainer (Z57).
OpCode told_as(const Request& part) {
  const bool creates = part.op == OpCode::create || part.op == OpCode::create2;
  const bool container = part.flags == static_cast<std::int32_t>(CreateMode::container);
  return creates && container ? OpCode::create_container : part.op;
}

// Turns the ensemble's result of a write into the reply to its client.
void tell_result(const Result& result, OpCode op, Reply& reply) {
  reply.op = op;
  reply.code = result.code;
  reply.path = result.path;
  reply.stat = result.stat;
}

// The password that a client must send with the number of its session.
std::string password_of(SessionId session) {
  std::string password(kPasswordSize, '\0');
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kPasswordSize; ++i) {
    if (i % 8 == 0) bits = sim::mixed(static_cast<std::uint64_t>(session) + i);
    password[i] = static_cast<char>(bits >> (8 * (i % 8)));
  }
  return password;
}

}  // namespace

void Server::reset(sim::Simulation& simulation, sim::Process& process, Grants& grants, ServerId id,
                   const std::vector<QuorumPeer*>& peers, const Settings& settings) {
  attach(simulation, process);
  grants_ = &grants;
  peer_.reset(simulation, process, *this, id, peers, settings);
  for (Link& link : links_) link = {};
  connected_ = 0;
  by_session_.clear();
  asked_.clear();
  heard_of_.clear();
  numbered_ = 0;
  tree_.reset();
  watches_.clear();
}

void Server::start(sim::Keeps keeps) {
  sim::Scheduler& scheduler = simulation().scheduler;
  const Settings& settings = peer_.settings();
  tracker_ = SessionTracker(milliseconds(settings.tick));
  const auto id = static_cast<std::uint64_t>(peer_.self()) << 56;
  const auto ms =
      static_cast<std::uint64_t>(scheduler.local_time(process(), sim::ClockKind::wall) / 1'000'000);
  next_session_ = static_cast<SessionId>(((ms << 24) >> 8) | id);
  end_timer_.bind<&Server::end_sessions>(scheduler, &process(), *this);
  end_timer_.join();
  container_timer_.bind<&Server::look_for_containers>(scheduler, &process(), *this);
  container_timer_.join();
  peer_.start(keeps);
}

void Server::halted() {
  for (Link& link : links_) drop(link);
  asked_.clear();
  heard_of_.clear();
  tracker_.end();
  watches_.clear();
  peer_.halted();
}

// ---------------------------------------------------------------- connections

Server::Link& Server::link_of(sim::Connection& connection) {
  if (connection.session != nullptr) return *static_cast<Link*>(connection.session);
  auto unused = std::find_if(links_.begin(), links_.end(),
                             [](const Link& one) { return one.phase == Link::Phase::free; });
  if (unused == links_.end()) {
    links_.emplace_back();
    unused = std::prev(links_.end());
  }
  Link& link = *unused;
  link.phase = Link::Phase::new_here;
  link.connection = &connection;
  link.number = static_cast<Watcher>(unused - links_.begin());
  connection.session = &link;
  ++connected_;
  return link;
}

bool Server::too_many(const sim::Connection& connection) const {
  const std::uint32_t most = peer_.settings().max_connections;
  if (most == 0) return false;
  const auto of_client = std::count_if(links_.begin(), links_.end(), [&](const Link& one) {
    return one.phase != Link::Phase::free && &one.connection->client() == &connection.client();
  });
  return static_cast<std::uint32_t>(of_client) > most;
}

void Server::hung_up(const sim::Connection& connection) {
  if (connection.session != nullptr) drop(*static_cast<Link*>(connection.session));
}

void Server::shut(Link& link) {
  if (link.phase == Link::Phase::free) return;
  sim::Connection& connection = *link.connection;
  drop(link);
  simulation().network.shut(connection);
}

// Requests that came on this link get no answer; those under way take effect all the same.
void Server::drop(Link& link) {
  if (link.phase == Link::Phase::free) return;
  for (const Pending& pending : link.pending) release(*pending.message);
  watches_.drop(link.number);
  const auto mine = by_session_.find(link.session);
  if (mine != by_session_.end() && mine->second == link.number) by_session_.erase(mine);
  link.connection->session = nullptr;
  link.first_pending += link.pending.size() + 1;
  link.pending.clear();
  link.phase = Link::Phase::free;
  link.connection = nullptr;
  link.session = 0;
  --connected_;
}

bool Server::apply(sim::Message& message, sim::Payload& answer) {
  arriving_ = &message;
  const bool answered = take(message, answer);
  arriving_ = nullptr;
  return answered;
}

// A message that is still being applied is released by its connection: if it were released here,
// its slot might hold another message by then.
void Server::release(sim::Message& message) {
  if (&message == arriving_) {
    message.taken = false;
  } else {
    simulation().network.release(message);
  }
}

bool Server::take(sim::Message& message, sim::Payload& answer) {
  sim::Connection& connection = *message.connection;
  if (!peer_.serves()) {
    // A server that looks for a leader accepts no clients (Z45).
    simulation().network.shut(connection);
    return false;
  }
  Link& link = link_of(connection);
  if (link.phase == Link::Phase::new_here) return open(link, message);
  if (link.phase == Link::Phase::closing) return false;
  return handle(link, message, answer);
}

// A client's first message requests a new session, or resumes the one that it has.
bool Server::open(Link& link, sim::Message& message) {
  ConnectRequest request;
  const bool good = zookeeper::read(message.payload.view(), request);
  // A client that has seen more than this server would see time go back (Z55).
  if (!good || too_many(*link.connection) || request.last_zxid > peer_.committed()) {
    shut(link);
    return false;
  }
  message.taken = true;
  link.phase = Link::Phase::connecting;
  link.timeout =
      negotiated(request.timeout, static_cast<std::int32_t>(milliseconds(peer_.settings().tick)));
  link.pending.push_back({.message = &message, .op = OpCode::create_session, .waits = true});
  if (request.session == 0) {
    link.session = next_session_++;
    by_session_[link.session] = link.number;
    ask_ensemble({.op = OpCode::create_session, .session = link.session, .timeout = link.timeout},
                 expect(link), message);
    return false;
  }
  // A session has one connection: this one replaces the older one (Z5).
  const auto before = by_session_.find(request.session);
  if (before != by_session_.end()) shut(links_[before->second]);
  link.session = request.session;
  by_session_[link.session] = link.number;
  if (request.password != password_of(request.session)) {
    opened(link, false);
  } else if (peer_.leads()) {
    opened(link, revalidate(request.session, link.timeout, peer_.self()));
  } else {
    peer_.revalidate(expect(link), request.session, link.timeout);
  }
  return false;
}

void Server::opened(Link& link, bool valid) {
  sim::Message& message = *link.pending.front().message;
  link.pending.pop_front();
  ++link.first_pending;
  sim::Message& reply = reply_to(message);
  const std::string password = valid ? password_of(link.session) : std::string(kPasswordSize, '\0');
  write(ConnectResponse{.timeout = valid ? link.timeout : 0,
                        .session = valid ? link.session : 0,
                        .password = password},
        reply.payload);
  link.phase = valid ? Link::Phase::open : Link::Phase::closing;
  answer(message, reply);
  release(message);
  if (!valid) shut(link);
}

// ---------------------------------------------------------------- requests

bool Server::handle(Link& link, sim::Message& message, sim::Payload& answer) {
  const bool good = zookeeper::read(message.payload.view(), request_);
  heard_of_session(link.session);
  if (!good) {
    shut(link);
    return false;
  }
  if (is_write(request_.op)) {
    wait(link, message, request_, true);
    ask_ensemble(write_of(request_, link.session), expect(link), message);
    return false;
  }
  if (request_.op == OpCode::sync) {
    wait(link, message, request_, true);
    peer_.sync(expect(link));
    return false;
  }
  if (!link.pending.empty() || !is_known(request_.op)) {
    wait(link, message, request_, false);
    answer_pending(link);
    return false;
  }
  reply_ = {};
  read(link, request_, reply_);
  write(reply_, answer);
  return true;
}

void Server::wait(Link& link, sim::Message& message, const Request& request, bool for_ensemble) {
  message.taken = true;
  link.pending.push_back(
      {.message = &message, .xid = request.xid, .op = request.op, .waits = for_ensemble});
}

// Numbers the last request of the link; the ensemble's answer carries this number.
std::uint32_t Server::expect(Link& link) {
  asked_[++numbered_] = {link.number, link.session, link.first_pending + link.pending.size() - 1};
  return numbered_;
}

void Server::ask_ensemble(Write write, std::uint32_t number, const sim::Message& message) {
  const Proposal request{
      .write = std::move(write), .server = peer_.self(), .request = number, .tenure = message.tag};
  if (peer_.leads()) {
    asked(request);
  } else {
    peer_.forward(request);
  }
}

void Server::settle(std::uint32_t number, Zxid zxid, Result result) {
  const auto found = asked_.find(number);
  if (found == asked_.end()) return;
  const Asked asked = found->second;
  asked_.erase(found);
  Link& link = links_[asked.link];
  if (link.session != asked.session || asked.pending < link.first_pending) return;
  Pending& pending = link.pending[asked.pending - link.first_pending];
  pending.waits = false;
  pending.zxid = zxid;
  pending.result = std::move(result);
  if (link.phase == Link::Phase::connecting) {
    opened(link, true);
  } else {
    answer_pending(link);
  }
}

// A fault may stop the server at any answer; then no request is pending any more.
void Server::answer_pending(Link& link) {
  while (!link.pending.empty() && !link.pending.front().waits) {
    Pending pending = std::move(link.pending.front());
    link.pending.pop_front();
    ++link.first_pending;
    answer_one(link, pending);
  }
}

void Server::answer_one(Link& link, Pending& pending) {
  sim::Message& message = *pending.message;
  const OpCode op = pending.op;
  reply_ = {};
  if (is_write(op) || op == OpCode::sync) {
    tell_result(pending.result, op, reply_);
    reply_.zxid = pending.zxid;
    zookeeper::read(message.payload.view(), request_);
    if (op == OpCode::sync) reply_.path = request_.path;
    for (std::size_t i = 0; i < pending.result.parts.size(); ++i)
      tell_result(pending.result.parts[i], told_as(request_.parts[i]), reply_.parts.emplace_back());
    // The header of a multi says nothing about its parts (Z52).
    if (op == OpCode::multi && !reply_.parts.empty()) reply_.code = Code::ok;
  } else {
    zookeeper::read(message.payload.view(), request_);
    read(link, request_, reply_);
  }
  reply_.xid = pending.xid;
  const bool moved = reply_.code == Code::session_moved;
  sim::Message& reply = reply_to(message);
  write(reply_, reply.payload);
  const bool last = op == OpCode::close_session || moved || !is_known(op);
  if (last) link.phase = Link::Phase::closing;
  if (moved) {
    simulation().network.release(reply);
  } else {
    answer(message, reply);
  }
  release(message);
  if (last) shut(link);
}

// ---------------------------------------------------------------- reads

void Server::read(Link& link, const Request& request, Reply& reply) {
  reply.op = request.op;
  reply.xid = request.xid;
  reply.zxid = peer_.committed();
  const bool of_node = request.op == OpCode::exists || request.op == OpCode::get_data ||
                       request.op == OpCode::get_children || request.op == OpCode::get_children2;
  const Node* const node = of_node ? tree_.find(request.path) : nullptr;
  if (of_node) {
    // If the node does not exist, only exists leaves a watch (Z31).
    if (node == nullptr) reply.code = Code::no_node;
    if (request.watch && request.op == OpCode::exists) {
      watches_.watch_data(request.path, link.number);
    } else if (request.watch && node != nullptr) {
      request.op == OpCode::get_data ? watches_.watch_data(request.path, link.number)
                                     : watches_.watch_children(request.path, link.number);
    }
    if (node == nullptr) return;
    reply.stat = Tree::stat_of(*node);
    if (node->data) reply.data = *node->data;
    if (request.op == OpCode::get_children || request.op == OpCode::get_children2)
      reply.children.assign(node->children.begin(), node->children.end());
    return;
  }
  switch (request.op) {
    case OpCode::ping:
      reply.xid = kPing;
      break;
    case OpCode::set_watches:
      set_watches(link, request);
      break;
    case OpCode::remove_watches:
      if (!watches_.remove(request.path, static_cast<WatcherType>(request.flags), link.number))
        reply.code = Code::no_watcher;
      break;
    default:
      reply.code = Code::unimplemented;
      reply.zxid = -1;
      break;
  }
}

// Restores the watches that a client had set at another server. It is notified at once of the
// changes that it has missed (Z34, Z54).
void Server::set_watches(Link& link, const Request& request) {
  const auto tell_now = [&](EventType type, std::string_view path) {
    notify({link.number, type, std::string(path)}, 0);
  };
  for (const std::string_view path : request.data_watches) {
    const Node* const node = tree_.find(path);
    if (node == nullptr) {
      tell_now(EventType::deleted, path);
    } else if (node->stat.mzxid > request.seen) {
      tell_now(EventType::data_changed, path);
    } else {
      watches_.watch_data(path, link.number);
    }
  }
  for (const std::string_view path : request.exists_watches) {
    if (tree_.find(path) != nullptr) {
      tell_now(EventType::created, path);
    } else {
      watches_.watch_data(path, link.number);
    }
  }
  for (const std::string_view path : request.child_watches) {
    const Node* const node = tree_.find(path);
    if (node == nullptr) {
      tell_now(EventType::deleted, path);
    } else if (node->stat.pzxid > request.seen) {
      tell_now(EventType::children_changed, path);
    } else {
      watches_.watch_children(path, link.number);
    }
  }
}

void Server::notify(const Watches::Told& told, history::TenureId by) {
  sim::Message& event = simulation().network.make(*links_[told.who].connection, 1);
  write(Event{told.type, told.path}, event.payload);
  event.tag = by;
  simulation().network.send_unasked(event);
}

// ---------------------------------------------------------------- decisions of the ensemble

void Server::load(std::span<const Proposal> proposals) {
  tree_.reset();
  for (const Proposal& proposal : proposals) {
    changes_.clear();
    tree_.apply(proposal.write, proposal.stamp(), changes_);
  }
}

void Server::apply(const Proposal& proposal, bool committed) {
  changes_.clear();
  Result result = tree_.apply(proposal.write, proposal.stamp(), changes_);
  if (committed) grants_->committed(proposal, changes_);
  // If its client did not request the end of the session, it is not notified of anything that goes
  // with it (Z59).
  const bool unasked = proposal.request == 0;
  if (proposal.write.op == OpCode::close_session && unasked) end_connection(proposal.write.session);
  told_.clear();
  for (const Change& change : changes_) watches_.fire(change, told_);
  for (const Watches::Told& told : told_) notify(told, proposal.tenure);
  if (proposal.server == peer_.self()) settle(proposal.request, proposal.zxid, std::move(result));
  if (proposal.write.op == OpCode::close_session) end_connection(proposal.write.session);
}

void Server::end_connection(SessionId session) {
  const auto open = by_session_.find(session);
  if (open != by_session_.end()) shut(links_[open->second]);
}

void Server::serve(bool leads) {
  if (!leads) return;
  grants_->restored(tree_, peer_.log().last());
  tracker_.begin(tree_.sessions(), clock_ms());
  await_ends();
  container_timer_.arm_on(sim::ClockKind::monotonic,
                          simulation().scheduler.local_time(process(), sim::ClockKind::monotonic) +
                              kContainersEvery.count());
}

// Every client loses its connection at once, those of followers too (Z42).
void Server::retire() {
  for (Link& link : links_) shut(link);
  asked_.clear();
  heard_of_.clear();
  tracker_.end();
  watches_.clear();
  end_timer_.disarm();
  container_timer_.disarm();
}

void Server::asked(const Proposal& request) {
  Proposal proposal = request;
  Write& write = proposal.write;
  if (write.op == OpCode::create_session) {
    tracker_.open(write.session, write.timeout, request.server, clock_ms());
    await_ends();
  } else {
    const Code code = tracker_.check(write.session, request.server);
    if (code == Code::ok) {
      tracker_.heard_of(write.session, clock_ms());
    } else {
      write = {.op = OpCode::error,
               .session = write.session,
               .version = static_cast<std::int32_t>(code)};
    }
  }
  if (write.op == OpCode::close_session) tracker_.close(write.session);
  peer_.propose(std::move(proposal));
}

bool Server::revalidate(SessionId session, std::int32_t timeout, ServerId at) {
  return tracker_.move(session, at, timeout, clock_ms());
}

void Server::heard_of(std::span<const SessionId> sessions) {
  for (const SessionId session : sessions) tracker_.heard_of(session, clock_ms());
}

void Server::take_heard_of(std::vector<SessionId>& sessions) {
  sessions.assign(heard_of_.begin(), heard_of_.end());
  heard_of_.clear();
}

void Server::revalidated(std::uint32_t request, bool valid) {
  const auto found = asked_.find(request);
  if (found == asked_.end()) return;
  const Asked asked = found->second;
  asked_.erase(found);
  Link& link = links_[asked.link];
  if (link.session == asked.session && link.phase == Link::Phase::connecting) opened(link, valid);
}

void Server::synced(std::uint32_t request) { settle(request, peer_.committed(), {}); }

// ---------------------------------------------------------------- sessions

std::int64_t Server::clock_ms() const {
  const bool wall = peer_.settings().wall_clock_expiry;
  return simulation().scheduler.local_time(
             process(), wall ? sim::ClockKind::wall : sim::ClockKind::monotonic) /
         1'000'000;
}

void Server::heard_of_session(SessionId session) {
  if (peer_.leads()) {
    tracker_.heard_of(session, clock_ms());
  } else {
    heard_of_.insert(session);
  }
}

void Server::await_ends() {
  const auto next = tracker_.next_end();
  if (!next) return;
  end_timer_.arm_on(
      peer_.settings().wall_clock_expiry ? sim::ClockKind::wall : sim::ClockKind::monotonic,
      *next * 1'000'000);
}

// A session may have been active since the timer was armed; then none has ended yet.
void Server::end_sessions() {
  const std::vector<SessionId> ended = tracker_.ended(clock_ms());
  if (ended.size() == 1) tell("ends a session of which nothing was heard");
  if (ended.size() > 1)
    tell("ends " + std::to_string(ended.size()) + " sessions of which nothing was heard");
  for (const SessionId session : ended) {
    peer_.propose({.write = {.op = OpCode::close_session, .session = session}});
    if (!peer_.leads() || !peer_.serves()) return;
  }
  await_ends();
}

void Server::strike(const sim::Strike& strike) {
  if (strike.fault.verb == models::kKillSession) kill_session(strike.target);
}

bool Server::kill_session(const sim::Process& client) {
  const auto found = std::find_if(links_.begin(), links_.end(), [&client](const Link& one) {
    return one.phase == Link::Phase::open && &one.connection->client() == &client;
  });
  if (found == links_.end() || !peer_.serves()) return false;
  const Proposal request{.write = {.op = OpCode::close_session, .session = found->session},
                         .server = peer_.self()};
  if (peer_.leads()) {
    asked(request);
  } else {
    peer_.forward(request);
  }
  return true;
}

void Server::look_for_containers() {
  for (const std::string& path : tree_.idle_containers()) {
    peer_.propose({.write = {.op = OpCode::remove_container, .path = path}});
    if (!peer_.serves()) return;
  }
  container_timer_.arm_on(sim::ClockKind::monotonic,
                          simulation().scheduler.local_time(process(), sim::ClockKind::monotonic) +
                              kContainersEvery.count());
}

// ---------------------------------------------------------------- the ensemble

void Ensemble::reset(history::RecordedSimulation& simulation,
                     std::span<sim::Process* const> processes, models::Tenures& tenures,
                     std::string_view lock_key, const Settings& settings, bool outlives_session) {
  settings_ = settings;
  grants_.reset(simulation, processes.front()->id(), tenures, lock_key, outlives_session);
  while (servers_.size() < processes.size()) servers_.emplace_back();
  peers_.clear();
  ends_.clear();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    peers_.push_back(&servers_[i].peer());
    ends_.push_back({processes[i], &servers_[i]});
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    servers_[i].reset(simulation, *processes[i], grants_, static_cast<ServerId>(i + 1), peers_,
                      settings_);
  }
}

Server* Ensemble::leader() {
  for (std::size_t i = 0; i < size(); ++i) {
    const QuorumPeer& peer = servers_[i].peer();
    if (peer.leads() && peer.serves()) return &servers_[i];
  }
  return nullptr;
}

}  // namespace picklock::zookeeper
