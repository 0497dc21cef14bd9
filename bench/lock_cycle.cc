// The common lock workload (bench/peers/common/workload.h) on the product: processes, connections,
// messages as bytes, the digest and the history's machinery, with a lock server as small as the
// peers' own.
//   lock_cycle short RUNS [nodigest] [trace] | growth N CYCLES | pause RUNS | setup RUNS | allocs
//   RUNS
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "bench/peers/common/workload.hpp"
#include "history/recorded_simulation.h"
#include "properties/judge.h"
#include "sim/caller.h"
#include "sim/service.h"

namespace {

std::uint64_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace picklock::sim;
using picklock::history::What;

constexpr Protocol kProtocol{.name = "native"};

struct Request {
  std::uint64_t lock_and_verb = 0;  // the lowest bit: release
  std::uint64_t token = 0;
};

// The same server as that of the floors and peers: an array of locks with deadlines.
class LockServer final : public Service {
 public:
  void reset(Simulation& simulation, Process& process, std::uint64_t locks, std::uint64_t ttl_us) {
    attach(simulation, process);
    locks_.assign(locks, {});
    ttl_ = std::chrono::microseconds(ttl_us);
  }

 private:
  struct Lock {
    std::uint64_t token = 0;
    Instant expires{};
  };

  bool apply(Message& message, Payload& answer) override {
    Request request;
    std::memcpy(&request, message.payload.view().data(), sizeof request);
    Lock& lock = locks_[request.lock_and_verb >> 1];
    const Instant now = simulation().now();
    std::uint64_t granted = 0;
    if ((request.lock_and_verb & 1) == 0) {
      if (lock.token == 0 || lock.expires <= now) {
        lock = {request.token, now + ttl_};
        granted = 1;
      }
    } else {
      granted = lock.token == request.token && lock.expires > now;
      if (granted != 0) lock.token = 0;
    }
    answer.append_raw(granted);
    return true;
  }

  std::vector<Lock> locks_;
  Duration ttl_{};
};

struct World {
  explicit World(std::size_t stack) : simulation(stack) {}

  picklock::history::RecordedSimulation simulation;
  LockServer server;
  Slots<Caller> callers;
  Slots<Random> chance;
  std::string name;
  Params params;
  bool stop = false;
  std::uint64_t cycles = 0;
  std::uint64_t refused = 0;

  void wait(std::uint32_t id, std::uint64_t low, std::uint64_t high) {
    const Duration length =
        chance[id].between(std::chrono::microseconds(low), std::chrono::microseconds(high));
    simulation.scheduler.sleep(length);
    watch();
  }

  void watch() {
    if (simulation.now() >= kStart + std::chrono::microseconds(params.until) ||
        cycles >= params.max_cycles)
      stop = true;
  }

  bool call(std::uint32_t id, std::uint32_t release, std::uint32_t lock, std::uint64_t token) {
    const Answer answer = callers[id].call({}, {}, [&](Payload& payload) {
      payload.append_raw(Request{(std::uint64_t{lock} << 1) | release, token});
    });
    std::uint64_t granted = 0;
    std::memcpy(&granted, answer.bytes().data(), sizeof granted);
    watch();
    return granted != 0;
  }

  void client(std::uint32_t id) {
    const auto lock = static_cast<std::uint32_t>(id % params.locks());
    std::uint64_t serial = 0;
    while (!stop) {
      wait(id, params.think_lo, params.think_hi);
      if (stop) return;
      const std::uint64_t token = (static_cast<std::uint64_t>(id + 1) << 32) | ++serial;
      while (!call(id, 0, lock, token)) {
        if (stop) return;
        ++refused;
        wait(id, params.retry_lo, params.retry_hi);
        if (stop) return;
      }
      if (stop) return;
      wait(id, params.hold_lo, params.hold_hi);
      if (stop) return;
      if (call(id, 1, lock, token)) ++cycles;
    }
  }

  // A client stalls 31 s inside a 30 s lease, another takes over; every property is judged.
  void scene(std::uint32_t id) {
    simulation.scheduler.running()->tag = id + 1;
    note(What::acquire_invoked, id);
    if (id == 0) {
      if (!call(0, 0, 0, 11)) std::abort();
      note(What::acquire_ok, id);
      wait(0, 31'000'000, 31'000'000);
      note(What::release_invoked, id);
      if (call(0, 1, 0, 11)) std::abort();
      note(What::release_failed, id);
    } else {
      wait(1, 30'500'000, 30'500'000);
      if (!call(1, 0, 0, 22)) std::abort();
      note(What::acquire_ok, id);
      wait(1, 1'000'000, 1'000'000);
      note(What::release_invoked, id);
      if (!call(1, 1, 0, 22)) std::abort();
      note(What::release_ok, id);
    }
    ++cycles;
  }

