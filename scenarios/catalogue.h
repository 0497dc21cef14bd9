// The scenarios that are shipped: where their folder is, and what it holds. Nothing but the running
// program says where: an installation can be moved as a whole.
#pragma once

#include <string>
#include <vector>

namespace picklock::scenarios {

// share/picklock/scenarios, in the folder above that of the running program, or what
// PICKLOCK_SCENARIO_PATH says. It need not exist.
std::string shipped_directory();

// The complaint to a user whose `directory` has no shipped scenarios.
std::string none_shipped(const std::string& directory);

// A shipped scenario and its file. A documented one lies in the folder of its family, which is not
// part of its name; the plain scenario of a lock is called plain/LOCK.
struct Shipped {
  std::string name;
  std::string path;
};

// The documented failure sequences in alphabetical order, then the plain scenarios. Throws BadInput
// if the directory cannot be read.
std::vector<Shipped> catalogue(const std::string& directory);

// The documented ones alone.
std::vector<Shipped> documented(const std::string& directory);

}  // namespace picklock::scenarios
