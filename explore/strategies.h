// The strategies that `picklock explore` can search by; one that is planned is not listed.
#pragma once

#include <array>
#include <string_view>

namespace picklock::explore {

struct Strategy {
  std::string_view name;
  std::string_view meaning;
};

inline constexpr std::array<Strategy, 1> kStrategies = {{
    {"random",
     "plans drawn at random, each from some of the kinds of faults: at steps that an undisturbed "
     "run "
     "reaches, or at times; what is due at one instant is permuted in every second run"},
}};

}  // namespace picklock::explore
