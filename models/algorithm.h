// A lock algorithm as data: its name, the steps that faults can be anchored to, what it promises
// under which faults, and how to make one. The catalogue in models/locks lists every one that is
// shipped.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "models/fault_class.h"
#include "models/lock.h"
#include "models/property.h"

namespace picklock::models {

// The property holds as long as only faults of these classes happen, within the premise.
struct Promise {
  Property property{};
  FaultClasses under;
  std::string_view premise;  // one clause; empty: unconditionally
};

struct Algorithm {
  std::string_view name;
  std::string_view summary;  // one sentence: how it works
  std::string_view source;   // where it is described
  std::vector<Role> roles;   // of its own commands; `write` belongs to every client
  std::vector<std::string_view> marks;
  std::vector<Promise> promises;
  // How long a waiter may wait once nothing disturbs any more and no healthy client holds: the
  // lease of a crashed holder and one more attempt.
  Duration (*bound)(const LockOptions& options) = nullptr;
  std::unique_ptr<Lock> (*make)(const LockOptions& options) = nullptr;

  bool has(Role role) const {
    for (Role one : roles) {
      if (one == role) return true;
    }
    return role == Role::write;
  }
  const Promise* promise(Property property) const {
    for (const Promise& one : promises) {
      if (one.property == property) return &one;
    }
    return nullptr;
  }
};

}  // namespace picklock::models
