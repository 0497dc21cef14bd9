// Measures picklock's lock_cycle beside the prototype, floors and peers, for the goals P1 to P17 of
// docs/facts/performance.md, and groups of servers against the clock. Programs take turns on one
// core, A B A B …, and a goal is the median of the ratios within a turn: a machine that becomes
// slower meanwhile slows both sides.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/results.h"

namespace picklock::bench {
namespace {

class Benchmark {
 public:
  explicit Benchmark(bool quick)
      : turns_(quick ? 3 : 5),
        scale_(quick ? 5 : 1),
        cores_(usable_cores()),
        folder_(std::filesystem::read_symlink("/proc/self/exe").parent_path()) {
    const Command nonsense = product("short 1 no-such-option");
    refuses_nonsense_ = !nonsense.empty() && !Process(nonsense, cores_.back()).finish();
    if (!nonsense.empty() && !refuses_nonsense_) {
      fmt::print(stderr, "bench: lock_cycle ignores unknown options: P5, P14, P15 are left out\n");
    }
  }

  void run() {
    short_runs();
    sweep();
    thousand_clients();
    hundred_thousand_clients();
    million_clients();
    pause();
    real_server();
    overheads();
    two_processes();
    allocations();
    groups();
    queue();
    search();
    locks();
  }

  const Results& results() const { return results_; }

 private:
  // Programs. `lock_cycle` and the prototype share the shape of their arguments.
  Command program(std::string_view name, std::string_view arguments) const {
    const std::filesystem::path path = folder_ / name;
    if (access(path.c_str(), X_OK) != 0) return {};
    Command command = {path.string()};
    std::istringstream words{std::string(arguments)};
    for (std::string word; words >> word;) command.push_back(word);
    return command;
  }
  Command product(std::string_view arguments) const { return program("lock_cycle", arguments); }
  // The product with an option. A program that accepts any word would be measured without the
  // option.
  Command product_with_option(std::string_view arguments) const {
    return refuses_nonsense_ ? product(arguments) : Command{};
  }
  Command group_runs(int runs) const { return program("group_run", std::to_string(runs)); }
  Command scripts(std::string_view arguments) const { return program("script_cycle", arguments); }
  Command prototype(std::string_view arguments) const {
    return program("peers/fiber_prototype", arguments);
  }
  Command floor(std::string_view arguments) const { return program("peers/floor", arguments); }
  Command ns3(std::string_view arguments) const { return program("peers/ns3_lock", arguments); }
  // Raw contexts, small stacks and no guard pages: as fast and small as SimGrid goes.
  Command simgrid(std::string_view arguments) const {
    return program("peers/simgrid_lock",
                   fmt::format("{} --log=root.thres:error --cfg=contexts/stack-size:16 "
                               "--cfg=contexts/guard-size:0",
                               arguments));
  }

  // Every program once per turn.
  std::vector<Series> alternate(std::vector<Command> commands, int turns) {
    std::vector<Series> result;
    result.reserve(commands.size());
    for (Command& command : commands) result.push_back({.command = std::move(command)});
    for (int turn = 0; turn < turns; ++turn) {
      for (Series& series : result) {
        const bool failed_before = turn > 0 && series.samples.empty();
        if (series.command.empty() || failed_before) continue;
        progress(series.command);
        auto sample = Process(series.command, cores_.back()).finish();
        if (sample) {
          series.samples.push_back(*std::move(sample));
        } else {
          fmt::print(stderr, "bench: failed: {}\n", fmt::join(series.command, " "));
          series.samples.clear();
          series.command.clear();
        }
      }
    }
    for (const Series& series : result) {
      if (!series.samples.empty()) results_.add(series);
    }
    return result;
  }

  void progress(const Command& command) const {
    if (isatty(STDERR_FILENO) == 1) {
      fmt::print(stderr, "\r\033[K{:.70}", fmt::to_string(fmt::join(command, " ")));
    }
  }

