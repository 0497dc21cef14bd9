#include "conform/mysql/model_side.h"

#include <gmock/gmock.h>

#include "conform/mysql/coverage.h"
#include "conform/mysql/grammar.h"

namespace picklock::conform::mysql {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

Statement insert(const char* key) {
  return {.op = Op::insert,
          .table = schema().name,
          .values = {{.value = std::string(key)}, {.value = std::int64_t{0}}}};
}

// docs/facts/fidelity.md M4: either of the two may continue.
TEST(ModelSide, GoesEveryWayThatARaceCanGo) {
  Interleaving race{.connections = 3};
  for (const std::uint32_t session : {1u, 2u, 3u})
    race.steps.push_back({session, {.op = Op::begin}});
  for (const std::uint32_t session : {1u, 2u, 3u}) race.steps.push_back({session, insert("x")});
  race.steps.push_back({1, {.op = Op::rollback}});
  std::set<std::string> ends;
  some_way(race, [&](const Played& played) {
    ends.insert(shown(played.outcomes.back()));
    return false;
  });
  EXPECT_THAT(ends, UnorderedElementsAre("1: 0 changed; 2: 1 changed; 3: error 1213",
                                         "1: 0 changed; 2: error 1213; 3: 1 changed"));
}

TEST(ModelSide, TellsInWhichStateAStatementFindsItsRow) {
  Interleaving meeting{.connections = 2};
  const auto says = [&](std::uint32_t session, Statement statement) {
    meeting.steps.push_back({session, std::move(statement)});
  };
  says(1, {.op = Op::begin});
  says(1, insert("x"));
  says(2, insert("x"));
  says(1, {.op = Op::remove, .table = schema().name, .key = "x"});
  says(1, {.op = Op::commit});
  says(2, {.op = Op::select, .table = schema().name, .key = "m"});
  const Played played = play_to_model(meeting, {});
  EXPECT_THAT(played.rows, testing::ElementsAre(RowState::none, RowState::missing, RowState::others,
                                                RowState::mine, RowState::none, RowState::free));
  EXPECT_TRUE(played.waited[2]);
}

// Needs no server: the compared statements are known beforehand.
TEST(ModelSide, FillsEveryExpectedCellInARunOfTheUsualLength) {
  Coverage coverage;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Interleaving interleaving = draw_interleaving(interleaving_seed(1, i));
    count(interleaving, play_to_model(interleaving, {}), coverage);
  }
  EXPECT_GT(expected_cells().size(), 100);
  EXPECT_THAT(coverage.empty(expected_cells()), IsEmpty());
}

}  // namespace
}  // namespace picklock::conform::mysql
