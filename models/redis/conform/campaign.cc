#include "models/redis/conform/campaign.h"

#include <memory>
#include <utility>

#include "models/redis/conform/comparison.h"
#include "models/redis/conform/grammar.h"
#include "models/redis/conform/model_side.h"
#include "models/redis/conform/real_side.h"

namespace picklock::models::redis::conform {

Report run(const Campaign& campaign, const std::function<bool(std::uint64_t)>& go_on) {
  const auto real = campaign.address ? std::make_unique<RealSide>(*campaign.address, campaign.flush)
                                     : std::make_unique<RealSide>();
  ModelSide model;
  Comparison comparison(model, *real);
  Report report;
  report.server_version = real->version();
  report.steered_clock = real->steers_clock();
  while (report.cases < campaign.cases && report.differences < kEnoughDifferences) {
    if (!go_on(report.cases)) {
      report.interrupted = true;
      break;
    }
    Sequence sequence =
        draw_sequence(sequence_seed(campaign.seed, report.cases), report.steered_clock);
    ++report.cases;
    std::optional<Difference> difference = comparison.run(sequence, &report.coverage);
    if (!difference) continue;
    ++report.differences;
    if (report.first) continue;
    report.first = shrink({std::move(sequence), std::move(*difference)},
                          [&](const Sequence& shorter) -> std::optional<Difference> {
                            if (!go_on(report.cases)) return std::nullopt;
                            return comparison.run(shorter, nullptr);
                          });
  }
  return report;
}

}  // namespace picklock::models::redis::conform
