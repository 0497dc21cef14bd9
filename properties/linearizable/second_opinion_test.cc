// The linearizability checker beside the judges, on every shipped scenario and on random histories.
// Each difference between them has a reason in a list, and no reason is listed in vain.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "properties/judge.h"
#include "properties/linearizable/from_history.h"
#include "scenarios/shipped.h"
#include "testing/history_builder.h"
#include "testing/random_history.h"
#include "testing/whole.h"

namespace picklock::properties::linearizable {
namespace {

enum class Reason {
  // A belief that ends in the instant in which it began overlaps nothing for the judge. For the
  // checker the lock was acquired in the middle of another's hold.
  belief_of_no_length,
  // A stale write is stale by the order of grants, even if the write came before its own grant. The
  // checker lets nobody show a token before it is granted.
  operation_before_grant,
};
constexpr Reason kReasons[] = {Reason::belief_of_no_length, Reason::operation_before_grant};

using LockOperations = Operations<ReentrantLock>;

// Without the beliefs that end in the instant in which they began.
LockOperations without_empty_beliefs(const LockOperations& operations) {
  std::map<Owner, std::int64_t> begins;
  std::map<Owner, std::uint32_t> holds;
  std::set<Owner> empty;
  for (const auto& one : operations) {
    const Owner owner = one.action.owner;
    if (one.action.verb == ReentrantLock::Verb::acquire) {
      if (holds[owner]++ == 0) begins[owner] = one.interval.answered;
    } else if (one.action.verb == ReentrantLock::Verb::lose || --holds[owner] == 0) {
      if (one.interval.invoked == begins[owner]) empty.insert(owner);
    }
  }
  LockOperations kept;
  for (const auto& one : operations) {
    if (!empty.contains(one.action.owner)) kept.push_back(one);
  }
  return kept;
}

Operations<FencingToken> without_grants(Operations<FencingToken> operations) {
  std::erase_if(operations,
                [](const auto& one) { return one.action.verb == FencingToken::Verb::grant; });
  return operations;
}

class SecondOpinion {
 public:
  // Fails the test if a verdict of a judge is not the checker's and no reason explains it.
  void compare(const history::History& history, const Context& context) {
    ++compared_;
    verdicts_ = &judge_.judge(history, context);
    timeline_.read(history, context);
    compare_beliefs(lock_operations(history));
    EXPECT_EQ(is_good(Mutex{}, resource_uses(timeline_)), holds(Property::resource_exclusion));
    compare_writes(history);
  }

  std::uint32_t compared() const { return compared_; }
  const std::map<Reason, std::uint32_t>& differences() const { return differences_; }
  // How many verdicts said that a property was violated.
  const std::map<Property, std::uint32_t>& violated() const { return violated_; }

 private:
  void compare_beliefs(const LockOperations& operations) {
    const bool judged = holds(Property::mutual_exclusion);
    const bool good = is_good(ReentrantLock{}, operations);
    const LockOperations lasting = without_empty_beliefs(operations);
    const bool lasting_good = is_good(ReentrantLock{}, lasting);
    EXPECT_EQ(lasting_good, judged);
    EXPECT_EQ(is_good(Mutex{}, outermost(lasting)), judged);
    if (good != lasting_good) ++differences_[Reason::belief_of_no_length];
  }

  void compare_writes(const history::History& history) {
    const bool judged = holds(Property::no_stale_write);
    const Operations<FencingToken> operations = fencing_operations(history, timeline_);
    EXPECT_EQ(is_good(FencingToken{.granted_before = UINT32_MAX}, without_grants(operations)),
              judged);
    if (is_good(FencingToken{}, operations) == judged) return;
    EXPECT_TRUE(judged);
    EXPECT_TRUE(operates_before_grant());
    ++differences_[Reason::operation_before_grant];
  }

  bool operates_before_grant() const {
    for (const properties::Operation& one : timeline_.operations()) {
      const std::uint32_t granted = timeline_.tenure(one.tenure).granted;
      if (granted != kNone && one.event < granted) return true;
    }
    return false;
  }

  bool holds(Property property) {
    const Verdict& verdict = (*verdicts_)[static_cast<std::size_t>(property)];
    if (verdict.outcome == Outcome::violated) ++violated_[property];
    return verdict.outcome == Outcome::holds;
  }

  template <class Specification>
  static bool is_good(const Specification& specification,
                      const Operations<Specification>& operations) {
    const Answer answer = check(specification, operations);
    EXPECT_NE(answer.opinion, Opinion::unknown);
    return answer.opinion == Opinion::linearizable;
  }

