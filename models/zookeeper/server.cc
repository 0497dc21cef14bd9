#include "models/zookeeper/server.h"

#include <algorithm>
#include <utility>

#include "history/recorded_simulation.h"

namespace picklock::zookeeper {
namespace {

using namespace std::chrono_literals;

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

void Server::reset(sim::Simulation& simulation, sim::Process& process, GrantRecorder& grants,
                   ServerId id, const std::vector<QuorumPeer*>& peers, const Settings& settings) {
  attach(simulation, process);
  grants_ = &grants;
  peer_.reset(simulation, process, *this, id, peers, settings);
  for (Link& link : links_) link = {};
  by_session_.clear();
  asked_.clear();
  heard_of_.clear();
  numbered_ = 0;
  received_ = sent_ = 0;
  tree_.reset(settings.numbering);
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
}

bool Server::apply(sim::Message& message, sim::Payload& answer) {
  arriving_ = &message;
  ++received_;
  const bool answered = take(message, answer);
  if (answered) ++sent_;
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
  const std::string_view bytes = message.payload.view();
  if (connection.session == nullptr && is_four_letter_word(bytes)) {
    answer.append(answer_to_word(bytes, condition()));
    return true;
  }
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

Condition Server::condition() const {
  Condition all{.host = process().name(),
                .serves = peer_.serves(),
                .mode = peer_.is_alone() ? "standalone"
                        : peer_.leads()  ? "leader"
                                         : "follower",
                .zxid = peer_.committed(),
                .nodes = tree_.count(),
                .ephemerals = tree_.count_ephemerals(),
                .sessions = tree_.sessions().size(),
                .connections = 1,  // the one of the word
                .received = received_,
                .sent = sent_,
                .watches = watches_.size()};
  for (const Link& link : links_) {
    if (link.phase == Link::Phase::free) continue;
    ++all.connections;
    all.outstanding += link.pending.size();
  }
  watches_.count_of_data(all.watched_paths, all.watching_connections, all.path_watches);
  return all;
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
  link.old = request.old;
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
                        .password = password,
                        .old = link.old},
        reply.payload);
  link.phase = valid ? Link::Phase::open : Link::Phase::closing;
  ++sent_;
  answer(message, reply);
  release(message);
  if (valid) {
    answer_pending(link);  // a client may have sent more before it had this answer
  } else {
    shut(link);
  }
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
  if (!link.pending.empty() || !is_known(request_.op) || request_.op == OpCode::auth) {
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
  const bool last = op == OpCode::close_session || moved || reply_.code == Code::auth_failed ||
                    (!is_known(op) && !is_left_out(op));
  if (last) link.phase = Link::Phase::closing;
  if (moved) {
    simulation().network.release(reply);
  } else {
    ++sent_;
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
    case OpCode::auth:
      // Nothing depends on who a client is, for ACLs are not kept (Z65).
      if (request.path != "digest" && request.path != "ip") reply.code = Code::auth_failed;
      reply.zxid = 0;
      break;
    case OpCode::check_watches:
    case OpCode::remove_watches: {
      const auto type = static_cast<WatcherType>(request.flags);
      const bool found = request.op == OpCode::check_watches
                             ? watches_.has(request.path, type, link.number)
                             : watches_.remove(request.path, type, link.number);
      if (!found) reply.code = Code::no_watcher;
      break;
    }
    default:
      reply.code = Code::unimplemented;
      if (!is_left_out(request.op)) reply.zxid = -1;
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
  ++sent_;
  simulation().network.send_unasked(event);
}

}  // namespace picklock::zookeeper
