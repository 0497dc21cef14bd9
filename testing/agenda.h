// The actions of a test on its world from outside all processes, each at its time.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "sim/scheduler.h"

namespace picklock::sim {

class Agenda {
 public:
  void add(Duration when, std::function<void()> what) {
    Item& item = items_.emplace_back();
    item.when = when;
    item.what = std::move(what);
  }
  // Arms what was added since the last call.
  void arm(Scheduler& scheduler) {
    for (; armed_ < items_.size(); ++armed_) {
      Item& item = items_[armed_];
      item.timer.bind<&Item::happen>(scheduler, nullptr, item);
      item.timer.arm(kStart + item.when);
    }
  }

 private:
  struct Item {
    Duration when{};
    std::function<void()> what;
    Timer timer;
    void happen() { what(); }
  };
  std::deque<Item> items_;
  std::size_t armed_ = 0;
};

}  // namespace picklock::sim
