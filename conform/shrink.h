// Cuts a case in which model and server differ down to what it takes: without any one of the steps
// that are left, they agree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "conform/case.h"

namespace picklock::conform {

template <typename Step>
struct Found {
  Case<Step> drawn;
  Difference difference;
};

template <typename Step>
class Shrinking {
 public:
  using Compare = std::function<std::optional<Difference>(const Case<Step>&)>;
  // Cuts what is particular to a server; true: something could be cut.
  using Simplify = std::function<bool(Shrinking&)>;

  Shrinking(Found<Step> found, const Compare& compare)
      : least_(std::move(found)), compare_(compare), kind_(least_.difference.kind) {}

  Found<Step> run(const Simplify& simplify) {
    cut_tail();
    bool progress = true;
    while (progress) {
      progress = remove_steps();
      progress = (simplify && simplify(*this)) || progress;
    }
    return std::move(least_);
  }

  const Case<Step>& least() const { return least_.drawn; }

  // Keeps the candidate if it shows a difference of the same kind. Another one that turns up on the
  // way is not followed.
  bool try_instead(Case<Step> candidate) {
    if (candidate.steps.empty()) return false;
    std::optional<Difference> difference = compare_(candidate);
    if (!difference || difference->kind != kind_) return false;
    least_ = {std::move(candidate), *std::move(difference)};
    cut_tail();
    return true;
  }

 private:
  void cut_tail() { least_.drawn.steps.resize(least_.difference.step + 1); }

  bool remove_steps() {
    bool progress = false;
    for (std::size_t chunk = std::max<std::size_t>(1, least().steps.size() / 2);; chunk /= 2) {
      for (std::size_t at = 0; at < least().steps.size();) {
        Case<Step> candidate = least();
        const auto first = candidate.steps.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t size = std::min(chunk, candidate.steps.size() - at);
        candidate.steps.erase(first, first + static_cast<std::ptrdiff_t>(size));
        if (try_instead(std::move(candidate))) {
          progress = true;
        } else {
          at += chunk;
        }
      }
      if (chunk == 1) return progress;
    }
  }

  Found<Step> least_;
  const Compare& compare_;
  std::string kind_;
};

}  // namespace picklock::conform
