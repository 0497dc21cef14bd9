#include <algorithm>
#include <utility>

#include "models/servers/verbs.h"
#include "models/zookeeper/server.h"

namespace picklock::zookeeper {
namespace {

using namespace std::chrono_literals;

// How often a leader looks for containers that are no longer used
// (znode.container.checkIntervalMs).
constexpr Duration kContainersEvery = 60s;

}  // namespace

// ---------------------------------------------------------------- decisions of the ensemble

void Server::load(std::span<const Proposal> proposals) {
  tree_.reset(peer_.settings().numbering);
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
  if (strike.fault.verb == models::kKillSession)
    strike.found(kill_session(strike.target), models::kNoSession);
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

}  // namespace picklock::zookeeper
