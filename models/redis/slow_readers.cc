#include "models/redis/slow_readers.h"

#include <algorithm>

#include "models/redis/config.h"
#include "models/redis/connections.h"

namespace picklock::redis {
namespace {

// Bytes that the kernel takes before the server's own buffers fill: 38 MB were pending where the
// limit is 32 MB (R91).
constexpr std::uint64_t kSocketBuffers = 6'000'000;

}  // namespace

void SlowReaders::reset() {
  timer_.bind<&SlowReaders::on_limit>(service_.simulation().scheduler, &service_.process(), *this);
  halted();
}

void SlowReaders::halted() { due_.clear(); }

bool SlowReaders::has_left_too_much(Session& session) const {
  const Config::OutputLimit& limit = config_.subscriber_limit();
  const sim::Instant now = service_.simulation().now();
  const std::uint64_t unread = session.connection->unread();
  const std::uint64_t pending = unread > kSocketBuffers ? unread - kSocketBuffers : 0;
  if (limit.hard != 0 && pending >= limit.hard) return true;
  if (limit.soft == 0 || pending < limit.soft) {
    session.backlogged_since = sim::kNever;
    return false;
  }
  if (session.backlogged_since == sim::kNever) session.backlogged_since = now;
  return now - session.backlogged_since > std::chrono::seconds(limit.soft_seconds);
}

void SlowReaders::look_at(Session& session) {
  if (session.connection->unread() <= kSocketBuffers) return;
  if (has_left_too_much(session)) {
    close_later(session);
  } else if (session.backlogged_since != sim::kNever && !timer_.armed()) {
    await_limit();
  }
}

void SlowReaders::close_later(Session& session) {
  if (std::find(due_.begin(), due_.end(), &session) == due_.end()) due_.push_back(&session);
}

void SlowReaders::close_all_due() {
  while (!due_.empty()) {
    Session& session = *due_.back();
    due_.pop_back();
    if (session.connected) connections_.hang_up(session);
  }
}

void SlowReaders::await_limit() {
  timer_.arm(service_.simulation().now() +
             std::chrono::seconds(config_.subscriber_limit().soft_seconds) +
             std::chrono::milliseconds(1));
}

void SlowReaders::on_limit() {
  for (Session* session : connections_.all()) {
    if (session->backlogged_since != sim::kNever) look_at(*session);
  }
  close_due();
}

}  // namespace picklock::redis
