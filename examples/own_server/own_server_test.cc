// A kind of server and a lock that nothing outside this folder knows, in every command of picklock.
// The tests run the program of this example; the last two use the lock in a test of its author.
#include <regex>

#include "desk.h"
#include "picklock/scenario.h"
#include "testing/program.h"

namespace picklock::cli {
namespace {

const std::string kPaused = "paused-holder-gives-back";

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

class OwnServer : public Program {
 protected:
  // A scenario at the desk with more lines.
  std::string scenario(const std::string& lines) const {
    return file(
        "story.toml",
        "format = 1\n[lock]\nalgorithm = \"desk-lock\"\n[servers.desk]\nspares = 2\n" + lines);
  }
};

TEST_F(OwnServer, IsListedWithItsLockAndItsScenarios) {
  EXPECT_THAT(picklock("list algorithms").out, HasSubstr("\ndesk-lock "));
  EXPECT_THAT(picklock("list scenarios --server desk").out, HasSubstr(kPaused));
  EXPECT_EQ(Json::parse(picklock("list scenarios --server desk --json").out).size(), 2U);
  EXPECT_THAT(picklock("help --as bash").out, HasSubstr("desk-lock"));
}

TEST_F(OwnServer, HasItsKeysReadAndChecked) {
  expect_refused("run " + scenario("spaers = 3\n"), "spares");
  expect_refused("run " + scenario("service = 1\n"), "servers.desk.service");
  expect_refused("run " + scenario("[[fault]]\npause = \"desk-9\"\nat = \"1s\"\nfor = \"1s\"\n"),
                 "desk-");
  expect_refused("run " + scenario("[[fault]]\nfail-over = \"desk-1\"\nat = \"1s\"\n"),
                 "only a primary can fail over to a replica");
  expect_refused("run " + scenario("[servers.redis]\nmasters = 3\n"), "desk");
  const std::string third = "[[fault]]\npause = \"desk-3\"\nat = \"1s\"\nfor = \"1s\"\n";
  EXPECT_EQ(picklock("run " + scenario(third)).status, 0);
}

TEST_F(OwnServer, RunsTheSameStoryEachTimeAndAsExpected) {
  const std::string command = "run --format json plain/desk-lock " + kPaused;
  const Ran once = picklock(command);
  EXPECT_EQ(once.status, 0) << once.out << once.err;
  EXPECT_EQ(picklock(command).out, once.out);
}

TEST_F(OwnServer, IsToldByEveryReport) {
  EXPECT_THAT(picklock("run " + kPaused).out, HasSubstr("BACK lock:order-42 → FREE, released"));
  EXPECT_THAT(picklock("run --format mermaid " + kPaused).out,
              HasSubstr("participant s1 as desk-1"));
  EXPECT_THAT(picklock("run --format junit " + kPaused).out, HasSubstr("failures=\"0\""));
  EXPECT_THAT(picklock("run --format perfetto " + kPaused).out, HasSubstr("TAKE 10000 client-1"));
  const Json told = Json::parse(picklock("run --format json " + kPaused).out);
  EXPECT_THAT(told.dump(), HasSubstr("desk-1"));
  ASSERT_EQ(picklock("run --html " + path("run.html") + " " + kPaused).status, 0);
  EXPECT_THAT(read("run.html"), HasSubstr("desk-1"));
}

TEST_F(OwnServer, RecoversFromAPauseOfItsOwnAtAStep) {
  const Ran ran = picklock("run " + scenario("[[fault]]\npause = \"desk-1\"\n"
                                             "before = \"acquire.applied\"\nby = \"client-1\"\n"
                                             "for = \"2s\"\n"));
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("pause desk-1 for 2s"));
}

// The counterexample needs none of the desks that nobody visits.
TEST_F(OwnServer, IsSearchedAndItsCounterexampleShrunk) {
  const Ran found = picklock("explore " + scenario("") +
                             " --faults pause --runs 2000 --seed 1 "
                             "--property own-release --out " +
                             path("finds"));
  EXPECT_EQ(found.status, 1) << found.out << found.err;
  const std::regex name(R"(picklock run (\S+\.toml))");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(found.out, match, name)) << found.out;
  const Ran again = picklock("run " + match[1].str());
  EXPECT_EQ(again.status, 0) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("own-release         violated"));
  EXPECT_THAT(again.out, Not(HasSubstr("desk-2")));
}

TEST_F(OwnServer, IsComparedWithShippedLocks) {
  const Ran ran = picklock(
      "compare --algorithms desk-lock,lua-check-delete --property no-deadlock --runs 40 --out " +
      path("finds"));
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("desk-lock"));
  EXPECT_THAT(read("finds/comparison.html"), HasSubstr("desk-1"));
  EXPECT_GT(count_of("desk-lock", read("finds/comparison.md")), 5U);
}

// ---------------------------------------------------------------- a lock in its author's test

class PoliteLock final : public Lock {
 public:
  static constexpr LockServer server = desk::kServer;
  using Lock::Lock;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const auto lent = self.connection<desk::Connection>().take(key, self.name(), settings().ttl);
    if (lent.status == desk::Connection::Status::no_answer) return Acquired::unknown();
    if (lent.status == desk::Connection::Status::refused) return std::nullopt;
    return Lease{.key = std::string(key), .ttl = settings().ttl};
  }
  Released release(Client& self, const Lease& lease) override {
    self.connection<desk::Connection>().give_back(lease.key);
    return Released::ok;
  }
};

TEST(LockAtOwnServer, IsContendedFor) {
  EXPECT_EQ(run(contention<PoliteLock>({.clients = 3, .cycles = 2})).grants, 6U);
}

TEST(LockAtOwnServer, IsWrittenWithTheKeysOfItsServer) {
  const auto scenario = contention<PoliteLock>().set("servers.desk.spares", "2");
  EXPECT_THAT(scenario.text(), HasSubstr("[servers.desk]\nspares = 2\n"));
}

}  // namespace
}  // namespace picklock::cli
