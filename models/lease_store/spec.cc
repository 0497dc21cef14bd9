#include "models/lease_store/spec.h"

#include "keys/key_kinds.h"

namespace picklock::lease_store {

namespace in_files {
namespace {

using namespace keys;

const Keys<Spec>& spec_keys() {
  static const Keys<Spec> keys = {
      integer<Spec>("expire_after", 1, 10, at<&Spec::expire_after>,
                    "a session ends this many times its `ttl` after the last keep-alive"),
      duration<Spec>(
          "tick", Sign::not_negative, at<&Spec::tick>,
          "time between two checks for expired sessions; 0s: each session ends exactly on time"),
      duration<Spec>("service", Sign::not_negative, at<&Spec::service>,
                     "time that the store needs for one request"),
      integer<Spec>("clock_rate_ppb", -999'000'000, 999'000'000'000, at<&Spec::clock_rate_ppb>,
                    "how much faster than true time its clock runs, in parts per billion"),
  };
  return keys;
}

}  // namespace
}  // namespace in_files

keys::Key<servers::Specs> spec_table() {
  return keys::table<servers::Specs>(
      "lease_store", in_files::spec_keys(),
      [](auto& specs) -> auto& { return specs.template of<Spec>(); },
      "The server of a lock on a lease store, process `store`. It never loses what it has "
      "acknowledged.");
}

}  // namespace picklock::lease_store
