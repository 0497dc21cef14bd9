#include "conform/mysql/pair.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conform/mysql/coverage.h"
#include "conform/mysql/grammar.h"
#include "conform/mysql/model_side.h"
#include "conform/mysql/real_server.h"
#include "conform/mysql/real_side.h"

namespace picklock::conform::mysql {
namespace {

bool same(const Answer& one, const Answer& other) {
  return one.error == other.error && one.rows == other.rows && one.affected == other.affected;
}

bool same(const Outcome& one, const Outcome& other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(),
      [](const auto& a, const auto& b) { return a.first == b.first && same(a.second, b.second); });
}

class MySqlPair final : public Pair<Step> {
 public:
  MySqlPair(std::shared_ptr<RealServer> server, const Address& address, const std::string& database)
      : server_(std::move(server)), real_(address, database) {}

  std::string version() const override { return real_.version(); }

  Interleaving draw(std::uint64_t run_seed, std::uint64_t index) const override {
    return draw_interleaving(interleaving_seed(run_seed, index));
  }

  // The two agree if the model can do the same in some way. Otherwise the way that agrees longest
  // with the server shows the difference.
  std::optional<Difference> compare(const Interleaving& interleaving, Coverage* coverage) override {
    const std::vector<Outcome> theirs = real_.play(interleaving);
    std::optional<Difference> closest;
    const bool agree = some_way(interleaving, [&](const Played& played) {
      if (coverage != nullptr && !closest) count(interleaving, played, *coverage);
      std::size_t step = 0;
      while (step < theirs.size() && same(played.outcomes[step], theirs[step])) ++step;
      if (step == theirs.size()) return true;
      if (!closest || step > closest->step) {
        closest = Difference{
            .step = step, .model = {shown(played.outcomes[step])}, .real = {shown(theirs[step])}};
      }
      return false;
    });
    return agree ? std::nullopt : closest;
  }

  // On a busy machine threads race in unusual ways.
  int attempts() const override { return 3; }

 private:
  std::shared_ptr<RealServer> server_;
  RealSide real_;
};

// Interleavings are compared several at a time, each in a database of its own.
Run<Step>::Lanes lanes_of(const Campaign& campaign, const Stop& stop) {
  constexpr unsigned kLanes = 4;
  const auto server = campaign.address ? nullptr : std::make_shared<RealServer>(stop);
  const Address address = campaign.address ? *campaign.address : server->address();
  Run<Step>::Lanes lanes;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    lanes.push_back(std::make_unique<MySqlPair>(server, address,
                                                fmt::format("picklock_{}_{}", getpid(), lane)));
  }
  return lanes;
}

Report run_mysql(const Campaign& campaign, const Watch& watch) {
  Report report = run<Step>(campaign, watch, [&] { return lanes_of(campaign, watch.stop); });
  report.expected = expected_cells();
  return report;
}

constexpr std::array<Normalisation, 4> kNormalisations = {{
    {"races of the server's threads",
     {},
     "any order in which those go on who are let go at once, and any victim among the lightest "
     "of a circle, is right (M46)"},
    {"purge", {}, "is held back by a snapshot: MariaDB does not promise when a deleted row goes"},
    {"sessions", {}, "are numbered as they come"},
    {"what a killed session is told", {}, "is left out: it is killed"},
}};

}  // namespace

ServerKind server_kind() {
  return {
      .name = "mysql",
      .package = "mariadb-server",
      .why_no_flush =
          "of a MySQL, picklock uses databases picklock_... alone, and drops them afterwards",
      .wording = {.title = "MySQL",
                  .against = "{}",
                  .one_case = "interleaving",
                  .commands = "statements",
                  .state = "row",
                  .cell = "{command}: {reply} {state}",
                  .coverage = "{seen} kinds of answer (statement, answer, state of the row)",
                  .holes = "; {empty} of the {expected} that a run of {cases} shows not seen"},
      .states = kRowStates,
      .normalisations = kNormalisations,
      .run = run_mysql,
  };
}

}  // namespace picklock::conform::mysql
