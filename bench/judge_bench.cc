// The cost of judging: a tiny history, of which a search makes 50,000 a second, and histories of
// 100,000 operations, a valid one and one with a double grant at nine tenths.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>

#include "properties/judge.h"

namespace picklock {
namespace {

using namespace std::chrono_literals;
using history::What;
using properties::Context;
using properties::Judge;

constexpr sim::ProcessId kServer = 0;
constexpr sim::ProcessId kResource = 1;
constexpr sim::ProcessId kFirstClient = 2;
constexpr Context kContext{.acquire_bound = 60s};

class Writer {
 public:
  void add(What what, sim::ProcessId client, history::TenureId tenure) {
    history.push_back(
        {.at = now, .what = what, .process = client, .thread = client, .tenure = tenure});
  }
  void entry(What what, history::TenureId tenure, history::TenureId owner) {
    history.push_back({.at = now,
                       .what = what,
                       .process = kServer,
                       .tenure = tenure,
                       .owner = owner,
                       .until = now + 10s});
  }
  void write(sim::ProcessId client, history::TenureId tenure) {
    history.push_back({.at = now,
                       .what = What::write_accepted,
                       .process = kResource,
                       .peer = client,
                       .tenure = tenure});
  }

  history::History history;
  sim::Instant now = sim::kStart;
};

// Clients in turn acquire, write twice and release, which makes four operations in a cycle; the
// other clients wait.
history::History contended(std::uint32_t clients, std::uint32_t cycles, bool double_grant) {
  Writer h;
  const auto client_of = [clients](std::uint32_t tenure) {
    return kFirstClient + (tenure - 1) % clients;
  };
  for (std::uint32_t tenure = 1; tenure <= clients; ++tenure) {
    h.add(What::process_started, client_of(tenure), 0);
    h.add(What::acquire_invoked, client_of(tenure), tenure);
  }
  bool told_early = false;
  for (std::uint32_t tenure = 1; tenure <= cycles; ++tenure) {
    const sim::ProcessId client = client_of(tenure);
    h.now += 1ms;
    h.entry(What::entry_created, tenure, 0);
    h.now += 1ms;
    if (!told_early) h.add(What::acquire_ok, client, tenure);
    told_early = double_grant && tenure == cycles / 10 * 9;
    if (told_early) h.add(What::acquire_ok, client_of(tenure + 1), tenure + 1);
    h.write(client, tenure);
    h.now += 10ms;
    h.write(client, tenure);
    h.add(What::release_invoked, client, tenure);
    h.now += 1ms;
    h.entry(What::entry_removed, tenure, tenure);
    h.add(What::release_ok, client, tenure);
    if (tenure + clients <= cycles) h.add(What::acquire_invoked, client, tenure + clients);
  }
  h.now += 60s;
  h.add(What::horizon, 0, 0);
  return h.history;
}

void judge(benchmark::State& state, const history::History& history) {
  Judge judge;
  for (auto _ : state) benchmark::DoNotOptimize(judge.judge(history, kContext).data());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["events"] = static_cast<double>(history.size());
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void tiny_history(benchmark::State& state) { judge(state, contended(3, 3, false)); }
BENCHMARK(tiny_history);

void hundred_thousand_operations(benchmark::State& state) {
  judge(state, contended(30, 25'000, state.range(0) != 0));
}
BENCHMARK(hundred_thousand_operations)
    ->ArgName("double_grant")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace picklock
