// The lock-cycle workload on SimGrid s4u actors.
//   simgrid_lock sleep|comm|mbox short | growth N CYCLES  [--cfg=...]
//   sleep: a message is a sleep, the server's state is touched in place (SimGrid's cheapest form)
//   mbox:  server and clients are actors with mailboxes; latency is a sleep before put, the link is
//   free (loopback-like) comm:  as mbox, but the latency is the link's own (constant), so the
//   network model does the waiting
#include <simgrid/s4u.hpp>
#include "bench/peers/common/workload.hpp"
namespace sg = simgrid::s4u;
struct Lock {
  uint64_t token = 0, expires = 0;
};
struct Msg {
  uint32_t op, lock, id;
  uint64_t token;
  uint64_t reply;
};
struct World {
  Params p;
  Xo rng{1};
  bool stop = false;
  std::vector<Lock> locks;
  std::vector<Msg> msg;
  std::vector<sg::Mailbox*> box;
  sg::Mailbox* srv = nullptr;
  Result r;
  int mode = 0;
  uint64_t left = 0;
  double mb = 0;
} w;
static uint64_t now() { return (uint64_t)(sg::Engine::get_clock() * 1e6 + 0.5); }
static void pause(uint64_t us) {
  sg::this_actor::sleep_for(us * 1e-6);
  ++w.r.events;
  if (now() >= w.p.until || w.r.cycles >= w.p.max_cycles) w.stop = true;
}
static uint64_t lat() { return w.rng.range(w.p.lat_lo, w.p.lat_hi); }
static void serve(Msg& m) {
  Lock& l = w.locks[m.lock];
  uint64_t t = now();
  if (m.op == 0) {
    if (!l.token || l.expires <= t) {
      l = {m.token, t + w.p.ttl};
      m.reply = 1;
    } else
      m.reply = 0;
  } else {
    m.reply = l.token == m.token && l.expires > t;
    if (m.reply) l.token = 0;
  }
}
static uint64_t rpc(uint32_t id, uint32_t op, uint32_t lock, uint64_t token) {
  Msg& m = w.msg[id];
  m = {op, lock, id, token, 0};
  if (w.mode == 0) {
    pause(lat());
    serve(m);
    pause(lat());
  } else if (w.mode == 1) {
    pause(lat());
    w.srv->put(&m, 0);
    w.box[id]->get<Msg>();
    ++w.r.events;
    pause(lat());
  } else {
    w.srv->put(&m, 0);
    ++w.r.events;
    w.box[id]->get<Msg>();
    ++w.r.events;
    if (now() >= w.p.until || w.r.cycles >= w.p.max_cycles) w.stop = true;
  }
  return m.reply;
}
static void client(uint32_t id) {
  uint32_t lock = id % w.p.locks();
  uint64_t serial = 0;
  while (!w.stop) {
    pause(w.rng.range(w.p.think_lo, w.p.think_hi));
    if (w.stop) break;
    uint64_t token = ((uint64_t)(id + 1) << 32) | ++serial;
    bool quit = false;
    while (!rpc(id, 0, lock, token)) {
      if (w.stop) {
        quit = true;
        break;
      }
      ++w.r.fails;
      pause(w.rng.range(w.p.retry_lo, w.p.retry_hi));
      if (w.stop) {
        quit = true;
        break;
      }
    }
    if (quit || w.stop) break;
    pause(w.rng.range(w.p.hold_lo, w.p.hold_hi));
    if (w.stop) break;
    if (rpc(id, 1, lock, token)) ++w.r.cycles;
  }
  if (--w.left == 0) w.mb = rss_mb();
}
static void server() {
  for (;;) {
    Msg* m = w.srv->get<Msg>();
    serve(*m);
    w.box[m->id]->put_init(m, 0)->detach();
  }
}
int main(int argc, char** argv) {
  double t0 = cpu_s(), b = rss_mb();
  sg::Engine e(&argc, argv);
  w.mode = !strcmp(argv[1], "sleep") ? 0 : !strcmp(argv[1], "mbox") ? 1 : 2;
  bool sh = !strcmp(argv[2], "short");
  w.p =
      sh ? Params::shortrun() : Params::growth(strtoull(argv[3], 0, 10), strtoull(argv[4], 0, 10));
  auto* zone = sg::create_full_zone("z");
  auto* h = zone->create_host("h", 1e9);
  auto* s = zone->create_host("s", 1e9);
  auto* link = zone->create_link("l", 1e12);
  link->set_latency(w.mode == 2 ? 1.1e-3 : 0)->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE);
  link->seal();
  zone->add_route(h->get_netpoint(), s->get_netpoint(), nullptr, nullptr, {sg::LinkInRoute(link)},
                  true);
  zone->seal();
  w.locks.assign(w.p.locks(), {});
  w.msg.resize(w.p.n);
  w.left = w.p.n;
  if (w.mode) {
    w.srv = sg::Mailbox::by_name("srv");
    for (uint32_t i = 0; i < w.p.n; i++)
      w.box.push_back(sg::Mailbox::by_name("c" + std::to_string(i)));
    sg::Actor::create("server", s, server)->daemonize();
  }
  for (uint32_t i = 0; i < w.p.n; i++) sg::Actor::create("c", h, client, i);
  e.run();
  report((std::string("simgrid ") + argv[1]).c_str(), w.p, w.r, cpu_s() - t0, w.mb - b);
  _exit(0);
}
