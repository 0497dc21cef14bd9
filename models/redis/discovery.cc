#include "models/redis/discovery.h"

#include "models/redis/numbers.h"
#include "models/redis/wire.h"

namespace picklock::redis {

void Discovery::reset(sim::Simulation& simulation, sim::Process& self, const Group& group,
                      servers::FindBy by) {
  group_ = &group;
  by_ = by;
  in_cluster_ = false;
  first_ = used_ = 0;
  if (by != servers::FindBy::monitors) return;
  for (Sentinel* sentinel : group.sentinels())
    next_caller().reset(simulation, self, sentinel->process(), *sentinel, protocol());
}

void Discovery::reset_in_cluster(sim::Simulation& simulation, sim::Process& self,
                                 const Slots& slots, const Group& group) {
  group_ = &group;
  by_ = servers::FindBy::address;
  in_cluster_ = true;
  first_ = used_ = 0;
  for (const SlotRange& range : slots.ranges()) {
    if (&slots.groups()[range.group] == &group) slot_ = range.first;
  }
  // These connections are opened when they are needed.
  const auto add = [&](Server& server) {
    next_caller().reset(simulation, self, server.process(), server, protocol(), 1);
  };
  const auto add_all = [&](const Group& some) {
    add(some.primary());
    for (std::size_t i = 0; i < some.replicas(); ++i) add(some.replica(i));
  };
  for (const Group& other : slots.groups()) {
    if (&other != &group) add_all(other);
  }
  add_all(group);
}

sim::Caller& Discovery::next_caller() {
  if (used_ == asked_.size()) asked_.emplace_back();
  return asked_[used_++];
}

void Discovery::forget() {
  for (std::size_t i = 0; i < used_; ++i) asked_[i].forget();
}

const Node* Discovery::find(sim::Duration patience, const sim::TimeLeft& left) {
  if (by_ == servers::FindBy::address && !in_cluster_)
    return group_->directory().of(group_->at_address().process());
  // Another thread may change first_ meanwhile; this one must still ask each of them once.
  const std::size_t first = first_;
  for (std::size_t i = 0; i < used_; ++i) {
    const std::size_t next = (first + i) % used_;
    if (const Node* node = ask(asked_[next], patience, left)) {
      first_ = next;
      return node;
    }
  }
  return nullptr;
}

const Node* Discovery::ask(sim::Caller& one, sim::Duration patience, const sim::TimeLeft& left) {
  if (left.over() || !one.connect(left.at_most(patience)) || left.over()) return nullptr;
  const std::string_view of_sentinel[] = {"SENTINEL", "get-master-addr-by-name", group_->name()};
  const std::string_view of_node[] = {"CLUSTER", "SLOTS"};
  const Argv argv = in_cluster_ ? Argv(of_node) : Argv(of_sentinel);
  const sim::Answer answer =
      one.call(Role::none, left.at_most(patience),
               [argv](sim::Payload& payload) { write_request(payload, argv); });
  std::string_view bytes = answer.bytes();
  Reply reply;
  return answer.ok() && read_reply(bytes, reply) ? node_in(reply) : nullptr;
}

const Node* Discovery::node_in(const Reply& reply) const {
  if (!in_cluster_) {
    std::int64_t port = 0;
    if (reply.elements.size() != 2 || !strict_integer(reply.elements[1].text, port)) return nullptr;
    return group_->directory().find(reply.elements[0].text, static_cast<std::uint16_t>(port));
  }
  for (const Reply& range : reply.elements) {
    if (range.elements.size() < 3 || range.elements[2].elements.size() < 2) continue;
    if (slot_ < range.elements[0].integer || slot_ > range.elements[1].integer) continue;
    const Reply& master = range.elements[2];
    return group_->directory().find(master.elements[0].text,
                                    static_cast<std::uint16_t>(master.elements[1].integer));
  }
  return nullptr;
}

}  // namespace picklock::redis
