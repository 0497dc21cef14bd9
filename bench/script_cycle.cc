// A lock that is acquired and released only by Lua scripts, with EVALSHA, on the Redis model and on
// a real server.
//   script_cycle short RUNS    the short run of bench/peers/common/workload.hpp, on the model
//   script_cycle model CYCLES  one client that acquires and releases without a pause, on the model
//   script_cycle real CYCLES   the same on one connection to a redis-server that it starts and ends
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>

#include "bench/peers/common/workload.hpp"
#include "history/recorded_simulation.h"
#include "models/redis/server.h"
#include "models/redis/sim_client.h"
#include "models/redis/wire.h"

namespace {

using namespace picklock;
using redis::Client;
using redis::Reply;
using redis::Script;

// The scripts as a lock's author would write them.
const Script kTake("return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])");
const Script kGiveBack(
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 "
    "end");

class Token {
 public:
  explicit Token(std::uint64_t number) {
    std::to_chars(digits_.begin(), digits_.end(), number | kHighest, 16);
  }
  std::string_view view() const { return {digits_.data(), digits_.size()}; }

 private:
  static constexpr std::uint64_t kHighest = std::uint64_t{1} << 63;  // so that there are 16 digits
  std::array<char, 16> digits_;
};

// Runs a script as clients do: by name, and in full if the server does not know the name.
Reply run(Client& redis, const Script& script, std::string_view key,
          std::initializer_list<std::string_view> args, Role role) {
  Reply reply = redis.evalsha(script, {key}, args, role);
  if (reply.is_error() && reply.text.starts_with("NOSCRIPT"))
    reply = redis.eval(script, {key}, args, role);
  return reply;
}
bool take(Client& redis, std::string_view key, const Token& token) {
  const Reply reply = run(redis, kTake, key, {token.view(), "10000"}, Role::acquire);
  if (reply.is_error()) std::abort();
  return reply.ok();
}
bool give_back(Client& redis, std::string_view key, const Token& token) {
  return run(redis, kGiveBack, key, {token.view()}, Role::release).is_integer(1);
}

// ---------------------------------------------------------------- the model

constexpr std::string_view kKey = "lock:1";

struct World {
  history::RecordedSimulation simulation;
  models::Tenures tenures;
  models::Keys keys;
  redis::Server server;
  std::deque<redis::SimClient> clients;
  std::deque<sim::Random> chance;
  Params params;
  bool stop = false;
  std::uint64_t cycles = 0;
  std::uint64_t refused = 0;

  void wait(std::uint32_t id, std::uint64_t low, std::uint64_t high) {
    simulation.scheduler.sleep(
        chance[id].between(std::chrono::microseconds(low), std::chrono::microseconds(high)));
    watch();
  }
  void watch() {
    if (simulation.now() >= sim::kStart + std::chrono::microseconds(params.until)) stop = true;
  }

  void client(std::uint32_t id) {
    std::uint64_t serial = 0;
    while (!stop) {
      wait(id, params.think_lo, params.think_hi);
      if (stop) return;
      simulation.scheduler.running()->tag = tenures.begin();
      const Token token((static_cast<std::uint64_t>(id + 1) << 32) | ++serial);
      while (!take(clients[id], kKey, token)) {
        watch();
        if (stop) return;
        ++refused;
        wait(id, params.retry_lo, params.retry_hi);
        if (stop) return;
      }
      wait(id, params.hold_lo, params.hold_hi);
      if (stop) return;
      if (give_back(clients[id], kKey, token)) ++cycles;
      watch();
    }
  }

  void hurried_client() {
    simulation.scheduler.running()->tag = tenures.begin();
    for (std::uint64_t serial = 1; cycles < params.max_cycles; ++serial) {
      const Token token(serial);
      if (!take(clients[0], kKey, token) || !give_back(clients[0], kKey, token)) std::abort();
      ++cycles;
    }
  }

  Result run(const Params& p, std::uint64_t seed) {
    params = p;
    stop = false;
    cycles = refused = 0;
    simulation.reset(seed);
    simulation.network.set_latency(
        {.low = std::chrono::microseconds(p.lat_lo), .high = std::chrono::microseconds(p.lat_hi)});
    keys.reset();
    tenures.reset(keys.id(kKey));
    sim::Process& home = simulation.scheduler.processes().add("redis-1");
    server.reset(simulation, home, tenures, keys);
    clients.resize(p.n);
    chance.resize(p.n);
    for (std::uint32_t id = 0; id < p.n; ++id) {
      sim::Process& process =
          simulation.scheduler.processes().add("client-" + std::to_string(id + 1));
      chance[id] = sim::Random(seed, process.hash());
      clients[id].reset(simulation, process, server, {.command_timeout = {}});
      simulation.scheduler.threads().spawn(
          process, [this, id] { params.max_cycles == ~0ull ? client(id) : hurried_client(); },
          true);
    }
    simulation.scheduler.processes().start(home);
    simulation.scheduler.run();
    Result result;
    result.events = simulation.scheduler.record().events();
    result.cycles = cycles;
    result.fails = refused;
    result.sum = simulation.scheduler.record().digest().value();
    return result;
  }
};

void short_runs(std::uint64_t runs) {
  World world;
  const Params params = Params::shortrun();
  for (std::uint64_t seed = 0; seed <= 3; ++seed) world.run(params, seed);
  Result total;
  const double started = cpu_s();
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const Result result = world.run(params, seed);
    total.events += result.events;
    total.cycles += result.cycles;
    total.mix(result.sum);
  }
  report("picklock scripts short", params, total, cpu_s() - started, 0, runs);
}

