#include "models/redis/sim_subscriber.h"

#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

constexpr auto kSubscribe = Role::subscribe;

}  // namespace

void SimSubscriber::reset(sim::Simulation& simulation, sim::Process& self, const Node& server,
                          Discovery* discovery, Duration patience, Duration redial_every) {
  // Far above the numbers of a pool's connections.
  constexpr std::uint32_t kNumber = 1000;
  simulation_ = &simulation;
  self_ = &self;
  patience_ = patience;
  redial_every_ = redial_every;
  remaking_ = false;
  speaker_ = 0;
  listeners_.clear();
  link_.reset(simulation, self, server, discovery, kNumber);
  link_.caller().listen({this, &SimSubscriber::came, &SimSubscriber::lost});
}

void SimSubscriber::forget() {
  link_.forget();
  listeners_.clear();
  remaking_ = false;
}

// Removes the listener of a thread that is killed while it subscribes.
class SimSubscriber::Asking {
 public:
  Asking(SimSubscriber& subscriber, std::string_view channel)
      : subscriber_(subscriber), channel_(channel) {}
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking() {
    if (!answered_) subscriber_.listeners_.erase(std::string(channel_));
  }
  void answered() { answered_ = true; }

 private:
  SimSubscriber& subscriber_;
  std::string_view channel_;
  bool answered_ = false;
};

bool SimSubscriber::subscribe(std::string_view channel, Listener listener, Duration patience) {
  const sim::TimeLeft left(simulation_->scheduler, *self_, patience);
  if (left.over()) return false;
  listeners_.insert_or_assign(std::string(channel), std::move(listener));
  Asking asking(*this, channel);
  const bool confirmed = ask_for(channel, Duration::zero(), left);
  asking.answered();
  if (!confirmed) unsubscribe(channel);
  return confirmed;
}

void SimSubscriber::unsubscribe(std::string_view channel) {
  const auto found = listeners_.find(channel);
  if (found == listeners_.end()) return;
  listeners_.erase(found);
  const std::string_view argv[] = {"UNSUBSCRIBE", channel};
  link_.caller().post(Role::none, [&argv](sim::Payload& payload) { write_request(payload, argv); });
}

bool SimSubscriber::ask_for(std::string_view channel, Duration patience,
                            const sim::TimeLeft& left) {
  if (!link_.find_server(patience_, left) || left.over()) return false;
  sim::Caller& caller = link_.caller();
  if (!caller.connect(left.at_most(patience)) || left.over()) return false;
  const std::string_view argv[] = {"SUBSCRIBE", channel};
  return caller
      .call(kSubscribe, left.at_most(patience),
            [&argv](sim::Payload& payload) { write_request(payload, argv); })
      .ok();
}

void SimSubscriber::came(void* self, std::string_view bytes, history::TenureId from) {
  auto& me = *static_cast<SimSubscriber*>(self);
  Reply push;
  if (!read_reply(bytes, push) || push.elements.size() != 3) return;
  if (push.elements[0].text != "message") return;
  const auto found = me.listeners_.find(push.elements[1].text);
  if (found == me.listeners_.end()) return;
  me.speaker_ = from;
  found->second(push.elements[2].text);
  me.speaker_ = 0;
}

void SimSubscriber::lost(void* self) {
  auto& me = *static_cast<SimSubscriber*>(self);
  if (me.listeners_.empty() || me.remaking_ || me.self_->down()) return;
  me.remaking_ = true;
  me.simulation_->scheduler.threads().spawn(*me.self_, [&me] { me.remake(); });
}

// If a channel is not confirmed, all are subscribed again on another connection.
void SimSubscriber::remake() {
  for (bool whole = false; !whole && !listeners_.empty();) {
    simulation_->scheduler.sleep(redial_every_);
    std::vector<std::string> channels;
    for (const auto& [channel, listener] : listeners_) channels.push_back(channel);
    whole = true;
    for (const std::string& channel : channels) {
      if (listeners_.contains(channel)) whole = whole && ask_for(channel, patience_, {});
    }
    if (!link_.caller().connected()) whole = false;
  }
  remaking_ = false;
}

}  // namespace picklock::redis
