#include "scenarios/keys.h"

#include <fmt/format.h>

#include <charconv>
#include <concepts>

#include "scenarios/bad_input.h"
#include "scenarios/duration_text.h"
#include "scenarios/verb_rules.h"

namespace picklock::scenarios {
namespace {

using sim::Fault;
using sim::Trigger;

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }

Words words_of(const auto& names) { return Words(names.begin(), names.end()); }

// A member is found by a generic lambda, so that the same one reads the default and writes the
// value.

template <typename Target>
Key<Target> text(const std::string& name, auto member, const std::string& meaning) {
  return {.name = name,
          .type = "text",
          .meaning = meaning,
          .read = [member](const Value& value, Target& into) { member(into) = value.text(); },
          .show =
              [member](const Target& from) {
                return member(from).empty() ? std::string() : quoted(member(from));
              },
          .nested = {}};
}

template <typename Target>
Key<Target> boolean(const std::string& name, auto member, const std::string& meaning) {
  return {.name = name,
          .type = "true or false",
          .meaning = meaning,
          .read = [member](const Value& value, Target& into) { member(into) = value.boolean(); },
          .show = [member](const Target& from) { return member(from) ? "true" : "false"; },
          .nested = {}};
}

template <typename Target>
Key<Target> integer(const std::string& name, std::int64_t least, std::int64_t most, auto member,
                    const std::string& meaning) {
  return {.name = name,
          .type = fmt::format("whole number, {} to {}", least, most),
          .meaning = meaning,
          .read =
              [=](const Value& value, Target& into) {
                using Number = std::remove_reference_t<decltype(member(into))>;
                member(into) = static_cast<Number>(value.integer(least, most));
              },
          .show = [member](const Target& from) { return std::to_string(member(from)); },
          .nested = {}};
}

template <typename Target>
Key<Target> duration(const std::string& name, Sign sign, auto member, const std::string& meaning) {
  constexpr std::array<const char*, 3> kTypes = {"duration, more than 0s", "duration",
                                                 "duration, may be negative"};
  Key<Target> key{
      .name = name,
      .type = kTypes[static_cast<std::size_t>(sign)],
      .meaning = meaning,
      .read = [=](const Value& value, Target& into) { member(into) = value.duration(sign); },
      .show = {},
      .nested = {}};
  using Member = std::remove_cvref_t<decltype(member(std::declval<Target&>()))>;
  if constexpr (std::same_as<Member, Duration>) {
    key.show = [member](const Target& from) { return quoted(to_text(member(from))); };
  }
  return key;
}

// One word of a few; its index is the value of the enumeration.
template <typename Target>
Key<Target> word(const std::string& name, const Words& words, auto member,
                 const std::string& meaning) {
  return {
      .name = name,
      .type = "one of " + listed(words),
      .meaning = meaning,
      .read =
          [=](const Value& value, Target& into) {
            using Enumeration = std::remove_reference_t<decltype(member(into))>;
            member(into) = static_cast<Enumeration>(value.word(words));
          },
      .show =
          [=](const Target& from) { return quoted(words[static_cast<std::size_t>(member(from))]); },
      .nested = {}};
}

template <typename Target>
Key<Target> without_default(Key<Target> key) {
  key.show = {};
  return key;
}

// An array of tables, [[name]], each read by `read` into one more element.
template <typename Target>
Key<Target> tables(const std::string& name, std::size_t most, auto member, auto read,
                   const std::function<void(const std::string&, std::vector<TableDoc>&)>& nested) {
  return {.name = name,
          .type = "array of tables",
          .meaning = {},
          .read =
              [=](const Value& value, Target& into) {
                const std::vector<Value> found = value.tables();
                if (found.size() > most) {
                  found[most].fail(fmt::format("there may be {} of these at most", most));
                }
                for (const Value& table : found) read(table, member(into).emplace_back());
              },
          .show = {},
          .nested = nested};
}

const Keys<GcProfile>& gc_keys() {
  static const Keys<GcProfile> keys = {
      duration<GcProfile>(
          "every", Sign::not_negative, [](auto& gc) -> auto& { return gc.every; },
          "mean time between two pauses; 0s: no collector"),
      duration<GcProfile>(
          "low", Sign::positive, [](auto& gc) -> auto& { return gc.low; },
          "length of the shortest pause; longer ones double it, ever more rarely"),
      duration<GcProfile>(
          "high", Sign::positive, [](auto& gc) -> auto& { return gc.high; },
          "length of the longest pause"),
  };
  return keys;
}

void read_latency(const Value& value, Latency& latency) {
  if (!value.is_array()) {
    latency.low = latency.high = value.duration(Sign::not_negative);
    return;
  }
  const std::vector<Value> bounds = value.elements();
  if (bounds.size() != 2) value.fail("must be one duration, or the least and the most");
  latency.low = bounds[0].duration(Sign::not_negative);
  latency.high = bounds[1].duration(Sign::not_negative);
  if (latency.high < latency.low) value.fail("the most is less than the least");
}

const Keys<Latency>& latency_keys() {
  static const Keys<Latency> keys = {
      {.name = "latency",
       .type = "duration or [least, most]",
       .meaning = "how long a message takes in one direction; between two bounds, evenly spread",
       .read = read_latency,
       .show = [](const Latency& latency) { return quoted(to_text(latency.low)); },
       .nested = {}},
      integer<Latency>(
          "tail_one_in", 0, 1'000'000'000, [](auto& l) -> auto& { return l.tail_one_in; },
          "on average, every so many-th message takes much longer; 0: none does"),
      duration<Latency>(
          "tail_high", Sign::not_negative, [](auto& l) -> auto& { return l.tail_high; },
          "how long such a message takes at most"),
  };
  return keys;
}

const Keys<LockSpec>& lock_keys() {
  static const Keys<LockSpec> keys = {
      text<LockSpec>(
          "algorithm", [](auto& lock) -> auto& { return lock.algorithm; },
          "the lock: a name of `picklock list algorithms`; must be given"),
      text<LockSpec>(
          "key", [](auto& lock) -> auto& { return lock.key; }, "the key that every client wants"),
      duration<LockSpec>(
          "ttl", Sign::positive, [](auto& lock) -> auto& { return lock.options.ttl; },
          "length of a lease, counted on the server's clock"),
      duration<LockSpec>(
          "retry_every", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.retry_every; },
          "wait of a refused client before it tries again"),
      duration<LockSpec>(
          "retry_jitter", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.retry_jitter; },
          "adds up to this much to every such wait, drawn at random"),
      duration<LockSpec>(
          "acquire_timeout", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.acquire_timeout; },
          "a client gives up after this; 0s: it tries for ever"),
      duration<LockSpec>(
          "command_timeout", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.command_timeout; },
          "patience of a client with one command"),
      word<LockSpec>(
          "value", {"acquisition", "client"},
          [](auto& lock) -> auto& { return lock.options.value; },
          "what an owner token is made for: one acquisition, or the client's whole life"),
  };
  return keys;
}

