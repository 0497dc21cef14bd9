// A server program of our own that runs beside us. It ends with this object, and with this process
// however that ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace picklock::conform {

// Variables and files that a program finds besides those that every program of ours finds.
struct Surroundings {
  std::vector<std::string> variables{};  // `NAME=value`, in the place of any of that name
  std::vector<int> files{};              // open in it under the same numbers
};

class ServerProcess {
 public:
  // The status of a program that does not exist.
  static constexpr int kCannotExecute = 96;

  ServerProcess() = default;
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess() { kill(); }

  // Its output is added to the file `log`. Throws std::system_error if it cannot begin.
  void start(const std::vector<std::string>& command, const std::string& log,
             const Surroundings& surroundings = {});
  // The status of waitpid(), once, if it has ended by itself.
  std::optional<int> ended();
  // Nothing: it does not run, as far as we have looked.
  std::optional<pid_t> pid() const { return pid_ > 0 ? std::optional(pid_) : std::nullopt; }

  // Each has taken effect when it returns.
  void kill();  // -9
  void stop();
  void go_on();

 private:
  pid_t pid_ = -1;
};

// Nobody listens there now, nor does the kernel give it to an outgoing connection. 0: there is
// none.
std::uint16_t free_port();

}  // namespace picklock::conform
