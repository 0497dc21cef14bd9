// The libraries of Redis's scripts, with the answers of redis-server 7.0.15 (R79).
#include <gmock/gmock.h>

#include <ostream>

#include "models/redis/lone_server.h"
#include "picklock/redis.h"

namespace picklock::redis::lua_libraries_tests {
namespace {

using testing::HasSubstr;

// SCRIPT stands for the suffix that names the script and its first line.
struct Example {
  std::string_view script;
  std::string reply;
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.script; }

class Libraries : public testing::TestWithParam<Example> {};

TEST_P(Libraries, AnswerAsOnTheRealServer) {
  LoneServer redis;
  std::string reply = GetParam().reply;
  const std::size_t at = reply.find("SCRIPT");
  if (at != std::string::npos)
    reply.replace(at, 6, "script: " + sha1_hex(GetParam().script) + ", on @user_script:1.");
  EXPECT_EQ(redis("EVAL", GetParam().script, "0"), reply);
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, Libraries,
    testing::Values(
        Example{"local t = {} for _, v in ipairs({'12', '-7', '-0', '007', ' 5 ', '0x10', '1e2', "
                "'999999999999999', '', 'x', '1.5'}) do "
                "t[#t+1] = tostring(1 / (tonumber(v) or 3)) end return table.concat(t, ' ')",
                "$130\r\n0.083333333333333 -0.14285714285714 -inf 0.14285714285714 0.2 0.0625 0.01 "
                "1e-15 0.33333333333333 0.33333333333333 0.66666666666667\r\n"},
        Example{"return {tonumber('10', 8), tonumber('z', 36)}", "*2\r\n:8\r\n:35\r\n"},
        Example{"return tonumber()",
                "-ERR user_script:1: bad argument #1 to 'tonumber' (value expected) SCRIPT\r\n"},
        Example{"return redis.call('echo', -0.0) .. ' ' .. redis.call('echo', 2^53) .. ' ' .. "
                "redis.call('echo', -1e15) .. ' ' .. redis.call('echo', 0/0)",
                "$42\r\n-0 9007199254740992 -1000000000000000 -nan\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Cjson, Libraries,
    testing::Values(
        Example{"return cjson.encode({})", "$2\r\n{}\r\n"},
        Example{"return cjson.encode({1,2,{a='x'}})", "$15\r\n[1,2,{\"a\":\"x\"}]\r\n"},
        Example{"return cjson.encode({1,nil,3})", "$10\r\n[1,null,3]\r\n"},
        Example{"return cjson.encode({[1]=1,[20]=2})",
                "-ERR user_script:1: Cannot serialise table: excessively sparse array SCRIPT\r\n"},
        Example{"return cjson.encode({[1.5]=1})", "$9\r\n{\"1.5\":1}\r\n"},
        Example{"return cjson.encode({[true]=1})",
                "-ERR user_script:1: Cannot serialise boolean: table key must be a number or "
                "string SCRIPT\r\n"},
        Example{"return cjson.encode('\\1\\n\"\\\\/\\127\\200')",
                "$23\r\n\"\\u0001\\n\\\"\\\\\\/\\u007f\310\"\r\n"},
        Example{"return cjson.encode(0.1)", "$3\r\n0.1\r\n"},
        Example{"return cjson.encode(123456789012345678)", "$19\r\n1.2345678901235e+17\r\n"},
        Example{"return cjson.encode(1/0)",
                "-ERR user_script:1: Cannot serialise number: must not be NaN or Inf SCRIPT\r\n"},
        Example{"return cjson.encode(cjson.null)", "$4\r\nnull\r\n"},
        Example{"return cjson.encode(function() end)",
                "-ERR user_script:1: Cannot serialise function: type not supported SCRIPT\r\n"},
        Example{"return cjson.encode(getmetatable(_G))",
                "-ERR user_script:1: Cannot serialise function: type not supported SCRIPT\r\n"},
        Example{"return cjson.encode({1, redis}) or 1",
                "-ERR user_script:1: Cannot serialise function: type not supported SCRIPT\r\n"},
        Example{"local t = {} for i = 1, 9 do t[i] = t end return cjson.encode(t)",
                "-ERR user_script:1: Cannot serialise, excessive nesting (1001) SCRIPT\r\n"},
        Example{"return cmsgpack.pack(getmetatable(_G))", "$10\r\n\x81\xa7__index\xc0\r\n"},
        Example{"return cjson.encode(setmetatable({},{__index=function() return 1 end}))",
                "$2\r\n{}\r\n"},
        Example{"return cjson.decode('{\"a\":[1,2.5,null,true]}').a[2]", ":2\r\n"},
        Example{"return cjson.decode('[1e2]')[1]", ":100\r\n"},
        Example{"return cjson.decode('[null]')[1] == cjson.null", ":1\r\n"},
        Example{"return tostring(cjson.null)", "$15\r\nuserdata: (nil)\r\n"},
        Example{"return cjson.decode('\"\\\\u00e9\\\\ud83d\\\\ude00\"')",
                "$6\r\n\303\251\360\237\230\200\r\n"},
        Example{"return cjson.decode('[1,]')",
                "-ERR user_script:1: Expected value but found T_ARR_END at character 4 SCRIPT\r\n"},
        Example{"return cjson.decode('{\"a\" 1}')",
                "-ERR user_script:1: Expected colon but found T_NUMBER at character 6 SCRIPT\r\n"},
        Example{
            "return cjson.decode('nul')",
            "-ERR user_script:1: Expected value but found invalid token at character 1 SCRIPT\r\n"},
        Example{"return cjson.decode('[0x10]')[1]", ":16\r\n"},
        Example{"return cjson.decode('')",
                "-ERR user_script:1: Expected value but found T_END at character 1 SCRIPT\r\n"},
        Example{"return cjson.decode(string.rep('[',1001))",
                "-ERR user_script:1: Found too many nested data structures (1001) at character "
                "1001 SCRIPT\r\n"},
        Example{
            "return cjson.encode((function() local t={} for i=1,1001 do t={t} end return t end)())",
            "-ERR user_script:1: Cannot serialise, excessive nesting (1001) SCRIPT\r\n"},
        Example{"return cjson.decode('[1')",
                "-ERR user_script:1: Expected comma or array end but found T_END at character 3 "
                "SCRIPT\r\n"},
        Example{"return #cjson.decode('['..string.rep('1,',5000)..'1]')", ":5001\r\n"}));

INSTANTIATE_TEST_SUITE_P(Bit, Libraries,
                         testing::Values(Example{"return bit.band(0xff,0x0f0)", ":240\r\n"},
                                         Example{"return bit.bor(1,2,4)", ":7\r\n"},
                                         Example{"return bit.bxor(1,3)", ":2\r\n"},
                                         Example{"return bit.bnot(0)", ":-1\r\n"},
                                         Example{"return bit.lshift(1,31)", ":-2147483648\r\n"},
                                         Example{"return bit.rshift(-1,28)", ":15\r\n"},
                                         Example{"return bit.arshift(-256,4)", ":-16\r\n"},
                                         Example{"return bit.rol(0x12345678,8)", ":878082066\r\n"},
                                         Example{"return bit.bswap(0x12345678)", ":2018915346\r\n"},
                                         Example{"return bit.tohex(255)", "$8\r\n000000ff\r\n"},
                                         Example{"return bit.tohex(-1,-4)", "$4\r\nFFFF\r\n"},
                                         Example{"return bit.tohex(1,-2147483648)",
                                                 "$8\r\n00000001\r\n"},
                                         Example{"return bit.tobit(2^32+5)", ":5\r\n"},
                                         Example{"return bit.band()",
                                                 "-ERR user_script:1: bad argument #1 to 'band' "
                                                 "(number expected, got no value) SCRIPT\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Struct, Libraries,
    testing::Values(
        Example{"return struct.pack('>I4',258)", std::string("$4\r\n\000\000\001\002\r\n", 10)},
        Example{"return struct.pack('<I2c0',5,'abc')", std::string("$5\r\n\005\000abc\r\n", 11)},
        Example{
            "return struct.pack('!8bd',1,2)",
            std::string("$16\r\n\001\000\000\000\000\000\000\000\000\000\000\000\000\000\000@\r\n",
                        23)},
        Example{"return struct.pack('s','a\\0b')", std::string("$4\r\na\000b\000\r\n", 10)},
        Example{"return struct.pack('i33',1)",
                "-ERR user_script:1: integral size 33 is larger than limit of 32 SCRIPT\r\n"},
        Example{"return struct.pack('!3',1)",
                "-ERR user_script:1: alignment 3 is not a power of 2 SCRIPT\r\n"},
        Example{
            "return struct.pack('z')",
            "-ERR user_script:1: bad argument #1 to 'pack' (invalid format option 'z') SCRIPT\r\n"},
        Example{
            "return struct.pack('I4')",
            "-ERR user_script:1: bad argument #2 to 'pack' (number expected, got nil) SCRIPT\r\n"},
        Example{"return struct.unpack('>I2','\\1\\2')", ":258\r\n"},
        Example{"return {struct.unpack('bB','\\255\\255')}", "*3\r\n:-1\r\n:255\r\n:3\r\n"},
        Example{"return {struct.unpack('Lc0','\\3\\0\\0\\0\\0\\0\\0\\0abc')}",
                "*2\r\n$3\r\nabc\r\n:12\r\n"},
        Example{
            "return struct.unpack('d','abc')",
            "-ERR user_script:1: bad argument #2 to 'unpack' (data string too short) SCRIPT\r\n"},
        Example{"return struct.unpack('c0','abc')",
                "-ERR user_script:1: format 'c0' needs a previous size SCRIPT\r\n"},
        Example{"return {struct.unpack('s','ab\\0cd')}", "*2\r\n$2\r\nab\r\n:4\r\n"},
        Example{"return struct.size('!bd')", ":16\r\n"},
        Example{"return struct.size('s')",
                "-ERR user_script:1: bad argument #1 to 'size' (option 's' has no fixed size) "
                "SCRIPT\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Msgpack, Libraries,
    testing::Values(
        Example{"return cmsgpack.pack(1,-1,128,65536,-129)",
                std::string("$12\r\n\001\377\314\200\316\000\001\000\000\321\377\177\r\n", 19)},
        Example{"return cmsgpack.pack({1,2},{a=1},{})", "$8\r\n\222\001\002\201\241a\001\220\r\n"},
        Example{
            "return cmsgpack.pack(0.5,0.1,'x',nil,true)",
            std::string(
                "$18\r\n\312?\000\000\000\313?\271\231\231\231\231\231\232\241x\300\303\r\n", 25)},
        Example{"return cmsgpack.pack({[1]=1,[3]=3})", "$5\r\n\202\001\001\003\003\r\n"},
        Example{"return cmsgpack.pack()",
                "-ERR user_script:1: bad argument #0 to 'pack' (MessagePack pack needs input.) "
                "SCRIPT\r\n"},
        Example{
            "return cmsgpack.pack((function() local t={} for i=1,20 do t={t} end return t end)())",
            "$17\r\n\221\221\221\221\221\221\221\221\221\221\221\221\221\221\221\221\300\r\n"},
        Example{"return {cmsgpack.unpack(cmsgpack.pack(1,{2,'a'},false,2^40))}",
                "*4\r\n:1\r\n*2\r\n:2\r\n$1\r\na\r\n$-1\r\n:1099511627776\r\n"},
        Example{"return {cmsgpack.unpack_one('\\1\\2\\3')}", "*2\r\n:1\r\n:1\r\n"},
        Example{"return {cmsgpack.unpack_limit('\\1\\2\\3',2,1)}", "*3\r\n:-1\r\n:2\r\n:3\r\n"},
        Example{"return cmsgpack.unpack('\\193')",
                "-ERR user_script:1: Bad data format in input. SCRIPT\r\n"},
        Example{"return cmsgpack.unpack('\\145')",
                "-ERR user_script:1: Missing bytes in input. SCRIPT\r\n"},
        Example{"return cmsgpack.unpack_one('abc',9)",
                "-ERR user_script:1: Start offset 9 greater than input length 3. SCRIPT\r\n"},
        Example{
            "return cmsgpack.unpack(string.rep('\\145',9000))",
            "-ERR user_script:1: stack overflow (in function mp_decode_to_lua_array) SCRIPT\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Patterns, Libraries,
    testing::Values(
        Example{"return {string.find('hello world','o w')}", "*2\r\n:5\r\n:7\r\n"},
        Example{"return {string.find('a.b','.',1,true)}", "*2\r\n:2\r\n:2\r\n"},
        Example{"return {string.match('key:12:x','^(%a+):(%d+):(.*)$')}",
                "*3\r\n$3\r\nkey\r\n$2\r\n12\r\n$1\r\nx\r\n"},
        Example{"return {string.match('  x ','()%S()')}", "*2\r\n:3\r\n:4\r\n"},
        Example{"return string.match('f(a(b)c)d','%b()')", "$7\r\n(a(b)c)\r\n"},
        Example{"return {string.gsub('abc','%w','<%0>')}", "*2\r\n$9\r\n<a><b><c>\r\n:3\r\n"},
        Example{"return {string.gsub('hello','l',{l='L'},1)}", "*2\r\n$5\r\nheLlo\r\n:1\r\n"},
        Example{"return {string.gsub('abc','(b)',function(c) return nil end)}",
                "*2\r\n$3\r\nabc\r\n:1\r\n"},
        Example{"return string.gsub('abc','.',function() return {} end)",
                "-ERR user_script:1: invalid replacement value (a table) SCRIPT\r\n"},
        Example{"return string.match('THE (quick) fox','%f[%a]%a+%f[%A]')", "$3\r\nTHE\r\n"},
        Example{"return string.find('a','[a')",
                "-ERR user_script:1: malformed pattern (missing ']') SCRIPT\r\n"},
        Example{"return string.find('a','%')",
                "-ERR user_script:1: malformed pattern (ends with '%') SCRIPT\r\n"},
        Example{"return string.find('a','(')", "-ERR user_script:1: unfinished capture SCRIPT\r\n"},
        Example{"return string.find('a','%1')",
                "-ERR user_script:1: invalid capture index SCRIPT\r\n"},
        Example{"return string.gsub('x','x','%2')",
                "-ERR user_script:1: invalid capture index SCRIPT\r\n"},
        Example{"return string.match('aa','(a)%1')", "$1\r\na\r\n"},
        Example{"return string.find('a\\0b','%z')", ":2\r\n"},
        Example{"return {string.find('abc','b',-1)}", "*0\r\n"},
        Example{"return string.find('abc',string.rep('(',33))",
                "-ERR user_script:1: too many captures SCRIPT\r\n"}));

// A setting stays until the server forgets its scripts, as on the real one.
TEST(CjsonSettings, OutliveTheirScriptButNotTheCache) {
  LoneServer redis;
  redis("EVAL", "cjson.encode_number_precision(3)", "0");
  EXPECT_EQ(redis("EVAL", "return cjson.encode(1/3)", "0"), "$5\r\n0.333\r\n");
  redis("SCRIPT", "FLUSH");
  EXPECT_EQ(redis("EVAL", "return cjson.encode(1/3)", "0"), "$16\r\n0.33333333333333\r\n");
  EXPECT_THAT(redis("EVAL", "cjson.encode = nil", "0"), HasSubstr("readonly table"));
}

}  // namespace
}  // namespace picklock::redis::lua_libraries_tests
