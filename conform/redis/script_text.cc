#include "conform/redis/script_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "conform/redis/sequence.h"

namespace picklock::conform::redis {
namespace {

// The scripts of lock libraries, in our own words: each takes one key and two arguments.
constexpr std::string_view kLocks[] = {
    "if redis.call('get', KEYS[1]) == ARGV[1] then\n"
    "  return redis.call('del', KEYS[1])\n"
    "else\n"
    "  return 0\n"
    "end",
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) "
    "end return 0",
    "if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then\n"
    "  redis.call('hincrby', KEYS[1], ARGV[1], 1)\n"
    "  redis.call('pexpire', KEYS[1], ARGV[2])\n"
    "  return nil\n"
    "end\n"
    "return redis.call('pttl', KEYS[1])",
    "if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return nil end\n"
    "local left = redis.call('hincrby', KEYS[1], ARGV[1], -1)\n"
    "if left > 0 then\n"
    "  redis.call('pexpire', KEYS[1], ARGV[2])\n"
    "  return 0\n"
    "end\n"
    "redis.call('del', KEYS[1])\n"
    "redis.call('publish', 'c1', '0')\n"
    "return 1",
    "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then\n"
    "  return redis.call('incr', KEYS[1] .. ':fence')\n"
    "end\n"
    "return false",
    "local set = redis.call('set', KEYS[1], ARGV[1], 'NX') return {type(set), set == false, set == "
    "nil}"};

// {n}: a number, {s}: a text, {e}: anything, {c}: the answer of a command.
constexpr std::string_view kExpressions[] = {
    "{n}", "{n}", "{s}", "nil", "true", "false", "{c}", "{c}", "{c}", "{c}", "{ {e}, {e} }",
    "{ {e}, nil, {e} }", "{ {n}, {s}, false, true }", "{}", "{ a = 1 }", "{ ok = {s} }",
    "{ err = {s} }", "{ err = 'CUSTOM x' }", "{ double = {n} }", "{ { {e} } }",
    "{ map = { a = 1 } }", "{ set = { a = true } }", "{ big_number = '123' }",
    "{ verbatim_string = { string = 'x', format = 'txt' } }", "{ ok = 1 }", "{ err = 1 }",
    "{ ok = 'a', err = 'b c' }", "function() end", "KEYS", "ARGV", "KEYS[1]", "ARGV[1]", "KEYS[5]",
    "#KEYS", "#ARGV", "KEYS[1] .. ARGV[1]",
    // numbers and texts (R80)
    "tostring({n})", "{n} .. ''", "'' .. {n}", "{n} + {n}", "{n} - {n}", "{n} * {n}", "{n} / {n}",
    "{n} % {n}", "2 ^ 53", "2 ^ 53 + 1", "-{n}", "{n} == {n}", "{n} < {n}", "{s} == {s}",
    "{s} < {s}", "{s} .. {s}", "#{s}", "not {e}", "{e} and {e}", "{e} or {e}", "{s} + 1",
    "'10' + 1", "'0x10' + 1", "{e} + 1", "{e} .. 'x'", "#{e}", "-{e}", "{e} < {e}", "tonumber({s})",
    "tonumber('0x1F')", "tonumber('1e3')", "tonumber(' 12 ')", "tonumber('z', 36)",
    "tonumber('12', 2)", "tostring(nil)", "tostring(true)", "tostring(1e15)", "tostring(0.1)",
    "tostring(-0)", "tostring(1/0)", "tostring(-1/0)", "tostring(1e100)", "type({e})",
    "string.format('%.17g', {n})", "string.format('%5.2f|%s|%q', {n}, {s}, {s})",
    "string.format('%d %x %c', 42, 255, 65)", "string.format('%d', 'x')", "string.sub({s}, 2, -2)",
    "string.len({s})", "string.rep({s}, 3)", "string.reverse({s})", "string.upper({s})",
    "string.byte({s}, 1, -1)", "string.char(0, 13, 10, 255)", "string.find({s}, 'l+')",
    "string.find('a.b', '.', 1, true)", "string.gsub({s}, '%w', '%0%0')",
    "string.match({s}, '(%a)(%a)')", "({s}):upper()", "('x'):rep(5)", "select('#', {e}, {e})",
    "select(2, {n}, {s})", "unpack({ {n}, {n} })", "next({})",
    "table.concat({ {n}, {s}, {n} }, ',')", "table.concat({ 1, {} })", "table.getn({ 1, 2 })",
    "#{ 1, 2, nil, 4 }", "math.floor({n})", "math.ceil({n})", "math.abs({n})", "math.max({n}, {n})",
    "math.min({n})", "math.huge", "-math.huge", "math.pi", "math.fmod(7, 3)", "math.fmod(-7, 3)",
    "math.sqrt(2)", "math.floor('x')", "rawequal({s}, {s})", "getmetatable('').__index == string",
    // the library
    "redis.status_reply({s})", "redis.status_reply('FINE')", "redis.error_reply({s})",
    "redis.error_reply('CODE text')", "redis.error_reply('-dash')", "redis.error_reply({n})",
    "redis.error_reply()", "redis.status_reply(1, 2)", "redis.sha1hex({s})", "redis.sha1hex({n})",
    "redis.sha1hex()", "redis.log(redis.LOG_WARNING, {s})", "redis.log()", "redis.log(9, 'x')",
    "redis.REDIS_VERSION", "redis.REDIS_VERSION_NUM", "redis.LOG_NOTICE", "redis.call()",
    "redis.call({e})", "redis.pcall({e}, {e})", "redis.call('get', nil)", "redis.call('get', true)",
    "redis.call('get', {})", "redis.call('set', KEYS[1], {n})", "redis.call('set', KEYS[1], 3.5)",
    "redis.call('set', 'k1', 1e20)", "redis.call('nosuch')", "redis.call('get')",
    "redis.call('subscribe', 'c1')", "redis.call('multi')", "redis.call('blpop', 'k3', 0)",
    "redis.call('eval', 'return 1', 0)", "redis.call('config', 'get', 'maxmemory')",
    "redis.call('wait', 0, 0)", "redis.pcall('nosuch').err", "redis.pcall('incr', 'k3').err",
    "redis.replicate_commands()", "redis.setresp(2)", "redis.setresp(4)", "redis.nosuch",
    "type(redis.pcall('set', 'k1', 'v', 'NX'))",
    // errors and how they are caught (R75, R78)
    "pcall(redis.call, 'nosuch')", "pcall(redis.call, 'incr', 'k2')", "pcall(error, 'boom')",
    "{ pcall(redis.call, 'get', 'k2') }", "{ pcall(function() error('boom') end) }",
    "{ pcall(function() error({ err = 'A b' }) end) }", "select(2, pcall(error))", "error('boom')",
    "error('boom', 0)", "error('boom', 2)", "error({ err = 'CUSTOM x' })", "error()", "error(nil)",
    "error(42)", "assert(false)", "assert(nil, 'no')", "assert(1, 'yes')",
    "xpcall(function() error('x') end, function(e) return e end)", "nosuch()", "KEYS.x.y",
    "(nil)()", "({})()", "('x').y.z",
    // contents and gaps of the sandbox (R79)
    "os", "io", "print", "require", "debug", "package", "newproxy", "loadfile", "dofile", "foo",
    "_G.foo", "_G == nil", "rawget(_G, 'foo')", "type(_G)", "loadstring('return 1')()",
    "loadstring('return +')", "load(function() return nil end)", "loadstring('x = 1')()",
    "rawset(_G, 'x', 1)", "setmetatable(_G, {})", "getmetatable(_G)",
    "setmetatable({}, { __index = function() return 7 end }).x",
    "coroutine.wrap(function() coroutine.yield({n}) end)()",
    "{ coroutine.resume(coroutine.create(function() error('in') end)) }",
    "coroutine.status(coroutine.create(function() end))",
    "(function(...) return select('#', ...) end)({e}, nil)", "type(os)", "type(cjson)", "type(bit)",
    "type(string.dump)", "type(math.random)", "_VERSION",
    // cjson, cmsgpack, struct, bit
    "cjson.encode({e})", "cjson.encode({ {n}, {s}, true })", "cjson.encode({ a = {n} })",
    "cjson.encode({})", "cjson.encode({ [1] = 1, [3] = 3 })", "cjson.encode(cjson.null)",
    "cjson.encode(0/0)", "cjson.encode(1/0)", "cjson.encode({n})", "cjson.encode({s})",
    "cjson.decode('[1,2,{\"a\":null}]')[1]", "cjson.decode('{\"a\":[1.5,\"x\"]}').a",
    "cjson.decode('[1,')", "cjson.decode('')", "cjson.decode('{}')", "cjson.decode('nul')",
    "cjson.decode('\"\\\\u00e9\\\\n\"')", "cjson.decode({s})", "cjson.decode('[1e3,-0,0x10]')",
    "cmsgpack.pack({e})", "cmsgpack.pack({n}, {s})", "cmsgpack.unpack(cmsgpack.pack({ {n}, {s} }))",
    "cmsgpack.unpack('\\255')", "cmsgpack.unpack('')", "struct.pack('>I2', {n})",
    "struct.pack('<i4h', 1, 2)", "struct.unpack('>I2', '\\1\\2')", "struct.size('>I2i4')",
    "struct.pack('z', 'x')", "struct.unpack('>I4', 'x')", "bit.band({n}, 255)", "bit.bor({n}, 1)",
    "bit.bxor(5, 3)", "bit.lshift(1, 31)", "bit.rshift(-1, 28)", "bit.arshift(-256, 4)",
    "bit.tohex({n})", "bit.bnot(0)", "bit.rol(1, 33)", "bit.bswap(1)"};

constexpr std::string_view kStatements[] = {
    "local x = {e}",
    "{c}",
    "{c}",
    "{c}",
    "if {e} then {c} end",
    "for i = 1, 3 do {c} end",
    "local t = {} for i = 1, 3 do t[i] = i * i end if #t ~= 3 then return t end",
    "local ok, err = pcall(redis.call, 'incr', 'k2') if not ok then return err end",
    "redis.setresp(3)",
    "x = 1",
    "function f() end",
    "local f = function(a) return a end f({e})",
    "KEYS = nil",
    "string.x = 1",
    "redis.call = nil",
    "math.randomseed(7)",
    "-- a remark",
    "do return {e} end",
    "while true do break end",
    "if redis.call('exists', 'k1') == 1 then return {e} end"};

constexpr std::string_view kBroken[] = {"return +",       "x =",      "if true then", "return 'abc",
                                        "return 1 2",     "}",        "\n\nreturn )", "goto x",
                                        "local function", "return ~1"};

constexpr std::string_view kNumbers[] = {
    "0",    "1",     "-1",    "3.99", "-3.99", "42",
    "1e19", "-1e19", "0/0",   "1/0",  "1e15",  "123456789012345",
    "1e14", "0.1",   "1e100", "2^63", "2^53",  "100000000000000",
    "1e-7", "255",   "65536"};
constexpr std::string_view kTexts[] = {"",    "hello",  "a b",    "10",  "OK",
                                       "1.5", "a\r\nb", "-ERR x", "x\ny"};

bool plain_integer(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  return !word.empty() && word.size() < 17 && std::all_of(word.begin(), word.end(), [](char digit) {
    return digit >= '0' && digit <= '9';
  });
}

}  // namespace

