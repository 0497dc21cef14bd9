// Sends one sequence to the model and to a real server, in the same total order, and compares what
// each connection receives, byte for byte except for the normalizations. Between connections only
// commands are ordered (R90).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "conform/redis/coverage.h"
#include "conform/redis/model_side.h"
#include "conform/redis/real_side.h"
#include "conform/redis/sequence.h"

namespace picklock::conform::redis {

class Comparison {
 public:
  Comparison(ModelSide& model, RealSide& real) : model_(model), real_(real) {}

  // Returns the first difference; none: they agree. Counts the coverage if that is requested.
  std::optional<Difference> run(const Sequence& sequence, Coverage* coverage);

 private:
  using Found = std::optional<Difference>;

  Found command(const Step& step, Coverage* coverage);
  Found compare(const Step& step, const std::string& reply);
  Found compare_normalised(const Step& step, const std::string& reply, bool executes);
  Found compare_pushed(std::uint32_t connection);
  Found compare_open(std::uint32_t connection);
  Found leftovers();
  // A difference between bytes received, or between events in words.
  Found differ(std::uint32_t connection, const std::string& model, const std::string& real,
               bool words = false);
  void note_queued(const Step& step, const std::string& reply);

  ModelSide& model_;
  RealSide& real_;
  const Sequence* sequence_ = nullptr;
  std::size_t at_ = 0;
  std::vector<std::string> pending_;  // pushed by the model, not yet read from the real server
  std::vector<bool> open_;
  std::vector<std::vector<std::vector<std::string>>> queued_;  // commands, by connection
};

}  // namespace picklock::conform::redis
