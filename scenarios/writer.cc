#include "scenarios/writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "keys/duration_text.h"
#include "keys/value.h"
#include "models/servers/kind.h"
#include "picklock/client.h"
#include "scenarios/keys.h"
#include "scenarios/needs.h"
#include "scenarios/verbs/kind.h"

namespace picklock::scenarios {

using keys::as_toml;
using keys::Key;
using keys::to_text;
using keys::write_table;
namespace {

using sim::Fault;
using sim::Trigger;

class Writer {
 public:
  std::string write(const Scenario& scenario) {
    text_ = fmt::format("format = {}\n", kFormat);
    write_table("", scenario_keys(), scenario, text_);
    for (const Link& link : scenario.network.links) write(link);
    write("clients", scenario.clients.work);
    for (const servers::Kind* server : servers::kinds()) {
      if (server->arrays != nullptr) text_ += server->arrays(scenario.servers);
    }
    for (OneClient one : scenario.unlike) {
      std::erase_if(one.keys,
                    [&](const std::string& key) { return !has_effect(scenario, one, key); });
      write(one);
    }
    for (const Fault& fault : scenario.faults) write(fault);
    table("expect");
    write(scenario.expect);
    for (const Twin& twin : scenario.twins) write(twin);
    for (const Neighbour& neighbour : scenario.neighbours) {
      write(neighbour, scenario.faults.at(neighbour.fault - 1));
    }
    if (scenario.complete.faults > 0) write(scenario.complete);
    return std::move(text_);
  }

 private:
  void table(std::string_view name) { text_ += fmt::format("\n[{}]\n", name); }
  void element(std::string_view name) { text_ += fmt::format("\n[[{}]]\n", name); }
  void raw(std::string_view key, std::string_view value) {
    text_ += fmt::format("{} = {}\n", key, value);
  }
  void put(std::string_view key, std::string_view text) { raw(key, as_toml(text)); }
  void put(std::string_view key, Duration length) { put(key, to_text(length)); }
  void put_if(std::string_view key, const std::string& text) {
    if (!text.empty()) put(key, text);
  }
  static std::string pair(Duration low, Duration high) {
    return fmt::format("[{}, {}]", as_toml(to_text(low)), as_toml(to_text(high)));
  }

  void write(const Link& link) {
    element("network.link");
    put("from", link.from);
    put("to", link.to);
    if (link.latency.low == link.latency.high) {
      put("latency", link.latency.low);
    } else {
      raw("latency", pair(link.latency.low, link.latency.high));
    }
    if (link.latency.tail_one_in > 0) {
      raw("tail_one_in", std::to_string(link.latency.tail_one_in));
      put("tail_high", link.latency.tail_high);
    }
    if (!link.both) raw("both", "false");
  }

  void write(std::string_view table, const std::vector<WorkStep>& work) {
    for (const WorkStep& step : work) {
      element(fmt::format("{}.work", table));
      put("do", kDeeds[static_cast<std::size_t>(step.deed)]);
      if (step.length != Duration::zero()) put("for", step.length);
      if (step.mode != models::WriteMode::unconditional)
        put("mode", kWriteModes[static_cast<std::size_t>(step.mode)]);
    }
  }

  // Only the keys of its own, even those that have the value of the other clients: that value may
  // change. Its tables come last, because they end the table of the client.
  void write(const OneClient& one) {
    element("client");
    put("name", one.name);
    if (one.arrives_at) put("arrives_at", *one.arrives_at);
    const auto own = [&one, this](const auto& keys, const std::vector<std::string>& names,
                                  std::string_view prefix) {
      for (const std::string& name : names) {
        const Key<OneClient>& key = *keys::find(keys, name);
        if (key.show) raw(fmt::format("{}{}", prefix, name), key.show(one));
      }
    };
    own(one_client_keys(), one.keys, "");
    own(own_lock_keys(), one.lock_keys, "lock.");
    std::string tables;
    for (const std::string& name : one.keys) {
      const Key<OneClient>& key = *keys::find(one_client_keys(), name);
      if (key.show) continue;
      std::string text;
      if (key.write) key.write("client", one, text);
      const bool is_empty = key.write ? text.empty() : one.clients.work.empty();
      if (is_empty) raw(name, key.write ? "{}" : "[]");
      tables += text;
    }
    text_ += tables;
    write("client", one.clients.work);
  }

