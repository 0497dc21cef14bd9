#include "models/redis/lua.h"

#include <gmock/gmock.h>

#include <ostream>

#include "models/redis/lone_server.h"
#include "picklock/redis.h"

namespace picklock::redis::lua_tests {
namespace {

using testing::HasSubstr;

// The answer of a real server 7.0.15 to `EVAL script 0`; SCRIPT stands for the suffix that names
// the script and its first line.
struct Example {
  std::string_view fact;  // of docs/facts/fidelity.md
  std::string_view script;
  std::string reply;
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << example.fact << ": " << example.script;
}

std::string expected(const Example& example) {
  std::string reply = example.reply;
  const std::size_t at = reply.find("SCRIPT");
  if (at == std::string::npos) return reply;
  return reply.replace(at, 6, "script: " + sha1_hex(example.script) + ", on @user_script:1.");
}

std::string eval(LoneServer& redis, std::string_view script) { return redis("EVAL", script, "0"); }

class Scripts : public testing::TestWithParam<Example> {};

TEST_P(Scripts, AnswerAsOnTheRealServer) {
  LoneServer redis;
  EXPECT_EQ(eval(redis, GetParam().script), expected(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Conversions, Scripts,
    testing::Values(
        Example{"R71", "return nil", "$-1\r\n"}, Example{"R71", "", "$-1\r\n"},
        Example{"R71", "return false", "$-1\r\n"}, Example{"R71", "return true", ":1\r\n"},
        Example{"R71", "return function() end", "$-1\r\n"}, Example{"R71", "return 3.99", ":3\r\n"},
        Example{"R71", "return -3.99", ":-3\r\n"},
        Example{"R71", "return 0/0", ":-9223372036854775808\r\n"},
        Example{"R71", "return 1e19", ":-9223372036854775808\r\n"},
        Example{"R71", "return {1,nil,3}", "*1\r\n:1\r\n"},
        Example{"R71", "return {1,false,3}", "*3\r\n:1\r\n$-1\r\n:3\r\n"},
        Example{"R71", "return {a=1}", "*0\r\n"}, Example{"R71", "return {ok='fine'}", "+fine\r\n"},
        Example{"R71", "return {err='plain'}", "-plain\r\n"},
        Example{"R71", "return {err='E x',ok='fine'}", "-E x\r\n"},
        Example{"R71", "return {err=3}", "*0\r\n"},
        Example{"R71", "return {err='a b\\n'}", "-a b\r\n"},
        Example{"R71", "return {ok='a\\r\\nb'}", "+a  b\r\n"},
        Example{"R71", "return {double=3.5}", "$3\r\n3.5\r\n"},
        Example{"R71", "return {true,{1,{2,'x'}},{err='E x'}}",
                "*3\r\n:1\r\n*2\r\n:1\r\n*2\r\n:2\r\n$1\r\nx\r\n-E x\r\n"},
        Example{"R72", "return redis.call('get','no') == false", ":1\r\n"},
        Example{"R72", "return redis.call('get','no') == nil", "$-1\r\n"},
        Example{"R72", "return type(redis.call('exists','no'))", "$6\r\nnumber\r\n"},
        Example{"R72", "return redis.call('set','k','v').ok", "$2\r\nOK\r\n"},
        Example{"R80", "return 123456789012345 .. ''", "$19\r\n1.2345678901234e+14\r\n"},
        Example{"R80", "redis.call('set','k',123456789012345) return redis.call('get','k')",
                "$15\r\n123456789012345\r\n"},
        Example{"R76", "redis.call('set','k',0.1) return redis.call('get','k')",
                "$19\r\n0.10000000000000001\r\n"},
        Example{"R76", "redis.call('set','k',3.5) return redis.call('get','k')", "$3\r\n3.5\r\n"},
        Example{"R76", "redis.call('set','k',1e20) return redis.call('get','k')",
                "$5\r\n1e+20\r\n"},
        Example{"R82", "return KEYS[1]", "$-1\r\n"}, Example{"R82", "return ARGV[9]", "$-1\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Errors, Scripts,
    testing::Values(
        Example{"R74", "redis.call('set','k','v','px','0')",
                "-ERR invalid expire time in 'set' command SCRIPT\r\n"},
        Example{"R75", "return redis.pcall('get')",
                "-ERR Wrong number of args calling Redis command from script\r\n"},
        Example{"R75", "local a,b=pcall(redis.call,'nope') return type(b)..tostring(b)",
                "$50\r\nstringERR Unknown Redis command called from script\r\n"},
        Example{"R75", "local a,b=pcall(error,{1}) return type(b)", "$5\r\ntable\r\n"},
        Example{"R76", "redis.call('nope')",
                "-ERR Unknown Redis command called from script SCRIPT\r\n"},
        Example{"R76", "redis.call()",
                "-ERR Please specify at least one argument for this redis lib call SCRIPT\r\n"},
        Example{"R76", "redis.call('set','k',nil)",
                "-ERR Lua redis lib command arguments must be strings or integers SCRIPT\r\n"},
        Example{"R76", "redis.call('set','k',true)",
                "-ERR Lua redis lib command arguments must be strings or integers SCRIPT\r\n"},
        Example{"R77", "redis.call('eval','return 1','0')",
                "-ERR This Redis command is not allowed from script SCRIPT\r\n"},
        Example{"R77", "redis.call('function','flush')",
                "-ERR This Redis command is not allowed from script SCRIPT\r\n"},
        Example{"R76", "redis.call('function','nope')",
                "-ERR Unknown Redis command called from script SCRIPT\r\n"},
        Example{"R77", "redis.call('multi')",
                "-ERR This Redis command is not allowed from script SCRIPT\r\n"},
        Example{"R77", "redis.call('blpop','k')",
                "-ERR Wrong number of args calling Redis command from script SCRIPT\r\n"},
        Example{"R78", "error('boom')", "-ERR user_script:1: boom SCRIPT\r\n"},
        Example{"R78", "error({err='CUSTOM x'})", "-CUSTOM x SCRIPT\r\n"},
        Example{"R78", "error(nil)", "-ERR nil SCRIPT\r\n"},
        Example{"R78", "return 1+{}",
                "-ERR user_script:1: attempt to perform arithmetic on a table value SCRIPT\r\n"},
        Example{"R78", "coroutine.wrap(function() redis.call('nope') end)()",
                "-ERR Unknown Redis command called from script SCRIPT\r\n"},
        Example{"R78", "return redis.error_reply('FOO')", "-ERR FOO\r\n"},
        Example{"R78", "return redis.error_reply('-FOO bar')", "-FOO bar\r\n"},
        Example{"R78", "return redis.status_reply(3)",
                "-ERR wrong number or type of arguments\r\n"},
        Example{"R78", "return redis.error_reply('')", "-ERR \r\n"},
        Example{"R78", "return redis.error_reply('a\\nb c\\n')", "-a b c\r\n"},
        Example{"R78", "return {err='-FOO bar'}", "--FOO bar\r\n"},
        Example{"R76", "redis.setresp(4)", "-ERR RESP version must be 2 or 3. SCRIPT\r\n"},
        Example{"R76", "redis.set_repl(99)",
                "-ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or "
                "REPL_NONE. SCRIPT\r\n"},
        Example{"R76", "return redis.acl_check_cmd('nope')",
                "-ERR Invalid command passed to redis.acl_check_cmd() SCRIPT\r\n"},
        Example{"R76", "redis.log(9,'b')", "-ERR Invalid debug level. SCRIPT\r\n"},
        Example{"R83", "x",
                "-ERR Error compiling script (new function): user_script:1: '=' expected near "
                "'<eof>'\r\n"},
        Example{"R83", "return \"abc",
                "-ERR Error compiling script (new function): user_script:1: unfinished string near "
                "'<eof>'\r\n"}));

const std::string kReadOnly = "-ERR user_script:1: Attempt to modify a readonly table SCRIPT\r\n";
const std::string kReadOnlyBelow = "-ERR Attempt to modify a readonly table SCRIPT\r\n";

INSTANTIATE_TEST_SUITE_P(
    Sandbox, Scripts,
    testing::Values(Example{"R79", "x = 1", kReadOnly}, Example{"R79", "_G.x = 1", kReadOnly},
                    Example{"R79", "KEYS = nil", kReadOnly},
                    Example{"R79", "(function() KEYS = nil end)()", kReadOnly},
                    Example{"R79",
                            "local t = {nil,true,2.5,'a'} return (function(a) return function() "
                            "redis = t end end)(1)()",
                            kReadOnly},
                    Example{"R79", "string.len = 1", kReadOnly},
                    Example{"R79", "redis.call = nil", kReadOnly},
                    Example{"R79", "coroutine.x = 1", kReadOnly},
                    Example{"R79", "getmetatable('').__index = nil", kReadOnly},
                    Example{"R79", "rawset(_G,'x',1)", kReadOnlyBelow},
                    Example{"R79", "rawset(string,'x',1)", kReadOnlyBelow},
                    Example{"R79", "table.insert(table,1)", kReadOnlyBelow},
                    Example{"R79", "setmetatable(_G,{})", kReadOnlyBelow},
                    Example{"R79", "return type(rawget(string,'len'))", "$8\r\nfunction\r\n"},
                    Example{"R79", "local n=0 for k in pairs(table) do n=n+1 end return n",
                            ":9\r\n"},
                    Example{"R79", "return rawget(_G,'os')", "$-1\r\n"},
                    Example{"R79", "KEYS[1]='z' return KEYS[1]", "$1\r\nz\r\n"},
                    Example{"R79", "return redis.nope", "$-1\r\n"},
                    Example{"R79", "return loadstring('\\27Lua')", "$-1\r\n"}));

// The answers to a connection of protocol 2 and to one of protocol 3.
struct Spoken {
  std::string_view script;
  std::string plain;
  std::string resp3;
};

class Protocols : public testing::TestWithParam<Spoken> {};

TEST_P(Protocols, TellApartWhatTheScriptTellsApart) {
  LoneServer redis;
  EXPECT_EQ(eval(redis, GetParam().script), GetParam().plain);
  redis.first->protocol = 3;
  EXPECT_EQ(eval(redis, GetParam().script), GetParam().resp3);
}

INSTANTIATE_TEST_SUITE_P(
    Resp3, Protocols,
    testing::Values(
        Spoken{"return false", "$-1\r\n", "_\r\n"}, Spoken{"return true", ":1\r\n", ":1\r\n"},
        Spoken{"redis.setresp(3) return true", ":1\r\n", "#t\r\n"},
        Spoken{"redis.setresp(3) return false", ":0\r\n", "#f\r\n"},
        Spoken{"redis.setresp(3) return type(redis.call('get','no'))", "$3\r\nnil\r\n",
               "$3\r\nnil\r\n"},
        Spoken{"return {map={a=1}}", "*2\r\n$1\r\na\r\n:1\r\n", "%1\r\n$1\r\na\r\n:1\r\n"},
        Spoken{"return {set={a=true}}", "*1\r\n$1\r\na\r\n", "~1\r\n$1\r\na\r\n"},
        Spoken{"return {double=0.1}", "$19\r\n0.10000000000000001\r\n", ",0.10000000000000001\r\n"},
        Spoken{"return {double=-1/0}", "$4\r\n-inf\r\n", ",-inf\r\n"},
        Spoken{"return {big_number='1\\r\\n2'}", "$4\r\n1  2\r\n", "(1  2\r\n"},
        Spoken{"return {verbatim_string={format='txt',string='hello'}}", "$5\r\nhello\r\n",
               "=9\r\ntxt:hello\r\n"}));

TEST(Sandbox, HidesWhatReachesTheMachine) {  // R79
  LoneServer redis;
  for (const char* name : {"os", "io", "require", "loadfile", "dofile", "print", "debug", "package",
                           "newproxy", "getfenv", "setfenv"}) {
    EXPECT_THAT(eval(redis, "return " + std::string(name)),
                HasSubstr("Script attempted to access nonexistent global variable '" +
                          std::string(name) + "' script: "));
  }
}

TEST(Sandbox, ShowsTheMetatableOfTheGlobalsAsATableThatCannotBeChanged) {
  LoneServer redis;
  EXPECT_EQ(eval(redis, "return {type(getmetatable(_G).__index), #getmetatable(_G)}"),
            "*2\r\n$8\r\nfunction\r\n:0\r\n");
  EXPECT_THAT(eval(redis, "getmetatable(_G).__index = nil"),
              HasSubstr("Attempt to modify a readonly table"));
  EXPECT_EQ(eval(redis, "return getmetatable(redis)"), "$-1\r\n");
}

TEST(Sandbox, HoldsForCodeThatAScriptLoadsItself) {
  LoneServer redis;
  const std::string_view script = "loadstring('x=1')()";
  EXPECT_EQ(eval(redis, script),
            "-ERR [string \"x=1\"]:1: Attempt to modify a readonly table script: " +
                sha1_hex(script) + ", on x=1:1.\r\n");
  EXPECT_THAT(eval(redis, "return x"), HasSubstr("nonexistent global variable 'x'"));
}

TEST(Sandbox, LeavesNothingOfOneScriptToTheNext) {
  LoneServer redis;
  redis("EVAL", "KEYS[3]='left' ARGV.x='left' return tostring({})", "1", "k");
  EXPECT_EQ(eval(redis, "return {#KEYS, KEYS[3] or 0, ARGV.x or 0}"), "*3\r\n:0\r\n:0\r\n:0\r\n");
  const std::string first = eval(redis, "return tostring({})..tostring(redis.call)");
  eval(redis, "local t={} for i=1,1000 do t[i]={tostring({})} end return collectgarbage('count')");
  EXPECT_EQ(eval(redis, "return tostring({})..tostring(redis.call)"), first);
  EXPECT_EQ(first, "$45\r\ntable: 0x000000000001function: 0x000000000002\r\n");
}

// Redis's own generator, whose state is the only one that survives a script (R80).
TEST(Sandbox, DrawsTheNumbersOfTheRealServer) {
  LoneServer redis;
  EXPECT_EQ(eval(redis, "return {math.random(), math.random(10)}"), "*2\r\n:0\r\n:9\r\n");
  EXPECT_EQ(eval(redis,
                 "math.randomseed(7) return {math.random(1000), math.random(1000), "
                 "math.random(1,6)}"),
            "*3\r\n:267\r\n:683\r\n:2\r\n");
}

// The release of another client's lock gets the same reply as GET of a missing key.
TEST(Script, ThatReturnsNilLooksLikeAKeyThatIsMissing) {  // R73
  LoneServer redis;
  redis("SET", "lock", "another");
  EXPECT_EQ(redis("EVAL",
                  "if redis.call('get',KEYS[1]) ~= ARGV[1] then return nil end "
                  "return redis.call('del',KEYS[1])",
                  "1", "lock", "mine"),
            redis("GET", "missing"));
  EXPECT_EQ(redis("GET", "missing"), "$-1\r\n");
  EXPECT_EQ(redis("GET", "lock"), "$7\r\nanother\r\n");
}

TEST(Script, SaysOnWhichLineItFailed) {  // R74
  LoneServer redis;
  const std::string_view script = "local f = function()\n  redis.call('nope')\nend\nf()";
  EXPECT_EQ(eval(redis, script), "-ERR Unknown Redis command called from script script: " +
                                     sha1_hex(script) + ", on @user_script:2.\r\n");
}

TEST(Script, KeepsWhatItWroteBeforeItFailed) {  // R74
  LoneServer redis;
  eval(redis, "redis.call('set','k','half') redis.call('nope')");
  EXPECT_EQ(redis("GET", "k"), "$4\r\nhalf\r\n");
}

TEST(Script, SeesItsKeysAndArguments) {
  LoneServer redis;
  EXPECT_EQ(redis("EVAL", "return {KEYS[1],KEYS[2],ARGV[1],#ARGV}", "2", "k1", "k2", "a"),
            "*4\r\n$2\r\nk1\r\n$2\r\nk2\r\n$1\r\na\r\n:1\r\n");
}

// A real server has no memory limit for scripts and uses all that the machine has. The error at the
// model's limit is the interpreter's own text, in Redis's frame for errors that are no tables.
class HungryScript : public testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(
    All, HungryScript,
    testing::Values(
        "return string.rep('x', 2^30)", "local s='x' while true do s=s..s end",
        "local t={} for i=1,1e9 do t[i]=i end", "local t={} for i=1,1e9 do t={t} end",
        "local t={} for i=1,1e9 do t['key'..i]={1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16} end",
        "local t={} for i=1,1e9 do t[i]=string.rep('x',1e6)..i end",
        "return table.concat({string.rep('x',4e7),string.rep('y',4e7)})",
        "return (string.rep('x',1e7):gsub('x','yyyyyyyyyy'))",
        "local f={} for i=1,1e9 do f[i]=coroutine.create(function() end) end"));

TEST_P(HungryScript, IsToldThatMemoryIsShort) {
  LoneServer redis;
  redis("SET", "k", "v");
  const std::string text = "not enough memory";
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(eval(redis, GetParam()),
              "-ERR Error running script " + sha1_hex(GetParam()) + ", " + text + "\r\n");
    EXPECT_EQ(eval(redis, "local t={} for i=1,1000 do t[i]={i} end return redis.call('get','k')"),
              "$1\r\nv\r\n");
  }
  std::string caught = "local ok,e = pcall(function() ";
  caught.append(GetParam()).append(" end) return {tostring(ok),e,redis.call('get','k')}");
  EXPECT_EQ(eval(redis, caught), "*3\r\n$5\r\nfalse\r\n$17\r\n" + text + "\r\n$1\r\nv\r\n");
}

// Returns the depth at which the interpreter raises its error, and the error.
constexpr std::string_view kDepth = "local ok,e = pcall(f,1) return {d,e}";

std::string at_depth(int depth, const std::string& text) {
  return "*2\r\n:" + std::to_string(depth) + "\r\n$" + std::to_string(text.size()) + "\r\n" + text +
         "\r\n";
}

TEST(DeepRecursion, FailsWhereAndAsOnTheRealServer) {
  const std::string below = "C stack overflow";
  const std::string here = "user_script:1: C stack overflow";
  const struct {
    std::string_view function;
    std::string reply;
  } examples[] = {
      {"return 1+f(n+1)", at_depth(16381, "user_script:1: stack overflow")},
      {"return (('a'):gsub('a',function() return f(n+1) end))", at_depth(198, below)},
      {"local ok,e = coroutine.resume(coroutine.create(f)) if not ok then error(e,0) end",
       at_depth(199, below)},
      {"table.sort({2,1},function(a,b) f() return a<b end)", at_depth(198, below)},
      {"return setmetatable({},{__index=function(t,k) return f(n+1)[k] end}).x",
       at_depth(198, here)},
      {"local g,e = load(function() f() end) if not g then error(e,0) end", at_depth(198, below)},
  };
  LoneServer redis;
  for (const auto& [function, reply] : examples) {
    std::string script = "local d=0 local function f(n) d=d+1 ";
    script.append(function).append(" end ").append(kDepth);
    EXPECT_EQ(eval(redis, script), reply) << script;
    EXPECT_EQ(eval(redis, "return 1"), ":1\r\n");
  }
  EXPECT_EQ(eval(redis, "local function f(n) return 1+f(n+1) end return f(1)"),
            "-ERR user_script:1: stack overflow script: 00b166f50e10c7ba1d97c6d86f8a2b609e4b83e8, "
            "on @user_script:1.\r\n");
}

TEST(Script, AnswersNestedTablesDownToADepth) {
  LoneServer redis;
  const std::string deep = eval(redis, "local t={} for i=1,25 do t={t} end return t");
  EXPECT_EQ(deep.size(), 4 * 26u);
  EXPECT_THAT(eval(redis, "local t={} t[1]=t return t"), HasSubstr("-ERR reached lua stack limit"));
}

TEST(Script, ThatCannotBeCompiledIsNotKept) {
  LoneServer redis;
  eval(redis, "return return");
  EXPECT_THAT(redis("EVALSHA", sha1_hex("return return"), "0"), HasSubstr("NOSCRIPT"));
}

}  // namespace
}  // namespace picklock::redis::lua_tests
