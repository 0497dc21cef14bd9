#include "conform/redis/shrink.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "conform/redis/coverage.h"

namespace picklock::conform::redis {
namespace {

class Shrinking {
 public:
  Shrinking(Finding finding, const Compare& compare)
      : finding_(std::move(finding)), compare_(compare), kind_(kind_of(finding_)) {}

  Finding run() {
    cut_tail();
    bool progress = true;
    while (progress) {
      progress = remove_steps();
      progress = remove_words() || progress;
      progress = merge_connections() || progress;
    }
    return std::move(finding_);
  }

 private:
  static std::string kind_of(const Finding& finding) {
    const Difference& difference = finding.difference;
    const auto& words = finding.sequence.steps[difference.step].words;
    const auto of = [&](const std::string& side) {
      return difference.words ? side : reply_class(side);
    };
    return (words.empty() ? "" : lower(words[0])) + '\n' + of(difference.model) + '\n' +
           of(difference.real);
  }

  bool try_instead(Sequence candidate) {
    if (candidate.steps.empty()) return false;
    const std::optional<Difference> difference = compare_(candidate);
    if (!difference) return false;
    Finding found{std::move(candidate), *difference};
    if (kind_of(found) != kind_) return false;
    finding_ = std::move(found);
    cut_tail();
    return true;
  }

  void cut_tail() { finding_.sequence.steps.resize(finding_.difference.step + 1); }

  bool remove_steps() {
    bool progress = false;
    for (std::size_t chunk = std::max<std::size_t>(1, finding_.sequence.steps.size() / 2);;
         chunk /= 2) {
      for (std::size_t at = 0; at < finding_.sequence.steps.size();) {
        Sequence candidate = finding_.sequence;
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

  bool remove_words() {
    bool progress = false;
    for (std::size_t step = 0; step < finding_.sequence.steps.size(); ++step) {
      for (std::size_t word = finding_.sequence.steps[step].words.size(); word-- > 1;) {
        if (step >= finding_.sequence.steps.size()) break;
        Sequence candidate = finding_.sequence;
        auto& words = candidate.steps[step].words;
        if (word >= words.size()) continue;
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(word));
        progress = try_instead(std::move(candidate)) || progress;
      }
    }
    return progress;
  }

  bool merge_connections() {
    bool progress = false;
    for (std::uint32_t from = finding_.sequence.connections; from-- > 1;) {
      for (std::uint32_t to = 0; to < from; ++to) {
        Sequence candidate = finding_.sequence;
        if (from >= candidate.connections) break;
        const auto merged = [&](std::uint32_t connection) {
          return connection == from ? to : connection > from ? connection - 1 : connection;
        };
        for (Step& step : candidate.steps) {
          step.connection = merged(step.connection);
          for (std::string& word : step.words) {
            if (const auto meant = connection_meant(word)) word = id_word(merged(*meant));
          }
        }
        --candidate.connections;
        if (try_instead(std::move(candidate))) {
          progress = true;
          break;
        }
      }
    }
    return progress;
  }

  Finding finding_;
  const Compare& compare_;
  std::string kind_;
};

}  // namespace

Finding shrink(Finding finding, const Compare& compare) {
  return Shrinking(std::move(finding), compare).run();
}

}  // namespace picklock::conform::redis
