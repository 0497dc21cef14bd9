// `picklock compare`: takes every lock through the same runs and reports on one page what breaks
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explore/store.h"

namespace CLI {
class App;
}

namespace picklock::cli {

// As given; empty: not given.
struct CompareOptions {
  std::string algorithms;
  std::string faults;
  std::string properties;
  std::string runs;
  std::string seconds;
  std::string complete;
  std::vector<std::string> changes;
  std::string store;
  std::string shard;
  std::string seed;
  std::string jobs;
  std::string out;
  std::string color;
  bool json = false;
};

// The command with its options, which are read into `options`.
CLI::App* add_compare(CLI::App& app, CompareOptions& options);

// The exit status. Throws BadInput for what cannot be used.
int compare(const CompareOptions& options);

// Reports a comparison whose parts are in a store, as `picklock merge`. The exit status.
int merge_comparison(const explore::StoredCampaign& campaign, const explore::StoreReader& reader,
                     const std::string& jobs, const std::string& out, const std::string& color,
                     bool json);
// How many runs its parts have; every plan of a cell counts as one.
std::uint64_t runs_of_comparison(const explore::StoredCampaign& campaign);

}  // namespace picklock::cli
