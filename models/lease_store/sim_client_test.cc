#include "models/lease_store/sim_client.h"

#include <gmock/gmock.h>

#include "models/lease_store/kind.h"
#include "testing/small_world.h"

namespace picklock::lease_store::sim_client_tests {
namespace {

using namespace std::chrono_literals;

models::SmallWorld::Setup with_store(std::uint32_t clients = 1, std::uint32_t resend = 0) {
  return {.clients = clients, .resend = resend, .tracing = true, .other = &kKind};
}

TEST(LeaseStoreSimClient, LearnsWhatTheStoreAnswers) {
  models::SmallWorld world{with_store(2)};
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const Opened opened = self.connection<Client>().open(10s, 0s);
    EXPECT_EQ(opened.status, Status::done);
    EXPECT_EQ(opened.session, "s1");
    EXPECT_EQ(self.connection<Client>().keep_alive("s1"), Status::done);
    EXPECT_EQ(self.connection<Client>().keep_alive("s9"), Status::gone);
    EXPECT_EQ(self.connection<Client>().watch("lock", 1s), Status::done);
    const Granted granted = self.connection<Client>().acquire("lock", "s1");
    EXPECT_EQ(granted.status, Status::done);
    EXPECT_EQ(granted.revision, 1);
    EXPECT_EQ(self.connection<Client>().acquire("lock", "s9").status, Status::gone);
    EXPECT_EQ(self.connection<Client>().release("other", "s1"), Status::refused);
    self.sleep(2s);
    EXPECT_EQ(self.connection<Client>().release("lock", "s1"), Status::done);
    EXPECT_EQ(self.connection<Client>().close("s1"), Status::done);
    EXPECT_EQ(self.connection<Client>().close("s1"), Status::gone);
  });
  world.client(2, [](models::SmallWorld&, picklock::Client& self) {
    self.sleep(1s);
    EXPECT_EQ(self.connection<Client>().open(10s, 0s).session, "s2");
    EXPECT_EQ(self.connection<Client>().acquire("lock", "s2").status, Status::refused);
    EXPECT_EQ(self.connection<Client>().watch("lock", 100ms), Status::refused);
  });
  world.run();
}

// Longer than its patience with one request.
TEST(LeaseStoreSimClient, WaitsForTheEndOfAWatch) {
  models::SmallWorld world{with_store()};
  std::int64_t answered_ms = 0;
  world.client(1, [&](models::SmallWorld& all, picklock::Client& self) {
    self.connection<Client>().open(60s, 0s);
    self.connection<Client>().acquire("lock", "s1");
    EXPECT_EQ(self.connection<Client>().watch("lock", 20s), Status::refused);
    answered_ms = all.milliseconds();
  });
  world.run();
  EXPECT_GE(answered_ms, 20'000);
  EXPECT_LT(answered_ms, 20'100);
}

TEST(LeaseStoreSimClient, DoesNotKnowWhatBecameOfARequestWithoutAnswer) {
  models::SmallWorld world{with_store()};
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    EXPECT_EQ(self.connection<Client>().open(10s, 0s).status, Status::unknown);
    EXPECT_EQ(self.connection<Client>().watch("lock", 1s), Status::unknown);
  });
  world.run({models::fault_at(0s, sim::Verb::partition, "store", 60s)});
}

TEST(LeaseStoreSimClient, SendsARequestWithoutAnswerAgain) {
  models::SmallWorld world{with_store(1, 2)};
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    EXPECT_EQ(self.connection<Client>().open(10s, 0s).status, Status::done);
  });
  world.run({models::fault_at(0s, sim::Verb::partition, "store", 4s)});
}

TEST(LeaseStoreSimClient, PlaysTheRoleOfItsVerbAndThoseOfItsOwn) {
  models::SmallWorld world{with_store()};
  world.client(1, [](models::SmallWorld& all, picklock::Client& self) {
    all.play(Role::acquire);
    self.connection<Client>().open(10s, 0s);
    self.connection<Client>().keep_alive("s1");
    self.connection<Client>().watch("lock", 1s);
  });
  world.run();
  std::vector<Role> roles;
  for (const sim::TraceRecord& record :
       world.simulation.scheduler.record().tracer().trace().records) {
    if (record.kind == sim::TraceKind::sent && !record.reply) roles.push_back(record.role);
  }
  EXPECT_THAT(roles, testing::ElementsAre(Role::acquire, Role::renew, Role::watch));
}

TEST(LeaseStoreSimClient, IsNotThereWhereThereIsNoStore) {
  models::SmallWorld world;
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    EXPECT_THROW(self.connection<Client>(), std::logic_error);
  });
  world.run();
}

}  // namespace
}  // namespace picklock::lease_store::sim_client_tests
