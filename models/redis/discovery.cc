#include "models/redis/discovery.h"

#include "models/redis/numbers.h"
#include "models/redis/wire.h"

namespace picklock::redis {

void Discovery::reset(sim::Simulation& simulation, sim::Process& self, const Group& group,
                      servers::FindBy by) {
  group_ = &group;
  by_ = by;
  first_ = 0;
  used_ = by == servers::FindBy::monitors ? group.sentinels().size() : 0;
  while (sentinels_.size() < used_) sentinels_.emplace_back();
  for (std::size_t i = 0; i < used_; ++i) {
    Sentinel& sentinel = *group.sentinels()[i];
    sentinels_[i].reset(simulation, self, sentinel.process(), sentinel, protocol());
  }
}

void Discovery::forget() {
  for (std::size_t i = 0; i < used_; ++i) sentinels_[i].forget();
}

const Node* Discovery::find(sim::Duration patience, const sim::TimeLeft& left) {
  if (by_ == servers::FindBy::address)
    return group_->directory().of(group_->at_address().process());
  // Another thread may change first_ meanwhile; this one must still ask every Sentinel once.
  const std::size_t first = first_;
  for (std::size_t i = 0; i < used_; ++i) {
    const std::size_t next = (first + i) % used_;
    if (const Node* node = ask(sentinels_[next], patience, left)) {
      first_ = next;
      return node;
    }
  }
  return nullptr;
}

const Node* Discovery::ask(sim::Caller& sentinel, sim::Duration patience,
                           const sim::TimeLeft& left) {
  if (left.over() || !sentinel.connect(left.at_most(patience)) || left.over()) return nullptr;
  const std::string_view argv[] = {"SENTINEL", "get-master-addr-by-name", group_->name()};
  const sim::Answer answer =
      sentinel.call(Role::none, left.at_most(patience),
                    [&argv](sim::Payload& payload) { write_request(payload, argv); });
  std::string_view bytes = answer.bytes();
  Reply reply;
  std::int64_t port = 0;
  const bool told = answer.ok() && read_reply(bytes, reply) && reply.elements.size() == 2 &&
                    strict_integer(reply.elements[1].text, port);
  if (!told) return nullptr;
  return group_->directory().find(reply.elements[0].text, static_cast<std::uint16_t>(port));
}

}  // namespace picklock::redis
