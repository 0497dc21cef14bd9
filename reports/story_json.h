// The story of a run as JSON, for the pages' scripts: reports/page/src/story.ts declares the same
// shape.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenarios/run.h"

namespace picklock::reports {

nlohmann::ordered_json story_json(const scenarios::Run& run);

}  // namespace picklock::reports