const Keys<RedisSpec>& redis_keys() {
  static const Keys<RedisSpec> keys = {
      integer<RedisSpec>(
          "masters", 1, 99, [](auto& redis) -> auto& { return redis.masters; },
          "how many independent servers there are: redis-1, redis-2 and so on"),
      duration<RedisSpec>(
          "service", Sign::not_negative, [](auto& redis) -> auto& { return redis.service; },
          "time that a server needs for one command"),
      duration<RedisSpec>(
          "clock_offset", Sign::any, [](auto& redis) -> auto& { return redis.clock_offset; },
          "how far their wall clocks are ahead of true time"),
      integer<RedisSpec>(
          "clock_rate_ppb", -999'000'000, 999'000'000'000,
          [](auto& redis) -> auto& { return redis.clock_rate_ppb; },
          "how much faster than true time their clocks run, in parts per billion"),
      table<RedisSpec>(
          "gc", gc_keys(), [](auto& redis) -> auto& { return redis.gc; },
          "Stop-the-world pauses of the servers."),
  };
  return keys;
}

const Keys<ResourceSpec>& resource_keys() {
  static const Keys<ResourceSpec> keys = {
      word<ResourceSpec>(
          "fencing", {"none", "ideal"}, [](auto& resource) -> auto& { return resource.fencing; },
          "`ideal`: the resource refuses a write of an older grant than it has seen"),
      duration<ResourceSpec>(
          "service", Sign::not_negative, [](auto& resource) -> auto& { return resource.service; },
          "time that the resource needs for one write"),
  };
  return keys;
}

