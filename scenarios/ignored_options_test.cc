// Keys of [lock] that the lock of a file does not use.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "scenarios/document.h"
#include "scenarios/runner.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

std::string error_of_lock(const std::string& algorithm, const std::string& more,
                          std::initializer_list<const char*> changes = {}) {
  return testing::error_from([&] {
    Document document("format = 1\n[lock]\nalgorithm = \"" + algorithm + "\"\n" + more, "a.toml");
    for (const char* change : changes) document.set(change_from(change));
    document.scenario(shipped_vocabulary());
  });
}

TEST(IgnoredOptions, AreRefusedWhereTheLockDoesNotUseThem) {
  const auto refused = [](const std::string& algorithm, const std::string& key,
                          const std::string& value) {
    EXPECT_EQ(error_of_lock(algorithm, key + " = " + value + "\n"),
              "a.toml:4: key `lock." + key + "`: " + algorithm + " does not use this key");
  };
  refused("set-px-blind-delete", "steal", "\"getset\"");
  refused("naive-setnx", "ttl", "\"5s\"");
  refused("naive-setnx", "renew", "\"none\"");
  refused("naive-setnx", "renew_every", "\"5s\"");
  refused("setnx-timestamp", "wait_timeout", "\"5s\"");
  refused("redlock", "value", "\"client\"");
  for (const char* redisson : {"redisson-lock", "redisson-spin-lock", "redisson-redlock"}) {
    refused(redisson, "retry_every", "\"5s\"");
    refused(redisson, "retry_jitter", "\"5s\"");
    refused(redisson, "value", "\"client\"");
    refused(redisson, "renew_every", "\"5s\"");
  }
  EXPECT_EQ(error_of_lock("setnx-timestamp", "steal = \"getset\"\n"), "loads");
  EXPECT_EQ(error_of_lock("lease-store-lock", "renew_every = \"1s\"\nretry_every = \"1s\"\n"),
            "loads");
}

TEST(IgnoredOptions, AreRefusedWithoutTheKeyThatTheyGoWith) {
  EXPECT_EQ(error_of_lock("lua-check-delete", "renew_every = \"1s\"\n"),
            "a.toml:4: key `lock.renew_every`: has no effect while `renew` is \"none\"");
  EXPECT_EQ(error_of_lock("lua-check-delete", "renew_every = \"1s\"\nrenew = \"blind\"\n"),
            "loads");
  EXPECT_EQ(error_of_lock("watchdog", "renew_every = \"1s\"\n"), "loads") << "it comes renewing";
  EXPECT_EQ(error_of_lock("lua-check-delete", "wait_timeout = \"1s\"\n"),
            "a.toml:4: key `lock.wait_timeout`: has no effect without `wait_replicas`");
  EXPECT_EQ(error_of_lock("redisson-lock", "wait_timeout = \"1s\"\n"),
            "a.toml:4: key `lock.wait_timeout`: has no effect without `sync_replicas = true`");
  EXPECT_EQ(error_of_lock("redisson-lock", "wait_timeout = \"1s\"\nsync_replicas = true\n"),
            "loads");
}

TEST(IgnoredOptions, OfResendsRenewalsAndTimersNeedThose) {
  const auto refused = [](const std::string& algorithm, const std::string& line,
                          const std::string& what) {
    EXPECT_EQ(error_of_lock(algorithm, line + "\n"),
              "a.toml:4: key `lock." + line.substr(0, line.find(' ')) + "`: has no effect " + what);
  };
  refused("lua-check-delete", "resend_delay = \"1s\"", "while `resend` is 0");
  refused("redlock", "resend_delay_most = \"1s\"", "without `resend` and `resend_delay`");
  refused("lua-check-delete", "tell_loss = false", "while `renew` is \"none\"");
  refused("redisson-lock", "renew_after_error = false", "without `timer_per_lock = true`");
  refused("redlock", "extend_missing = true", "while `renew` is \"none\"");
  refused("redlock", "extends = \"as-acquired\"", "while `renew` is \"none\"");
  EXPECT_EQ(error_of_lock("redisson-lock", "renew_after_error = false\ntimer_per_lock = true\n"),
            "loads");
  EXPECT_EQ(error_of_lock("lua-check-delete", "resend = 1\nresend_delay = \"1s\"\n"), "loads");
  EXPECT_EQ(error_of_lock("curator-mutex", "resend_delay = \"2s\"\n"), "loads")
      << "it comes sending again";
}

