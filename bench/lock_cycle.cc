// The common lock workload (bench/peers/common/workload.h) on the product: processes, connections,
// messages as bytes, the digest and the history's machinery, with a lock server as small as the
// peers' own.
//   lock_cycle short RUNS [nodigest] [trace] | growth N CYCLES | pause RUNS | setup RUNS | allocs
//   RUNS
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "bench/peers/common/workload.hpp"
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

constexpr Protocol kProtocol{.name = "native"};

struct Request {
  std::uint64_t lock_and_verb = 0;  // the lowest bit: release
  std::uint64_t token = 0;
};

// What the floors and peers have as their server: an array of locks with deadlines.
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

  Simulation simulation;
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
    const Answer answer = callers[id].call(0, {}, [&](Payload& payload) {
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

  // A client stalls 31 s inside a 30 s lease, another takes over: both must see what happened.
  void scene(std::uint32_t id) {
    if (id == 0) {
      if (!call(0, 0, 0, 11)) std::abort();
      wait(0, 31'000'000, 31'000'000);
      if (call(0, 1, 0, 11)) std::abort();
    } else {
      wait(1, 30'500'000, 30'500'000);
      if (!call(1, 0, 0, 22)) std::abort();
      wait(1, 1'000'000, 1'000'000);
      if (!call(1, 1, 0, 22)) std::abort();
    }
    ++cycles;
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
    Process& home = simulation.scheduler.add_process("server");
    server.reset(simulation, home, p.locks(), p.ttl);
    callers.at_least(p.n - 1);
    chance.at_least(p.n - 1);
    for (std::uint32_t id = 0; id < p.n; ++id) {
      char text[24];
      const int length = std::snprintf(text, sizeof text, "client-%u", id + 1);
      Process& process = simulation.scheduler.add_process({text, static_cast<std::size_t>(length)});
      chance[id] = Random(seed, process.hash());
      callers[id].reset(simulation, process, home, server, kProtocol);
      simulation.scheduler.spawn(
          process, [this, id, pause] { pause ? scene(id) : client(id); }, true);
    }
    simulation.scheduler.run();
    if (p.n >= 10000) peak_mb = rss_mb();
    Result result;
    result.events = simulation.scheduler.events();
    result.cycles = cycles;
    result.fails = refused;
    result.sum = simulation.scheduler.recorder().digest().value();
    return result;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string mode = argv[1];
  const bool growth = mode == "growth";
  const bool tracing = std::string(argv[argc - 1]) == "trace";
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
    for (std::uint64_t seed = 0; seed < 3; ++seed)
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