std::string lua_quoted(std::string_view bytes) {
  std::string text = "'";
  for (const char letter : bytes) {
    if (letter >= ' ' && letter < 127 && letter != '\'' && letter != '\\') {
      text += letter;
    } else {
      text += fmt::format("\\{:03d}", static_cast<unsigned char>(letter));
    }
  }
  return text + "'";
}

std::string ScriptText::number() { return std::string(vocabulary_.one_of(kNumbers)); }
std::string ScriptText::text() { return lua_quoted(vocabulary_.one_of(kTexts)); }

// Writes a word as a literal, as a number, or by way of KEYS and ARGV.
std::string ScriptText::argument(const std::string& word) {
  const auto known = std::find(script_.keys.begin(), script_.keys.end(), word);
  if (known != script_.keys.end() && !vocabulary_.one_in(3))
    return fmt::format("KEYS[{}]", known - script_.keys.begin() + 1);
  if (vocabulary_.one_in(3)) {
    script_.args.push_back(word);
    return fmt::format("ARGV[{}]", script_.args.size());
  }
  if (plain_integer(word) && vocabulary_.one_in(2)) return word;
  return lua_quoted(word);
}

std::string ScriptText::call(bool statement) {
  Words words = vocabulary_.command(true);
  const std::string name = lower(words[0]);
  // These answers have no order, or tell more than the model has.
  const bool unordered = name == "keys" || name == "smembers" || name == "spop" ||
                         name == "srandmember" || name == "pubsub";
  if (name == "scan" || name == "sscan" || name == "randomkey" || name == "info" ||
      name == "command")
    words = {"DBSIZE"};
  const std::string function = vocabulary_.one_in(3) ? "redis.pcall" : "redis.call";
  std::string arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    arguments += i == 0 ? lua_quoted(words[0]) : ", " + argument(words[i]);
  }
  std::string whole = fmt::format("{}({})", function, arguments);
  if (unordered && !statement) whole = fmt::format("#{}", whole);
  return whole;
}