TEST(IgnoredOptions, OfScriptsAndTokensNeedWhatUsesThem) {
  const auto refused = [](const std::string& algorithm, const std::string& lines,
                          const std::string& key, const std::string& what) {
    EXPECT_EQ(error_of_lock(algorithm, lines),
              "a.toml:4: key `" + key + "`: has no effect " + what);
  };
  const std::string renewal = "renew_script = { lua = \"return 1\" }\n";
  refused("lua-check-delete", renewal, "lock.renew_script", "unless `renew` is \"conditional\"");
  refused("lua-check-delete", renewal + "renew = \"blind\"\n", "lock.renew_script",
          "unless `renew` is \"conditional\"");
  EXPECT_EQ(error_of_lock("lua-check-delete", renewal + "renew = \"conditional\"\n"), "loads");
  EXPECT_EQ(error_of_lock("redisson-fair-lock", renewal), "loads");
  const std::string raised = "tokens = \"raised\"\n";
  const std::string in_script = "[servers.resource]\nfencing = \"in-script\"\n";
  refused("redlock", raised, "lock.tokens", "unless `servers.resource.fencing` is \"in-script\"");
  EXPECT_EQ(error_of_lock("redlock", raised + in_script), "loads");
  EXPECT_EQ(error_of_lock("redlock", raised + in_script, {"servers.resource.fencing=ideal"}),
            "loads");
  refused("shedlock", "release_compares = false\ndb_time = true\n", "lock.release_compares",
          "while `db_time` is true");
}

TEST(IgnoredOptions, OfAGuardNeedADelay) {
  const std::string clock = "[servers.redis]\nrestart_clock = \"wall\"\n";
  EXPECT_EQ(error_of_lock("redlock", clock),
            "a.toml:5: key `servers.redis.restart_clock`: has no effect without `restart_delay`");
  EXPECT_EQ(error_of_lock("redlock", clock + "restart_delay = \"9s\"\n"), "loads");
  EXPECT_EQ(error_of_lock("redlock", clock + "restart_delay = \"9s\"\n",
                          {"servers.redis.restart_delay=0s"}),
            "loads");
}

TEST(IgnoredOptions, OfServersAreThoseThatMeanNothingToTheLock) {
  const auto refused = [](const std::string& algorithm, const std::string& table,
                          const std::string& line, const std::string& what) {
    const std::string key = table + "." + line.substr(0, line.find(' '));
    EXPECT_EQ(error_of_lock(algorithm, "[" + table + "]\n" + line + "\n"),
              "a.toml:5: key `" + key + "`: has no effect with a lock " + what);
  };
  const std::string offset = "clock_offset = \"3s\"";
  refused("naive-setnx", "servers.redis", offset, "whose entries do not expire");
  refused("setnx-timestamp", "servers.redis", offset, "whose entries do not expire");
  EXPECT_EQ(error_of_lock("setnx-expire", "[servers.redis]\n" + offset + "\n"), "loads");
  const std::string isolation = "isolation = \"read-committed\"";
  refused("mysql-row-lock", "servers.mysql", isolation,
          "whose statements run alike under every isolation level");
  EXPECT_EQ(error_of_lock("mysql-probe-insert", "[servers.mysql]\n" + isolation + "\n"), "loads");
}