  Judge judge_;
  Timeline timeline_;
  const Verdicts* verdicts_ = nullptr;
  std::uint32_t compared_ = 0;
  std::map<Reason, std::uint32_t> differences_;
  std::map<Property, std::uint32_t> violated_;
};

void report(const SecondOpinion& opinion) {
  ::testing::Test::RecordProperty("histories", static_cast<int>(opinion.compared()));
  for (const Reason reason : kReasons) {
    const auto found = opinion.differences().find(reason);
    ::testing::Test::RecordProperty(
        "reason " + std::to_string(static_cast<int>(reason)),
        found == opinion.differences().end() ? 0 : static_cast<int>(found->second));
  }
  for (const auto& [property, count] : opinion.violated())
    ::testing::Test::RecordProperty(std::string(name(property)), static_cast<int>(count));
}

TEST(SecondOpinion, IsTheJudgesOnRandomHistoriesUnlessAReasonIsListed) {
  const std::uint32_t histories = tests_are_whole() ? 1'000'000 : 20'000;
  SecondOpinion opinion;
  sim::Random random(24, 3);
  std::vector<std::uint32_t> choices;
  for (std::uint32_t i = 0; i < histories && !::testing::Test::HasFailure(); ++i) {
    choices.resize(random.below(i % 4 == 0 ? 400 : 80));
    for (std::uint32_t& choice : choices)
      choice = static_cast<std::uint32_t>(random.below(1U << 20U));
    Context context;
    context.servers = random.below(2) == 0 ? 3 : 1;
    if (context.servers == 3) context.quorum = static_cast<std::uint32_t>(2 + random.below(2));
    context.first_server = RandomHistory::kFirstServer;
    SCOPED_TRACE(i);
    opinion.compare(RandomHistory(choices, context.servers, false).history(), context);
  }
  report(opinion);
  for (const Reason reason : kReasons)
    EXPECT_TRUE(opinion.differences().contains(reason)) << static_cast<int>(reason);
  for (const Property property :
       {Property::mutual_exclusion, Property::resource_exclusion, Property::no_stale_write}) {
    const std::uint32_t violated = opinion.violated().at(property);
    EXPECT_GT(violated, histories / 50) << name(property);
    EXPECT_LT(violated, histories - histories / 50) << name(property);
  }
}

TEST(SecondOpinion, IsTheJudgesOnEveryShippedScenario) {
  namespace shipped = scenarios::shipped;
  const std::uint64_t seeds = std::min<std::uint64_t>(shipped::seeds(), tests_are_whole() ? 40 : 2);
  SecondOpinion opinion;
  scenarios::World world;
  for (const std::string& name : shipped::names()) {
    for (const shipped::Part& part : shipped::parts(shipped::document(name))) {
      SCOPED_TRACE(name + ", " + part.what);
      world.set(part.scenario);
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        world.run(seed);
        opinion.compare(world.history(), world.context());
      }
    }
  }
  report(opinion);
  for (const Property property :
       {Property::mutual_exclusion, Property::resource_exclusion, Property::no_stale_write}) {
    EXPECT_TRUE(opinion.violated().contains(property)) << name(property);
  }
}

// The smallest history of each reason.
class Differs : public ::testing::Test {
 protected:
  void expect_reason(Reason reason, const HistoryBuilder& h) {
    opinion_.compare(h.history, {});
    EXPECT_EQ(opinion_.differences(), (std::map<Reason, std::uint32_t>{{reason, 1}}));
  }
  SecondOpinion opinion_;
};

TEST_F(Differs, WhereABeliefOfNoLengthFallsInsideAnother) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).at(4s).acquires(client(2, 2)).releases(client(2, 2));
  h.at(5s).releases(client(1, 1)).horizon();
  expect_reason(Reason::belief_of_no_length, h);
}

TEST_F(Differs, WhereATenureWritesBeforeItsGrant) {
  HistoryBuilder h;
  h.at(0s).asks(client(1, 1)).writes(client(1, 1)).asks(client(2, 2)).creates(client(2, 2));
  h.believes(client(2, 2)).removes(client(2, 2), client(2, 2));
  h.creates(client(1, 1)).believes(client(1, 1)).horizon();
  expect_reason(Reason::operation_before_grant, h);
}

}  // namespace
}  // namespace picklock::properties::linearizable
