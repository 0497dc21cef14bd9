#include "models/locks/catalogue.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "models/locks/local_mutex.h"
#include "models/servers/kind.h"

namespace picklock::models::locks {

namespace {

// A kind of server that is added later has its locks behind those that were there.
std::vector<const Algorithm*>& listed() {
  static std::vector<const Algorithm*> algorithms;
  static std::size_t kinds = 0;
  for (; kinds < servers::kinds().size(); ++kinds) {
    const servers::Kind& kind = *servers::kinds()[kinds];
    if (kind.locks == nullptr) continue;
    for (const Algorithm* lock : kind.locks()) algorithms.push_back(lock);
  }
  return algorithms;
}

}  // namespace

std::span<const Algorithm* const> all() { return listed(); }

void add(const Algorithm& algorithm) {
  if (named(algorithm.name) != nullptr)
    throw std::invalid_argument(std::string(algorithm.name) + " is a lock already");
  listed().push_back(&algorithm);
}

const Algorithm* named(std::string_view name) {
  for (const Algorithm* algorithm : all()) {
    if (algorithm->name == name) return algorithm;
  }
  return nullptr;
}

std::unique_ptr<Lock> make_lock(const Algorithm& algorithm, const LockOptions& options) {
  std::unique_ptr<Lock> lock = algorithm.make(options);
  if (options.local_mutex == LocalMutex::none) return lock;
  return std::make_unique<LocalMutexInFront>(options, std::move(lock));
}

}  // namespace picklock::models::locks