TEST(IgnoredOptions, OutsideTheLockNeedTheKeyThatTheyGoWith) {
  const auto refused = [](const std::string& algorithm, const std::string& table,
                          const std::string& line, const std::string& what,
                          const std::string& remedy) {
    const std::string key = table + "." + line.substr(0, line.find(' '));
    EXPECT_EQ(error_of_lock(algorithm, "[" + table + "]\n" + line + "\n"),
              "a.toml:5: key `" + key + "`: has no effect " + what);
    EXPECT_EQ(error_of_lock(algorithm, "[" + table + "]\n" + line + "\n", {remedy.c_str()}),
              "loads")
        << key;
  };
  const std::string lua = "lua-check-delete";
  refused(lua, "network", "tail_high = \"1s\"", "while `tail_one_in` is 0",
          "network.tail_one_in=9");
  refused(lua, "network", "order = \"any\"", "while every latency is a single duration",
          "network.latency=['1ms', '9ms']");
  refused(lua, "network", "priorities = 3\nlatency = ['1ms', '9ms']", "unless `order` is any",
          "network.order=any");
  refused(lua, "network", "priority_changes = [3]\norder = 'any'\nlatency = ['1ms', '9ms']",
          "while `priorities` is 0", "network.priorities=3");
  refused(lua, "clients", "threads_arrive_every = \"1s\"", "while `threads` is 1",
          "clients.threads=2");
  refused(lua, "clients", "arrive_every = \"2s\"\ncount = 1", "while `count` is 1",
          "clients.count=2");
  refused(lua, "clients", "think = \"2s\"", "while `cycles` is 1", "clients.cycles=2");
  refused(lua, "clients", "nested_for = \"2s\"", "without `nested = true`", "clients.nested=true");
  refused(lua, "clients", "write_timeout = \"2s\"\nwrites = 0",
          "on a client that sends nothing to the resource", "clients.writes=1");
  refused(lua, "clients", "check_before_write = true\nwrites = 0",
          "on a client that writes nothing", "clients.writes=1");
  refused("redlock", "clients", "server_order = \"alternating\"", "on a single server",
          "servers.redis.masters=3");
  refused("redlock", "clients", "servers = [\"redis-1\"]", "where there is a single primary",
          "servers.redis.masters=3");
  refused(lua, "clients", "scan_every = \"1s\"", "without a replica that could become the primary",
          "servers.redis.replicas=1");
  refused(lua, "clients.gc", "low = \"2ms\"", "without `every`", "clients.gc.every=1s");
  refused(lua, "servers.redis.gc", "high = \"2s\"", "without `every`", "servers.redis.gc.every=1s");
  refused(lua, "servers.redis", "relative_expiry = true", "without `replicas`",
          "servers.redis.replicas=1");
  refused(lua, "servers.redis.cluster", "first_map = \"none\"\nenabled = true",
          "with a single master", "servers.redis.masters=3");
  refused("mysql-row-lock", "servers.mysql", "promote_after = \"2s\"", "without `replicas`",
          "servers.mysql.replicas=1");
  refused("zk-sequential", "servers.zookeeper", "sequence_wraps = true",
          "while `first_sequence` is 0", "servers.zookeeper.first_sequence=2147483647");
  refused("zk-ephemeral", "servers.zookeeper", "first_sequence = 7",
          "with a lock whose clients create no sequential znode", "lock.algorithm=zk-sequential");
}

TEST(IgnoredOptions, OutsideTheLockAreThoseOfOneClientToo) {
  const std::string client = "[[client]]\nname = \"client-2\"\n";
  EXPECT_EQ(error_of_lock("lua-check-delete", client + "threads_arrive_every = \"1s\"\n"),
            "a.toml:6: key `client.1.threads_arrive_every`: has no effect while `threads` is 1");
  EXPECT_EQ(
      error_of_lock("lua-check-delete", client + "threads = 2\nthreads_arrive_every = \"1s\"\n"),
      "loads");
  EXPECT_EQ(error_of_lock("lua-check-delete",
                          "[clients]\nthreads_arrive_every = \"1s\"\n" + client + "threads = 2\n"),
            "loads")
      << "one client has the threads";
  EXPECT_EQ(error_of_lock("redlock", "[servers.redis.sentinel]\ndown_after = \"1s\"\n"),
            "a.toml:5: key `servers.redis.sentinel.down_after`: has no effect without `sentinels`");
}

