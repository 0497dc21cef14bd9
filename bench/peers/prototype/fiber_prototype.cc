// Prototype: Boost.Fiber clients over a virtual clock. Events are popped inside the scheduling
// algorithm.
//   fiber_prototype short RUNS [opts] | growth N CYCLES [opts] | pause RUNS [opts]
//   opts: disp  (advance the clock only in suspend_until, i.e. through the dispatcher fiber)
//         srv   (the server is a fiber with a mailbox)      lua (release = script in real Lua 5.1)
//         pq=std|heap4|radix   stack=KiB   alloc=arena|huge|fixed|pooled|protected   reuse  newlua
//         trace=none|hash|bin|text      nocolor
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <sys/mman.h>
#include <boost/fiber/all.hpp>
#include <memory>
#include <queue>
#include "bench/peers/common/equeue.hpp"
#include "bench/peers/common/workload.hpp"
namespace bf = boost::fibers;
struct Opt {
  bool disp = false, srv = false, lua = false, reuse = false, newlua = false, color = true,
       pf = false;
  int pq = 0, trace = 0;
  size_t stack = 16;
  std::string alloc = "arena";
} opt;

struct Heap4 {
  std::vector<Ev> v;
  uint64_t seq = 0;
  struct X {
    uint64_t t, s;
    uint32_t id, kind;
  };
  std::vector<X> h;
  static bool lt(X const& a, X const& b) { return a.t != b.t ? a.t < b.t : a.s < b.s; }
  void push(Ev e) {
    X x{e.t, seq++, e.id, e.kind};
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
    return {top.t, top.id, top.kind};
  }
};
struct StdQ {
  struct X {
    uint64_t t, s;
    uint32_t id, kind;
  };
  struct G {
    bool operator()(X const& a, X const& b) const { return a.t != b.t ? a.t > b.t : a.s > b.s; }
  };
  std::priority_queue<X, std::vector<X>, G> q;
  uint64_t seq = 0;
  void push(Ev e) { q.push({e.t, seq++, e.id, e.kind}); }
  Ev pop() {
    X x = q.top();
    q.pop();
    return {x.t, x.id, x.kind};
  }
};