  void short_runs() {
    const int runs = 10'000 / scale_;
    const auto s = alternate(
        {product(fmt::format("short {}", runs)), prototype(fmt::format("short {} pq=heap4", runs)),
         floor(fmt::format("co short {}", runs)), floor(fmt::format("cb short {}", runs)),
         ns3(fmt::format("short {}", runs / 5)), scripts(fmt::format("short {}", runs / 5)),
         prototype(fmt::format("short {} pq=heap4 lua", runs / 5))},
        turns_);
    results_.add(Goal{.id = "P1",
                      .what = "short runs/s against ns-3",
                      .must = 3,
                      .stretch = 5,
                      .product = ratio(s[4], s[0], "us/run"),
                      .prototype = ratio(s[4], s[1], "us/run")});
    results_.add(Goal{.id = "P2",
                      .what = "the same, every command a Lua script on the Redis model",
                      .must = 1,
                      .stretch = 1.5,
                      .product = ratio(s[4], s[5], "us/run"),
                      .prototype = ratio(s[4], s[6], "us/run")});
    results_.add(Goal{.id = "P7",
                      .what = "ns/event, short runs, against C++20 coroutines",
                      .must = 2.5,
                      .stretch = 1.5,
                      .at_most = true,
                      .product = ratio(s[0], s[2], "ns/event"),
                      .prototype = ratio(s[1], s[2], "ns/event")});
  }

  // A thousand short runs, whole processes. SimGrid has one engine per process, so it needs a
  // process per run; some are started and the rest are counted as equal.
  void sweep() {
    const int processes = 100 / scale_;
    const Command peer = simgrid("sleep short");
    Series ours{.command = product("short 1000")};
    Series prototypes{.command = prototype("short 1000 pq=heap4")};
    Series theirs{.command = peer};
    for (int turn = 0; turn < turns_; ++turn) {
      sample_cpu(ours, 1, 1);
      sample_cpu(prototypes, 1, 1);
      sample_cpu(theirs, processes, 1000.0 / processes);
    }
    results_.add(Goal{.id = "P3",
                      .what = "sweep of 1,000 short runs against SimGrid",
                      .must = 150,
                      .stretch = 400,
                      .product = ratio(theirs, ours, "process_cpu"),
                      .prototype = ratio(theirs, prototypes, "process_cpu")});
  }

  void sample_cpu(Series& series, int processes, double factor) const {
    if (series.command.empty()) return;
    double cpu = 0;
    for (int i = 0; i < processes; ++i) {
      progress(series.command);
      const auto sample = Process(series.command, cores_.back()).finish();
      if (!sample) return;
      cpu += sample->at("process_cpu");
    }
    series.samples.push_back({{"process_cpu", cpu * factor}});
  }

  void thousand_clients() {
    const int cycles = 1'000'000 / scale_;
    const int peer_cycles = 30'000;
    const auto s =
        alternate({product(fmt::format("growth 1000 {}", cycles)),
                   prototype(fmt::format("growth 1000 {} stack=16", cycles)),
                   simgrid(fmt::format("sleep growth 1000 {}", peer_cycles)),
                   product_with_option(fmt::format("growth 1000 {} server=messages", cycles)),
                   prototype(fmt::format("growth 1000 {} stack=16 srv", cycles)),
                   simgrid(fmt::format("mbox growth 1000 {}", peer_cycles)),
                   floor(fmt::format("co growth 1000 {} radix", cycles)),
                   floor(fmt::format("cb growth 1000 {} radix", cycles)),
                   ns3(fmt::format("growth 1000 {}", cycles / 5))},
                  turns_);
    results_.add(Goal{.id = "P4",
                      .what = "events/s, 1,000 clients, against SimGrid sleep",
                      .must = 10,
                      .stretch = 20,
                      .product = ratio(s[2], s[0], "ns/event"),
                      .prototype = ratio(s[2], s[1], "ns/event")});
    // SimGrid counts another event per rendezvous, so only cycles can be compared.
    results_.add(Goal{.id = "P5",
                      .what = "cycles/s, 1,000 clients, messages, against SimGrid mbox",
                      .must = 25,
                      .stretch = 50,
                      .product = ratio(s[3], s[5], "cycles/s"),
                      .prototype = ratio(s[4], s[5], "cycles/s")});
  }

