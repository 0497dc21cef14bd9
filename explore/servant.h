// A process of its own that answers one request after another, and keeps what it has learned from
// one to the next.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "explore/child.h"

namespace picklock::explore {

class Servant {
 public:
  using Answer = std::function<std::string(const std::string& request)>;

  // Neither requests nor answers have line ends. Throws std::system_error.
  explicit Servant(Answer answer);
  ~Servant();
  Servant(const Servant&) = delete;
  Servant& operator=(const Servant&) = delete;

  // Requires: the request before has been answered.
  void ask(const std::string& request);

  // To be polled; read() when there is something.
  int descriptor() const { return child_->descriptor(); }
  // False: it has ended, and died_of() says how.
  bool read() { return child_->read(); }
  std::optional<std::string> answer();
  std::string died_of() { return child_->died_of(); }

 private:
  int ask_at_ = -1;
  std::unique_ptr<Child> child_;
};

}  // namespace picklock::explore