enum Kind : uint32_t { WAKE, REQ };
struct Lock {
  uint64_t token = 0, expires = 0;
};
struct Msg {
  uint32_t op, lock;
  uint64_t token, reply;
};
struct Rec {
  uint64_t t;
  uint32_t id, kind;
  uint64_t a, b;
};
struct World {
  Params p;
  Xo rng{1};
  EQ q;
  std::vector<char*> hint;
  Heap4 q4;
  StdQ qs;
  uint64_t now = 0;
  bool stop = false;
  size_t npending = 0;
  std::vector<Lock> locks;
  std::vector<Msg> msg;
  std::vector<bf::context*> ctx;
  Result r;
  std::vector<uint32_t> mail;
  bf::context* server = nullptr;
  bool server_waits = false;
  std::vector<Rec> trace;
  std::string text;
  size_t left = 0;
  bf::context* mainc = nullptr;
  lua_State* L = nullptr;
  int fn = 0;
  void push(uint64_t t, uint32_t id, uint32_t k) {
    ++npending;
    Ev e{t, id, k};
    if (opt.pq == 0)
      q.push(e);
    else if (opt.pq == 1)
      q4.push(e);
    else
      qs.push(e);
  }
  Ev pop() {
    --npending;
    return opt.pq == 0 ? q.pop() : opt.pq == 1 ? q4.pop() : qs.pop();
  }
  void serve(uint32_t id) {
    Msg& m = msg[id];
    Lock& l = locks[m.lock];
    if (m.op == 0) {
      if (l.token == 0 || l.expires <= now) {
        l = {m.token, now + p.ttl};
        m.reply = 1;
      } else
        m.reply = 0;
    } else if (!opt.lua) {
      m.reply = l.token == m.token && l.expires > now;
      if (m.reply) l.token = 0;
    } else
      m.reply = lua_unlock(id);
    push(now + rng.range(p.lat_lo, p.lat_hi), id, WAKE);
  }
  uint64_t lua_unlock(uint32_t id);
};
static World* W;
static int redis_call(lua_State* L) {
  size_t n;
  const char* c = lua_tolstring(L, 1, &n);
  const char* k = lua_tostring(L, 2);
  Lock& l = W->locks[strtoul(k + 5, nullptr, 10)];
  bool live = l.token && l.expires > W->now;
  if (c[0] == 'g') {
    if (!live)
      lua_pushboolean(L, 0);
    else {
      char b[40];
      int z = snprintf(b, sizeof b, "tok-%016llx", (unsigned long long)l.token);
      lua_pushlstring(L, b, z);
    }
  } else {
    if (live) l.token = 0;
    lua_pushnumber(L, live);
  }
  return 1;
}
static void lua_make(World& w) {
  lua_State* L = w.L = luaL_newstate();
  for (auto& l : {luaL_Reg{"", luaopen_base}, luaL_Reg{"table", luaopen_table},
                  luaL_Reg{"string", luaopen_string}, luaL_Reg{"math", luaopen_math}}) {
    lua_pushcfunction(L, l.func);
    lua_pushstring(L, l.name);
    lua_call(L, 1, 0);
  }
  lua_newtable(L);
  lua_pushcfunction(L, redis_call);
  lua_setfield(L, -2, "call");
  lua_setglobal(L, "redis");
  const char* s =
      "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 "
      "end";
  luaL_loadbuffer(L, s, strlen(s), "=u");
  w.fn = luaL_ref(L, LUA_REGISTRYINDEX);
}
uint64_t World::lua_unlock(uint32_t id) {
  Msg& m = msg[id];
  char b[40];
  int n = snprintf(b, sizeof b, "lock:%u", m.lock);
  lua_createtable(L, 1, 0);
  lua_pushlstring(L, b, n);
  lua_rawseti(L, -2, 1);
  lua_setglobal(L, "KEYS");
  n = snprintf(b, sizeof b, "tok-%016llx", (unsigned long long)m.token);
  lua_createtable(L, 1, 0);
  lua_pushlstring(L, b, n);
  lua_rawseti(L, -2, 1);
  lua_setglobal(L, "ARGV");
  lua_rawgeti(L, LUA_REGISTRYINDEX, fn);
  if (lua_pcall(L, 0, 1, 0)) abort();
  uint64_t v = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return v;
}

