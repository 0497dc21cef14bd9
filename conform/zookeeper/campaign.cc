#include "conform/zookeeper/campaign.h"

#include <algorithm>
#include <memory>

#include "conform/zookeeper/grammar.h"
#include "conform/zookeeper/model_line.h"

namespace picklock::conform::zookeeper {
namespace {

class Run {
 public:
  Run(const Campaign& campaign, const Watch& watch, Report& report)
      : campaign_(campaign),
        watch_(watch),
        report_(report),
        server_(campaign.address ? nullptr : std::make_unique<RealServer>()),
        line_(campaign.address ? *campaign.address : server_->address()) {
    report_.server_version = line_.version();
  }

  void go() {
    while (report_.cases < campaign_.cases && report_.differences < kEnoughDifferences) {
      if (stopped()) return;
      watch_.progress(report_.cases, false);
      const Sequence sequence = draw_sequence(sequence_seed(campaign_.seed, report_.cases));
      std::optional<Finding> found = compared(sequence, true);
      ++report_.cases;
      if (!found) continue;
      ++report_.differences;
      if (!report_.first) report_.first = shortened(*std::move(found));
    }
  }

 private:
  bool stopped() {
    report_.interrupted = report_.interrupted || watch_.stop();
    return report_.interrupted;
  }

  // A real server that is slow ends sessions that the model does not: what differs does so always.
  std::optional<Finding> compared(const Sequence& sequence, bool counts) {
    constexpr int kTimes = 3;
    std::optional<Finding> found = compared_once(sequence, counts);
    for (int i = 1; found && i < kTimes; ++i) found = compared_once(sequence, false);
    return found;
  }

  std::optional<Finding> compared_once(Sequence sequence, bool counts) {
    const std::vector<Outcome> ours = play_to_model(sequence);
    const std::vector<Outcome> theirs = play(line_, sequence);
    if (counts) report_.requests += count(sequence, ours, report_.coverage);
    for (std::size_t step = 0; step < ours.size(); ++step) {
      for (std::uint32_t i = 0; i < sequence.connections; ++i) {
        if (ours[step].came[i] == theirs[step].came[i]) continue;
        return Finding{std::move(sequence), step, i, ours[step].came[i], theirs[step].came[i]};
      }
    }
    return std::nullopt;
  }

  // Without any one of the steps that are left, they agree.
  Finding shortened(Finding finding) {
    finding.sequence.steps.resize(finding.step + 1);
    for (std::size_t at = finding.sequence.steps.size(); at-- > 0;) {
      if (stopped()) return finding;
      watch_.progress(report_.cases, true);
      if (at >= finding.sequence.steps.size()) continue;
      Sequence shorter = finding.sequence;
      shorter.steps.erase(shorter.steps.begin() + static_cast<std::ptrdiff_t>(at));
      if (shorter.steps.empty()) continue;
      if (std::optional<Finding> found = compared(shorter, false)) {
        finding = *std::move(found);
        finding.sequence.steps.resize(finding.step + 1);
        at = finding.sequence.steps.size();
      }
    }
    return finding;
  }

  const Campaign& campaign_;
  const Watch& watch_;
  Report& report_;
  std::unique_ptr<RealServer> server_;
  RealLine line_;
};

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> normalisations() {
  return {
      {"zxids", "count from the beginning of the sequence: a server has lived before"},
      {"sessions", "are numbered as they come to be, and their passwords are zeros"},
      {"times", "are zero: no two clocks agree"},
      {"children", "are sorted: they come in no order (Z23)"},
      {"events before the end of a session that nobody asked for",
       "are left out: a real server does not always send them"},
  };
}

Report run(const Campaign& campaign, const Watch& watch) {
  Report report;
  Run(campaign, watch, report).go();
  return report;
}

}  // namespace picklock::conform::zookeeper