const Keys<ServersSpec>& servers_keys() {
  static const Keys<ServersSpec> keys = {
      table<ServersSpec>(
          "redis", redis_keys(), [](auto& servers) -> auto& { return servers.redis; },
          "The lock servers, processes `redis-1` to `redis-N`."),
      table<ServersSpec>(
          "resource", resource_keys(), [](auto& servers) -> auto& { return servers.resource; },
          "What the lock protects, process `resource`."),
  };
  return keys;
}

const Keys<Link>& link_keys() {
  static const Keys<Link> keys = [] {
    Keys<Link> made = {
        text<Link>(
            "from", [](auto& link) -> auto& { return link.from; }, "a process; must be given"),
        text<Link>(
            "to", [](auto& link) -> auto& { return link.to; }, "another process; must be given"),
    };
    add_lifted(
        made, latency_keys(), [](auto& link) -> auto& { return link.latency; });
    for (Key<Link>& key : made) {
      if (key.name == "latency") key = without_default(key);
    }
    made.push_back(boolean<Link>(
        "both", [](auto& link) -> auto& { return link.both; },
        "whether it counts in the direction back as well"));
    return made;
  }();
  return keys;
}

const Keys<Network>& network_keys() {
  static const Keys<Network> keys = [] {
    Keys<Network> made;
    add_lifted(
        made, latency_keys(), [](auto& network) -> auto& { return network.latency; });
    made.push_back(duration<Network>(
        "break_after", Sign::not_negative,
        [](auto& network) -> auto& { return network.break_after; },
        "a connection that could not deliver for this long breaks; 0s: never"));
    made.push_back(tables<Network>(
        "link", kMostLinks, [](auto& network) -> auto& { return network.links; },
        [](const Value& table, Link& link) {
          link.line = table.line();
          read_table(table, link_keys(), link);
        },
        [](const std::string& path, std::vector<TableDoc>& docs) {
          describe(
              "[[" + joined(path, "link") + "]]",
              "Latency between two processes, instead of the network's. `latency` must be given.",
              link_keys(), docs);
        }));
    return made;
  }();
  return keys;
}

const Keys<ClientsSpec>& clients_keys() {
  static const Keys<ClientsSpec> keys = {
      integer<ClientsSpec>(
          "count", 1, 100'000, [](auto& clients) -> auto& { return clients.count; },
          "how many there are: client-1, client-2 and so on"),
      duration<ClientsSpec>(
          "arrive_every", Sign::not_negative,
          [](auto& clients) -> auto& { return clients.arrive_every; },
          "time between the arrivals of two clients; client-1 arrives at 0s"),
      duration<ClientsSpec>(
          "hold", Sign::not_negative, [](auto& clients) -> auto& { return clients.hold; },
          "length of the critical section when nothing disturbs it"),
      integer<ClientsSpec>(
          "writes", 0, 1'000'000, [](auto& clients) -> auto& { return clients.writes; },
          "writes to the resource in one critical section: one comes at its end, "
          "more are spread evenly from its start on"),
      integer<ClientsSpec>(
          "cycles", 1, 1'000'000, [](auto& clients) -> auto& { return clients.cycles; },
          "how often each client acquires, works and releases"),
      duration<ClientsSpec>(
          "think", Sign::not_negative, [](auto& clients) -> auto& { return clients.think; },
          "pause of a client between two cycles"),
      duration<ClientsSpec>(
          "write_timeout", Sign::positive,
          [](auto& clients) -> auto& { return clients.write_timeout; },
          "patience of a client with one write"),
      table<ClientsSpec>(
          "gc", gc_keys(), [](auto& clients) -> auto& { return clients.gc; },
          "Stop-the-world pauses of the clients."),
  };
  return keys;
}

// The step itself is words of the algorithm and is read when the whole file is known (checks.cc).
Key<Trigger> step(const std::string& name, sim::Side side, const std::string& meaning) {
  return {.name = name,
          .type = "step",
          .meaning = meaning,
          .read =
              [side](const Value& value, Trigger& trigger) {
                value.text();
                trigger.side = side;
              },
          .show = {},
          .nested = {}};
}

}  // namespace

