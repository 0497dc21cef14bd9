// The lock-cycle workload on ns-3's event core (Simulator::Schedule, callbacks; no nodes, no
// network stack).
#include <ns3/core-module.h>
#include "bench/peers/common/workload.hpp"
using namespace ns3;
struct Lock {
  uint64_t token = 0, expires = 0;
};
struct Client {
  uint64_t token = 0, reply = 0, serial = 0;
  uint32_t op = 0, lock = 0, state = 0;
};
struct World {
  Params p;
  Xo rng{1};
  bool stop = false;
  std::vector<Lock> locks;
  std::vector<Client> c;
  Result r;
  uint64_t now() { return Simulator::Now().GetTimeStep() / 1000; }
  void tick(uint32_t id, int kind) {
    uint64_t t = now();
    ++r.events;
    r.mix(t ^ ((uint64_t)id << 40) ^ ((uint64_t)kind << 63));
    if (t >= p.until || r.cycles >= p.max_cycles) stop = true;
  }
  void sleep(uint32_t id, uint64_t d) {
    Simulator::Schedule(NanoSeconds(d * 1000), &World::wake, this, id);
  }
  void rpc(uint32_t id, uint32_t op) {
    c[id].op = op;
    Simulator::Schedule(NanoSeconds(rng.range(p.lat_lo, p.lat_hi) * 1000), &World::deliver, this,
                        id);
  }
  void wake(uint32_t id) {
    tick(id, 0);
    step(id);
  }
  void deliver(uint32_t id) {
    tick(id, 1);
    Client& m = c[id];
    Lock& l = locks[m.lock];
    uint64_t t = now();
    if (m.op == 0) {
      if (!l.token || l.expires <= t) {
        l = {m.token, t + p.ttl};
        m.reply = 1;
      } else
        m.reply = 0;
    } else {
      m.reply = l.token == m.token && l.expires > t;
      if (m.reply) l.token = 0;
    }
    sleep(id, rng.range(p.lat_lo, p.lat_hi));
  }
  void step(uint32_t id) {
    if (stop) return;
    Client& m = c[id];
    switch (m.state) {
      case 0:
        m.lock = id % p.locks();
        m.state = 1;
        sleep(id, rng.range(p.think_lo, p.think_hi));
        break;
      case 1:
        m.token = ((uint64_t)(id + 1) << 32) | ++m.serial;
        [[fallthrough]];
      case 5:
        m.state = 2;
        rpc(id, 0);
        break;
      case 2:
        if (!m.reply) {
          ++r.fails;
          m.state = 5;
          sleep(id, rng.range(p.retry_lo, p.retry_hi));
        } else {
          m.state = 3;
          sleep(id, rng.range(p.hold_lo, p.hold_hi));
        }
        break;
      case 3:
        m.state = 4;
        rpc(id, 1);
        break;
      case 4:
        if (m.reply) ++r.cycles;
        m.state = 1;
        sleep(id, rng.range(p.think_lo, p.think_hi));
        break;
    }
  }
  Result run(Params const& pp, uint64_t seed) {
    p = pp;
    rng = Xo(seed);
    stop = false;
    r = {};
    locks.assign(p.locks(), {});
    c.assign(p.n, {});
    for (uint32_t i = 0; i < p.n; i++) step(i);
    Simulator::Run();
    mb = rss_mb();
    Simulator::Destroy();
    return r;
  }
  double mb = 0;
};
int main(int argc, char** argv) {  // ns3_lock short RUNS | growth N CYCLES  [scheduler type]
  World w;
  Result tot;
  bool sh = !strcmp(argv[1], "short");
  int k = sh ? 3 : 4;
  std::string who = "ns-3";
  if (argc > k) {
    who += std::string(" ") + argv[k];
    GlobalValue::Bind("SchedulerType", StringValue(argv[k]));
  }
  double b = rss_mb(), t0;
  if (sh) {
    Params p = Params::shortrun();
    uint64_t runs = strtoull(argv[2], 0, 10);
    w.run(p, 0);
    t0 = cpu_s();
    for (uint64_t s = 1; s <= runs; s++) {
      Result r = w.run(p, s);
      tot.events += r.events;
      tot.cycles += r.cycles;
      tot.mix(r.sum);
    }
    report(who.c_str(), p, tot, cpu_s() - t0, 0, runs);
  } else {
    Params p = Params::growth(strtoull(argv[2], 0, 10), strtoull(argv[3], 0, 10));
    t0 = cpu_s();
    tot = w.run(p, 1);
    report(who.c_str(), p, tot, cpu_s() - t0, w.mb - b);
  }
}
