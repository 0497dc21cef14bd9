// A client whose lock follows a script: its pauses take no time, its clocks show the sum of the
// pauses, and the thread that renews waits for its turn. Test-only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "picklock/lock.h"

namespace picklock::conform::redis::transcripts {

// The state that the threads of one client share.
struct Conductor {
  Duration now = std::chrono::hours(1);
  int pauses = 0;
  std::function<void(int pauses)> on_pause;
  std::string next_token;  // empty: a random one

  // For the thread that renews.
  std::unique_ptr<Semaphore> turn;
  bool waits = false;
  bool lost = false;
};

class Conducted final : public Client, private Witness {
 public:
  Conducted(Client& real, std::shared_ptr<Conductor> conductor, bool spawned = false)
      : real_(real), conductor_(std::move(conductor)), spawned_(spawned) {}

  Duration monotonic_now() override { return conductor_->now; }
  Duration wall_now() override { return conductor_->now; }
  // Only the renewing thread, of those that locks spawn, ever sleeps.
  void sleep(Duration length) override {
    if (spawned_) {
      if (conductor_->turn == nullptr) conductor_->turn = real_.semaphore(Awaits::threads);
      conductor_->waits = true;
      conductor_->turn->acquire(Semaphore::kForever);
    }
    conductor_->now += length;
  }
  bool sleep_interruptibly(Duration length) override {
    conductor_->now += length;
    if (conductor_->on_pause) conductor_->on_pause(++conductor_->pauses);
    return true;
  }
  void spawn(std::function<void(Client&)> body) override {
    real_.spawn([conductor = conductor_, run = std::move(body)](Client& thread) {
      Conducted conducted(thread, conductor, true);
      run(conducted);
    });
  }
  std::string fresh_token() override {
    std::string token = std::exchange(conductor_->next_token, {});
    return token.empty() ? real_.fresh_token() : token;
  }

  std::string_view name() const override { return real_.name(); }
  std::uint32_t thread() const override { return real_.thread(); }
  void* find_connection(const std::type_info& type) override { return real_.find_connection(type); }
  std::unique_ptr<Semaphore> semaphore(Awaits what) override { return real_.semaphore(what); }
  Duration random_between(Duration low, Duration high) override {
    return real_.random_between(low, high);
  }
  std::string machine_token() override { return real_.machine_token(); }
  void mark(std::string_view mark) override { real_.mark(mark); }
  Witness& witness() override { return *this; }

 private:
  Tenancy tenancy() const override { return real_.witness().tenancy(); }
  void act_for(Tenancy tenancy) override { real_.witness().act_for(tenancy); }
  void record_loss(const Lease& lease) override {
    conductor_->lost = true;
    real_.witness().record_loss(lease);
  }
  // The deadline is on a clock that nobody else uses.
  void believe_until(const Lease&, Duration) override {}
  void record_local_mutex(std::string_view key, bool locked) override {
    real_.witness().record_local_mutex(key, locked);
  }

  Client& real_;
  std::shared_ptr<Conductor> conductor_;
  bool spawned_;
};

}  // namespace picklock::conform::redis::transcripts
