#include "models/redis/effects.h"

#include "models/redis/numbers.h"
#include "models/redis/wire.h"

namespace picklock::redis {

void Effects::add(std::uint32_t database, std::span<const std::string_view> argv, Receiver from,
                  Receiver to) {
  if (!wanted_) return;
  commands_.add(argv);
  about_.push_back({database, from, to});
}

void Effects::clear() {
  commands_.clear();
  about_.clear();
}

void Effects::write(sim::Payload& out, Receiver receiver, std::int64_t& selected) {
  const auto request = [&out](std::initializer_list<std::string_view> argv) {
    write_request(out, {argv.begin(), argv.size()});
  };
  std::size_t count = 0;
  for (const About& about : about_) count += about.is_for(receiver) ? 1U : 0U;
  std::size_t at = 0;
  std::size_t written = 0;
  commands_.each(argv_, [&](std::span<const std::string_view> argv) {
    const About& about = about_[at++];
    if (!about.is_for(receiver)) return;
    if (selected != about.database) request({"SELECT", Digits(about.database).view()});
    selected = about.database;
    if (count > 1 && written == 0) request({"MULTI"});
    write_request(out, argv);
    ++written;
  });
  if (count > 1) request({"EXEC"});
}

}  // namespace picklock::redis