TEST(IgnoredOptions, OfCommandsAreNotThoseOfEveryServer) {
  const auto refused = [](const std::string& algorithm, const std::string& line) {
    EXPECT_EQ(error_of_lock(algorithm, line + "\n"),
              "a.toml:4: key `lock." + line.substr(0, line.find(' ')) + "`: " + algorithm +
                  " does not use this key");
  };
  refused("zk-sequential", "command_timeout = \"1s\"");
  refused("zk-sequential", "connections = 2");
  refused("mysql-row-lock", "resend = 1");
  refused("lease-store-lock", "keep_timed_out = true");
  refused("lua-check-delete", "resubscribe_every = \"1s\"");
  EXPECT_EQ(error_of_lock("redisson-lock", "resubscribe_every = \"1s\"\n"), "loads");
}

TEST(IgnoredOptions, MayStayInAFileWhoseLockAChangeReplaces) {
  const std::string file = "ttl = \"5s\"\nretry_every = \"1s\"\nvalue = \"client\"\n";
  for (const AlgorithmWords& words : shipped_vocabulary().algorithms) {
    if (words.uses.outside) continue;  // it also needs a program
    const std::string change = "lock.algorithm=" + words.name;
    EXPECT_EQ(error_of_lock("lua-check-delete", file, {change.c_str()}), "loads") << words.name;
  }
  EXPECT_EQ(error_of_lock("lua-check-delete", file,
                          {"lock.algorithm=naive-setnx", "lock.renew_every=1s"}),
            "a.toml: key `lock.renew_every`: naive-setnx does not use this key (with --set "
            "lock.algorithm=naive-setnx, --set lock.renew_every=1s)")
      << "what is changed as well is meant for the new one";
  EXPECT_EQ(error_of_lock("lua-check-delete", "renew = \"blind\"\nrenew_every = \"1s\"\n",
                          {"lock.renew=none"}),
            "loads");
  EXPECT_EQ(error_of_lock("lua-check-delete", "deadline = true\nrenew = \"conditional\"\n",
                          {"lock.algorithm=naive-setnx"}),
            "loads");
  EXPECT_EQ(error_of_lock("lua-check-delete",
                          file + "[[twin]]\nlock.algorithm = \"redisson-lock\"\nviolated = []\n"),
            "loads");
}

TEST(IgnoredOptions, OfALeaseStoreDoNotNameServersOfRedis) {
  EXPECT_EQ(
      error_of_lock("lease-store-lock", "[clients]\nfind_by = \"sentinel\"\n"),
      "a.toml:5: key `clients.find_by`: must be \"address\": lease-store-lock runs on a lease "
      "store, where no process knows which server leads");
  EXPECT_EQ(error_of_lock("lease-store-lock", "check_at = \"replica\"\n"),
            "a.toml:4: key `lock.check_at`: lease-store-lock does not use this key");
}

TEST(Fencing, ThatAMessageNamesIsOneThatTheLockCanHave) {
  const auto error = [](const std::string& fencing) {
    return error_of_lock("shedlock", "[servers.resource]\nfencing = \"" + fencing + "\"\n");
  };
  const std::string key = "a.toml:5: key `servers.resource.fencing`: ";
  EXPECT_EQ(error("in-script"),
            key + "what shedlock sends to take its lock mints no token; use \"none\" or \"ideal\"");
  EXPECT_EQ(error("after"), key + "shedlock has no counter beside its key; use \"ideal\"");
  EXPECT_EQ(error("ideal"), "loads");
}

}  // namespace
}  // namespace picklock::scenarios