struct Sched : bf::algo::algorithm {
  bf::scheduler::ready_queue_type q;
  bf::context *disp = nullptr, *next = nullptr;
  bool reap = false;
  void awakened(bf::context* c) noexcept override {
    if (c->is_context(bf::type::dispatcher_context))
      disp = c;
    else
      c->ready_link(q);
  }
  bf::context* event() noexcept {  // run events until one makes a fiber runnable
    World& w = *W;
    while (w.npending) {
      if (opt.pf && w.q.head == w.q.b[0].size() && w.q.mask) {
        auto& s = w.q.b[__builtin_ctzll(w.q.mask) + 1];
        if (s.size() <= 24)
          for (auto& x : s) {
            __builtin_prefetch(&w.msg[x.id]);
            if (x.kind == WAKE) {
              char* h = w.hint[x.id];
              char* c = (char*)w.ctx[x.id];
              for (int k = 0; k < 5; k++) __builtin_prefetch(h - 256 + 64 * k);
              for (int k = 0; k < 5; k++) __builtin_prefetch(c + 64 * k);
            } else
              __builtin_prefetch(&w.locks[w.msg[x.id].lock]);
          }
      }
      Ev e = w.pop();
      w.now = e.t;
      ++w.r.events;
      w.r.mix(e.t ^ ((uint64_t)e.id << 40) ^ ((uint64_t)e.kind << 63));
      if (opt.trace) record(w, e);
      if (w.now >= w.p.until || w.r.cycles >= w.p.max_cycles) w.stop = true;
      if (e.kind == WAKE) return w.ctx[e.id];
      if (opt.srv) {
        w.mail.push_back(e.id);
        if (w.server_waits) {
          w.server_waits = false;
          return w.server;
        }
      } else
        w.serve(e.id);
    }
    return nullptr;
  }
  static void record(World& w, Ev const& e) {
    Msg& m = w.msg[e.id];
    if (opt.trace == 2)
      w.trace.push_back({e.t, e.id, e.kind, m.token, m.reply});
    else if (opt.trace == 3) {
      char b[128];
      int n = snprintf(b, sizeof b, "%llu.%06llu client-%u %s lock:%u tok-%016llx %llu\n",
                       (unsigned long long)e.t / 1000000, (unsigned long long)e.t % 1000000, e.id,
                       e.kind ? "deliver" : "wake", m.lock, (unsigned long long)m.token,
                       (unsigned long long)m.reply);
      w.text.append(b, n);
    } else if (opt.trace == 1) {
      w.r.mix(m.token);
      w.r.mix(m.reply);
    }
  }
  bf::context* pick_next() noexcept override {
    if (next) {
      auto* c = next;
      next = nullptr;
      return c;
    }
    if (reap && disp) {
      reap = false;
      auto* d = disp;
      disp = nullptr;
      return d;
    }
    if (!q.empty()) {
      auto* c = &q.front();
      q.pop_front();
      return c;
    }
    if (!opt.disp && W && W->npending) {
      if (auto* c = event()) {
        if (c != bf::context::active()) return c;
        c->ready_link(q);
      }
    }
    auto* d = disp;
    disp = nullptr;
    return d;
  }
  bool has_ready_fibers() const noexcept override { return !q.empty(); }
  void suspend_until(std::chrono::steady_clock::time_point const&) noexcept override {
    if (W && W->npending)
      if (auto* c = event()) c->ready_link(q);
  }
  void notify() noexcept override {}
};
static Sched* S;