// ---------------------------------------------------------------- cycles, one after the other

constexpr std::uint64_t kWarmUp = 10'000;

template <typename Cycles>
void measure(const char* who, std::uint64_t count, Cycles cycles) {
  const auto started = std::chrono::steady_clock::now();
  cycles(count);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  std::printf("%-28s cycles=%llu cycles/s=%.0f us/cycle=%.3f\n", who,
              static_cast<unsigned long long>(count), static_cast<double>(count) / took.count(),
              took.count() * 1e6 / static_cast<double>(count));
}

void cycles_on_model(std::uint64_t count) {
  World world;
  Params params = Params::shortrun();
  params.n = 1;
  std::uint64_t seed = 0;
  const auto run = [&](std::uint64_t cycles) {
    constexpr std::uint64_t kOfOneRun = 10'000;
    for (std::uint64_t left = cycles; left > 0; left -= params.max_cycles) {
      params.max_cycles = std::min(left, kOfOneRun);
      world.run(params, ++seed);
    }
  };
  run(kWarmUp);
  measure("picklock scripts model", count, run);
}

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

std::uint16_t free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(probe, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    fail("no free loopback port");
  close(probe);
  return ntohs(address.sin_port);
}

// A redis-server without persistence, which ends with this object and with this process.
class RealServer {
 public:
  RealServer() : port_(free_port()) {
    const std::string port = std::to_string(port_);
    const pid_t parent = getpid();
    child_ = fork();
    if (child_ < 0) fail("fork");
    if (child_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || std::freopen("/dev/null", "w", stdout) == nullptr) _exit(1);
    execlp("redis-server", "redis-server", "--bind", "127.0.0.1", "--port", port.c_str(), "--dir",
           "/tmp", "--save", "", "--appendonly", "no", static_cast<char*>(nullptr));
    _exit(1);
  }
  RealServer(const RealServer&) = delete;
  RealServer& operator=(const RealServer&) = delete;
  ~RealServer() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  int connect() const {
    constexpr int kPatience = 2000;  // times 5 ms
    const sockaddr_in address = loopback(port_);
    for (int i = 0; i < kPatience && waitpid(child_, nullptr, WNOHANG) == 0; ++i) {
      const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const int at_once = 1;
      setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
      if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return file;
      close(file);
      usleep(5000);
    }
    std::fputs("redis-server does not start\n", stderr);
    std::exit(1);
  }

 private:
  std::uint16_t port_;
  pid_t child_ = -1;
};

class SocketClient final : public Client {
 public:
  explicit SocketClient(int file) : file_(file) {}
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;
  ~SocketClient() override { close(file_); }

  Reply call(Role, std::span<const std::string_view> argv) override {
    request_.clear();
    redis::write_request(request_, argv);
    const std::string_view bytes = request_.view();
    if (write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      fail("write");
    Reply reply;
    for (std::size_t size = 0;;) {
      const ssize_t more = read(file_, buffer_.data() + size, buffer_.size() - size);
      if (more <= 0) fail("read");
      size += static_cast<std::size_t>(more);
      std::string_view received(buffer_.data(), size);
      if (redis::read_reply(received, reply)) return reply;
    }
  }
  // The measured lock only uses call().
  Reply call_interruptibly(Role role, redis::Argv argv, redis::Resend, redis::Late) override {
    return call(role, argv);
  }
  std::array<Reply, 2> call_both(Role role, redis::Argv first, redis::Argv second,
                                 redis::Resend) override {
    return {call(role, first), call(role, second)};
  }
  void post(Role role, redis::Argv argv) override { call(role, argv); }
  bool subscribe(std::string_view, redis::Listener, Duration) override { return false; }
  void unsubscribe(std::string_view) override {}

 private:
  int file_;
  sim::Payload request_;
  std::array<char, 4096> buffer_;
};

void cycles_on_real_server(std::uint64_t count) {
  const RealServer server;
  SocketClient client(server.connect());
  std::uint64_t serial = 0;
  const auto run = [&](std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      const Token token(++serial);
      if (!take(client, kKey, token) || !give_back(client, kKey, token)) std::abort();
    }
  };
  run(kWarmUp);
  measure("redis-server", count, run);
}

int usage() {
  std::fputs("script_cycle short RUNS | model CYCLES | real CYCLES\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc == 3 ? argv[1] : "";
  const std::uint64_t count = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (count == 0) return usage();
  if (mode == "short") {
    short_runs(count);
  } else if (mode == "model") {
    cycles_on_model(count);
  } else if (mode == "real") {
    cycles_on_real_server(count);
  } else {
    return usage();
  }
}
