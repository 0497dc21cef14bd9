#include "conform/zookeeper/coverage.h"

#include <gmock/gmock.h>

#include "conform/zookeeper/campaign.h"
#include "conform/zookeeper/grammar.h"
#include "conform/zookeeper/model_line.h"

namespace picklock::conform::zookeeper {
namespace {

using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

Step ask(std::uint32_t connection, Ask what) {
  return {.connection = connection, .ask = std::move(what)};
}

TEST(ZooKeeperCoverage, TellsInWhichStateARequestHasFoundItsZnode) {
  Sequence sequence{.connections = 2};
  sequence.steps = {
      ask(0, {.op = OpCode::create, .path = "/t/a", .data = "", .flags = 1}),
      ask(0, {.op = OpCode::exists, .path = "/t/a"}),
      ask(1, {.op = OpCode::exists, .path = "/t/a"}),
      ask(1, {.op = OpCode::create, .path = "/t/b", .data = ""}),
      ask(1, {.op = OpCode::remove, .path = "/t/b"}),
      ask(1, {.op = OpCode::remove, .path = "/t"}),
      ask(1, {.op = OpCode::create_container, .path = "/t/c", .data = "", .flags = 4}),
      ask(1, {.op = OpCode::get_data, .path = "/t/c"}),
      ask(1, {.op = OpCode::ping}),
  };
  Coverage coverage;
  EXPECT_EQ(count(sequence, play_to_model(sequence), coverage), 9);
  EXPECT_THAT(coverage, UnorderedElementsAre(Key(Cell{"create", "ok", Znode::missing}),
                                             Key(Cell{"exists", "ok", Znode::own_ephemeral}),
                                             Key(Cell{"exists", "ok", Znode::others_ephemeral}),
                                             Key(Cell{"delete", "ok", Znode::persistent}),
                                             Key(Cell{"delete", "NotEmpty", Znode::parent}),
                                             Key(Cell{"createContainer", "ok", Znode::missing}),
                                             Key(Cell{"getData", "ok", Znode::container}),
                                             Key(Cell{"ping", "ok", Znode::none})));
}

TEST(ZooKeeperCoverage, IsWholeAfterARunOfTheUsualLength) {
  Coverage coverage;
  for (std::uint64_t i = 0; i < Campaign().cases; ++i) {
    const Sequence sequence = draw_sequence(sequence_seed(1, i));
    count(sequence, play_to_model(sequence), coverage);
  }
  EXPECT_THAT(empty_cells(coverage), IsEmpty());
  coverage.erase({"multi", "ok", Znode::none});
  EXPECT_EQ(empty_cells(coverage).size(), 1);
}

}  // namespace
}  // namespace picklock::conform::zookeeper
