// Physical limits on the same workload and the same random draws (equal checksum): no fibers at
// all.
//   floor cb|co short RUNS | growth N CYCLES [radix]      cb: hand-written state machine; co: C++20
//   coroutines
#include <coroutine>
#include "bench/peers/common/equeue.hpp"
#include "bench/peers/common/workload.hpp"
struct Heap4 {
  struct X {
    uint64_t t;
    uint32_t s, id;
  };
  std::vector<X> h;
  uint32_t seq = 0;
  static bool lt(X const& a, X const& b) { return a.t != b.t ? a.t < b.t : a.s < b.s; }
  void clear() {
    h.clear();
    seq = 0;
  }
  bool empty() const { return h.empty(); }
  void push(Ev e) {
    X x{e.t, seq++, e.id * 2 + e.kind};
    size_t i = h.size();
    h.push_back(x);
    while (i) {
      size_t p = (i - 1) / 4;
      if (!lt(x, h[p])) break;
      h[i] = h[p];
      i = p;
    }
    h[i] = x;
  }
  Ev pop() {
    X top = h[0], e = h.back();
    h.pop_back();
    size_t n = h.size(), i = 0;
    if (n) {
      for (;;) {
        size_t c = i * 4 + 1;
        if (c >= n) break;
        size_t m = c;
        for (size_t j = c + 1; j < std::min(c + 4, n); j++)
          if (lt(h[j], h[m])) m = j;
        if (!lt(h[m], e)) break;
        h[i] = h[m];
        i = m;
      }
      h[i] = e;
    }
    return {top.t, top.id / 2, top.id & 1};
  }
};
struct Lock {
  uint64_t token = 0, expires = 0;
};
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};
struct Client {
  uint64_t token = 0, reply = 0, serial = 0;
  uint32_t op = 0, lock = 0, state = 0;
};
template <class Q>
struct World {
  Params p;
  Xo rng{1};
  Q q;
  uint64_t now = 0;
  bool stop = false;
  std::vector<Lock> locks;
  std::vector<Client> c;
  std::vector<Task> co;
  Result r;
  void sleep(uint32_t id, uint64_t d) { q.push({now + d, id, 0}); }
  void rpc(uint32_t id, uint32_t op) {
    c[id].op = op;
    q.push({now + rng.range(p.lat_lo, p.lat_hi), id, 1});
  }
  void serve(uint32_t id) {
    Client& m = c[id];
    Lock& l = locks[m.lock];
    if (m.op == 0) {
      if (!l.token || l.expires <= now) {
        l = {m.token, now + p.ttl};
        m.reply = 1;
      } else
        m.reply = 0;
    } else {
      m.reply = l.token == m.token && l.expires > now;
      if (m.reply) l.token = 0;
    }
    q.push({now + rng.range(p.lat_lo, p.lat_hi), id, 0});
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
  static Task body(World& w, uint32_t id) {
    Client& m = w.c[id];
    m.lock = id % w.p.locks();
    while (!w.stop) {
      w.sleep(id, w.rng.range(w.p.think_lo, w.p.think_hi));
      co_await std::suspend_always{};
      if (w.stop) co_return;
      m.token = ((uint64_t)(id + 1) << 32) | ++m.serial;
      for (;;) {
        w.rpc(id, 0);
        co_await std::suspend_always{};
        if (w.stop) co_return;
        if (m.reply) break;
        ++w.r.fails;
        w.sleep(id, w.rng.range(w.p.retry_lo, w.p.retry_hi));
        co_await std::suspend_always{};
        if (w.stop) co_return;
      }
      w.sleep(id, w.rng.range(w.p.hold_lo, w.p.hold_hi));
      co_await std::suspend_always{};
      if (w.stop) co_return;
      w.rpc(id, 1);
      co_await std::suspend_always{};
      if (m.reply) ++w.r.cycles;
    }
  }
  Result run(Params const& pp, uint64_t seed, bool coro) {
    p = pp;
    rng = Xo(seed);
    now = 0;
    stop = false;
    r = {};
    q.clear();
    locks.assign(p.locks(), {});
    c.assign(p.n, {});
    for (uint32_t i = 0; i < p.n; i++) {
      if (coro) {
        co.push_back(body(*this, i));
        co[i].h.resume();
      } else
        step(i);
    }
    while (!q.empty()) {
      Ev e = q.pop();
      now = e.t;
      ++r.events;
      r.mix(e.t ^ ((uint64_t)e.id << 40) ^ ((uint64_t)e.kind << 63));
      if (now >= p.until || r.cycles >= p.max_cycles) stop = true;
      if (e.kind)
        serve(e.id);
      else if (coro) {
        if (!co[e.id].h.done()) co[e.id].h.resume();
      } else
        step(e.id);
    }
    for (auto& t : co) t.h.destroy();
    co.clear();
    return r;
  }
};
template <class Q>
static void go(char** a, bool coro, std::string who) {
  static World<Q> w;
  Result tot;
  double t0;
  if (!strcmp(a[2], "short")) {
    Params p = Params::shortrun();
    uint64_t runs = strtoull(a[3], 0, 10);
    w.run(p, 0, coro);
    t0 = cpu_s();
    for (uint64_t s = 1; s <= runs; s++) {
      Result r = w.run(p, s, coro);
      tot.events += r.events;
      tot.cycles += r.cycles;
      tot.mix(r.sum);
    }
    report(who.c_str(), p, tot, cpu_s() - t0, 0, runs);
  } else {
    double b = rss_mb();
    Params p = Params::growth(strtoull(a[3], 0, 10), strtoull(a[4], 0, 10));
    t0 = cpu_s();
    tot = w.run(p, 1, coro);
    report(who.c_str(), p, tot, cpu_s() - t0, rss_mb() - b);
  }
}
int main(int argc, char** argv) {
  bool coro = !strcmp(argv[1], "co"), radix = !strcmp(argv[argc - 1], "radix");
  std::string who = std::string("floor ") + argv[1] + (radix ? " radix" : " heap4");
  if (radix)
    go<EQ>(argv, coro, who);
  else
    go<Heap4>(argv, coro, who);
}
