#include "explore/strategies/list.h"

#include <algorithm>
#include <array>
#include <utility>

#include "explore/strategies/exhaustive.h"
#include "explore/strategies/guided.h"
#include "explore/strategies/pct.h"
#include "explore/strategies/random.h"

namespace picklock::explore::strategies {
namespace {

template <typename Some>
std::unique_ptr<Strategy> make(Ways ways, const Settings& settings) {
  return std::make_unique<Some>(std::move(ways), settings);
}

constexpr std::array<Listed, 4> kAll = {{
    {"random",
     "plans drawn at random, each from some of the kinds of faults: at steps that an undisturbed "
     "run reaches, or at times; what is due at one instant is permuted in every second run",
     3, false, true, false, make<Random>},
    {"exhaustive",
     "every plan of at most so many faults, out of a finite list: each step that the run under the "
     "faults before it reaches, with lengths just under and just over those that matter",
     1, true, false, false, make<Exhaustive>},
    {"guided",
     "plans made of those that have shown something new, in ways that bring more of it to light; "
     "every second is drawn at random",
     3, false, false, false, make<Guided>},
    {"pct",
     "orders of messages drawn by priorities of their connections, with faults as `random` draws "
     "them; needs messages that may take more or less time (network.latency)",
     3, false, true, true, make<Pct>},
}};

}  // namespace

std::span<const Listed> all() { return kAll; }

keys::Words names() {
  keys::Words names;
  for (const Listed& one : kAll) names.push_back(one.name);
  return names;
}

const Listed& named(std::string_view name) {
  return *std::find_if(kAll.begin(), kAll.end(),
                       [&](const Listed& one) { return one.name == name; });
}

}  // namespace picklock::explore::strategies
