#include "scenarios/loader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "models/redis/spec.h"
#include "models/servers/verbs.h"
#include "scenarios/runner.h"
#include "scenarios/verbs/kind.h"
#include "scenarios/writer.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;
using testing::error_of;
using testing::head;
using testing::kPause;
using testing::with_fault;

// The line of the complete file on which this text begins.
int line_of(std::string_view text) {
  const std::string_view file = testing::kComplete;
  const std::string_view before = file.substr(0, file.find(text));
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

TEST(Loader, FillsInDefaults) {
  const Scenario scenario = testing::parsed("format = 1\nlock.algorithm = \"lua-check-delete\"\n");
  EXPECT_EQ(scenario.name, "story");
  EXPECT_EQ(scenario.file, "");
  EXPECT_EQ(scenario.seed, 1U);
  EXPECT_EQ(scenario.lock.options.ttl, 10s);
  EXPECT_EQ(scenario.clients.count, 3U);
  EXPECT_TRUE(scenario.faults.empty());
  EXPECT_TRUE(scenario.expect.violated.empty());
}

TEST(Loader, ReadsEveryKeyOutsideThePlan) {
  const Scenario s = testing::parsed(testing::kComplete);
  EXPECT_EQ(s.title, "everything");
  EXPECT_EQ(s.source, "failures.md A-02");
  EXPECT_TRUE(s.control);
  EXPECT_EQ(s.seed, 77U);
  EXPECT_EQ(s.ties, Ties::permuted);

  EXPECT_EQ(s.lock.algorithm, "set-px-check-delete");
  EXPECT_EQ(s.lock.key, "lock:1");
  EXPECT_EQ(s.lock.options.ttl, 1500ms);
  EXPECT_EQ(s.lock.options.retry_every, 250us);
  EXPECT_EQ(s.lock.options.retry_jitter, 10ns);
  EXPECT_EQ(s.lock.options.acquire_timeout, 2min);
  EXPECT_EQ(s.lock.options.command_timeout, 1h);
  EXPECT_EQ(s.lock.options.resend, 2U);
  EXPECT_EQ(s.lock.options.value, models::TokenPer::client);
  EXPECT_EQ(s.lock.options.renew, models::Renew::conditional);
  EXPECT_EQ(s.lock.options.renew_every, 2s);
  EXPECT_EQ(s.lock.options.recognise_own, models::RecogniseOwn::after_unknown);
  EXPECT_EQ(s.lock.options.wait_replicas, 2U);
  EXPECT_EQ(s.lock.options.wait_timeout, 3s);
  EXPECT_EQ(s.lock.options.check_at, models::CheckAt::replica);
  EXPECT_EQ(s.lock.options.attempts, 7U);
  EXPECT_EQ(s.lock.options.resend_delay, 11ms);
  EXPECT_EQ(s.lock.options.resend_delay_most, 12ms);
  EXPECT_EQ(s.lock.options.connections, 3U);
  EXPECT_TRUE(s.lock.options.keep_timed_out);
  EXPECT_EQ(s.lock.options.connects, models::Connects::at_start);
  EXPECT_EQ(s.lock.options.resubscribe_every, 13ms);
  EXPECT_EQ(s.lock.options.clock, ClientClock::wall);
  EXPECT_TRUE(s.lock.options.deadline);
  EXPECT_FALSE(s.lock.options.tell_loss);
  EXPECT_EQ(s.lock.options.local_mutex, models::LocalMutex::freed);

  const redis::Spec& redis = s.servers.of<redis::Spec>();
  EXPECT_EQ(redis.masters, 3U);
  EXPECT_EQ(redis.replicas, 2U);
  EXPECT_EQ(redis.sentinels, 3U);
  EXPECT_EQ(redis.sentinel.quorum, 1U);
  EXPECT_EQ(redis.sentinel.down_after, 5s);
  EXPECT_EQ(redis.sentinel.failover_timeout, 1min);
  EXPECT_EQ(redis.config, std::vector<std::string>{"min-replicas-to-write 1"});
  ASSERT_EQ(redis.nodes.size(), 1U);
  EXPECT_EQ(redis.nodes[0].name, "redis-2-replica-1");
  EXPECT_EQ(redis.nodes[0].clock_offset, 4s);
  EXPECT_EQ(redis.nodes[0].clock_rate_ppb, 300);
  EXPECT_EQ(redis.nodes[0].config,
            (std::vector<std::string>{"replica-priority 50", "maxmemory 100mb"}));
  EXPECT_EQ(redis.service, 20us);
  EXPECT_EQ(redis.clock_offset, -3s);
  EXPECT_EQ(redis.clock_rate_ppb, -200'000);
  EXPECT_EQ(redis.gc.every, 10s);
  EXPECT_EQ(redis.gc.low, 2ms);
  EXPECT_EQ(redis.gc.high, 4s);
  EXPECT_EQ(s.servers.resource.fencing, Fencing::ideal);
  EXPECT_EQ(s.servers.resource.service, 1ms);

  EXPECT_EQ(s.network.latency.low, 500us);
  EXPECT_EQ(s.network.latency.high, 2ms);
  EXPECT_EQ(s.network.latency.tail_one_in, 1000U);
  EXPECT_EQ(s.network.latency.tail_high, 1s);
  EXPECT_EQ(s.network.order, Order::any);
  EXPECT_EQ(s.network.priorities, 7u);
  EXPECT_EQ(s.network.priority_changes, (std::vector<std::uint64_t>{3, 20}));
  EXPECT_EQ(s.network.break_after, 15min);
  ASSERT_EQ(s.network.links.size(), 1U);
  const Link& link = s.network.links[0];
  EXPECT_EQ(link.from, "client-1");
  EXPECT_EQ(link.to, "redis-2");
  EXPECT_EQ(link.latency.low, 7ms);
  EXPECT_EQ(link.latency.high, 7ms);
  EXPECT_EQ(link.latency.tail_one_in, 9U);
  EXPECT_EQ(link.latency.tail_high, 8ms);
  EXPECT_FALSE(link.both);
  EXPECT_EQ(link.line, line_of("[[network.link]]\nfrom = \"client-1\""));

  EXPECT_EQ(s.clients.count, 4U);
  EXPECT_EQ(s.clients.arrive_every, 0s);
  EXPECT_EQ(s.clients.hold, 5s);
  EXPECT_EQ(s.clients.writes, 3U);
  EXPECT_EQ(s.clients.cycles, 20U);
  EXPECT_EQ(s.clients.think, 1s);
  EXPECT_EQ(s.clients.write_timeout, 2s);
  EXPECT_EQ(s.clients.threads, 2U);
  EXPECT_EQ(s.clients.threads_arrive_every, 18ms);
  EXPECT_EQ(s.clients.operators, 1U);
  EXPECT_EQ(s.clients.force, ForceUnlock::conditional);
  EXPECT_EQ(s.clients.server_order, ServerOrder::alternating);
  EXPECT_EQ(s.clients.scan_every, 19ms);
  EXPECT_EQ(s.clients.nested_after, 20ms);
  EXPECT_EQ(s.clients.nested_for, 21ms);
  EXPECT_EQ(s.clients.find_by, FindBy::monitors);
  EXPECT_TRUE(s.clients.check_before_write);
  EXPECT_TRUE(s.clients.nested);
  EXPECT_EQ(s.clients.progress, Progress::set_keepttl);
  EXPECT_EQ(s.clients.gc.every, 20s);
  EXPECT_EQ(s.clients.gc.low, 3ms);
  EXPECT_EQ(s.clients.gc.high, 5s);

  EXPECT_EQ(s.expect.violated, (std::vector{Property::own_release, Property::mutual_exclusion}));
  EXPECT_EQ(s.expect.longest_wait, std::pair(Duration(9s), Duration(11s)));
  EXPECT_EQ(s.expect.digest, 0xdeadbeefU);
  EXPECT_GT(s.expect.line, 0);
}

TEST(Loader, ReadsEveryKeyOfThePlan) {
  const Scenario s = testing::parsed(testing::kComplete);
  ASSERT_FALSE(s.faults.empty());
  const auto fault = [&](sim::Verb verb) {
    for (const sim::Fault& each : s.faults) {
      if (each.verb == verb) return each;
    }
    ADD_FAILURE() << "no " << verbs::name(verb);
    return sim::Fault{};
  };

  const sim::Fault pause = fault(sim::Verb::pause);
  EXPECT_EQ(pause.target, "client-1");
  EXPECT_EQ(pause.lasts, 8s);
  EXPECT_EQ(pause.line, line_of("[[fault]]\npause = \"client-1\""));
  EXPECT_EQ(pause.trigger.at, std::nullopt);
  EXPECT_EQ(pause.trigger.side, sim::Side::before);
  EXPECT_EQ(pause.trigger.role, Role::release);
  EXPECT_EQ(pause.trigger.phase, sim::Phase::sent);
  EXPECT_EQ(pause.trigger.nth, 2U);
  EXPECT_EQ(pause.trigger.by, "client-2");
  EXPECT_EQ(pause.trigger.on, "redis-1");
  EXPECT_EQ(pause.trigger.command, "DEL");

  const sim::Fault crash = fault(sim::Verb::crash);
  EXPECT_EQ(crash.trigger.side, sim::Side::after);
  EXPECT_EQ(crash.trigger.mark, "owner-checked");
  EXPECT_TRUE(crash.host);
  EXPECT_TRUE(crash.silent);
  EXPECT_EQ(crash.keeps, sim::Keeps::all);

  EXPECT_EQ(fault(sim::Verb::restart).trigger.at, sim::kStart + 3200ms);
  EXPECT_EQ(fault(sim::Verb::restart).lasts, std::nullopt);
  EXPECT_EQ(fault(sim::Verb::end_thread).trigger.phase, sim::Phase::replied);
  EXPECT_EQ(fault(sim::Verb::step_clock).step, -2s);
  EXPECT_EQ(fault(sim::Verb::set_clock_rate).rate_ppb, 10'000'000);
  const sim::Fault partition = fault(sim::Verb::partition);
  EXPECT_EQ(partition.from, (std::vector<std::string>{"redis-1", "redis-2"}));
  EXPECT_TRUE(partition.outbound);
  EXPECT_FALSE(partition.inbound);
  EXPECT_EQ(fault(sim::Verb::hold).trigger.role, Role::check);
  EXPECT_EQ(fault(sim::Verb::hold).trigger.phase, sim::Phase::applied);
  EXPECT_EQ(fault(sim::Verb::delay).target, "resource");
  EXPECT_EQ(fault(models::kEvict).key, "lock:2");
  EXPECT_EQ(fault(sim::Verb::slow).step, 5ms);
}

TEST(Loader, ReadsTwinsAndNeighbours) {
  const Scenario s = testing::parsed(testing::kComplete);
  ASSERT_EQ(s.twins.size(), 2U);
  EXPECT_EQ(s.twins[0].changes.at(0).path, "fault.1.before");
  EXPECT_EQ(s.twins[0].changes.at(0).value, "\"check.sent\"");
  EXPECT_EQ(s.twins[0].expect.violated, std::vector{Property::not_stuck});
  EXPECT_EQ(s.twins[0].expect.longest_wait, std::pair(Duration(1s), Duration(1s)));
  EXPECT_EQ(s.twins[0].expect.digest, ~std::uint64_t{0});
  EXPECT_EQ(s.twins[1].changes.at(0).path, "network.latency");
  EXPECT_EQ(s.twins[1].changes.at(0).value, "[\"1ms\", \"2ms\"]");

  ASSERT_EQ(s.neighbours.size(), 1U);
  const Neighbour& neighbour = s.neighbours[0];
  EXPECT_EQ(neighbour.fault, 1U);
  EXPECT_EQ(neighbour.trigger.side, sim::Side::after);
  EXPECT_EQ(neighbour.trigger.phase, sim::Phase::applied);
  EXPECT_EQ(neighbour.trigger.command, "GET");
  EXPECT_EQ(neighbour.trigger.nth, 2U) << "as in the fault itself";
  EXPECT_EQ(neighbour.trigger.by, "client-2");
}

TEST(Loader, ReadsRatesDigitByDigit) {
  const auto rate = [](const std::string& text) {
    return testing::parsed(
               with_fault("set-clock-rate = \"redis-1\"\nat = \"1s\"\nrate = " + text + "\n"))
        .faults[0]
        .rate_ppb;
  };
  EXPECT_EQ(rate("1"), 0);
  EXPECT_EQ(rate("2"), 1'000'000'000);
  EXPECT_EQ(rate("1.01"), 10'000'000);
  EXPECT_EQ(rate("0.999999999"), -1);
  EXPECT_EQ(rate("1.000000001"), 1);
  EXPECT_EQ(rate("1e-3"), -999'000'000);
  EXPECT_EQ(rate("999.123456789"), 998'123'456'789);
  EXPECT_EQ(rate("1000.0"), 999'000'000'000);
}

TEST(Loader, WantsTheFormatFirst) {
  EXPECT_EQ(error_of(""),
            "story.toml:1: key `format`: is missing: a scenario file starts with `format = 1`");
  EXPECT_EQ(error_of("nonsense = 3\nformat = 2\n"),
            "story.toml:2: key `format`: must be 1, the only format that this program reads");
  EXPECT_EQ(error_of("format = \"1\"\n"),
            "story.toml:1: key `format`: must be a whole number, not text");
}

TEST(Loader, NamesTheLineThatIsNotToml) {
  EXPECT_EQ(error_of("format = 1\n[lock\n"),
            "story.toml:2: is not TOML: expected ']', saw the end of the line (in a table header)");
  EXPECT_EQ(error_of("format = 1\nformat = 1\n"), "story.toml:2: `format` is given twice");
  EXPECT_EQ(error_of(head() + "[lock]\nttl = \"3s\"\n"), "story.toml:6: `lock` is given twice");
  EXPECT_EQ(error_of("format = 1\ntitle = story\n"),
            "story.toml:2: is not TOML: this is not a value; text needs quotes");
  EXPECT_EQ(error_of("format = 1\ntitle = \"a story\n"),
            "story.toml:2: is not TOML: a text has no closing quote on its line, or has a control "
            "character");
  EXPECT_EQ(error_of("format = 1\nseed = 99999999999999999999\n"),
            "story.toml:2: is not TOML: '99999999999999999999' is not representable in 64 bits (in "
            "a decimal integer)");
  EXPECT_EQ(error_of("format = 1\ntitle = \n"),
            "story.toml:2: is not TOML: expected value, saw the end of the line (in a key-value "
            "pair)");
  EXPECT_EQ(error_of("\xff\xfe" + std::string("f\0o\0", 4)),
            "story.toml:1: is not TOML: the file is not UTF-8 text");
  EXPECT_EQ(error_of("\xef\xbb\xbf"
                     "format = 2\r\n"),
            "story.toml:1: key `format`: must be 1, the only format that this program reads")
      << "a byte order mark and CRLF are TOML";
  EXPECT_EQ(error_of(std::string("format = 1\n\0", 12)),
            "story.toml:2: is not TOML: expected keys, tables, whitespace or comments, saw "
            "'\\u0000' (in a root table)");
}

TEST(Loader, NamesTheNearestKeyWhenOneIsUnknown) {
  EXPECT_EQ(error_of(head() + "hodl = \"3s\"\n"),
            "story.toml:6: key `clients.hodl`: there is no such key; did you mean `clients.hold`?");
  EXPECT_EQ(error_of(head() + "[lokc]\nttl = \"3s\"\n"),
            "story.toml:6: key `lokc`: there is no such key; did you mean `lock`?");
  EXPECT_EQ(
      error_of(with_fault("pase = \"client-1\"\n")),
      "story.toml:7: key `fault.1.pase`: there is no such key; did you mean `fault.1.pause`?");
  EXPECT_EQ(
      error_of(head() + "\"gc.every\" = \"3s\"\n"),
      "story.toml:6: key `clients.gc.every`: there is no such key; docs/scenario-format.md lists "
      "them all");
}

TEST(Loader, EscapesAndCutsWhatTheFileSays) {
  EXPECT_EQ(error_of("format = 1\n\"a\\n\\u001b\" = 1\n"),
            "story.toml:2: key `a\\n\\x1b`: there is no such key; the keys here are "
            "format, title, source, control, seed, ties, lock, servers, network, clients, client, "
            "fault, expect, twin, neighbour, complete");
  EXPECT_EQ(error_of("format = 1\n" + std::string(1000, 'k') + " = 1\n"),
            "story.toml:2: key `" + std::string(100, 'k') +
                "...`: there is no such key; the keys here are format, title, source, control, "
                "seed, ties, "
                "lock, servers, network, clients, client, fault, expect, twin, neighbour, "
                "complete");
  EXPECT_EQ(error_of("format = 1\nlock.algorithm = 'lua-check-delete'\n[complete]\nplans = 3\n"),
            "story.toml:3: key `complete.faults`: must be given");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"" + std::string(1000, 'k') + "\"\n"),
            "story.toml:3: key `lock.algorithm`: there is no algorithm \"" + std::string(60, 'k') +
                "...\"; `picklock list algorithms` lists them all");
}

TEST(Loader, NamesTheTypeItWants) {
  EXPECT_EQ(
      error_of(head() + "hold = 3\n"),
      "story.toml:6: key `clients.hold`: must be a duration in quotes, such as \"1.5s\", not a "
      "whole number");
  EXPECT_EQ(
      error_of(head() + "think = 2020-01-01\n"),
      "story.toml:6: key `clients.think`: must be a duration in quotes, such as \"1.5s\", not a "
      "date or time");
  EXPECT_EQ(error_of(head() + "writes = 1.0\n"),
            "story.toml:6: key `clients.writes`: must be a whole number, not a number with a "
            "decimal point");
  EXPECT_EQ(error_of("control = \"yes\"\n" + head()),
            "story.toml:1: key `control`: must be true or false, not text");
  EXPECT_EQ(error_of("title = true\n" + head()),
            "story.toml:1: key `title`: must be text in quotes, not true or false");
  EXPECT_EQ(error_of("title = \"\"\n" + head()), "story.toml:1: key `title`: must not be empty");
  EXPECT_EQ(error_of("format = 1\nlock = 3\n"),
            "story.toml:2: key `lock`: must be a table, not a whole number");
  EXPECT_EQ(
      error_of("format = 1\n[fault]\npause = \"client-1\"\n"),
      "story.toml:2: key `fault`: must be an array of tables: write [[fault]] before each of them");
  EXPECT_EQ(error_of("format = 1\nfault = [1]\n"),
            "story.toml:2: key `fault.1`: must be a table, not a whole number");
}

TEST(Loader, KeepsNumbersAndTimesWithinBounds) {
  const std::string lock = "format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n";
  EXPECT_EQ(error_of(lock + "ttl = \"-10s\"\n"),
            "story.toml:4: key `lock.ttl`: must not be negative, but is \"-10s\"");
  EXPECT_EQ(error_of(lock + "ttl = \"0s\"\n"),
            "story.toml:4: key `lock.ttl`: must be more than 0s, not \"0s\"");
  EXPECT_EQ(error_of(lock + "retry_jitter = \"-1ns\"\n"),
            "story.toml:4: key `lock.retry_jitter`: must not be negative, but is \"-1ns\"");
  EXPECT_EQ(
      error_of(lock + "ttl = \"101years\"\n"),
      "story.toml:4: key `lock.ttl`: must be a duration such as \"1.5s\", not \"101years\"; the "
      "units are ns, us, ms, s, m, h");
  EXPECT_EQ(error_of(lock + "ttl = \"10\"\n"),
            "story.toml:4: key `lock.ttl`: must have a unit, as in \"10s\", not \"10\"; the units "
            "are ns, us, ms, s, m, h");
  EXPECT_EQ(error_of(lock + "ttl = \"10 sec\"\n"),
            "story.toml:4: key `lock.ttl`: must be a duration such as \"1.5s\", not \"10 sec\"; "
            "did you mean `10s`?");
  EXPECT_EQ(error_of(lock + "[clients]\ncount = 0\n"),
            "story.toml:5: key `clients.count`: must be from 1 to 100000, not 0");
  EXPECT_EQ(
      error_of(lock + "[clients]\ncount = 100000\n"),
      "story.toml:5: key `clients.count`: makes 100000 threads of clients, more than a run can "
      "have, which is 4000");
  EXPECT_EQ(
      error_of(lock + "[clients]\ncount = 201\nthreads = 100\n"),
      "story.toml:6: key `clients.threads`: makes 20100 threads of clients, more than a run can "
      "have, which is 4000");
  EXPECT_EQ(error_of(lock + "[clients]\ncount = 1000000000000\n"),
            "story.toml:5: key `clients.count`: must be from 1 to 100000, not 1000000000000");
  EXPECT_EQ(error_of(lock + "[clients.gc]\nlow = \"2s\"\n"),
            "story.toml:4: key `clients.gc.high`: is 1s, less than `low`, which is 2s");
  EXPECT_EQ(error_of(lock + "[network]\nlatency = [\"2ms\", \"1ms\"]\n"),
            "story.toml:5: key `network.latency`: the maximum is less than the minimum");
  EXPECT_EQ(error_of(lock + "[network]\ntail_one_in = 100\n"),
            "story.toml:4: key `network.tail_high`: is 0s, less than the ordinary latency, which "
            "is up to 0.0005s");
  std::string many = head();
  for (int i = 0; i < 1001; ++i) many += "[[fault]]\n";
  EXPECT_EQ(
      error_of(many),
      "story.toml:1006: key `fault.1001`: is one too many: a file may have at most 1000 of these");
}

TEST(Loader, KnowsTheAlgorithms) {
  EXPECT_EQ(error_of("format = 1\n"),
            "story.toml:1: key `lock.algorithm`: must be given; `picklock list algorithms` lists "
            "them all");
  EXPECT_EQ(error_of("format = 1\n[lock]\nttl = \"3s\"\n"),
            "story.toml:2: key `lock.algorithm`: must be given; `picklock list algorithms` lists "
            "them all");
  EXPECT_EQ(
      error_of("format = 1\n[lock]\nalgorithm = \"lua-check-delet\"\n"),
      "story.toml:3: key `lock.algorithm`: there is no algorithm \"lua-check-delet\"; did you mean "
      "`lua-check-delete`?");
}

TEST(Loader, ChecksExpectations) {
  EXPECT_EQ(error_of(head() + "[expect]\nviolated = [\"own-relase\"]\n"),
            fmt::format("story.toml:7: key `expect.violated.1`: \"own-relase\" is not one of {}; "
                        "did you mean `own-release`?",
                        fmt::join(kPropertyNames, ", ")));
  EXPECT_EQ(error_of(head() + "[expect]\nviolated = [\"not-stuck\", \"not-stuck\"]\n"),
            "story.toml:7: key `expect.violated.2`: this property is listed twice");
  EXPECT_EQ(error_of(head() + "[expect]\nviolated = \"not-stuck\"\n"),
            "story.toml:7: key `expect.violated`: must be an array in square brackets, not text");
  for (const char* wait : {"[\"3s\"]", "\"3s\""}) {
    EXPECT_EQ(error_of(head() + "[expect]\nlongest_wait = " + wait + "\n"),
              "story.toml:7: key `expect.longest_wait`: must be two durations, the minimum and the "
              "maximum, such as [\"9s\", \"11s\"]");
  }
  EXPECT_EQ(error_of(head() + "[expect]\nlongest_wait = [\"3s\", \"2s\"]\n"),
            "story.toml:7: key `expect.longest_wait`: the maximum is less than the minimum");
  EXPECT_EQ(
      error_of(head() + "[expect]\ndigest = \"0x00000000000000\"\n"),
      "story.toml:7: key `expect.digest`: must be 16 hexadecimal digits, not \"0x00000000000000\"");
}

TEST(Loader, ATwinMayChangeSeveralKeysThatBelongTogether) {
  const Document document(
      "format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n[[twin]]\n"
      "lock.algorithm = 'redlock'\nlock.validity = 'never'\nservers.redis.masters = 5\n"
      "seed = 3\nviolated = []\n",
      "story.toml");
  const Scenario scenario = document.scenario(shipped_vocabulary());
  ASSERT_EQ(scenario.twins.size(), 1U);
  EXPECT_EQ(in_words(scenario.twins[0].changes),
            "lock.algorithm = \"redlock\", lock.validity = \"never\", servers.redis.masters = 5, "
            "seed = 3");
  const Scenario twin = document.twin(0, shipped_vocabulary());
  EXPECT_EQ(twin.lock.algorithm, "redlock");
  EXPECT_EQ(twin.seed, 3U);
  EXPECT_EQ(primaries(twin), 5U);
  EXPECT_EQ(file_text(scenario),
            file_text(parse(file_text(scenario), "story.toml", shipped_vocabulary())));
}

TEST(Loader, ATwinIsToldInShortWords) {
  const auto words = [](const std::string& change) {
    const Document document(
        "format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n[[fault]]\nset-clock-rate = "
        "'client-1'\n"
        "rate = 1.1\nat = '1s'\n[[twin]]\nviolated = []\n" +
            change,
        "story.toml");
    return in_words(document.scenario(shipped_vocabulary()).twins.at(0).changes);
  };
  EXPECT_EQ(words("fault.1.rate = 0.9\n"), "fault.1.rate = 0.9");
  EXPECT_EQ(words("fault.1.rate = 2.0\n"), "fault.1.rate = 2.0");
  EXPECT_EQ(words("lock.release_script.lua = \"\\nlocal one = 1\\nreturn one\\n\"\n"),
            "lock.release_script.lua = \"local one = 1 ...\"");
  EXPECT_EQ(words("lock.release_script.lua = \"return 1\"\n"),
            "lock.release_script.lua = \"return 1\"");
}

TEST(Loader, ChecksTwinsAndNeighbours) {
  EXPECT_EQ(error_of(head() + "[[twin]]\nlock.algorithm = \"lua\"\n"),
            "story.toml:6: key `lock.algorithm`: there is no algorithm \"lua\"; did you mean "
            "`lua-check-delete`? (in the twin of line 6)");
  EXPECT_EQ(
      error_of(head() + "[[twin]]\nlock.ttl = \"-3s\"\n"),
      "story.toml:6: key `lock.ttl`: must not be negative, but is \"-3s\" (in the twin of line 6)");
  EXPECT_EQ(error_of(head() + "[[twin]]\nviolated = []\n"),
            "story.toml:6: key `twin.1`: a twin must change a key, such as `lock.algorithm`; "
            "this one changes none");
  EXPECT_EQ(error_of(head() + "[[twin]]\nlock.ttl = \"3s\"\nlock.key = 3\n"),
            "story.toml:6: key `lock.key`: must be text in quotes, not a whole number (in the "
            "twin of line 6)");
  EXPECT_EQ(error_of(head() + "[[twin]]\nlok.ttl = \"3s\"\n"),
            "story.toml:7: key `twin.1.lok`: there is no such key; did you mean `lock`?");
  EXPECT_EQ(error_of(head() + "[[twin]]\nexpect.violated = []\n"),
            "story.toml:7: key `twin.1.expect`: a twin cannot change this key; it can only change "
            "what the run itself uses");
  EXPECT_EQ(
      error_of(head() + "[[twin]]\nfault.2.for = \"3s\"\n"),
      "story.toml:6: key `fault.2.for`: there is no `fault` to change (in the twin of line 6)");
  EXPECT_EQ(
      error_of(with_fault(kPause + "before = \"check.sent\"\n[[twin]]\n"
                                   "lock.algorithm = \"lua-check-delete\"\n")),
      "story.toml:9: key `fault.1.before`: lua-check-delete has no step \"check\"; it has acquire, "
      "release, write (in the twin of line 10)");
  EXPECT_EQ(error_of(head() + "[[neighbour]]\nbefore = \"write.sent\"\n"),
            "story.toml:6: key `neighbour.1`: there is no fault 1; the file has 0");
  EXPECT_EQ(error_of(with_fault("drop = \"client-1\"\nbefore = \"check.sent\"\n[[neighbour]]\n"
                                "fault = 1\nafter = \"check.replied\"\n")),
            "story.toml:11: key `neighbour.1.after`: is too late for `drop`: the reply has arrived "
            "by then; \"sent\" means the request and \"applied\" the reply");
}

TEST(Loader, BoundsSizeAndDepthBeforeItParses) {
  EXPECT_EQ(error_of(std::string(10'000'000, 'x')), "story.toml: is larger than 1 MiB");
  EXPECT_EQ(error_of("a = " + std::string(100'000, '[')),
            "story.toml:1: is nested more than 16 levels deep");
  std::string dots = "a";
  for (int i = 0; i < 100'000; ++i) dots += ".a";
  EXPECT_EQ(error_of(dots + " = 1\n"), "story.toml:1: is nested more than 16 levels deep");
  EXPECT_EQ(error_of("format = 1\n[" + dots + "]\n"),
            "story.toml:2: is nested more than 16 levels deep");
}

TEST(Loader, RefusesOptionsThatTheLockDoesNotLookAt) {
  const auto error_with = [](const std::string& lock, const std::string& line) {
    return error_of("format = 1\nlock.algorithm = \"" + lock + "\"\nlock." + line + "\n");
  };
  EXPECT_EQ(error_with("lua-check-delete", "renew = \"blind\""),
            "story.toml:3: key `lock.renew`: lua-check-delete does not use this key");
  EXPECT_EQ(error_with("set-px-blind-delete", "recognise_own = \"always\""),
            "story.toml:3: key `lock.recognise_own`: set-px-blind-delete does not use this key");
  EXPECT_EQ(error_with("lua-check-delete", "ttl = \"500us\""),
            "story.toml:3: key `lock.ttl`: must be a multiple of 1ms, the unit of a lease "
            "of lua-check-delete, not 500us");
  EXPECT_EQ(error_with("set-px-blind-delete", "ttl = \"1500ms\""),
            "story.toml:3: key `lock.ttl`: must be a multiple of 1s, the unit of a lease of "
            "set-px-blind-delete, not 1500ms");
}

}  // namespace
}  // namespace picklock::scenarios
