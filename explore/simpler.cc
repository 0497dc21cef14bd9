#include "explore/simpler.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "keys/bad_input.h"
#include "models/servers/kind.h"
#include "scenarios/bounds.h"
#include "scenarios/loader.h"
#include "scenarios/promises.h"
#include "scenarios/runner.h"
#include "scenarios/verbs/kind.h"
#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

using namespace std::chrono_literals;
using scenarios::Scenario;
using servers::Renaming;
using sim::Duration;
using sim::Fault;

constexpr std::array<Duration, 10> kGrains = {1h,   1min, 10s,   1s,   100ms,
                                              10ms, 1ms,  100us, 10us, 1us};

// ---------------------------------------------------------------- names of processes

bool rename(std::string& name, const Renaming& renaming) {
  if (name.empty()) return true;
  const std::optional<std::string> renamed = renaming(name);
  if (renamed) name = *renamed;
  return renamed.has_value();
}

bool rename(Fault& fault, const Renaming& renaming) {
  const bool had_sides = !fault.from.empty();
  std::erase_if(fault.from, [&](std::string& side) { return !rename(side, renaming); });
  return rename(fault.target, renaming) && rename(fault.trigger.by, renaming) &&
         rename(fault.trigger.on, renaming) && rename(fault.to, renaming) &&
         had_sides == !fault.from.empty();
}

// False: none is left of the servers that a client knows.
bool rename_servers(scenarios::ClientsSpec& clients, const Renaming& renaming) {
  const bool knew = !clients.servers.empty();
  std::erase_if(clients.servers, [&](std::string& server) { return !rename(server, renaming); });
  return knew == !clients.servers.empty();
}

void draw_order(scenarios::Network& network) {
  network.order = scenarios::Order::drawn;
  network.priorities = 0;
  network.priority_changes.clear();
}

// A file that leaves an order open where there is none is refused.
void keep_order_possible(scenarios::Network& network) {
  if (!scenarios::has_bounds(network)) draw_order(network);
}

// False: a fault or a client needs the process that is gone.
bool rename_all(Scenario& scenario, const Renaming& renaming) {
  std::erase_if(scenario.network.links, [&](scenarios::Link& link) {
    return !rename(link.from, renaming) || !rename(link.to, renaming);
  });
  keep_order_possible(scenario.network);
  std::erase_if(scenario.unlike,
                [&](scenarios::OneClient& one) { return !rename(one.name, renaming); });
  if (!rename_servers(scenario.clients, renaming)) return false;
  for (scenarios::OneClient& one : scenario.unlike) {
    if (!rename_servers(one.clients, renaming)) return false;
  }
  const servers::Kind& server = scenarios::lock_server(scenario);
  if (server.rename != nullptr) server.rename(scenario.servers, renaming);
  return std::all_of(scenario.faults.begin(), scenario.faults.end(),
                     [&](Fault& fault) { return rename(fault, renaming); });
}

