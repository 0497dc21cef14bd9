// Does the same thing on several servers at once, on a thread for each.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "picklock/client.h"

namespace picklock::models::locks {

// Calls `ask(thread, i)` for every i below `count`. Returns once all have answered, or once
// `enough` accepts the answers so far.
template <typename Answer>
class Together {
 public:
  using Ask = std::function<Answer(Client& self, std::size_t server)>;
  using Enough = std::function<bool(const std::vector<std::pair<std::size_t, Answer>>& answers)>;

  static std::vector<std::pair<std::size_t, Answer>> ask(Client& self, std::size_t count, Ask ask,
                                                         Enough enough = {}) {
    // Its threads may outlive the call. They share one copy of the question.
    struct Shared {
      Ask ask;
      std::vector<std::pair<std::size_t, Answer>> answers;
      std::unique_ptr<Semaphore> heard;
    };
    const auto shared = std::make_shared<Shared>();
    shared->ask = std::move(ask);
    shared->answers.reserve(count);
    shared->heard = self.semaphore(Awaits::threads);
    const Tenancy tenancy = self.witness().tenancy();
    for (std::size_t i = 0; i < count; ++i) {
      self.spawn([shared, i, tenancy](Client& thread) {
        thread.witness().act_for(tenancy);
        Answer answer = shared->ask(thread, i);
        shared->answers.emplace_back(i, std::move(answer));
        shared->heard->release();
      });
    }
    for (std::size_t heard = 0; heard < count; ++heard) {
      if (enough && enough(shared->answers)) break;
      shared->heard->acquire(Semaphore::kForever);
    }
    return shared->answers;
  }
};

}  // namespace picklock::models::locks
