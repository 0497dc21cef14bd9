#include <gmock/gmock.h>
#include <algorithm>
#include "models/redis/sentinel/fake_world.h"

namespace picklock::models::redis {
namespace {

void stat(const char* name, std::vector<double> v) {
  if (v.empty()) {
    std::printf("%s none\n", name);
    return;
  }
  std::sort(v.begin(), v.end());
  auto q = [&](double p) {
    return v[static_cast<std::size_t>(p * static_cast<double>(v.size() - 1))];
  };
  std::printf("%-34s n=%4zu min %.3f p10 %.3f p50 %.3f p90 %.3f max %.3f\n", name, v.size(), q(0),
              q(.1), q(.5), q(.9), q(1));
}
double s(std::optional<sim::Duration> d, double from) {
  return d ? static_cast<double>(d->count()) / 1e9 - from : -1;
}

TEST(Probe, Prints) {
  for (int mode = 0; mode < 3; ++mode) {
    std::vector<double> sdown, first, last, writable, noone, leader_switch, odown, conv;
    int second = 0, sdown_again = 0, none = 0, three = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      FakeWorld world({.seed = seed});
      const auto at = 30s + std::chrono::milliseconds(seed * 37 % 2003);
      world.at(at, [&] {
        if (mode == 1)
          world.pause(world.server(1));
        else
          world.kill(world.server(1));
      });
      if (mode == 2) world.at(at + 5s, [&] { world.restart(world.server(1)); });
      if (mode == 1) world.at(at + 10s, [&] { world.resume(world.server(1)); });
      world.run(60s);
      const double t = static_cast<double>(at.count()) / 1e3;
      const auto tt = static_cast<double>(sim::Duration(at).count()) / 1e9;
      (void)t;
      Sentinel* leader = world.leader();
      if (leader == nullptr) {
        ++none;
        continue;
      }
      double f = 1e9, l = 0;
      std::size_t most = 0;
      bool again = false;
      for (const Sentinel& x : world.sentinels) {
        sdown.push_back(s(FakeWorld::when(x, "+sdown master"), tt));
        most = std::max(most, FakeWorld::count(x, "+switch-master"));
        const auto sw = FakeWorld::when(x, "+switch-master");
        if (sw && FakeWorld::when(x, "+sdown master", *sw)) again = true;
        if (&x == leader) continue;
        f = std::min(f, s(sw, tt));
        l = std::max(l, s(sw, tt));
        if (auto c = FakeWorld::when(x, "+convert-to-slave"))
          conv.push_back(s(c, tt) - (mode == 2 ? 5 : 10));
      }
      if (auto c = FakeWorld::when(*leader, "+convert-to-slave"))
        conv.push_back(s(c, tt) - (mode == 2 ? 5 : 10));
      sdown_again += again;
      second += most > 1;
      three += most > 2;
      odown.push_back(s(FakeWorld::when(*leader, "+odown"), tt));
      noone.push_back(s(FakeWorld::when(*leader, "+failover-state-wait-promotion"), tt) -
                      odown.back());
      writable.push_back(s(FakeWorld::when(*leader, "+promoted-slave"), tt) - odown.back() -
                         noone.back());
      first.push_back(f);
      last.push_back(l);
      leader_switch.push_back(s(FakeWorld::when(*leader, "+switch-master"), tt) - l);
    }
    std::printf("mode %d: no leader %d, second failovers %d (3+: %d), sdown of the new master %d\n",
                mode, none, second, three, sdown_again);
    stat("+sdown", sdown);
    stat("leader's +odown", odown);
    stat("NO ONE after odown", noone);
    stat("+promoted after NO ONE", writable);
    stat("first follower's +switch", first);
    stat("last follower's +switch", last);
    stat("leader's after last follower", leader_switch);
    stat("convert after return", conv);
  }
}

}  // namespace
}  // namespace picklock::models::redis
