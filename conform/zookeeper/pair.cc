#include "conform/zookeeper/pair.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conform/zookeeper/coverage.h"
#include "conform/zookeeper/grammar.h"
#include "conform/zookeeper/model_line.h"
#include "conform/zookeeper/real_line.h"
#include "conform/zookeeper/real_server.h"

namespace picklock::conform::zookeeper {
namespace {

std::vector<std::string> lines_of(const std::vector<std::string>& messages) {
  std::vector<std::string> lines;
  lines.reserve(messages.size());
  for (const std::string& message : messages) lines.push_back(shown(message));
  return lines;
}

class ZooKeeperPair final : public Pair<Step> {
 public:
  ZooKeeperPair(const Campaign& campaign, const Stop& stop)
      : server_(campaign.address ? nullptr : std::make_unique<RealServer>("", stop)),
        line_(campaign.address ? *campaign.address : server_->address()),
        version_(line_.version()) {}

  std::string version() const override { return version_; }

  Sequence draw(std::uint64_t run_seed, std::uint64_t index) const override {
    return draw_sequence(sequence_seed(run_seed, index));
  }

  std::optional<Difference> compare(const Sequence& sequence, Coverage* coverage) override {
    const std::vector<Outcome> ours = play_to_model(sequence);
    const std::vector<Outcome> theirs = play(line_, sequence);
    if (coverage != nullptr) count(sequence, ours, *coverage);
    for (std::size_t step = 0; step < ours.size(); ++step) {
      for (std::uint32_t i = 0; i < sequence.connections; ++i) {
        if (ours[step].came[i] == theirs[step].came[i]) continue;
        return Difference{.step = step,
                          .connection = i,
                          .model = lines_of(ours[step].came[i]),
                          .real = lines_of(theirs[step].came[i])};
      }
    }
    return std::nullopt;
  }

  // A real server that is slow ends sessions that the model does not.
  int attempts() const override { return 3; }

 private:
  std::unique_ptr<RealServer> server_;
  RealLine line_;
  std::string version_;
};

Report run_zookeeper(const Campaign& campaign, const Watch& watch) {
  Report report = run<Step>(campaign, watch, [&] {
    Run<Step>::Lanes lanes;
    lanes.push_back(std::make_unique<ZooKeeperPair>(campaign, watch.stop));
    return lanes;
  });
  report.expected = expected_cells();
  return report;
}

constexpr std::array<Normalisation, 5> kNormalisations = {{
    {"zxids", {}, "count from the beginning of the sequence: a server has lived before"},
    {"sessions", {}, "are numbered as they come to be, and their passwords are zeros"},
    {"times", {}, "are zero: no two clocks agree"},
    {"children", {}, "are sorted: they come in no order (Z23)"},
    {"events before the end of a session that nobody asked for",
     {},
     "are left out: a real server does not always send them"},
}};

}  // namespace

ServerKind server_kind() {
  return {
      .name = "zookeeper",
      .package = "zookeeper",
      .why_no_flush = "of a ZooKeeper, picklock uses the znodes under /t alone",
      .wording = {.title = "ZooKeeper",
                  .against = "ZooKeeper {}",
                  .one_case = "sequence",
                  .commands = "requests",
                  .state = "znode",
                  .cell = "{command} {reply} {state}",
                  .coverage = "{seen} kinds of answer (operation, code, state of the znode)",
                  .holes = "; {empty} of the {expected} that a run of {cases} shows not seen",
                  .several_lines = true},
      .states = kZnodeStates,
      .normalisations = kNormalisations,
      .run = run_zookeeper,
  };
}

}  // namespace picklock::conform::zookeeper
