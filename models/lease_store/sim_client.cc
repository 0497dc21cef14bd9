#include "models/lease_store/sim_client.h"

#include "models/client/step_of.h"

namespace picklock::lease_store {
namespace {

Status status(const std::optional<std::string>& answer, std::string_view good) {
  if (!answer) return Status::unknown;
  if (answer->starts_with(good)) return Status::done;
  return *answer == "GONE" ? Status::gone : Status::refused;
}

}  // namespace

void SimClient::reset(sim::Simulation& simulation, sim::Process& self, LeaseStore& store,
                      Duration patience, std::uint32_t resend) {
  scheduler_ = &simulation.scheduler;
  patience_ = patience;
  resend_ = resend;
  caller_.reset(simulation, self, store.process(), store, protocol());
}

std::optional<std::string> SimClient::ask(const Request& request, Role role) {
  for (std::uint32_t copy = 0; copy <= resend_; ++copy) {
    const sim::Answer answer =
        caller_.call(models::step_of(role, *scheduler_), patience_,
                     [&request](sim::Payload& payload) { write(request, payload); });
    if (answer.ok()) return std::string(answer.bytes());
  }
  return std::nullopt;
}

Status SimClient::status_of(const Request& request, std::string_view good, Role role) {
  return status(ask(request, role), good);
}

Opened SimClient::open(Duration ttl, Duration lock_delay) {
  const auto answer = ask({.verb = Verb::open, .time = ttl, .lock_delay = lock_delay});
  Opened opened{.status = status(answer, "SESSION "), .session = {}};
  if (opened.status == Status::done) opened.session = answer->substr(answer->rfind(' ') + 1);
  return opened;
}

Status SimClient::keep_alive(std::string_view session) {
  return status_of({.verb = Verb::keep_alive, .session = session}, "ALIVE", Role::renew);
}

Granted SimClient::acquire(std::string_view key, std::string_view session) {
  const auto answer = ask({.verb = Verb::acquire, .key = key, .session = session});
  Granted granted{.status = status(answer, "GRANTED ")};
  if (granted.status == Status::done) granted.revision = last_number(*answer);
  return granted;
}

Status SimClient::release(std::string_view key, std::string_view session) {
  return status_of({.verb = Verb::release, .key = key, .session = session}, "RELEASED");
}

Status SimClient::watch(std::string_view key, Duration at_most) {
  const Request request{.verb = Verb::watch, .key = key, .time = at_most};
  // The server delays this answer on purpose.
  const Duration patience = patience_ > Duration::zero() ? patience_ + at_most : patience_;
  for (std::uint32_t copy = 0; copy <= resend_; ++copy) {
    const sim::Answer answer = caller_.call_interruptibly(
        models::step_of(Role::watch, *scheduler_), patience,
        [&request](sim::Payload& payload) { write(request, payload); }, [](std::string_view) {});
    if (answer.ok()) return status(std::string(answer.bytes()), "FREE");
    if (answer.status() == sim::Answer::Status::interrupted) return Status::interrupted;
  }
  return Status::unknown;
}

Status SimClient::close(std::string_view session) {
  return status_of({.verb = Verb::close, .session = session}, "CLOSED");
}

}  // namespace picklock::lease_store