const Keys<Trigger>& trigger_keys() {
  static const Keys<Trigger> keys = {
      step("before", sim::Side::before, "the fault strikes just before this step"),
      step("after", sim::Side::after, "the fault strikes just after this step"),
      {.name = "at",
       .type = "duration",
       .meaning = "the fault strikes at this time of the run",
       .read =
           [](const Value& value, Trigger& trigger) {
             trigger.at = sim::kStart + value.duration(Sign::not_negative);
           },
       .show = {},
       .nested = {}},
      integer<Trigger>(
          "nth", 1, 1'000'000'000, [](auto& trigger) -> auto& { return trigger.nth; },
          "at which occurrence of the step, counted per process over the whole run"),
      text<Trigger>(
          "by", [](auto& trigger) -> auto& { return trigger.by; },
          "whose step: a client; by default the target if it is one, else any client"),
      text<Trigger>(
          "on", [](auto& trigger) -> auto& { return trigger.on; },
          "counts only steps with this server"),
      text<Trigger>(
          "command", [](auto& trigger) -> auto& { return trigger.command; },
          "counts only steps made with this command, such as `DEL`"),
  };
  return keys;
}

namespace {

void read_names(const Value& value, std::vector<std::string>& names) {
  if (!value.is_array()) {
    names = {value.text()};
    return;
  }
  const std::vector<Value> elements = value.elements();
  if (elements.empty()) value.fail("must not be empty; without it, it means everyone");
  if (elements.size() > kMostNames) {
    value.fail(fmt::format("there may be {} names at most", kMostNames));
  }
  names.clear();
  for (const Value& element : elements) names.push_back(element.text());
}

const Keys<Fault>& fault_keys() {
  static const Keys<Fault> keys = [] {
    Keys<Fault> made;
    for (std::size_t i = 0; i < sim::kVerbCount; ++i) {
      const auto verb = static_cast<sim::Verb>(i);
      made.push_back({.name = std::string(name(verb)),
                      .type = "process",
                      .meaning = std::string(rules(verb).meaning),
                      .read =
                          [verb](const Value& value, Fault& fault) {
                            fault.verb = verb;
                            fault.target = value.text();
                          },
                      .show = {},
                      .nested = {}});
    }
    add_lifted(
        made, trigger_keys(), [](auto& fault) -> auto& { return fault.trigger; });
    made.push_back(duration<Fault>(
        "for", Sign::positive, [](auto& fault) -> auto& { return fault.lasts; },
        "how long the hardship lasts"));
    made.push_back(without_default(duration<Fault>(
        "step", Sign::any, [](auto& fault) -> auto& { return fault.step; },
        "step-clock: the jump, may be negative; slow: the extra time for each message")));
    made.push_back(
        {.name = "rate",
         .type = "number, 0.001 to 1000, at most 9 decimals",
         .meaning = "set-clock-rate: how fast the clocks run, 1.01 being 1 % too fast",
         .read = [](const Value& value, Fault& fault) { fault.rate_ppb = value.rate_ppb(); },
         .show = {},
         .nested = {}});
    made.push_back({.name = "from",
                    .type = "process, or array of processes",
                    .meaning = "partition: the other side; by default everyone",
                    .read = [](const Value& value, Fault& fault) { read_names(value, fault.from); },
                    .show = {},
                    .nested = {}});
    made.push_back({.name = "one_way",
                    .type = "one of outbound, inbound",
                    .meaning = "partition: only what the target sends, or only what is sent to it; "
                               "by default both",
                    .read =
                        [](const Value& value, Fault& fault) {
                          const std::size_t way = value.word({"outbound", "inbound"});
                          fault.outbound = way == 0;
                          fault.inbound = way == 1;
                        },
                    .show = {},
                    .nested = {}});
    made.push_back(boolean<Fault>(
        "host", [](auto& fault) -> auto& { return fault.host; },
        "crash: the machine dies, not only the process"));
    made.push_back(boolean<Fault>(
        "silent", [](auto& fault) -> auto& { return fault.silent; },
        "crash: peers see silence instead of a reset"));
    made.push_back(word<Fault>(
        "keeps", {"all", "none"}, [](auto& fault) -> auto& { return fault.keeps; },
        "crash with `for`, restart: what of its data the process finds again"));
    made.push_back(text<Fault>(
        "key", [](auto& fault) -> auto& { return fault.key; },
        "evict: the key; by default the lock's"));
    return made;
  }();
  return keys;
}

const Keys<Expectation>& expectation_keys() {
  static const Keys<Expectation> keys = {
      {.name = "violated",
       .type = "array of properties",
       .meaning = "what breaks: names of `picklock list properties`; every other one must hold",
       .read =
           [](const Value& value, Expectation& expect) {
             expect.violated.clear();
             for (const Value& element : value.elements()) {
               const auto property =
                   static_cast<Property>(element.word(words_of(models::kPropertyNames)));
               for (const Property other : expect.violated) {
                 if (other == property) element.fail("this property is listed twice");
               }
               expect.violated.push_back(property);
             }
           },
       .show = [](const Expectation&) { return std::string("[]"); },
       .nested = {}},
      {.name = "longest_wait",
       .type = "[least, most], two durations",
       .meaning = "bounds on the longest time that an acquire waited, granted or not",
       .read =
           [](const Value& value, Expectation& expect) {
             const std::vector<Value> bounds = value.elements();
             if (bounds.size() != 2) value.fail("must be two durations: the least and the most");
             const Duration least = bounds[0].duration(Sign::not_negative);
             const Duration most = bounds[1].duration(Sign::not_negative);
             if (most < least) value.fail("the most is less than the least");
             expect.longest_wait = {least, most};
           },
       .show = {},
       .nested = {}},
      {.name = "digest",
       .type = "16 hex digits",
       .meaning = "digest of the run with the file's own seed",
       .read =
           [](const Value& value, Expectation& expect) {
             const std::string digits = value.text();
             std::uint64_t digest = 0;
             const char* end = digits.data() + digits.size();
             const auto [stop, error] = std::from_chars(digits.data(), end, digest, 16);
             if (digits.size() != 16 || stop != end || error != std::errc{}) {
               value.fail(fmt::format("must be 16 hex digits, not \"{}\"", printable(digits)));
             }
             expect.digest = digest;
           },
       .show = {},
       .nested = {}},
  };
  return keys;
}

// Down to the one key that is changed: dotted keys are tables with a single entry each.
void read_change(const Value& start, Change& change) {
  const Words kept = {"format", "expect", "twin", "neighbour"};
  if (std::find(kept.begin(), kept.end(), start.name()) != kept.end()) {
    start.fail("a twin cannot change it: only what the run itself is made of");
  }
  Value value = start;
  std::string path = start.name();
  while (value.is_table()) {
    const std::vector<Value> entries = value.entries();
    if (entries.size() != 1) value.fail("a twin changes exactly one key");
    value = entries[0];
    path += "." + value.name();
  }
  change.path = path;
  change.value = value.toml();
}

void read_twin(const Value& table, Twin& twin) {
  twin.change.line = twin.expect.line = table.line();
  for (const Value& value : table.entries()) {
    if (const Key<Expectation>* key = find(expectation_keys(), value.name())) {
      key->read(value, twin.expect);
    } else if (!twin.change.path.empty()) {
      value.fail(fmt::format("a twin changes exactly one key, and this one already changes `{}`",
                             printable(twin.change.path)));
    } else {
      Words words = names_of(scenario_keys());
      for (const std::string_view word : names_of(expectation_keys())) words.push_back(word);
      if (std::find(words.begin(), words.end(), value.name()) == words.end()) {
        value.fail("there is no such key", value.name(), words);
      }
      read_change(value, twin.change);
    }
  }
  if (twin.change.path.empty()) {
    table.fail("a twin changes one key, such as `lock.algorithm`, and this one changes none");
  }
}

const Keys<Neighbour>& neighbour_keys() {
  static const Keys<Neighbour> keys = [] {
    Keys<Neighbour> made = {
        integer<Neighbour>(
            "fault", 1, kMostFaults, [](auto& neighbour) -> auto& { return neighbour.fault; },
            "which fault is moved, counted from 1 in the order of the file"),
    };
    add_lifted(
        made, trigger_keys(), [](auto& neighbour) -> auto& { return neighbour.trigger; });
    for (Key<Neighbour>& key : made) {
      if (key.name == "nth") key = without_default(key);
    }
    add_lifted(
        made, expectation_keys(), [](auto& neighbour) -> auto& { return neighbour.expect; });
    std::erase_if(made, [](const Key<Neighbour>& key) { return key.name == "digest"; });
    return made;
  }();
  return keys;
}

void describe_fault(const std::string& path, std::vector<TableDoc>& docs) {
  Keys<Fault> keys = fault_keys();
  keys.erase(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(sim::kVerbCount));
  describe(
      "[[" + joined(path, "fault") + "]]",
      "One hardship: exactly one verb, whose value is the process that it hits, exactly one of "
      "`before`, `after` and `at`, and what the verb has a use for.",
      keys, docs);
}

void describe_twin(const std::string& path, std::vector<TableDoc>& docs) {
  TableDoc doc{
      .header = "[[" + joined(path, "twin") + "]]",
      .meaning = "The same file with one key changed, and what comes of it then.",
      .keys = {{.name = "any dotted key",
                .type = "as in its table",
                .fallback = {},
                .meaning = "the change, such as `lock.algorithm = \"lua-check-delete\"` or "
                           "`fault.1.before = \"check.sent\"`; must be given, once"}}};
  std::vector<TableDoc> expectation;
  describe("", "", expectation_keys(), expectation);
  for (KeyDoc& key : expectation[0].keys) doc.keys.push_back(std::move(key));
  docs.push_back(std::move(doc));
}

void describe_neighbour(const std::string& path, std::vector<TableDoc>& docs) {
  describe("[[" + joined(path, "neighbour") + "]]",
           "The same file with one fault moved to a neighbouring step, and what comes of it there. "
           "What is not given of `nth`, `by`, `on` and `command` stays as it was.",
           neighbour_keys(), docs);
}

}  // namespace

