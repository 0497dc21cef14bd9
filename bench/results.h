// The goals of docs/facts/performance.md with what was measured for them, as JSON or as a table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/measure.h"

namespace picklock::bench {

struct Goal {
  std::string_view id;
  std::string_view what;
  double must = 0;
  double stretch = 0;
  bool at_most = false;
  bool reported = true;  // appears in the JSON too
  std::optional<double> product = std::nullopt;
  std::optional<double> prototype = std::nullopt;
};

// How many times longer the workloads take with another lock.
struct Beside {
  std::string lock;
  std::vector<std::pair<std::string, std::optional<double>>> times;
};

class Results {
 public:
  void add(const Goal& goal);
  void add(Beside beside) { beside_.push_back(std::move(beside)); }
  void add(const Series& series) { all_.push_back(series); }

  void print_json() const;
  void print_table() const;

 private:
  std::vector<Goal> goals_;
  std::vector<Beside> beside_;
  std::vector<Series> all_;
};

}  // namespace picklock::bench