  void note(What what, std::uint32_t id) {
    simulation.recorder.note({.at = simulation.now(),
                              .what = what,
                              .process = id + 1,
                              .thread = id + 1,
                              .tenure = id + 1});
  }

  picklock::properties::Judge judge;
  std::uint64_t violated = 0;

  void count_violations() {
    const auto& verdicts = judge.judge(simulation.recorder.history(), {.servers = 1});
    for (const auto& verdict : verdicts) {
      violated += verdict.outcome == picklock::properties::Outcome::violated ? 1 : 0;
    }
  }

  double peak_mb = 0;

  Result run(const Params& p, std::uint64_t seed, bool pause, bool tracing,
             bool only_set_up = false) {
    params = p;
    stop = only_set_up;
    cycles = refused = 0;
    simulation.reset(seed, tracing);
    simulation.network.set_latency(
        {.low = std::chrono::microseconds(p.lat_lo), .high = std::chrono::microseconds(p.lat_hi)});
    Process& home = simulation.scheduler.processes().add("server");
    server.reset(simulation, home, p.locks(), p.ttl);
    callers.at_least(p.n - 1);
    chance.at_least(p.n - 1);
    for (std::uint32_t id = 0; id < p.n; ++id) {
      char text[24];
      const int length = std::snprintf(text, sizeof text, "client-%u", id + 1);
      Process& process =
          simulation.scheduler.processes().add({text, static_cast<std::size_t>(length)});
      chance[id] = Random(seed, process.hash());
      callers[id].reset(simulation, process, home, server, kProtocol);
      simulation.scheduler.threads().spawn(
          process, [this, id, pause] { pause ? scene(id) : client(id); }, true);
    }
    simulation.scheduler.run();
    if (pause) count_violations();
    if (p.n >= 10000) peak_mb = rss_mb();
    Result result;
    result.events = simulation.scheduler.record().events();
    result.cycles = cycles;
    result.fails = refused;
    result.sum = simulation.scheduler.record().digest().value();
    return result;
  }
};

// The digest cannot be switched off in a product's build; a second build of this program has none.
[[noreturn, maybe_unused]] void run_without_digest(char** argv) {
  std::string program(argv[0]);
  program += "_nodigest";
  execv(program.c_str(), argv);
  std::perror(program.c_str());
  std::exit(2);
}

int usage() {
  std::fputs("lock_cycle short|pause|setup|allocs RUNS | growth N CYCLES  [nodigest] [trace]\n",
             stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string mode = words.empty() ? "" : words[0];
  const bool growth = mode == "growth";
  const std::size_t fixed = growth ? 3 : 2;
  if ((!growth && mode != "short" && mode != "pause" && mode != "setup" && mode != "allocs") ||
      words.size() < fixed) {
    return usage();
  }
  bool tracing = false;
  for (std::size_t i = fixed; i < words.size(); ++i) {
    if (words[i] == "trace") {
      tracing = true;
    } else if (words[i] == "nodigest") {
#ifndef PICKLOCK_NO_DIGEST
      run_without_digest(argv);
#endif
    } else if (words[i] != "server=messages") {  // it always is a process that gets messages
      return usage();
    }
  }
  const bool pause = mode == "pause";
  Params params = growth ? Params::growth(std::strtoull(argv[2], nullptr, 10),
                                          std::strtoull(argv[3], nullptr, 10))
                         : Params::shortrun();
  if (pause) {
    params.n = 2;
    params.ttl = 30'000'000;
    params.until = ~0ull >> 20;
  }
  params.until = std::min<std::uint64_t>(params.until, ~0ull >> 20);
  World world(growth && params.n >= 10000 ? 16 * 1024 : FiberPool::kDefaultStack);
  const double before_mb = rss_mb();
  Result total;
  std::uint64_t runs = 1;
  double started = 0;
  if (growth) {
    started = cpu_s();
    total = world.run(params, 1, false, tracing);
  } else {
    runs = std::strtoull(argv[2], nullptr, 10);
    const std::uint64_t warm_up = mode == "allocs" ? runs : 3;
    for (std::uint64_t seed = 0; seed <= warm_up; ++seed)
      world.run(params, seed, pause, tracing, mode == "setup");
    const std::uint64_t allocated = allocations;
    started = cpu_s();
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      const Result result = world.run(params, seed, pause, tracing, mode == "setup");
      total.events += result.events;
      total.cycles += result.cycles;
      total.mix(result.sum);
    }
    if (mode == "allocs") {
      std::printf("allocations=%llu events=%llu per_event=%.6f\n",
                  static_cast<unsigned long long>(allocations - allocated),
                  static_cast<unsigned long long>(total.events),
                  static_cast<double>(allocations - allocated) / static_cast<double>(total.events));
    }
  }
  report(("picklock " + mode).c_str(), params, total, cpu_s() - started,
         std::max(0.0, world.peak_mb - before_mb), runs);
  std::fflush(stdout);
  _exit(0);
}