std::string ScriptText::filled(std::string_view form, int depth) {
  std::string whole;
  while (!form.empty()) {
    const std::string_view hole = form.substr(0, 3);
    if (hole == "{n}" || hole == "{s}" || hole == "{e}" || hole == "{c}") {
      if (hole == "{n}") {
        whole += number();
      } else if (hole == "{s}") {
        whole += text();
      } else if (hole == "{c}") {
        whole += call(false);
      } else {
        whole += depth > 1 ? number() : expression(depth + 1);
      }
      form.remove_prefix(3);
    } else {
      whole += form.front();
      form.remove_prefix(1);
    }
  }
  return whole;
}

std::string ScriptText::expression(int depth) {
  return filled(vocabulary_.one_of(kExpressions), depth);
}

DrawnScript ScriptText::drawn() {
  script_ = {};
  if (vocabulary_.one_in(4)) {
    do {
      script_.body = vocabulary_.one_of(kLocks);
    } while (!vocabulary_.timed() && script_.body.find("pttl") != std::string::npos);
    script_.keys = {vocabulary_.key(vocabulary_.one_in(2) ? "string" : "hash")};
    script_.args = {vocabulary_.one_in(2) ? "token-1" : "f1", vocabulary_.one_in(10) ? "abc"
                                                              : vocabulary_.timed()  ? "100"
                                                                                     : "3600000"};
    return script_;
  }
  if (vocabulary_.one_in(25)) {
    script_.body = vocabulary_.one_of(kBroken);
    return script_;
  }
  for (std::uint64_t keys = vocabulary_.below(3); keys > 0; --keys)
    script_.keys.push_back(vocabulary_.key({}));
  if (vocabulary_.one_in(2)) script_.args.push_back(vocabulary_.value());
  std::string& body = script_.body;
  for (std::uint64_t statements = vocabulary_.below(3); statements > 0; --statements) {
    const std::string_view form = vocabulary_.one_of(kStatements);
    // An expression alone is not a statement, but a call is.
    body += form == "{c}" ? call(true) : filled(form, 0);
    body += vocabulary_.one_in(2) ? "\n" : form.starts_with("--") ? "\n" : " ";
  }
  if (!vocabulary_.one_in(15)) body += "return " + expression(0);
  return script_;
}

}  // namespace picklock::conform::redis
