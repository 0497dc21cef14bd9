#include "models/redis/sim_client.h"

#include <algorithm>

#include "models/client/step_of.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

// Returns the function that writes the request of a command.
auto words(Argv argv) {
  return [argv](sim::Payload& payload) { write_request(payload, argv); };
}

void read(const sim::Answer& answer, Reply& reply) {
  std::string_view bytes = answer.bytes();
  if (!read_reply(bytes, reply)) reply.set_error("ERR Protocol error, the reply is not whole");
}

}  // namespace

void SimClient::reset(sim::Simulation& simulation, sim::Process& self, const Node& server,
                      const models::LockOptions& options, Discovery* discovery) {
  simulation_ = &simulation;
  self_ = &self;
  discovery_ = discovery;
  patience_ = options.command_timeout;
  resend_ = options.resend;
  resend_delay_ = options.resend_delay;
  resend_delay_most_ = options.resend_delay_most;
  chance_ = sim::Random(simulation.scheduler.record().seed(),
                        sim::mixed(self.hash() ^ server.process->hash() ^ sim::hash_of("resend")));
  connections_ = options.connections;
  while (links_.size() < connections_) links_.emplace_back();
  for (std::uint32_t i = 0; i < connections_; ++i) {
    const bool is_open = options.connects != models::Connects::when_needed;
    links_[i].reset(simulation, self, server, discovery, is_open ? i : i + 1);
    if (options.connects == models::Connects::at_start) links_[i].caller().open_early();
    links_[i].caller().keep_after_timeout(options.keep_timed_out);
  }
  pool_.reset(simulation.scheduler, self, connections_);
  subscriber_.reset(simulation, self, server, discovery, patience_, options.resubscribe_every);
}

void SimClient::forget() {
  for (std::uint32_t i = 0; i < connections_; ++i) links_[i].forget();
  pool_.forget();
  subscriber_.forget();
}

void SimClient::refresh() {
  if (discovery_ == nullptr) return;
  if (const Node* leader = discovery_->find(patience_)) follow(*leader);
}

void SimClient::follow(const Node& leader) {
  for (std::uint32_t i = 0; i < connections_; ++i) links_[i].follow(leader);
  subscriber_.link().follow(leader);
}

// ---------------------------------------------------------------- connections

// Borrows a connection for a command and returns it when the command ends, also by an exception.
// nullptr: all were in use until the patience ended.
class SimClient::Borrowed {
 public:
  explicit Borrowed(SimClient& client) : client_(client) {
    const bool shared = client.connections_ == 1 || client.simulation_->scheduler.inert();
    if (!shared) one_ = client.pool_.borrow(client.patience_);
    if (shared || one_) link_ = &client.links_[one_.value_or(0)];
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    if (one_) client_.pool_.give_back(*one_);
  }
  bool ready() const { return link_ != nullptr && link_->find_server(client_.patience_); }
  ServerLink& operator*() const { return *link_; }
  ServerLink* operator->() const { return link_; }

 private:
  SimClient& client_;
  std::optional<std::size_t> one_;  // of a pool
  ServerLink* link_ = nullptr;
};

// ---------------------------------------------------------------- commands

// READONLY comes from a replaced master: the next command looks up the leader.
void SimClient::distrust_a_demoted(ServerLink& link, const Reply& reply) {
  const bool demoted = reply.is_error() && reply.text.starts_with("READONLY");
  if (demoted && discovery_ != nullptr && discovery_->by() == servers::FindBy::monitors)
    link.doubt();
}

// Waits as long as the library does before the next copy.
bool SimClient::may_send_again(std::uint32_t copies, bool left, Resend resend) {
  if (copies > resend_ || (left && resend == Resend::unsent)) return false;
  if (resend_delay_ > Duration::zero()) {
    const Duration whole = models::longest_resend_pause(resend_delay_, resend_delay_most_, copies);
    simulation_->scheduler.sleep(whole / 2 + chance_.between(Duration::zero(), whole / 2));
  }
  return true;
}

template <typename Exchange>
Reply SimClient::repeatedly(Resend resend, Exchange exchange) {
  Reply reply;
  bool left = false;  // a copy that got no answer
  std::uint32_t copies = 0;
  do {
    const Borrowed link(*this);
    if (!link.ready()) continue;
    const sim::Answer answer = exchange(link->caller());
    if (answer.ok()) {
      read(answer, reply);
      reply.resent = left;
      distrust_a_demoted(*link, reply);
      return reply;
    }
    left = left || answer.status() != sim::Answer::Status::unreachable;
    reply.interrupted = answer.status() == sim::Answer::Status::interrupted;
    if (reply.interrupted) break;
  } while (may_send_again(++copies, left, resend));
  reply.kind = left ? Reply::Kind::unknown : Reply::Kind::unsent;
  return reply;
}

Reply SimClient::call(Role role, Argv argv) {
  return repeatedly(Resend::unanswered, [&](sim::Caller& caller) {
    return caller.call(models::step_of(role, simulation_->scheduler), patience_, words(argv));
  });
}

Reply SimClient::call_interruptibly(Role role, Argv argv, Resend resend, Late late) {
  return repeatedly(resend, [&](sim::Caller& caller) {
    if (!late)
      return caller.call(models::step_of(role, simulation_->scheduler), patience_, words(argv));
    return caller.call_interruptibly(models::step_of(role, simulation_->scheduler), patience_,
                                     words(argv), [late](std::string_view bytes) {
                                       Reply reply;
                                       if (read_reply(bytes, reply)) late(reply);
                                     });
  });
}

std::array<Reply, 2> SimClient::call_both(Role role, Argv first, Argv second, Resend resend) {
  Reply of_second;
  of_second.kind = Reply::Kind::unsent;
  Reply of_first = repeatedly(resend, [&](sim::Caller& caller) {
    auto [one, other] = caller.call_both(models::step_of(role, simulation_->scheduler), patience_,
                                         words(first), words(second));
    if (other.ok()) {
      read(other, of_second);
    } else {
      of_second.kind = Reply::Kind::unknown;
    }
    return std::move(one);
  });
  return {std::move(of_first), std::move(of_second)};
}

// Sends on an open idle connection; if there is none, a new thread waits for one.
void SimClient::post(Role role, Argv argv) {
  sim::Scheduler& scheduler = simulation_->scheduler;
  if (scheduler.inert()) return;
  const Role as = models::step_of(role, simulation_->scheduler);
  for (std::uint32_t i = 0; i < connections_; ++i) {
    if (!pool_.lent(i) && links_[i].caller().post(as, words(argv))) return;
  }
  std::vector<std::string> copies(argv.begin(), argv.end());
  scheduler.threads().spawn(
      *self_, [this, as, copies = std::move(copies), tenure = scheduler.running()->tag] {
        simulation_->scheduler.running()->tag = tenure;
        simulation_->scheduler.running()->role = as;
        const std::vector<std::string_view> again(copies.begin(), copies.end());
        call(Role::none, again);
      });
}

bool SimClient::subscribe(std::string_view channel, Listener listener, Duration patience) {
  return subscriber_.subscribe(channel, std::move(listener), patience);
}

void SimClient::unsubscribe(std::string_view channel) { subscriber_.unsubscribe(channel); }

}  // namespace picklock::redis
