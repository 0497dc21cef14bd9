#include "conform/zookeeper/coverage.h"

#include <gmock/gmock.h>

#include "conform/campaign.h"
#include "conform/zookeeper/grammar.h"
#include "conform/zookeeper/model_line.h"

namespace picklock::conform::zookeeper {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

Step ask(std::uint32_t connection, Ask what) {
  return {.connection = connection, .ask = std::move(what)};
}

std::uint8_t state(Znode znode) { return static_cast<std::uint8_t>(znode); }

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
  count(sequence, play_to_model(sequence), coverage);
  EXPECT_EQ(coverage.commands(), 9);
  EXPECT_THAT(coverage.counts(),
              UnorderedElementsAre(Key(Cell{"create", "ok", state(Znode::missing)}),
                                   Key(Cell{"exists", "ok", state(Znode::own_ephemeral)}),
                                   Key(Cell{"exists", "ok", state(Znode::others_ephemeral)}),
                                   Key(Cell{"delete", "ok", state(Znode::persistent)}),
                                   Key(Cell{"delete", "NotEmpty", state(Znode::parent)}),
                                   Key(Cell{"createContainer", "ok", state(Znode::missing)}),
                                   Key(Cell{"getData", "ok", state(Znode::container)}),
                                   Key(Cell{"ping", "ok", state(Znode::none)})));
}

TEST(ZooKeeperCoverage, IsWholeAfterARunOfTheUsualLength) {
  Coverage coverage;
  for (std::uint64_t i = 0; i < Campaign().cases; ++i) {
    const Sequence sequence = draw_sequence(sequence_seed(1, i));
    count(sequence, play_to_model(sequence), coverage);
  }
  EXPECT_THAT(coverage.empty(expected_cells()), IsEmpty());
  const Cell never{"multi", "ok", state(Znode::parent)};
  EXPECT_THAT(coverage.empty(std::vector{never}), ElementsAre(never));
}

}  // namespace
}  // namespace picklock::conform::zookeeper
