#include "models/servers/gc.h"

#include <fmt/format.h>

#include "keys/duration_text.h"
#include "keys/key_kinds.h"

namespace picklock::servers {

using namespace keys;

const Keys<GcProfile>& gc_keys() {
  const Needs<GcProfile> collector = {
      .other = "every",
      .met = [](const GcProfile& gc) { return gc.every > sim::Duration::zero(); },
      .else_what = "without `every`"};
  static const Keys<GcProfile> keys = {
      duration<GcProfile>("every", Sign::not_negative, at<&GcProfile::every>,
                          "mean time between two pauses; 0s: no collector"),
      needing(duration<GcProfile>(
                  "low", Sign::positive, at<&GcProfile::low>,
                  "length of the shortest pause; longer ones double it, each doubling more rarely"),
              collector),
      needing(duration<GcProfile>("high", Sign::positive, at<&GcProfile::high>,
                                  "length of the longest pause"),
              collector),
  };
  return keys;
}

void check_gc(const Value& owner, const GcProfile& gc) {
  const auto table = owner.find("gc");
  if (!table || gc.high >= gc.low) return;
  table->fail_key("high", fmt::format("is {}, less than `low`, which is {}", in_seconds(gc.high),
                                      in_seconds(gc.low)));
}

}  // namespace picklock::servers