  void hundred_thousand_clients() {
    // Never shortened: otherwise making the clients would outweigh running them.
    const int cycles = 1'000'000;
    const auto s = alternate({product(fmt::format("growth 100000 {}", cycles)),
                              product(fmt::format("growth 1000 {}", cycles)),
                              prototype(fmt::format("growth 100000 {} stack=8 prefetch", cycles)),
                              prototype(fmt::format("growth 1000 {} stack=8 prefetch", cycles)),
                              ns3(fmt::format("growth 100000 {}", cycles)),
                              floor(fmt::format("co growth 100000 {} radix", cycles)),
                              floor(fmt::format("cb growth 100000 {} radix", cycles))},
                             turns_ / 2 + 1);
    const auto peer =
        alternate({simgrid("sleep growth 100000 100000"), simgrid("sleep growth 1000 100000")}, 1);
    results_.add(Goal{.id = "P6",
                      .what = "events/s, 100,000 clients, against ns-3",
                      .must = 1.5,
                      .stretch = 2.5,
                      .product = ratio(s[4], s[0], "ns/event"),
                      .prototype = ratio(s[4], s[2], "ns/event")});
    results_.add(Goal{.id = "P8",
                      .what = "ns/event, 100,000 clients against 1,000",
                      .must = 7,
                      .stretch = 5,
                      .at_most = true,
                      .product = ratio(s[0], s[1], "ns/event"),
                      .prototype = ratio(s[2], s[3], "ns/event")});
    const auto ours = kb_per_client(s[0], s[1]);
    const auto prototypes = kb_per_client(s[2], s[3]);
    const auto theirs = kb_per_client(peer[0], peer[1]);
    results_.add(Goal{.id = "P9",
                      .what = "KB per blocked client, 100,000 clients",
                      .must = 9,
                      .stretch = 5,
                      .at_most = true,
                      .product = ours,
                      .prototype = prototypes});
    results_.add(Goal{.id = "P9b",
                      .what = "the same against SimGrid",
                      .must = 0.5,
                      .stretch = 0.25,
                      .at_most = true,
                      .reported = false,
                      .product = quotient(ours, theirs),
                      .prototype = quotient(prototypes, theirs)});
  }

  // The memory that 99,000 more clients add to the kernel's peak of a run with as many cycles.
  static std::optional<double> kb_per_client(const Series& many, const Series& few) {
    const auto more = median(many, "peak_kb");
    const auto less = median(few, "peak_kb");
    if (!more || !less) return std::nullopt;
    return (*more - *less) * 1.024 / 99'000;
  }

  static std::optional<double> quotient(std::optional<double> above, std::optional<double> below) {
    if (!above || !below || *below <= 0) return std::nullopt;
    return *above / *below;
  }

  void million_clients() {
    // Never shortened: a run of fewer cycles mostly makes its clients, and most of that is the
    // kernel's work.
    const int cycles = 1'000'000;
    const bool room = available_gb() > 12;
    if (!room) fmt::print(stderr, "bench: less than 12 GB free: a million clients are left out\n");
    const auto s =
        room ? alternate({product(fmt::format("growth 1000000 {}", cycles)),
                          prototype(fmt::format("growth 1000000 {} stack=8 prefetch", cycles)),
                          ns3(fmt::format("growth 1000000 {}", cycles))},
                         1)
             : std::vector<Series>(3);
    auto in_gb = [](std::optional<double> kb) {
      if (kb) *kb *= 1.024e-6;
      return kb;
    };
    results_.add(Goal{.id = "P10",
                      .what = "GB at the peak, a million clients",
                      .must = 10,
                      .stretch = 10,
                      .at_most = true,
                      .product = in_gb(median(s[0], "peak_kb")),
                      .prototype = in_gb(median(s[1], "peak_kb"))});
    results_.add(Goal{.id = "P10b",
                      .what = "the time of that against ns-3's",
                      .must = 1,
                      .stretch = 1,
                      .at_most = true,
                      .reported = false,
                      .product = ratio(s[0], s[2], "us/run"),
                      .prototype = ratio(s[1], s[2], "us/run")});
  }

