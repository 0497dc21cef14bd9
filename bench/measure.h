// Programs that are run and measured, turn by turn, and what several turns say together.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::bench {

using Command = std::vector<std::string>;  // empty: the program is absent

// The figures of one process: those that it printed as `name=value`, and from the kernel
// process_cpu and wall, in seconds, and peak_kb.
using Sample = std::map<std::string, double, std::less<>>;

struct Series {
  Command command = {};
  std::vector<Sample> samples = {};  // one per turn; empty: the program is absent or failed
};

std::vector<int> usable_cores();

constexpr int kAnyCore = -1;

// A program running on one core, until finish() has its sample.
class Process {
 public:
  Process(const Command& command, int core);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // nullopt: it has failed.
  std::optional<Sample> finish();

 private:
  std::chrono::steady_clock::time_point started_;
  pid_t child_ = -1;
  int output_ = -1;
};

std::optional<double> median(std::vector<double> values);
std::optional<double> median(const Series& series, std::string_view figure);
// The median over the turns of numerator / denominator; nullopt if either is absent.
std::optional<double> ratio(const Series& numerator, const Series& denominator,
                            std::string_view figure);

}  // namespace picklock::bench
