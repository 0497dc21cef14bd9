#include "compare/safety_table/decided.h"

#include <algorithm>

namespace picklock::compare::safety_table {
namespace {

constexpr Decided kDecided[] = {
#include "compare/safety_table/decided.inc"
};

}  // namespace

std::span<const Decided> decided() { return kDecided; }

const Decided* decided(const Configuration& configuration, const Cell& cell, bool fenced) {
  const std::string claim = claim_of(configuration, cell, fenced);
  const auto* found = std::find_if(std::begin(kDecided), std::end(kDecided),
                                   [&claim](const Decided& one) { return one.claim == claim; });
  return found == std::end(kDecided) ? nullptr : found;
}

}  // namespace picklock::compare::safety_table
