#include "sim/record.h"

namespace picklock::sim {

void Record::report(const Occurrence& occurrence) {
  const auto both = [](std::uint64_t high, std::uint64_t low) { return (high << 32) ^ low; };
  digest_.add(static_cast<std::uint64_t>(nanoseconds(occurrence.at)) ^
              static_cast<std::uint64_t>(occurrence.what) << 56);
  digest_.add(both(occurrence.tag, 0));
  digest_.add(both(occurrence.process, occurrence.peer));
  digest_.add(both(occurrence.fault, occurrence.thread));
  digest_.add(static_cast<std::uint64_t>(nanoseconds(kNever)));
  if (observer_ != nullptr) observer_->receive(occurrence);
}

}  // namespace picklock::sim