struct Arena {  // stacks carved from one mapping, recycled through a free list; tops spread over
                // cache sets
  char* base = nullptr;
  size_t size = 0, cap = 0, next = 0;
  std::vector<uint32_t> free;
  void init(size_t sz, size_t count, bool huge) {
    size = sz;
    cap = count;
    size_t bytes = sz * count;
    base = (char*)mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
      perror("mmap");
      exit(1);
    }
    if (huge) madvise(base, bytes, MADV_HUGEPAGE);
  }
} arena;
struct ArenaStack {
  typedef boost::context::stack_traits traits_type;
  boost::context::stack_context allocate() {
    uint32_t i;
    if (!arena.free.empty()) {
      i = arena.free.back();
      arena.free.pop_back();
    } else {
      if (arena.next == arena.cap) throw std::bad_alloc();
      i = arena.next++;
    }
    size_t c = opt.color ? (i % 16) * 64 * (arena.size > 8192 ? 4 : 1) : 0;
    boost::context::stack_context s;
    s.size = arena.size - c;
    s.sp = arena.base + (size_t)(i + 1) * arena.size - c;
    return s;
  }
  void deallocate(boost::context::stack_context& s) noexcept {
    arena.free.push_back(((char*)s.sp - 1 - arena.base) / arena.size);
  }
};
// Block the calling client: pop events first; if the very next runnable fiber is the caller there
// is no switch at all.
static void block(World& w, uint32_t id) {
  auto* me = w.ctx[id];
  if (opt.pf) w.hint[id] = (char*)__builtin_frame_address(0);
  if (!opt.disp && S->q.empty() && !S->reap) {
    auto* c = S->event();
    if (c == me) return;
    S->next = c;
  }
  me->suspend();
}
static void sleep_for(World& w, uint32_t id, uint64_t d) {
  w.push(w.now + d, id, WAKE);
  block(w, id);
}
static uint64_t rpc(World& w, uint32_t id, uint32_t op, uint32_t lock, uint64_t token) {
  w.msg[id] = {op, lock, token, 0};
  w.push(w.now + w.rng.range(w.p.lat_lo, w.p.lat_hi), id, REQ);
  block(w, id);
  return w.msg[id].reply;
}
static void client(World& w, uint32_t id) {
  uint32_t lock = id % w.p.locks();
  uint64_t serial = 0;
  while (!w.stop) {
    sleep_for(w, id, w.rng.range(w.p.think_lo, w.p.think_hi));
    if (w.stop) return;
    uint64_t token = ((uint64_t)(id + 1) << 32) | ++serial;
    while (!rpc(w, id, 0, lock, token)) {
      if (w.stop) return;
      ++w.r.fails;
      sleep_for(w, id, w.rng.range(w.p.retry_lo, w.p.retry_hi));
      if (w.stop) return;
    }
    if (w.stop) return;
    sleep_for(w, id, w.rng.range(w.p.hold_lo, w.p.hold_hi));
    if (w.stop) return;
    if (rpc(w, id, 1, lock, token)) ++w.r.cycles;
  }
}
static void scene(
    World& w, uint32_t id) {  // the "paused for 31 s past a 30 s TTL" failure, seen by both clients
  if (id == 0) {
    if (!rpc(w, 0, 0, 0, 11)) abort();
    sleep_for(w, 0, 31'000'000);
    if (rpc(w, 0, 1, 0, 11)) abort();
    ++w.r.cycles;
  } else {
    sleep_for(w, 1, 30'500'000);
    if (!rpc(w, 1, 0, 0, 22)) abort();
    sleep_for(w, 1, 1'000'000);
    if (!rpc(w, 1, 1, 0, 22)) abort();
    ++w.r.cycles;
  }
}
static bool pause_mode = false;
static double peak = 0;
template <class SA>
static Result one(Params const& p, uint64_t seed, SA sa) {
  static World world;
  World& w = world;
  W = &w;
  w.p = p;
  w.rng = Xo(seed);
  w.now = 0;
  w.stop = false;
  w.r = {};
  w.q.clear();
  w.npending = 0;
  w.trace.clear();
  w.text.clear();
  w.mail.clear();
  w.locks.assign(p.locks(), {});
  w.msg.resize(p.n);
  w.ctx.resize(p.n);
  w.hint.resize(p.n);
  if (opt.lua && (!w.L || opt.newlua)) {
    if (w.L) lua_close(w.L);
    lua_make(w);
  }
  static std::vector<bf::fiber> f, idle;
  static bool parked = false;
  bf::fiber srv;
  bool srv_stop = false;
  auto* me = w.mainc = bf::context::active();
  if (opt.srv) {
    srv = bf::fiber(std::allocator_arg, sa, [&w, &srv_stop] {
      w.server = bf::context::active();
      std::vector<uint32_t> in;
      for (;;) {
        if (w.mail.empty()) {
          if (srv_stop) return;
          w.server_waits = true;
          w.server->suspend();
          if (w.mail.empty()) continue;
        }
        in.swap(w.mail);
        for (auto i : in) w.serve(i);
        in.clear();
      }
    });
  }
  if (!opt.reuse) {
    f.clear();
    f.reserve(p.n);
    w.left = p.n;
    for (uint32_t i = 0; i < p.n; i++)
      f.emplace_back(std::allocator_arg, sa, [&w, i] {
        w.ctx[i] = bf::context::active();
        pause_mode ? scene(w, i) : client(w, i);
      });
    if (p.n >= 1000) f.back().join();
    for (auto& x : f)
      if (x.joinable()) x.join();
    S->reap = true;
  } else {
    w.left = p.n;
    if (!parked) {
      parked = true;
      for (uint32_t i = 0; i < p.n; i++)
        idle.emplace_back(std::allocator_arg, sa, [&w, i] {
          auto* c = w.ctx[i] = bf::context::active();
          for (;;) {
            pause_mode ? scene(w, i) : client(w, i);
            if (--w.left == 0) w.mainc->ready_is_linked() ? void() : c->schedule(w.mainc);
            c->suspend();
          }
        });
      for (auto& x : idle) x.detach();
    } else
      for (auto* c : w.ctx) me->schedule(c);
    me->suspend();
  }
  peak = std::max(peak, p.n >= 10000 ? rss_mb() : 0.0);
  if (opt.srv) {
    srv_stop = true;
    if (w.server_waits) {
      w.server_waits = false;
      me->schedule(w.server);
    }
    srv.join();
  }
  if (opt.trace == 3) w.r.mix(w.text.size());
  if (opt.trace == 2) w.r.mix(w.trace.size());
  return w.r;
}
template <class SA>
static int go(int argc, char** argv, SA sa) {
  pause_mode = !strcmp(argv[1], "pause");
  bool sh = pause_mode || !strcmp(argv[1], "short");
  Params p;
  uint64_t runs = 1;
  Result tot;
  std::string who = "fiber";
  for (int i = sh ? 3 : 4; i < argc; i++) who += std::string(" ") + argv[i];
  double base = rss_mb(), t0;
  if (sh) {
    p = Params::shortrun();
    if (pause_mode) {
      p.n = 2;
      p.ttl = 30'000'000;
      p.until = ~0ull >> 2;
    }
    runs = strtoull(argv[2], 0, 10);
    one(p, 0, sa);
    t0 = cpu_s();
    for (uint64_t s = 1; s <= runs; s++) {
      Result r = one(p, s, sa);
      tot.events += r.events;
      tot.cycles += r.cycles;
      tot.mix(r.sum);
    }
  } else {
    p = Params::growth(strtoull(argv[2], 0, 10), strtoull(argv[3], 0, 10));
    t0 = cpu_s();
    tot = one(p, 1, sa);
  }
  report(who.c_str(), p, tot, cpu_s() - t0, std::max(0.0, peak - base), runs);
  (void)argc;
  fflush(stdout);
  _exit(0);
}
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    if (a == "disp")
      opt.disp = true;
    else if (a == "srv")
      opt.srv = true;
    else if (a == "lua")
      opt.lua = true;
    else if (a == "reuse")
      opt.reuse = true;
    else if (a == "newlua")
      opt.newlua = opt.lua = true;
    else if (a == "prefetch")
      opt.pf = true;
    else if (a == "nocolor")
      opt.color = false;
    else if (a == "pq=heap4")
      opt.pq = 1;
    else if (a == "pq=std")
      opt.pq = 2;
    else if (a == "trace=hash")
      opt.trace = 1;
    else if (a == "trace=bin")
      opt.trace = 2;
    else if (a == "trace=text")
      opt.trace = 3;
    else if (a.rfind("stack=", 0) == 0)
      opt.stack = atoi(a.c_str() + 6);
    else if (a.rfind("alloc=", 0) == 0)
      opt.alloc = a.substr(6);
  }
  uint64_t n = argc > 2 && !strcmp(argv[1], "growth") ? strtoull(argv[2], 0, 10) : 3;
  size_t st = opt.stack * 1024;
  struct Hook : Sched {
    Hook() { S = this; }
  };
  bf::use_scheduling_algorithm<Hook>();
  if (opt.alloc == "fixed") return go(argc, argv, bf::fixedsize_stack(st));
  if (opt.alloc == "pooled") return go(argc, argv, bf::pooled_fixedsize_stack(st, 64));
  if (opt.alloc == "protected") return go(argc, argv, bf::protected_fixedsize_stack(st));
  arena.init(st, n + 8, opt.alloc == "huge");
  return go(argc, argv, ArenaStack{});
}