  void write(const Fault& fault) {
    const verbs::Kind& verb = verbs::kind_of(fault.verb);
    element("fault");
    put(verb.name, fault.target);
    moment(fault.trigger);
    if (fault.trigger.nth != 1) raw("nth", std::to_string(fault.trigger.nth));
    put_if("by", fault.trigger.by);
    put_if("on", fault.trigger.on);
    put_if("command", fault.trigger.command);
    if (fault.lasts) put("for", *fault.lasts);
    if (fault.step != Duration::zero()) put("step", fault.step);
    if (verb.takes("rate")) raw("rate", factor(fault.rate_ppb));
    if (fault.from.size() == 1) put("from", fault.from[0]);
    if (fault.from.size() > 1) raw("from", as_toml(fault.from));
    if (!fault.inbound) put("one_way", "outbound");
    if (!fault.outbound) put("one_way", "inbound");
    if (fault.host) raw("host", "true");
    if (fault.silent) raw("silent", "true");
    // Written even if it is the default, because much depends on it.
    if (verb.takes("keeps") && servers::starts_again(fault)) put("keeps", kept(fault.keeps));
    put_if("to", fault.to);
    put_if("key", fault.key);
  }

  void moment(const Trigger& trigger) {
    if (trigger.at) return put("at", *trigger.at - sim::kStart);
    const std::string_view side = trigger.side == sim::Side::before ? "before" : "after";
    if (!trigger.mark.empty()) return put(side, "mark:" + trigger.mark);
    if (trigger.is_message()) return put(side, kMessageSent);
    put(side, fmt::format("{}.{}", picklock::name(trigger.role), name(trigger.phase)));
  }

  // Exact, without trailing zeros.
  static std::string factor(std::int64_t rate_ppb) {
    constexpr std::int64_t kBillion = 1'000'000'000;
    const std::int64_t rate = kBillion + rate_ppb;
    std::string digits = fmt::format("{}.{:09}", rate / kBillion, rate % kBillion);
    while (digits.ends_with('0') && !digits.ends_with(".0")) digits.pop_back();
    return digits;
  }

  static std::string_view kept(sim::Keeps keeps) {
    if (keeps == sim::Keeps::fsynced) return "fsynced";
    return keeps == sim::Keeps::all ? "all" : "none";
  }

  void write(const Expectation& expect) {
    raw("violated", listed(expect.violated));
    if (expect.longest_wait) {
      raw("longest_wait", pair(expect.longest_wait->first, expect.longest_wait->second));
    }
    if (expect.longest_idle) {
      raw("longest_idle", pair(expect.longest_idle->first, expect.longest_idle->second));
    }
    if (expect.digest) put("digest", fmt::format("{:016x}", *expect.digest));
  }

  void write(const Twin& twin) {
    element("twin");
    for (const Change& change : twin.changes) raw(change.path, change.value);
    write(twin.expect);
  }

  void write(const Complete& complete) {
    table("complete");
    raw("faults", std::to_string(complete.faults));
    if (complete.classes) {
      std::vector<std::string> classes;
      for (std::size_t i = 0; i < kFaultClassCount; ++i) {
        if (complete.classes->has(static_cast<FaultClass>(i)))
          classes.push_back(as_toml(kFaultClassNames[i]));
      }
      raw("classes", fmt::format("[{}]", fmt::join(classes, ", ")));
    }
    if (!complete.properties.empty()) raw("properties", listed(complete.properties));
    if (complete.plans) raw("plans", std::to_string(*complete.plans));
    if (complete.different) raw("different", std::to_string(*complete.different));
  }

  static std::string listed(const std::vector<Property>& properties) {
    std::vector<std::string> names;
    for (const Property property : properties) names.push_back(as_toml(name(property)));
    return fmt::format("[{}]", fmt::join(names, ", "));
  }

  // Keys that the neighbor leaves out are those of the fault that it moves.
  void write(const Neighbour& neighbour, const Fault& fault) {
    element("neighbour");
    raw("fault", std::to_string(neighbour.fault));
    const Trigger& to = neighbour.trigger;
    moment(to);
    if (!to.at) {
      if (to.nth != fault.trigger.nth) raw("nth", std::to_string(to.nth));
      if (to.by != fault.trigger.by) put_if("by", to.by);
      if (to.on != fault.trigger.on) put_if("on", to.on);
      if (to.command != fault.trigger.command) put_if("command", to.command);
    }
    write(neighbour.expect);
  }

  std::string text_;
};

}  // namespace

std::string file_text(const Scenario& scenario) {
  Scenario without_idle = scenario;
  drop_idle(without_idle);
  return Writer().write(without_idle);
}

}  // namespace picklock::scenarios
