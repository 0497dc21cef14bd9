#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "scenarios/checks.h"
#include "scenarios/loader.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;
using testing::error_of;
using testing::head;

std::string work(const std::string& steps) {
  return "format = 1\nlock.algorithm = 'lua-check-delete'\n[clients]\nwork = [" + steps + "]\n";
}

TEST(ResourceChecks, ReadsTheWorkOfAHolder) {
  const Scenario s = testing::parsed(testing::kSteps);
  ASSERT_EQ(s.clients.work.size(), 4U);
  EXPECT_EQ(s.clients.work[0].deed, WorkStep::Deed::fence);
  EXPECT_EQ(s.clients.work[1].deed, WorkStep::Deed::read);
  EXPECT_EQ(s.clients.work[2].length, 2s);
  EXPECT_EQ(s.clients.work[3].mode, models::WriteMode::if_version);
  EXPECT_EQ(s.servers.resource.checks, models::Checks::accesses);
  EXPECT_EQ(s.servers.resource.equal_token, models::EqualToken::refuse);
  EXPECT_EQ(s.faults[0].trigger.role, Role::read);
}

TEST(ResourceChecks, ReadsAReplicatedResource) {
  const Scenario s = testing::parsed(testing::kReplicated);
  EXPECT_EQ(s.servers.resource.nodes, 3u);
  EXPECT_EQ(s.servers.resource.recover_by, models::RecoverBy::length);
  EXPECT_FALSE(s.servers.resource.force_promises);
  EXPECT_EQ(s.servers.resource.restarted_log, models::RestartedLog::high_watermark);
}

TEST(ResourceChecks, RefusesWorkThatNoHolderCanDo) {
  EXPECT_EQ(error_of(work("{for = '1s'}")),
            "story.toml:4: key `clients.work.1.do`: must be given: one of read, think, write, "
            "fence");
  EXPECT_EQ(error_of(work("{do = 'think'}")),
            "story.toml:4: key `clients.work.1.for`: must be given: `think` needs a duration");
  EXPECT_EQ(error_of(work("{do = 'read', for = '1s'}")),
            "story.toml:4: key `clients.work.1.for`: has no effect: only `think` takes a duration");
  EXPECT_EQ(error_of(work("{do = 'read', mode = 'if-version'}")),
            "story.toml:4: key `clients.work.1.mode`: has no effect: only `write` takes a mode");
  EXPECT_EQ(error_of(work("{do = 'write', mode = 'based-on-read'}")),
            "story.toml:4: key `clients.work.1.mode`: has nothing that it could be based on: no "
            "step before it reads");
  EXPECT_EQ(error_of(work("{do = 'read'}") + "hold = '1s'\n"),
            "story.toml:5: key `clients.hold`: has no effect: the steps of `clients.work` are the "
            "whole critical section");
  EXPECT_EQ(error_of(work("{do = 'fence'}")),
            "story.toml:4: key `clients.work.1.do`: there is no token to announce unless "
            "`servers.resource.fencing` gives one");
  EXPECT_EQ(
      error_of(work("{do = 'read'}") + "[[fault]]\ndrop = 'client-1'\nbefore = 'write.sent'\n"),
      "story.toml:7: key `fault.1.before`: no client takes the step \"write\" because no step "
      "of `clients.work` writes; the steps are acquire, release, read");
  EXPECT_EQ(error_of(head() + "[[fault]]\ndrop = 'client-1'\nbefore = 'read.sent'\n"),
            "story.toml:8: key `fault.1.before`: no client takes the step \"read\" because no step "
            "of `clients.work` reads; the steps are acquire, check, release, write");
}

TEST(ResourceChecks, RefusesChecksOfTokensThatCannotWork) {
  const auto resource = [](const std::string& keys) {
    return "format = 1\nlock.algorithm = 'lua-check-delete'\n[servers.resource]\n" + keys;
  };
  EXPECT_EQ(error_of(resource("checks = 'accesses'\n")),
            "story.toml:4: key `servers.resource.checks`: has no effect: requests have no token "
            "unless `fencing` gives them one");
  EXPECT_EQ(error_of(resource("fencing = 'owner-token'\n")),
            "story.toml:4: key `servers.resource.fencing`: needs `checks = \"announced\"`: an "
            "owner's token has no order");
  EXPECT_EQ(
      error_of(resource("fencing = 'ideal'\nchecks = 'announced'\n")),
      "story.toml:5: key `servers.resource.checks`: no holder announces its token: add a step "
      "with `do = \"fence\"` to `clients.work`");
}

TEST(ResourceChecks, RefusesKeysOfAReplicatedResourceThatCannotWork) {
  const auto resource = [](const std::string& keys) {
    return "format = 1\nlock.algorithm = 'lua-check-delete'\n[servers.resource]\n" + keys;
  };
  EXPECT_EQ(error_of(resource("nodes = 3\n")),
            "story.toml:4: key `servers.resource.nodes`: needs epochs: `fencing` must be "
            "\"after\", \"in-script\" or \"ideal\"");
  EXPECT_EQ(error_of(resource("recover_by = 'length'\n")),
            "story.toml:4: key `servers.resource.recover_by`: has no effect unless `nodes` is more "
            "than 1");
  EXPECT_EQ(error_of(resource("nodes = 3\nfencing = 'ideal'\nchecks = 'accesses'\n")),
            "story.toml:6: key `servers.resource.checks`: has no effect on a replicated resource, "
            "whose nodes promise epochs");
  EXPECT_EQ(error_of(resource("nodes = 3\nfencing = 'ideal'\n")), "loads");
}

}  // namespace
}  // namespace picklock::scenarios