// Whether a file of the scenario could be read: keys of one client may need each other.
bool loads(const Scenario& scenario) {
  try {
    scenarios::parse(scenarios::file_text(scenario), scenario.name,
                     scenarios::vocabulary_with(scenario.lock.own));
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

// ---------------------------------------------------------------- steps

class Steps {
 public:
  explicit Steps(const Scenario& scenario) : scenario_(scenario) {}

  std::vector<Simplification> all() {
    for (std::size_t i = scenario_.faults.size(); i-- > 0;) {
      add([i](Scenario& one) {
        one.faults.erase(one.faults.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      });
    }
    fewer_late_messages();
    fewer_differences();
    fewer([](Scenario& one) -> std::uint32_t& { return one.clients.cycles; });
    one_cycle_with_its_faults();
    a_client_for_cycles();
    fewer([](Scenario& one) -> std::uint32_t& { return one.clients.threads; });
    fewer_clients();
    fewer_servers();
    less_to_do();
    less_network();
    off([](Scenario& one) -> scenarios::Ties& { return one.ties; });
    if (scenario_.seed != 1) add([](Scenario& one) { return one.seed = 1, true; });
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i) simpler_fault(i);
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i) simpler_times(i);
    if (scenario_.clients.work.empty())
      shorter([](Scenario& one) -> Duration& { return one.clients.hold; });
    shorter_work();
    shorter([](Scenario& one) -> Duration& { return one.clients.arrive_every; });
    shorter([](Scenario& one) -> Duration& { return one.clients.think; });
    shorter([](Scenario& one) -> Duration& { return one.clients.threads_arrive_every; });
    shorter([](Scenario& one) -> Duration& { return one.clients.nested_after; });
    for (std::size_t i = 0; i < scenario_.unlike.size(); ++i) shorter_of_one(i);
    if (!scenario_.clients.program.empty())
      shorter([](Scenario& one) -> Duration& { return one.clients.until; });
    // Where clients differ, or are programs, not every key may have every value.
    if (!scenario_.unlike.empty() || !scenario_.clients.program.empty()) {
      for (Simplification& step : steps_)
        step = [taken = step](Scenario& one) { return taken(one) && loads(one); };
    }
    return std::move(steps_);
  }

 private:
  void add(Simplification step) { steps_.push_back(std::move(step)); }

  template <typename Get>
  void off(Get get) {
    Scenario copy = scenario_;
    if (get(copy) != std::decay_t<decltype(get(copy))>{})
      add([get](Scenario& one) { return get(one) = {}, true; });
  }

  // One less, down to a least.
  template <typename Get>
  void fewer(Get get, std::uint32_t least = 1) {
    Scenario copy = scenario_;
    if (get(copy) <= least) return;
    if (get(copy) > least + 1) add([get, least](Scenario& one) { return get(one) = least, true; });
    add([get](Scenario& one) { return --get(one), true; });
  }

  // A fault of a later cycle does not fire in fewer, and two that belong together cannot be moved
  // one by one. So all of them are moved with the step: of each kind of step, to the first.
  void one_cycle_with_its_faults() {
    const std::uint32_t cycles = scenario_.clients.cycles;
    if (cycles <= 1 || scenario_.faults.empty()) return;
    add([](Scenario& one) { return one.clients.cycles = 1, move_to_first_steps(one.faults); });
    add([cycles](Scenario& one) {
      one.clients.cycles = 1;
      bool moved = move_to_first_steps(one.faults);
      for (Fault& fault : one.faults) {
        if (!fault.trigger.at) continue;
        fault.trigger.at = sim::kStart + (*fault.trigger.at - sim::kStart) / cycles;
        moved = true;
      }
      return moved;
    });
  }

  // A story with two clients is easier to read than one with two cycles of one client.
  void a_client_for_cycles() {
    if (scenario_.clients.cycles <= 1 || scenario_.clients.operators > 0) return;
    add([](Scenario& one) { return one.clients.cycles = 1, ++one.clients.count, true; });
  }

  // Keeps the distances between faults at the steps of one kind. False: each is at the first.
  static bool move_to_first_steps(std::vector<Fault>& faults) {
    const std::vector<Fault> before = faults;
    bool moved = false;
    for (Fault& fault : faults) {
      std::uint32_t earliest = fault.trigger.nth;
      for (const Fault& other : before) {
        if (is_same_kind_of_step(fault, other)) earliest = std::min(earliest, other.trigger.nth);
      }
      moved = moved || earliest > 1;
      fault.trigger.nth -= earliest - 1;
    }
    return moved;
  }

  static bool is_same_kind_of_step(const Fault& one, const Fault& other) {
    const auto kind = [](const Fault& fault) {
      const sim::Trigger& trigger = fault.trigger;
      return std::tuple(trigger.by.empty() ? fault.target : trigger.by, trigger.role, trigger.phase,
                        trigger.mark, trigger.on, trigger.command);
    };
    return kind(one) == kind(other);
  }

  template <typename Get>
  void shorter(Get get) {
    Scenario copy = scenario_;
    for (const Duration length : simpler(get(copy)))
      add([get, length](Scenario& one) { return get(one) = length, true; });
  }

  // A step less, as long as each write still has the read that it is based on.
  void less_work() {
    for (std::size_t i = scenario_.clients.work.size(); i-- > 0;) {
      if (scenario_.clients.work.size() == 1) return;
      add([i](Scenario& one) {
        std::vector<scenarios::WorkStep>& work = one.clients.work;
        work.erase(work.begin() + static_cast<std::ptrdiff_t>(i));
        return scenarios::first_unread(work) == work.size();
      });
    }
  }

  // The times and counts that one client has of its own.
  void shorter_of_one(std::size_t i) {
    const scenarios::OneClient& client = scenario_.unlike[i];
    const auto own = [&client](std::string_view key) {
      return std::find(client.keys.begin(), client.keys.end(), key) != client.keys.end();
    };
    if (own("hold"))
      shorter([i](Scenario& one) -> Duration& { return one.unlike[i].clients.hold; });
    if (own("think"))
      shorter([i](Scenario& one) -> Duration& { return one.unlike[i].clients.think; });
    if (own("cycles"))
      fewer([i](Scenario& one) -> std::uint32_t& { return one.unlike[i].clients.cycles; });
    if (own("threads"))
      fewer([i](Scenario& one) -> std::uint32_t& { return one.unlike[i].clients.threads; });
    if (client.arrives_at)
      shorter([i](Scenario& one) -> Duration& { return *one.unlike[i].arrives_at; });
  }

  void shorter_work() {
    for (std::size_t i = 0; i < scenario_.clients.work.size(); ++i) {
      if (scenario_.clients.work[i].deed == scenarios::WorkStep::Deed::think)
        shorter([i](Scenario& one) -> Duration& { return one.clients.work[i].length; });
    }
  }

  // A client as the others are, or in one key more.
  void fewer_differences() {
    for (std::size_t i = scenario_.unlike.size(); i-- > 0;) {
      add([i](Scenario& one) {
        one.unlike.erase(one.unlike.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      });
      const scenarios::OneClient& client = scenario_.unlike[i];
      const std::size_t differences = client.keys.size() + client.lock_keys.size();
      if (client.arrives_at)
        add([i](Scenario& one) { return one.unlike[i].arrives_at.reset(), true; });
      if (differences + (client.arrives_at ? 1 : 0) == 1) continue;  // as above
      less_different(i, client.keys.size(), &scenarios::OneClient::keys);
      less_different(i, client.lock_keys.size(), &scenarios::OneClient::lock_keys);
    }
  }

  // Another lock may need its other keys.
  void less_different(std::size_t client, std::size_t count,
                      std::vector<std::string> scenarios::OneClient::*names) {
    for (std::size_t k = count; k-- > 0;) {
      add([client, k, names](Scenario& one) {
        std::vector<std::string>& all = one.unlike[client].*names;
        if (all[k] == "algorithm" && all.size() > 1) return false;
        if (all[k] == "algorithm") one.unlike[client].lock = {};
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
        return true;
      });
    }
  }

  void fewer_clients() {
    fewer([](Scenario& one) -> std::uint32_t& { return one.clients.operators; }, 0);
    for (std::uint32_t gone = scenario_.clients.count; gone > 0 && scenario_.clients.count > 1;
         --gone) {
      add([gone](Scenario& one) {
        const std::uint32_t first_operator = one.clients.count - one.clients.operators + 1;
        if (gone >= first_operator) --one.clients.operators;
        --one.clients.count;
        return one.clients.operators < one.clients.count &&
               rename_all(one, servers::without("client-", gone));
      });
    }
  }

  void fewer_servers() {
    const servers::Kind& server = scenarios::lock_server(scenario_);
    if (server.smaller == nullptr) return;
    for (const servers::Smaller& smaller : server.smaller(scenario_.servers)) {
      add([smaller, &server](Scenario& one) {
        if (!smaller.take(one.servers, one.lock.options, one.faults)) return false;
        if (server.monitors != nullptr && server.monitors->count(one.servers) == 0)
          one.clients.find_by = scenarios::FindBy::address;
        return rename_all(one, smaller.renaming);
      });
    }
  }

  void less_to_do() {
    off([](Scenario& one) -> bool& { return one.clients.nested; });
    for (std::size_t i = scenario_.clients.keys.size(); i-- > 1;) {
      add([i](Scenario& one) {
        one.clients.keys.erase(one.clients.keys.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      });
    }
    off([](Scenario& one) -> std::vector<Duration>& { return one.clients.leases; });
    less_work();
    if (scenario_.clients.work.empty())
      fewer([](Scenario& one) -> std::uint32_t& { return one.clients.writes; });
    off([](Scenario& one) -> Duration& { return one.clients.scan_every; });
    off([](Scenario& one) -> Duration& { return one.clients.think; });
    off([](Scenario& one) -> Duration& { return one.clients.nested_after; });
    off([](Scenario& one) -> Duration& { return one.clients.nested_for; });
    off([](Scenario& one) -> Duration& { return one.clients.gc.every; });
    if (const auto& gc = scenarios::lock_server(scenario_).gc)
      off([in = gc->in](Scenario& one) -> Duration& { return in(one.servers).every; });
  }

  void less_network() {
    for (std::size_t i = scenario_.network.links.size(); i-- > 0;) {
      add([i](Scenario& one) {
        one.network.links.erase(one.network.links.begin() + static_cast<std::ptrdiff_t>(i));
        keep_order_possible(one.network);
        return true;
      });
    }
    const bool needs_order = std::any_of(scenario_.faults.begin(), scenario_.faults.end(),
                                         [this](const Fault& one) { return is_order(one); });
    if (!needs_order && scenario_.network.order != scenarios::Order::drawn)
      add([](Scenario& one) { return draw_order(one.network), true; });
    for (std::size_t i = scenario_.network.priority_changes.size(); i-- > 0;) {
      add([i](Scenario& one) {
        std::vector<std::uint64_t>& changes = one.network.priority_changes;
        changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      });
    }
  }

  // Several messages that are a little late may do what one does that is as late as it may be.
  void fewer_late_messages() {
    constexpr std::size_t kMost = 12;
    std::vector<std::size_t> late;
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i) {
      if (is_order(scenario_.faults[i])) late.push_back(i);
    }
    if (late.size() > kMost) return;
    for (const std::size_t kept : late) {
      for (const std::size_t gone : late) {
        const Duration most = scenarios::order_slack(scenario_, scenario_.faults[kept]);
        if (gone == kept || scenario_.faults[kept].lasts == most) continue;
        add([kept, gone, most](Scenario& one) {
          one.faults[kept].lasts = most;
          one.faults.erase(one.faults.begin() + static_cast<std::ptrdiff_t>(gone));
          return true;
        });
      }
    }
  }

  // A late message that the network allows must not become one that it does not.
  bool is_order(const Fault& fault) const { return !scenarios::class_of(fault, scenario_); }

  template <typename Change>
  void change(std::size_t fault, Change change) {
    add([fault, change](Scenario& one) { return change(one.faults[fault]), true; });
  }

  void simpler_fault(std::size_t i) {
    const Fault& fault = scenario_.faults[i];
    if (fault.lasts && verbs::kind_of(fault.verb).lasting == verbs::Lasting::optional)
      change(i, [](Fault& one) { one.lasts.reset(), one.keeps = {}; });
    if (fault.host) change(i, [](Fault& one) { one.host = false; });
    if (fault.silent) change(i, [](Fault& one) { one.silent = false; });
    if (!fault.to.empty()) change(i, [](Fault& one) { one.to.clear(); });
    if (!fault.outbound || !fault.inbound)
      change(i, [](Fault& one) { one.outbound = one.inbound = true; });
    for (std::size_t side = fault.from.size(); side-- > 0 && fault.from.size() > 1;)
      change(i, [side](Fault& one) {
        one.from.erase(one.from.begin() + static_cast<std::ptrdiff_t>(side));
      });
    const sim::Trigger& trigger = fault.trigger;
    if (!trigger.command.empty()) change(i, [](Fault& one) { one.trigger.command.clear(); });
    if (!trigger.on.empty()) change(i, [](Fault& one) { one.trigger.on.clear(); });
    if (!trigger.by.empty()) change(i, [](Fault& one) { one.trigger.by.clear(); });
    if (trigger.nth > 1) {
      change(i, [](Fault& one) { one.trigger.nth = 1; });
      if (trigger.nth > 3) change(i, [](Fault& one) { one.trigger.nth /= 2; });
      change(i, [](Fault& one) { --one.trigger.nth; });
    }
  }

  void simpler_times(std::size_t i) {
    const Fault& fault = scenario_.faults[i];
    if (fault.lasts) {
      for (const Duration length : simpler(*fault.lasts)) {
        Fault other = fault;
        other.lasts = length;
        if (!is_order(fault) || is_order(other))
          change(i, [length](Fault& one) { one.lasts = length; });
      }
    }
    for (const Duration length : simpler(fault.step))
      change(i, [length](Fault& one) { one.step = length; });
    if (fault.trigger.at) {
      for (const Duration length : simpler(*fault.trigger.at - sim::kStart))
        change(i, [length](Fault& one) { one.trigger.at = sim::kStart + length; });
    }
  }

  const Scenario& scenario_;
  std::vector<Simplification> steps_;
};

}  // namespace

std::vector<sim::Duration> simpler(sim::Duration duration) {
  if (duration < Duration::zero()) {
    std::vector<Duration> mirrored = simpler(-duration);
    for (Duration& one : mirrored) one = -one;
    return mirrored;
  }
  std::vector<Duration> all;
  const auto offer = [&](Duration one) {
    if (one > Duration::zero() && one != duration &&
        std::find(all.begin(), all.end(), one) == all.end())
      all.push_back(one);
  };
  for (const Duration grain : kGrains) {
    const Duration floor = duration / grain * grain;
    if (floor == duration) {
      // As round as before, and shorter: by half, as long as that is much, else by one grain.
      if (duration != Duration::zero()) {
        offer(duration / 2 / grain * grain);
        offer(duration - grain);
      }
      break;
    }
    // A longer duration is no simplification, even if it is rounder: 17 s must not become an hour.
    if (floor == Duration::zero()) continue;
    offer(floor);
    offer(floor + grain);
  }
  return all;
}

std::vector<Simplification> simplifications(const Scenario& scenario) {
  return Steps(scenario).all();
}

}  // namespace picklock::explore
