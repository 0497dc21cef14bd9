// `picklock serve` and `picklock ctl`, with redis-cli as the client outside.
#include <fstream>
#include <iterator>

#include "testing/program.h"

namespace picklock::cli {
namespace {

using ::testing::ElementsAre;

class Serve : public Program {
 protected:
  // Runs `script` beside a server that was started with `arguments`. In it `port NAME` prints the
  // port of a server. `redis NAME COMMAND…` sends a command to it. `ctl …` commands the control
  // port. `raw NAME BYTES` sends bytes and prints the answer.
  Ran beside(const std::string& arguments, const std::string& script) const {
    return shell(
        "\"$P\" serve " + arguments + " --json --die-with-parent >" + path("ports") +
        " & server=$!; until [[ -s " + path("ports") +
        " ]] || ! kill -0 $server; do sleep 0.01; done; "
        "port() { sed -E 's/.*\"name\":\"'$1'\",\"kind\":\"[a-z]+\",\"port\":([0-9]+).*/\\1/' " +
        path("ports") + "; }; control=$(sed -E 's/.*\"control\":([0-9]+).*/\\1/' " + path("ports") +
        "); ctl() { \"$P\" ctl --port $control \"$@\"; }; "
        "resource=$(sed -E 's/.*\"resource\":([0-9]+).*/\\1/' " +
        path("ports") +
        "); put() { curl -s -X PUT -H \"Client: $1\" -d \"$3\" \"${@:4}\" -w '%{http_code} ' "
        "http://127.0.0.1:$resource/resource/$2; }; "
        "as() { printf 'client setname %s\\n%s\\n' \"$1\" \"${*:2}\" | "
        "redis-cli -p \"$(port redis-1)\" | tail -1; }; "
        "redis() { redis-cli -p \"$(port \"$1\")\" \"${@:2}\"; }; "
        "raw() { exec 5<>/dev/tcp/127.0.0.1/$(port \"$1\"); printf \"$2\" >&5; "
        "timeout 2 cat <&5; exec 5>&-; }\n" +
        script + "\nkill $server; wait $server");
  }
};

TEST_F(Serve, AClientOfRedisFindsWhatItExpects) {
  const Ran ran = beside("",
                         "redis redis-1 set lock mine nx px 10000\n"
                         "redis redis-1 set lock other nx px 10000\n"
                         "redis redis-1 eval 'if redis.call(\"get\",KEYS[1])==ARGV[1] then return "
                         "redis.call(\"del\",KEYS[1]) end return 0' 1 lock mine\n"
                         "redis redis-1 get lock\n"
                         "printf 'multi\\nincr n\\nincr n\\nexec\\n' | redis redis-1\n"
                         "redis redis-1 client info | grep -o 'lib-ver=\\|name='");
  EXPECT_EQ(ran.out, "OK\n\n1\n\nOK\nQUEUED\nQUEUED\n1\n2\nname=\n");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(Serve, TakesInlineCommandsAndPipelinesAndRefusesGarbage) {
  const Ran ran = beside("",
                         "raw redis-1 'SET a \"b \\\\x41\"\\r\\nGET a\\r\\n\\r\\nQUIT\\r\\n'\n"
                         "raw redis-1 "
                         "'*1\\r\\n$4\\r\\nPING\\r\\n*2\\r\\n$4\\r\\nECHO\\r\\n$2\\r\\nhi\\r\\n*"
                         "0\\r\\n*1\\r\\n:3\\r\\n'\n"
                         "raw redis-1 '*x\\r\\n'\n"
                         "raw redis-1 'GET \"a\\r\\n'");
  EXPECT_EQ(ran.out,
            "+OK\r\n$3\r\nb A\r\n+OK\r\n"
            "+PONG\r\n$2\r\nhi\r\n-ERR Protocol error: expected '$', got ':'\r\n"
            "-ERR Protocol error: invalid multibulk length\r\n"
            "-ERR Protocol error: unbalanced quotes in request\r\n");
}

TEST_F(Serve, TimeStandsStillUntilItIsAdvanced) {
  const Ran ran = beside("--manual",
                         "redis redis-1 set lock mine px 1000\n"
                         "sleep 0.05; redis redis-1 pttl lock\n"
                         "ctl advance 999ms >" +
                             path("one") +
                             "; redis redis-1 pttl lock\n"
                             "ctl advance 2ms; redis redis-1 exists lock");
  EXPECT_EQ(ran.out, "OK\n1000\n1\n{\n  \"seconds\": 1.001\n}\n0\n");
}

TEST_F(Serve, TimeMayPassFaster) {
  const Ran ran = beside("--speed 1000",
                         "redis redis-1 set lock mine px 20000\n"
                         "until [[ $(redis redis-1 exists lock) == 0 ]]; do sleep 0.01; done");
  EXPECT_EQ(ran.out, "OK\n");
}

TEST_F(Serve, ASentinelNamesTheNewPrimaryAfterACrash) {
  const Ran ran =
      beside("--redis masters=1,replicas=1,sentinels=3 --manual",
             "redis redis-1 set lock mine\n"
             "ctl advance 1s >" +
                 path("one") + "\nctl fault crash=redis-1 >" + path("two") + "\nctl advance 60s >" +
                 path("three") +
                 "\n[[ $(redis redis-1-sentinel-1 sentinel get-master-addr-by-name redis-1 | "
                 "tail -1) == $(port redis-1-replica-1) ]] && echo named\n"
                 "redis redis-1-replica-1 get lock\n"
                 "redis redis-1-replica-1 set lock other\n"
                 "redis redis-1 ping 2>&1 | grep -c closed\n"
                 "ctl status | grep -c '\"up\": true'");
  EXPECT_EQ(ran.out, "OK\nnamed\nmine\nOK\n1\n4\n");
}

TEST_F(Serve, AFailoverOnDemandMayLoseTheLastWrites) {
  const Ran ran = beside("--redis masters=1,replicas=1 --manual",
                         "redis redis-1 set lock mine >" + path("one") +
                             "\nctl failover redis-1\n"
                             "redis redis-1-replica-1 exists lock");
  EXPECT_EQ(ran.out, "{\n  \"fault\": 1\n}\n0\n") << "time has stood still since the write";
}

TEST_F(Serve, AServerThatIsPausedAnswersOnceItGoesOn) {
  const Ran ran = beside("--manual", "ctl fault pause=redis-1 for=5s >" + path("one") +
                                         "\nredis redis-1 set lock mine >" + path("answer") +
                                         " & sleep 0.1; [[ -s " + path("answer") +
                                         " ]] || echo silent\n"
                                         "ctl advance 5s >" +
                                         path("two") + "; wait %2; cat " + path("answer"));
  EXPECT_EQ(ran.out, "silent\nOK\n");
}

TEST_F(Serve, ClientsCanBeCutOff) {
  const Ran ran = beside("--manual",
                         "redis redis-1 set lock mine\n"
                         "ctl fault partition=clients 'from=[\"redis-1\"]' for=5s >" +
                             path("one") + "\nredis redis-1 del lock >" + path("answer") +
                             " & sleep 0.1\n"
                             "[[ -s " +
                             path("answer") +
                             " ]] || echo silent\n"
                             "ctl advance 5s >" +
                             path("two") + "; wait %2; cat " + path("answer"));
  EXPECT_EQ(ran.out, "OK\nsilent\n1\n");
}

TEST_F(Serve, TheHistorySaysWhoRemovedWhoseEntry) {
  const Ran ran =
      beside("--manual", "redis redis-1 set lock mine px 1000 >" + path("one") +
                             "\nredis redis-1 del lock >" + path("two") + "; ctl history");
  const auto history = nlohmann::json::parse(ran.out);
  ASSERT_GE(history.size(), 2u);
  const auto& removed = history.back();
  EXPECT_EQ(removed.at("what"), "entry removed");
  EXPECT_EQ(removed.at("key"), "lock");
  EXPECT_EQ(removed.at("connection"), 2);
  EXPECT_EQ(removed.at("owner"), 1);
  EXPECT_EQ(removed.at("cause"), "command");
}

// A lease that runs out under its holder: the same clients, by their names, write to the resource.
constexpr const char* kLateHolder =
    "as worker-a set orders a nx px 10000 >/dev/null; put worker-a bill one\n"
    "ctl advance 12s >/dev/null; as worker-b set orders b nx px 10000 >/dev/null\n"
    "put worker-b bill two; put worker-a bill three; as worker-a del orders\n";

TEST_F(Serve, ItsVerdictsAreOfWhatReachedTheServersAndTheResource) {
  const Ran ran = beside("--manual", std::string(kLateHolder) + "ctl verdicts");
  ASSERT_THAT(ran.out, StartsWith("204 204 204 1\n"));
  const auto answer = nlohmann::json::parse(ran.out.substr(ran.out.find('{')));
  std::vector<std::string> sentences;
  for (const auto& verdict : answer.at("verdicts")) {
    for (const auto& sentence : verdict.at("sentences")) sentences.push_back(sentence);
  }
  EXPECT_THAT(
      sentences,
      ElementsAre("worker-a wrote to resource-bill again at 12.000s, but worker-b's write had been "
                  "accepted there at 12.000s",
                  "resource-bill accepted worker-a's write at 12.000s, after a write of worker-b, "
                  "whose grant is newer, at 12.000s",
                  "worker-a removed worker-b's entry of orders on redis-1 at 12.000s, with its "
                  "release"));
  EXPECT_TRUE(answer.at("held").empty());
}

TEST_F(Serve, TellsWhatHasHappenedAsATimeline) {
  const Ran ran = beside("--manual", std::string(kLateHolder) + "ctl timeline");
  EXPECT_THAT(ran.out, HasSubstr("worker-a  worker-b  redis-1  resource-bill\n"));
  EXPECT_THAT(ran.out, HasSubstr("│   set orders a nx px 10000 → OK\n"));
  EXPECT_THAT(ran.out, HasSubstr("│   worker-a's entry of orders expires\n"));
  EXPECT_THAT(ran.out, HasSubstr("✗ own-release: worker-a removed worker-b's entry\n"));
  EXPECT_THAT(ran.out, HasSubstr("  ✓ no-lost-update       holds\n"));
}

TEST_F(Serve, TheDocumentShowsThisTimeline) {
  const Ran ran =
      beside("--manual", std::string("{ ") + kLateHolder + "} >" + path("one") + "; ctl timeline");
  std::ifstream file(PICKLOCK_DOCS "/serving.md");
  const std::string document((std::istreambuf_iterator<char>(file)),
                             std::istreambuf_iterator<char>());
  EXPECT_THAT(document, HasSubstr(ran.out.substr(ran.out.find_first_not_of("\n ") - 11)));
}

TEST_F(Serve, NamesTheEntriesThatAreLeftBehind) {
  const Ran ran = beside("--manual",
                         "as worker-a set orders a nx; as worker-b set bills b nx px 10000\n"
                         "ctl timeline");
  EXPECT_THAT(ran.out,
              HasSubstr("Held now\n"
                        "  orders at redis-1, by worker-a, which has no connection any more, "
                        "without an end\n"
                        "  bills at redis-1, by worker-b, which has no connection any more, until "
                        "10.001s\n"));
}

TEST_F(Serve, NamesTheClientsThatAReleaseWakes) {
  const Ran ran = beside("--manual",
                         "for who in b c; do exec {fd}<>/dev/tcp/127.0.0.1/$(port redis-1)\n"
                         "printf 'CLIENT SETNAME worker-%s\\r\\nSUBSCRIBE free\\r\\n' $who >&$fd\n"
                         "read -r <&$fd; read -r <&$fd; done\n"
                         "as worker-a set orders a nx px 10000; as worker-a del orders\n"
                         "as worker-a publish free now; as worker-a set orders a nx px 10000\n"
                         "as worker-a publish free later; ctl timeline | sed -n '/Wake-ups/,$p'\n"
                         "ctl verdicts | tr -d '\\n ' | grep -o '\"wakeups.*\"late'");
  EXPECT_EQ(ran.out,
            "OK\n1\n2\nOK\n2\nWake-ups\n  orders at redis-1: the release by worker-a at 0.000s "
            "woke worker-b, worker-c\n"
            "\"wakeups\":[{\"key\":\"orders\",\"server\":\"redis-1\",\"client\":\"worker-a\","
            "\"seconds\":0.0,\"woken\":[\"worker-b\",\"worker-c\"],\"lost\":0}],\"other_keys\":[],"
            "\"late\n");
}

TEST_F(Serve, NamesRenewalsThatComeAfterTheRelease) {
  const Ran ran = beside("--manual",
                         "as worker-a set orders a nx px 10000; as worker-a pexpire orders 20000\n"
                         "as worker-a del orders; as worker-b set orders b nx px 1000\n"
                         "ctl advance 3s >/dev/null; as worker-a pexpire orders 20000\n"
                         "as worker-b pexpire orders 20000; as worker-a pexpire bills 20000\n"
                         "as worker-a set orders a nx px 10000; as worker-a pexpire orders 20000\n"
                         "ctl timeline | sed -n '/Renewed/,$p'");
  EXPECT_EQ(ran.out,
            "OK\n1\n1\nOK\n0\n0\n0\nOK\n1\nRenewed after the release\n"
            "  orders, which worker-a had released at 0.000s, at 3.000s\n");
}

TEST_F(Serve, ALockOnSeveralMastersIsGrantedByAMajority) {
  const Ran ran = beside(
      "--manual --redis masters=3",
      "on() { printf 'client setname %s\n%s\n' \"$2\" \"${*:3}\" | redis-cli -p \"$(port \"$1\")\" "
      "| tail -1; }; stale() { ctl verdicts | grep -A1 no-stale | tail -1; }\n"
      "for i in 1 2; do on redis-$i worker-a set orders a nx px 10000; done\n"
      "on redis-3 worker-b set orders b nx px 60000\n"
      "curl -s -H 'Client: worker-b' http://127.0.0.1:$resource/resource/bill\n"
      "put worker-a bill one; stale; ctl advance 11s >/dev/null\n"
      "for i in 1 2; do on redis-$i worker-b set orders b nx px 10000; done\n"
      "put worker-b bill two; put worker-a bill three; stale");
  EXPECT_EQ(ran.out,
            "OK\nOK\nOK\n204       \"outcome\": \"holds\",\nOK\nOK\n204 204       "
            "\"outcome\": \"violated\",\n");
}

// One client sets these keys and another removes them. No request depends on whether they are free.
constexpr const char* kPlainKeys =
    "as worker-a set greeting hi; as worker-b del greeting\n"
    "as worker-a rpush jobs one; as worker-b lpop jobs\n"
    "as worker-a hset basket apple 1; as worker-b hdel basket apple\n";

TEST_F(Serve, AKeyThatNobodyTakesAsALockIsNone) {
  const Ran ran = beside("--manual", "{ " + std::string(kPlainKeys) +
                                         "as worker-a set left behind; } >/dev/null\n"
                                         "ctl verdicts; ctl timeline | sed -n '/Not judged/,$p'");
  const auto answer = nlohmann::json::parse(ran.out.substr(0, ran.out.rfind('}') + 1));
  for (const auto& verdict : answer.at("verdicts")) EXPECT_EQ(verdict.at("outcome"), "holds");
  EXPECT_TRUE(answer.at("held").empty());
  EXPECT_THAT(ran.out, EndsWith("Not judged as locks, because no command takes them only if they "
                                "are free\n  greeting\n  jobs\n  basket\n  left\n"));
}

TEST_F(Serve, AKeyIsALockIfTheScenarioNamesItOrAClientTriesToTakeIt) {
  const std::string removed =
      "as worker-a set orders a; as worker-b del orders; ctl verdicts | grep -A1 own-release";
  const auto told = [&](const std::string& arguments, const std::string& before) {
    std::filesystem::remove(path("ports"));  // of the server before
    return beside("--manual" + arguments, before + removed).out;
  };
  EXPECT_THAT(told("", ""), HasSubstr("holds"));
  EXPECT_THAT(told(" --set lock.key=orders", ""), HasSubstr("violated"));
  EXPECT_THAT(told("", "as c set orders c nx; as c del orders\n"), HasSubstr("violated"));
  EXPECT_THAT(told("", "as c eval '\"return 0\"' 1 orders\n"), HasSubstr("violated"));
  EXPECT_THAT(told("",
                   "in_1() { printf 'client setname %s\nselect 1\n%s\n' \"$1\" \"${*:2}\" | redis "
                   "redis-1; }; in_1 a set bills a nx; in_1 b del bills\n"),
              HasSubstr("violated"));
}

TEST_F(Serve, ATimelineCountsTheViolationsThatItDoesNotShow) {
  const Ran ran = beside("--manual",
                         "for i in 1 2 3 4 5; do as worker-a set orders a nx; as worker-b del "
                         "orders; done >/dev/null; ctl timeline");
  EXPECT_THAT(ran.out, HasSubstr("✗ own-release: worker-b removed worker-a's entry (and 4 more\n"));
  EXPECT_THAT(ran.out, HasSubstr("violated 5 times"));
}

TEST_F(Serve, ATimelineShowsAReleaseThatIsRefused) {
  const Ran ran = beside("--manual",
                         "as worker-a set orders a nx; as worker-b get orders\n"
                         "as worker-b EVAL '\"return 0\"' 1 orders b; as worker-a get greeting\n"
                         "ctl timeline");
  EXPECT_THAT(ran.out, HasSubstr("get orders → \"a\"\n"));
  EXPECT_THAT(ran.out, HasSubstr("EVAL {script} 1 orders b → 0\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("get greeting")));
}

TEST_F(Serve, ATimelineShowsTheCommandAtWhichAFaultStruck) {
  const Ran ran = beside("--manual",
                         "ctl fault crash=redis-1 after=GET.applied by=worker-a for=1s >/dev/null\n"
                         "as worker-b get greeting; as worker-a get parting\n"
                         "ctl advance 2s >/dev/null; ctl timeline");
  EXPECT_THAT(ran.out, HasSubstr("fault 1: crash redis-1 after worker-a's command (GET)"));
  EXPECT_THAT(ran.out, HasSubstr("get parting"));
  EXPECT_THAT(ran.out, Not(HasSubstr("get greeting")));
}

TEST_F(Serve, ATimelineFoldsAttemptsThatAreRefused) {
  const Ran ran = beside("--manual",
                         "as worker-a set orders a nx px 10000 >/dev/null\n"
                         "for i in {1..9}; do as worker-b set orders b nx px 10000; ctl advance "
                         "100ms; done >/dev/null\n"
                         "as worker-b set orders b nx px 10000; ctl timeline");
  EXPECT_THAT(ran.out, HasSubstr("set orders b nx px 10000 → nil, refused\n"));
  EXPECT_THAT(ran.out, HasSubstr("worker-b retried 9 times, refused each time (until 0.900s)"));
}

TEST_F(Serve, AClientThatTakesTheLockAgainIsNotTheHolderFromBefore) {
  const Ran ran = beside("--manual",
                         "for who in a b a; do as worker-$who set orders $who nx px 10000\n"
                         "put worker-$who bill $who; as worker-$who del orders; done\n"
                         "ctl verdicts | grep -c holds");
  EXPECT_EQ(ran.out, "OK\n204 1\nOK\n204 1\nOK\n204 1\n4\n");
}

TEST_F(Serve, ConnectionsOfOneNameAreOneClient) {
  const Ran ran = beside("--manual",
                         "as worker set orders a nx px 10000; as worker del orders\n"
                         "redis redis-1 set orders b nx px 10000; redis redis-1 del orders\n"
                         "ctl verdicts | grep -A4 own-release | grep -o 'connection-.*'");
  EXPECT_EQ(ran.out,
            "OK\n1\nOK\n1\nconnection-4 removed connection-3's entry of orders on redis-1 at "
            "0.000s, with its release\"\n");
}

TEST_F(Serve, FailsOnAViolationAndSaysSoInJUnit) {
  const Ran ran = beside("--manual --fail-on own-release --junit " + path("junit"),
                         std::string(kLateHolder) +
                             "ctl reset 'takes turns'; as worker-a set orders a nx px 10000; "
                             "as worker-a del orders; kill $server; wait $server; echo $?; cat " +
                             path("junit"));
  EXPECT_THAT(ran.out, HasSubstr("OK\n1\n1\n<?xml"));
  EXPECT_THAT(ran.out, HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_THAT(ran.out, HasSubstr("name=\"takes turns\""));
  EXPECT_THAT(ran.out, HasSubstr("own-release: worker-a removed worker-b's entry"));
  EXPECT_THAT(ran.out, Not(HasSubstr("resource-exclusion: worker-a wrote")));
  EXPECT_THAT(ran.err, StartsWith("picklock: run 1: own-release: worker-a removed worker-b's entry "
                                  "of orders on redis-1 at 12.000s"));
}

TEST_F(Serve, JUnitHasEachRunAsSoonAsItHasEndedAndNoneInWhichNothingHappened) {
  const Ran ran = beside("--manual --junit " + path("junit"),
                         "as a set orders a nx >/dev/null; ctl advance 90s >/dev/null\n"
                         "ctl reset; ctl reset; ctl reset named; ctl reset last; cat " +
                             path("junit"));
  EXPECT_THAT(ran.out, HasSubstr("tests=\"2\" failures=\"0\""));
  EXPECT_THAT(ran.out, HasSubstr("name=\"run 1\""));
  EXPECT_THAT(ran.out, HasSubstr("name=\"virtual time\" value=\"90.000s\""));
  EXPECT_THAT(ran.out, HasSubstr("name=\"named (no client has sent anything)\""));
  EXPECT_THAT(ran.out, Not(HasSubstr("run 2")));
  EXPECT_THAT(ran.out,
              Not(HasSubstr("<testcase classname=\"serve\" name=\"run 1\" time=\"0.000\"")));
}

TEST_F(Serve, AFaultStrikesAtACommandOfAClient) {
  const Ran ran =
      beside("--manual",
             "ctl fault crash=redis-1 after=command.applied command=SET nth=2 by=worker for=5s >" +
                 path("one") +
                 "\nas other set a 1; as other set a 2; as worker set b 1\n"
                 "as worker set b 2 2>&1 >/dev/null; ctl advance 6s >" +
                 path("two") + "; redis redis-1 exists a\nctl timeline | grep -o 'fault 1.*,'");
  EXPECT_EQ(ran.out,
            "OK\nOK\nOK\nError: Server closed the connection\n0\n"
            "fault 1: crash redis-1 after worker's 2nd command (SET) is applied,\n");
}

TEST_F(Serve, AFaultStrikesWhereTheAnswerReachesTheClient) {
  const Ran ran =
      beside("--manual",
             "ctl fault crash=redis-1 after=SET.replied for=5s >" + path("one") +
                 "\nas worker set a 1; as worker set a 2 2>&1 >/dev/null | head -1\nctl timeline "
                 "| grep -o 'fault 1.*,'");
  EXPECT_EQ(ran.out,
            "OK\nError: Server closed the connection\n"
            "fault 1: crash redis-1 after a command (SET) is answered, restarted after 5s,\n");
}

TEST_F(Serve, AnAnswerMayBeLostAfterTheServerHasApplied) {
  const Ran ran = beside(
      "--manual", "ctl fault drop=redis-1 after=command.applied command=SET >" + path("one") +
                      "\nas worker set a mine nx 2>&1 >/dev/null; as worker set a mine nx\n"
                      "redis redis-1 get a");
  EXPECT_EQ(ran.out, "Error: Server closed the connection\n\nmine\n");
}

TEST_F(Serve, TheResourceTakesConditionsAndTokens) {
  const Ran ran =
      beside("--manual --set servers.resource.fencing=after",
             "curl -s -w '%{http_code}\\n' http://127.0.0.1:$resource/resource/a%20b -o /dev/null\n"
             "put w a%20b one -H 'If-None-Match: *'; put w a%20b two -H 'If-Match: \"1\"'\n"
             "put w a%20b two -H 'If-Match: \"2\"' -H 'Fencing-Token: 7'\n"
             "put w a%20b three -H 'Fencing-Token: 6'; curl -s -X POST "
             "http://127.0.0.1:$resource/resource/x; curl -s http://127.0.0.1:$resource/x\n"
             "redis-cli -p $resource read 'a b'; redis-cli -p $resource write 'a b' 4 token 8 "
             "if-version 3; redis-cli -p $resource write 'a b' 5 token 8 if-version 3; "
             "redis-cli -p $resource write a; redis-cli -p $resource get a");
  EXPECT_EQ(ran.out,
            "404\n204 REJECTED-VERSION it is 2\n412 204 REJECTED-TOKEN a newer one was shown\n"
            "409 give GET or PUT\ngive GET or PUT /resource/NAME\ntwo\n3\n4\n"
            "REJECTED-VERSION it is 4\n\nERR give WRITE NAME VALUE\n\n"
            "ERR the resource has the commands READ and WRITE\n\n");
}

TEST_F(Serve, ALostUpdateIsSeenByTheVersionsThatClientsName) {
  const Ran ran = beside("--manual",
                         "as a set orders a nx px 1000 >/dev/null; put a bill one\n"
                         "as a del orders >/dev/null; as b set orders b nx px 1000 >/dev/null\n"
                         "put b bill two -H 'Based-On: 2'; as b del orders >/dev/null\n"
                         "as c set orders c nx px 1000 >/dev/null\n"
                         "put c bill three -H 'Based-On: 2'; ctl verdicts | grep -c 'bill'");
  EXPECT_EQ(ran.out, "204 204 204 1\n");
}

TEST_F(Serve, WithoutATimelineNothingIsJudged) {
  const Ran ran = beside("--no-timeline", "redis redis-1 ping; ctl verdicts; ctl timeline");
  EXPECT_EQ(ran.out, "PONG\n");
  EXPECT_THAT(ran.err, HasSubstr("it was started with --no-timeline"));
}

TEST_F(Serve, AResetStartsTheServersAnew) {
  const Ran ran =
      beside("--manual",
             "redis redis-1 set lock mine >" + path("one") + "\nctl advance 5s >" + path("two") +
                 "\nctl reset\nredis redis-1 exists lock\nctl faults\nctl status | grep "
                 "seconds");
  EXPECT_EQ(ran.out, "{}\n0\n[]\n  \"seconds\": 0.0,\n");
}

TEST_F(Serve, AnAdvanceThatAResetCutsShortIsAnswered) {
  const Ran ran = beside("--speed 0.001",
                         "ctl fault pause=redis-1 for=1h >/dev/null; ctl advance 1h & sleep 0.1\n"
                         "ctl reset; wait %2");
  EXPECT_THAT(ran.err + ran.out, testing::AnyOf(HasSubstr("reset meanwhile"), HasSubstr("3600")));
}

TEST_F(Serve, NobodyAdvancesBeyondTheEndOfTime) {
  const Ran ran =
      beside("--manual", "for i in 1 2 3; do ctl advance 876000h | grep -c seconds; done");
  EXPECT_EQ(ran.out, "1\n1\n0\n");
  EXPECT_THAT(ran.err, HasSubstr("a run lasts at most 200 years"));
}

TEST_F(Serve, FaultsThatCannotBeAreRefused) {
  const Ran ran = beside(
      "",
      "ctl fault crsh=redis-1; ctl fault pause=clients for=1s\n"
      "ctl fault pause=redis-2 for=1s; ctl fault pause=redis-1 before=command.repleid for=1s\n"
      "ctl fault pause=redis-1 before=acquire.sent for=1s\n"
      "ctl failover redis-1; ctl advance 5; ctl advanse 5s; ctl fault; echo $?");
  EXPECT_THAT(ran.err,
              HasSubstr("the fault: key `crsh`: there is no such key; did you mean `crash`?\n"));
  EXPECT_THAT(ran.err,
              HasSubstr("the fault: clients are all clients, which can only be cut off\n"));
  EXPECT_THAT(ran.err, HasSubstr("redis-2"));
  EXPECT_THAT(
      ran.err,
      HasSubstr("the fault: key `before`: there is no phase \"repleid\", only sent, applied, "
                "replied; did you mean `command.replied`?\n"));
  EXPECT_THAT(ran.err, HasSubstr("the fault: key `before`: redis-program has no step \"acquire\"; "
                                 "it has command, write, read\n"));
  EXPECT_THAT(ran.err, HasSubstr("`fail-over`: redis-1 has no replica to promote\n"));
  EXPECT_THAT(ran.err, HasSubstr("advance: by: must be a duration, such as \"5s\"\n"));
  EXPECT_THAT(ran.err, HasSubstr("ctl: there is no `advanse`; did you mean `advance`?\n"));
  EXPECT_EQ(ran.out, "2\n");
}

TEST_F(Serve, AFaultNamesACommandThatIsThere) {
  const Ran ran = beside("--manual",
                         "ctl fault pause=redis-1 after=SETT.applied for=1s\n"
                         "ctl fault pause=redis-1 after=command.applied command=GTE for=1s\n"
                         "ctl fault pause=redis-1 after=evalsha.applied for=1s\n"
                         "ctl fault pause=redis-1 after=command.applied command=evalsha for=1s");
  EXPECT_EQ(ran.out, "{\n  \"fault\": 1\n}\n");
  EXPECT_THAT(ran.err, HasSubstr("the fault: key `after`: Redis has no command SETT; did you mean "
                                 "`SET`?\n"));
  EXPECT_THAT(
      ran.err,
      HasSubstr("the fault: key `command`: Redis has no command GTE; did you mean `GET`?\n"));
}

TEST_F(Serve, AFaultOfAClientSaysHowManyConnectionsItMeansNow) {
  const Ran ran = beside("--manual",
                         "exec 5<>/dev/tcp/127.0.0.1/$(port redis-1)\n"
                         "printf 'CLIENT SETNAME worker\\r\\n' >&5; read -r <&5\n"
                         "for who in worker wroker; do ctl fault pause=redis-1 after=SET.applied "
                         "for=1s by=$who | grep connections; done");
  EXPECT_EQ(ran.out, "  \"connections\": 1\n  \"connections\": 0\n");
}

TEST_F(Serve, TheControlPortNamesTheMethodsOfAPath) {
  const Ran ran = beside("",
                         "for path in advance faults nowhere; do curl -s -i -X DELETE "
                         "http://127.0.0.1:$control/$path | grep -E '^HTTP|^Allow|error'; done");
  EXPECT_EQ(ran.out,
            "HTTP/1.1 405 Method Not Allowed\r\nAllow: POST\r\n"
            "  \"error\": \"there is no DELETE /advance, only POST\"\n"
            "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, POST\r\n"
            "  \"error\": \"there is no DELETE /faults, only GET, POST\"\n"
            "HTTP/1.1 404 Not Found\r\n"
            "  \"error\": \"there is no DELETE /nowhere\"\n");
}

TEST_F(Serve, APortThatIsNoControlPortIsRefused) {
  const Ran ran = beside("--manual",
                         "for word in status 'advance 1s'; do for to in $(port redis-1) $resource; "
                         "do \"$P\" ctl --port $to $word; echo $?; done; done");
  EXPECT_EQ(ran.out, "2\n2\n2\n2\n");
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 4) << ran.err;
}

TEST_F(Serve, APortThatKeepsSilentIsRefused) {
  const Ran ran = shell(
      "/usr/bin/python3 -c 'import socket, time; s = socket.create_server((\"127.0.0.1\", 0)); "
      "print(s.getsockname()[1], flush=True); time.sleep(60)' >" +
      path("port") + " & silent=$!; until [[ -s " + path("port") +
      " ]]; do sleep 0.01; done; \"$P\" ctl --port $(cat " + path("port") +
      ") advance 1s; echo $?; kill $silent");
  EXPECT_EQ(ran.out, "2\n");
  EXPECT_THAT(ran.err, HasSubstr("no answer within 10 s: is it the control port?\n"));
}

TEST_F(Serve, TheControlPortAsksForItsToken) {
  const Ran ran = beside("--token secret",
                         "ctl status; \"$P\" ctl --port $control --token wrong status\n"
                         "\"$P\" ctl --port $control --token secret faults");
  EXPECT_EQ(ran.out, "[]\n");
  EXPECT_EQ(ran.err,
            "picklock: ctl: the token is missing or wrong\n"
            "picklock: ctl: the token is missing or wrong\n");
}

TEST_F(Serve, WithAPasswordEveryPortAsksForIt) {
  file("password", "secret\n");
  const Ran ran = beside(
      "--password-file " + path("password") + " --redis masters=1,replicas=1,sentinels=1",
      "for name in redis-1 redis-1-sentinel-1; do redis $name info; redis $name auth wrong\n"
      "redis $name hello 2 auth default secret | head -2; done 2>&1 | grep .\n"
      "redis-cli -p $resource write bill paid; put w bill paid\n"
      "export REDISCLI_AUTH=secret; redis redis-1 set a 1; redis-cli -p $resource write bill "
      "paid; put w bill paid -H 'Authorization: Bearer secret'\n"
      "ctl faults; export PICKLOCK_PASSWORD=secret; ctl faults");
  EXPECT_EQ(ran.out,
            "NOAUTH Authentication required.\n"
            "WRONGPASS invalid username-password pair or user is disabled.\nserver\nredis\n"
            "NOAUTH Authentication required.\n"
            "WRONGPASS invalid username-password pair or user is disabled.\nserver\nredis\n"
            "NOAUTH Authentication required.\n\nthe password is missing or wrong\n401 "
            "OK\n2\n204 []\n");
  EXPECT_EQ(ran.err, "picklock: ctl: the token is missing or wrong\n");
}

TEST_F(Serve, ServersAndSentinelsKnowThePasswordOfEachOther) {
  file("password", "secret");
  const Ran ran = beside(
      "--password-file " + path("password") + " --redis masters=1,replicas=2,sentinels=3 --manual",
      "export REDISCLI_AUTH=secret PICKLOCK_PASSWORD=secret\n"
      "ctl fault crash=redis-1-replica-2 for=1s >/dev/null; ctl advance 15s >/dev/null\n"
      "redis redis-1 set lock mine; ctl advance 1s >/dev/null; redis redis-1-replica-2 get lock\n"
      "ctl fault crash=redis-1 >/dev/null; ctl advance 60s >/dev/null\n"
      "new=$(redis redis-1-sentinel-1 sentinel get-master-addr-by-name redis-1 | tail -1)\n"
      "[[ $new == $(port redis-1-replica-1) || $new == $(port redis-1-replica-2) ]] && echo named");
  EXPECT_EQ(ran.out, "OK\nmine\nnamed\n");
}

TEST_F(Serve, ListensWhereItIsToldAndTellsItToClients) {
  const Ran ran = beside("--listen 127.0.0.2 --redis masters=1,replicas=1,sentinels=1",
                         "redis-cli -h 127.0.0.2 -p $(port redis-1) ping\n"
                         "redis redis-1 ping 2>&1 | grep -o refused\n"
                         "redis-cli -h 127.0.0.2 -p $(port redis-1-sentinel-1) sentinel "
                         "get-master-addr-by-name redis-1 | head -1\n"
                         "ctl --host 127.0.0.2 faults; grep -o '\"host\":\"[^\"]*\"' " +
                             path("ports"));
  EXPECT_EQ(ran.out, "PONG\nrefused\n127.0.0.2\n[]\n\"host\":\"127.0.0.2\"\n");
}

TEST_F(Serve, OtherMachinesNeedAPassword) {
  file("empty", "\n");
  file("password", "secret");
  expect_refused("serve --listen 10.0.0.1",
                 "--listen: 10.0.0.1: other machines reach it: give --password-file or "
                 "PICKLOCK_PASSWORD");
  expect_refused("serve --listen 0.0.0.0", "give the one address at which clients reach");
  expect_refused("serve --listen localhost", "must be an IPv4 address of this machine");
  expect_refused("serve --password-file " + path("empty"), "empty: must be one line, the password");
  expect_refused("serve --password-file " + path("none"), "none: cannot be read");
  const Ran elsewhere = shell("PICKLOCK_PASSWORD=secret \"$P\" serve --listen 192.0.2.1");
  EXPECT_THAT(elsewhere.err, HasSubstr("serve: 192.0.2.1 port 0: Cannot assign requested address"));
  const Ran ensemble = shell("PICKLOCK_PASSWORD=secret \"$P\" serve --zookeeper servers=1");
  EXPECT_THAT(ensemble.err, HasSubstr("ZooKeeper asks its clients for no password"));
}

// A page that somebody has open in a browser reaches every port of the machine.
TEST_F(Serve, APageOfABrowserIsRefused) {
  const Ran ran = beside("",
                         "exec 5<>/dev/tcp/127.0.0.1/$control\n"
                         "printf 'POST /reset HTTP/1.1\\r\\nHost: x\\r\\nOrigin: http://evil\\r\\n"
                         "Connection: close\\r\\n\\r\\n' >&5; timeout 2 head -1 <&5");
  EXPECT_EQ(ran.out, "HTTP/1.1 403 Forbidden\r\n");
}

TEST_F(Serve, RefusesWhatCannotBeServed) {
  expect_refused("serve plain/lease-store-lock", "which clients outside cannot talk to yet");
  expect_refused("serve --manual --speed 2", "serve: give --manual or --speed, not both");
  expect_refused("serve --fail-on own-relese",
                 "`own-relese` cannot be judged from outside; did you mean `own-release`?");
  expect_refused("serve --fail-on any --no-timeline", "leave --no-timeline out");
  expect_refused("serve --speed 0", "--speed: must be a number, 0.001 to 1000");
  expect_refused("serve --port 70000", "serve: --port: must be a port, 0 to 65535");
  expect_refused("serve --port 65535 --redis replicas=1", "there are not so many ports behind it");
  expect_refused("serve --redis replica=1",
                 "serve: key `replica` of --redis: there is no such key; did you mean "
                 "`servers.redis.replicas`? (with --redis replica=1)\n");
  expect_refused("serve plain/redlock --redis masters=1", "give SCENARIO or --redis, not both");
  expect_refused("ctl --port 1 status", "127.0.0.1 port 1: Connection refused");
  expect_refused("ctl status", "ctl: give --port, the control port");
  const Ran taken = beside("", "\"$P\" serve --port $(port redis-1)");
  EXPECT_THAT(taken.err, HasSubstr(": Address already in use\n"));
}

TEST_F(Serve, UnixSocketsOutliveAKillAndHinderNobody) {
  std::filesystem::create_directory(path("sockets"));
  file("sockets/resource-old.sock", "");
  const std::string at = path("sockets");
  const Ran ran = beside("--sockets " + at,
                         "redis-cli -s " + at +
                             "/redis-1.sock set a 1; redis redis-1 get a\n"
                             "redis-cli -s " +
                             at +
                             "/resource.sock write bill paid\n"
                             "\"$P\" serve --sockets " +
                             at + "; kill -9 $server; wait $server 2>/dev/null; ls " + at +
                             "; \"$P\" serve --json --sockets " + at + " >" + path("again") +
                             " & second=$!; until [[ -s " + path("again") +
                             " ]]; do sleep 0.01; done\n"
                             "redis-cli -s " +
                             at + "/redis-1.sock get a; kill $second; wait $second; ls " + at);
  EXPECT_EQ(ran.out,
            "OK\n1\n2\nredis-1.sock\nresource-old.sock\nresource.sock\n\nresource-old.sock\n");
  EXPECT_THAT(ran.err, HasSubstr("/redis-1.sock: another program listens there\n"));
}

TEST_F(Serve, RefusesSocketsThatCannotBe) {
  file("redis-1.sock", "");
  const Ran ran = shell("\"$P\" serve --sockets /nowhere; \"$P\" serve --sockets " + path("") +
                        "; \"$P\" serve --sockets /" + std::string(200, 'x'));
  EXPECT_THAT(ran.err, HasSubstr("--sockets: /nowhere/redis-1.sock: No such file or directory\n"));
  EXPECT_THAT(ran.err, HasSubstr("redis-1.sock: there is a file that is no socket\n"));
  EXPECT_THAT(ran.err, HasSubstr("the path is too long for a socket\n"));
}

TEST_F(Serve, ServesAgainWhereItsDescriptorsHadRunOut) {
  const Ran ran =
      beside("",
             "prlimit --pid $server --nofile=30; port=$(port redis-1)\n"
             "for i in {1..40}; do exec {fd}<>/dev/tcp/127.0.0.1/$port; all+=($fd); done\n"
             "sleep 0.1; for fd in \"${all[@]}\"; do exec {fd}>&-; done\n"
             "redis redis-1 ping");
  EXPECT_EQ(ran.out, "PONG\n");
}

TEST_F(Serve, EndsWithTheProcessThatStartedIt) {
  const Ran ran =
      shell("bash -c '\"$0\" serve --json --die-with-parent >" + path("ports") +
            " & echo $!; until [[ -s " + path("ports") +
            " ]]; do sleep 0.01; done' \"$P\" | { read -r server; for i in {1..400}; do "
            "kill -0 $server 2>/dev/null || { echo ended; break; }; sleep 0.01; done; }");
  EXPECT_EQ(ran.out, "ended\n");
}

}  // namespace
}  // namespace picklock::cli