const Keys<Scenario>& scenario_keys() {
  static const Keys<Scenario> keys = {
      {.name = "format",
       .type = "whole number",
       .meaning = fmt::format("always {}; must be given", kFormat),
       .read = [](const Value& value, Scenario&) { value.integer(kFormat, kFormat); },
       .show = {},
       .nested = {}},
      text<Scenario>(
          "title", [](auto& scenario) -> auto& { return scenario.title; },
          "the story in one sentence"),
      text<Scenario>(
          "source", [](auto& scenario) -> auto& { return scenario.source; },
          "where the story comes from"),
      boolean<Scenario>(
          "control", [](auto& scenario) -> auto& { return scenario.control; },
          "whether it shows what does not happen: its faults need not matter"),
      integer<Scenario>(
          "seed", 0, std::numeric_limits<std::int64_t>::max(),
          [](auto& scenario) -> auto& { return scenario.seed; },
          "number from which the schedule and every latency are drawn"),
      table<Scenario>(
          "lock", lock_keys(), [](auto& scenario) -> auto& { return scenario.lock; },
          "The lock under test."),
      table<Scenario>(
          "servers", servers_keys(), [](auto& scenario) -> auto& { return scenario.servers; }, ""),
      table<Scenario>(
          "network", network_keys(), [](auto& scenario) -> auto& { return scenario.network; },
          "How long messages take."),
      table<Scenario>(
          "clients", clients_keys(), [](auto& scenario) -> auto& { return scenario.clients; },
          "Who wants the lock, processes `client-1` to `client-N`."),
      tables<Scenario>(
          "fault", kMostFaults, [](auto& scenario) -> auto& { return scenario.faults; },
          [](const Value& table, Fault& fault) {
            fault.line = table.line();
            read_table(table, fault_keys(), fault);
          },
          describe_fault),
      table<Scenario>(
          "expect", expectation_keys(), [](auto& scenario) -> auto& { return scenario.expect; },
          "What must come of it."),
      tables<Scenario>(
          "twin", kMostTwins, [](auto& scenario) -> auto& { return scenario.twins; }, read_twin,
          describe_twin),
      tables<Scenario>(
          "neighbour", kMostTwins, [](auto& scenario) -> auto& { return scenario.neighbours; },
          [](const Value& table, Neighbour& neighbour) {
            neighbour.expect.line = table.line();
            read_table(table, neighbour_keys(), neighbour);
          },
          describe_neighbour),
  };
  return keys;
}

}  // namespace picklock::scenarios
