// The results of one `picklock run` in the format asked for: each as soon as its runs are over,
// then the document or the summary of all.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/run.h"
#include "reports/junit.h"
#include "reports/timeline.h"
#include "scenarios/run.h"

namespace picklock::cli {

class Results {
 public:
  using Seconds = std::chrono::duration<double>;

  explicit Results(const RunOptions& options);

  // The next scenario's runs begin.
  void begin() { running_ = true; }
  // They are over. `seconds`: how long each of them took, in the order of the outcome.
  void add(const scenarios::Outcome& outcome, const std::vector<double>& seconds);
  // The scenario cannot be run. One line on standard error says why.
  void refuse(const std::string& problem);
  // The scenario that is running is cut off, and those after it are not run.
  void cut_off(const std::string& why);

  bool is_complete() const { return next_ == options_.scenarios.size(); }
  // The line that a terminal shows in the meantime.
  std::string progress(Seconds passed) const;

  // Writes what belongs at the end.
  void finish(Seconds passed);

  int status() const;

 private:
  const std::string& scenario() const { return options_.scenarios[next_]; }
  std::string repeat_command(std::uint64_t seed) const;
  // Adds the scenario to the document as an error.
  void add_error(const std::string& kind, const std::string& problem);
  void put_text(std::string text);
  std::string summary(Seconds passed) const;

  const RunOptions& options_;
  reports::TextOptions form_;
  reports::Junit junit_;
  std::vector<std::string> json_;
  std::size_t next_ = 0;  // index of the scenario that is running, or will
  bool running_ = false;
  bool wrote_ = false;  // text on standard output
  std::size_t as_expected_ = 0;
  std::vector<std::string> not_as_expected_;
  std::size_t refused_ = 0;
  std::size_t cut_off_ = 0;
  std::size_t not_run_ = 0;
};

}  // namespace picklock::cli
