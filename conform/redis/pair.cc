#include "conform/redis/pair.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conform/redis/comparison.h"
#include "conform/redis/coverage.h"
#include "conform/redis/grammar.h"
#include "conform/redis/model_side.h"
#include "conform/redis/normal_form.h"
#include "conform/redis/real_side.h"
#include "conform/redis/simplify.h"

namespace picklock::conform::redis {
namespace {

class RedisPair final : public Pair<Step> {
 public:
  RedisPair(const Campaign& campaign, const Stop& stop)
      : real_(campaign.address ? std::make_unique<RealSide>(*campaign.address, campaign.flush, stop)
                               : std::make_unique<RealSide>(stop)),
        comparison_(model_, *real_) {}

  std::string version() const override { return real_->version(); }
  bool timed() const override { return real_->steers_clock(); }

  Sequence draw(std::uint64_t run_seed, std::uint64_t index) const override {
    return draw_sequence(sequence_seed(run_seed, index), timed());
  }

  std::optional<Difference> compare(const Sequence& sequence, Coverage* coverage) override {
    try {
      return comparison_.run(sequence, coverage);
    } catch (const ServerEnded& end) {
      const std::string& last_words = end.last_words();
      throw ServerEnded(fmt::format("{} in the sequence of --seed {}{}", end.what(), sequence.seed,
                                    last_words.empty() ? last_words : ": " + last_words));
    }
  }

  // A timeout counts as a difference only if it repeats in every attempt.
  int attempts() const override { return real_->lost_patience() && !hurried_ ? 2 : 1; }

  void hurry(bool hurried) override {
    hurried_ = hurried;
    real_->be_hasty(hurried);
  }
  bool simplify(Shrinking<Step>& shrinking) override { return redis::simplify(shrinking); }

 private:
  ModelSide model_;
  std::unique_ptr<RealSide> real_;
  Comparison comparison_;
  bool hurried_ = false;
};

Report run_redis(const Campaign& campaign, const Watch& watch) {
  Report report = run<Step>(campaign, watch, [&] {
    Run<Step>::Lanes lanes;
    lanes.push_back(std::make_unique<RedisPair>(campaign, watch.stop));
    return lanes;
  });
  report.expected = expected_cells(report.timed);
  return report;
}

}  // namespace

ServerKind server_kind() {
  return {
      .name = "redis",
      .package = "redis-server",
      .flush = "allow picklock to empty the server at --address if it holds data",
      .address = "a Redis is emptied before every sequence",
      .wording = {.title = "redis-server",
                  .against = "redis-server {}",
                  .one_case = "sequence",
                  .commands = "commands",
                  .state = "key",
                  .cell = "{command} {reply} {state}",
                  .coverage = "{seen} kinds of reply (command, class, state of the key)",
                  .holes = ": {rare} rare ones, and {met} of the {expected} that a run of {usual} "
                           "shows; {empty} not seen",
                  .interrupted = "interrupted after {}",
                  .tells_shrunk = true},
      .states = kKeyStates,
      .normalisations = normalisations(),
      .left_out =
          "what depends on the time: TTL, PTTL, EXPIRETIME, PEXPIRETIME, EXPIREAT, "
          "PEXPIREAT, TIME, keys that expire, CLIENT PAUSE; and what would change the "
          "server: CONFIG SET, DEBUG",
      .run = run_redis,
  };
}

}  // namespace picklock::conform::redis