  static double available_gb() {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("MemAvailable:")) return std::strtod(line.c_str() + 13, nullptr) * 1e-6;
    }
    return 0;
  }

  // One run lasts 31 virtual seconds, and takes 31 seconds with a real server.
  void pause() {
    const int runs = 200'000 / scale_;
    const auto s = alternate({product(fmt::format("pause {}", runs)),
                              prototype(fmt::format("pause {} pq=heap4 reuse", runs))},
                             turns_);
    auto speed_up = [](std::optional<double> us_per_run) {
      if (us_per_run) us_per_run = 31e6 / *us_per_run;
      return us_per_run;
    };
    results_.add(Goal{.id = "P11",
                      .what = "a pause past the TTL: speed-up over wall time",
                      .must = 1e6,
                      .stretch = 5e6,
                      .product = speed_up(median(s[0], "us/run")),
                      .prototype = speed_up(median(s[1], "us/run"))});
  }

  // By wall time, because a real server spends most of its time in the kernel. The server and its
  // client take turns on one core, which is faster than two cores that wake each other.
  void real_server() {
    const auto s = alternate({scripts(fmt::format("model {}", 400'000 / scale_)),
                              scripts(fmt::format("real {}", 20'000 / scale_))},
                             turns_);
    results_.add(Goal{.id = "P12",
                      .what = "lock cycles/s, every command a Lua script, against Redis",
                      .must = 20,
                      .stretch = 40,
                      .product = ratio(s[0], s[1], "cycles/s")});
  }

  void overheads() {
    const int runs = 10'000 / scale_;
    const auto s =
        alternate({product(fmt::format("short {}", runs)), product(fmt::format("setup {}", runs)),
                   product_with_option(fmt::format("short {} nodigest", runs)),
                   product_with_option(fmt::format("short {} trace", runs)),
                   prototype(fmt::format("short {} pq=heap4", runs)),
                   prototype(fmt::format("short {} pq=heap4 trace=hash", runs)),
                   prototype(fmt::format("short {} pq=heap4 trace=bin", runs))},
                  turns_);
    results_.add(Goal{.id = "P13",
                      .what = "share of making and dropping the world in a short run",
                      .must = 0.10,
                      .stretch = 0.03,
                      .at_most = true,
                      .product = ratio(s[1], s[0], "us/run")});
    results_.add(Goal{.id = "P14",
                      .what = "digest on against off",
                      .must = 1.10,
                      .stretch = 1.03,
                      .at_most = true,
                      .product = ratio(s[0], s[2], "us/run"),
                      .prototype = ratio(s[5], s[4], "us/run")});
    results_.add(Goal{.id = "P15",
                      .what = "full trace on against off",
                      .must = 1.3,
                      .stretch = 1.1,
                      .at_most = true,
                      .product = ratio(s[3], s[0], "us/run"),
                      .prototype = ratio(s[6], s[4], "us/run")});
  }

  void two_processes() {
    Goal goal{.id = "P16",
              .what = "runs/s of two processes on two cores against one",
              .must = 1.8,
              .stretch = 1.94};
    if (cores_.size() >= 2) {
      const int runs = 20'000 / scale_;
      goal.product = gain_of_two(product(fmt::format("short {}", runs)));
      goal.prototype = gain_of_two(prototype(fmt::format("short {} pq=heap4", runs)));
    }
    results_.add(goal);
  }

  // By wall time, because this measures whether two processes wait for each other.
  std::optional<double> gain_of_two(const Command& command) const {
    if (command.empty()) return std::nullopt;
    std::vector<double> gains;
    for (int turn = 0; turn < turns_; ++turn) {
      progress(command);
      const auto alone = Process(command, cores_.back()).finish();
      Process first(command, cores_.back());
      Process second(command, cores_.front());
      const auto one = first.finish();
      const auto other = second.finish();
      if (!alone || !one || !other) return std::nullopt;
      if (alone->at("wall") > 1.1 * alone->at("process_cpu")) {
        fmt::print(stderr, "bench: other programs use the cores: P16 means little\n");
      }
      gains.push_back(2 * alone->at("wall") / std::max(one->at("wall"), other->at("wall")));
    }
    return median(std::move(gains));
  }

  void allocations() {
    const auto s = alternate({product(fmt::format("allocs {}", 1'000 / scale_))}, 1);
    results_.add(Goal{.id = "P17",
                      .what = "allocations per event after warm-up",
                      .must = 0,
                      .stretch = 0,
                      .at_most = true,
                      .product = median(s[0], "per_event")});
  }

  // Sixty virtual seconds of five groups with replicas and Sentinels, by wall time.
  void groups() {
    const auto s = alternate({group_runs(100 / scale_)}, turns_);
    results_.add(Goal{.id = "groups",
                      .what = "5 primaries, 5 replicas, 15 Sentinels: speed-up over wall time",
                      .must = 1000,
                      .stretch = 2000,
                      .product = median(s[0], "virtual_s/s")});
  }

  // Sixty virtual seconds of a thousand clients on an ensemble of three, by wall time.
  void queue() {
    const auto s = alternate({program("queue_run", std::to_string(20 / scale_))}, 1);
    results_.add(
        Goal{.id = "queue",
             .what = "1,000 clients queue for one lock on an ensemble: speed-up over wall time",
             .must = 50,
             .stretch = 200,
             .product = median(s[0], "virtual_s/s")});
  }

  void search() {
    Goal goal{.id = "search",
              .what = "runs/s of a search by two worker processes against one",
              .must = 1.8,
              .stretch = 1.94};
    if (cores_.size() >= 2) {
      Command command = program("explore_run", fmt::format("{}", 100'000 / scale_));
      std::vector<double> gains;
      for (int turn = 0; turn < turns_; ++turn) {
        progress(command);
        const auto said = Process(command, kAnyCore).finish();
        if (!said) break;
        gains.push_back(said->at("gain"));
      }
      if (!gains.empty()) goal.product = median(std::move(gains));
    }
    results_.add(goal);
  }

  // The cost of locks that do more for a grant, compared with one that does little. This is no
  // goal, because the number of messages is a property of the lock.
  void locks() {
    const auto runs = [this](const char* lock) {
      return program("tiny_run", fmt::format("{} {}", 10'000 / scale_, lock));
    };
    const auto s =
        alternate({runs("lua-check-delete"), runs("redisson-lock"), runs("redlock")}, turns_);
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
      Beside one{.lock = i == 1 ? "redisson-lock" : "redlock on 5 servers", .times = {}};
      for (const char* workload : {"tiny", "short", "pause"})
        one.times.emplace_back(workload, ratio(s[i], s[0], workload));
      results_.add(std::move(one));
    }
  }

  int turns_;
  int scale_;
  std::vector<int> cores_;
  std::filesystem::path folder_;
  bool refuses_nonsense_ = false;
  Results results_;
};

}  // namespace
}  // namespace picklock::bench

int main(int argc, char** argv) {
  CLI::App app{"Measures picklock beside its floors and peers", "bench/run"};
  bool json = false;
  bool quick = false;
  app.add_flag("--json", json, "one JSON document: the goals of docs/facts/performance.md");
  app.add_flag("--quick", quick, "shorter runs and fewer turns");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  picklock::bench::Benchmark benchmark(quick);
  benchmark.run();
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\033[K");
  if (json) {
    benchmark.results().print_json();
  } else {
    benchmark.results().print_table();
  }
}
