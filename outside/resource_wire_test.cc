#include "outside/resource_wire.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/wire.h"

namespace picklock::outside {
namespace {

using servers::Cut;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Taken {
  std::vector<std::string> requests;  // their words, divided by bars
  bool refused = false;
};

Taken taken(ResourceWire& wire, std::string_view bytes, std::size_t piece) {
  Taken all;
  std::string left;
  while (!bytes.empty() && !all.refused) {
    left += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    std::string_view rest = left;
    for (bool more = true; more;) {
      sim::Payload message;
      const Cut cut = wire.cut(rest, message);
      more = cut == Cut::request || cut == Cut::nothing;
      all.refused = cut == Cut::malformed;
      if (cut != Cut::request) continue;
      std::vector<std::string_view> argv;
      RC_ASSERT(redis::read_request(message.view(), argv));
      std::string& request = all.requests.emplace_back();
      for (const std::string_view word : argv) request.append(word).append("|");
    }
    left = std::string(rest);
  }
  return all;
}

TEST(ResourceWire, ReadsRequestsByHttp) {
  ResourceWire wire;
  const Taken all =
      taken(wire,
            "GET /resource/a%20b HTTP/1.1\r\nFencing-Token: 7\r\n\r\n"
            "PUT /resource/x HTTP/1.1\r\nIf-Match: \"3\"\r\nContent-Length: 2\r\n\r\nhi"
            "PUT /resource/x HTTP/1.1\r\nIf-None-Match: *\r\nBased-On: 2\r\n"
            "Content-Length: 0\r\n\r\n",
            1000);
  EXPECT_THAT(all.requests, ElementsAre("READ|a b|TOKEN|7|", "WRITE|x|hi|IF-VERSION|3|",
                                        "WRITE|x||IF-VERSION|1|BASED-ON|2|"));
  EXPECT_FALSE(all.refused);
}

TEST(ResourceWire, AnswersInTheOrderOfTheRequests) {
  ResourceWire wire;
  taken(wire,
        "GET /resource/x HTTP/1.1\r\n\r\nGET /nowhere HTTP/1.1\r\n\r\n"
        "PUT /resource/x HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        1000);
  std::string out;
  EXPECT_TRUE(wire.put("*2\r\n$2\r\nhi\r\n:5\r\n", out));
  EXPECT_THAT(out, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(out, HasSubstr("ETag: \"5\"\r\n"));
  EXPECT_THAT(out, HasSubstr("\r\n\r\nhi"));
  out.clear();
  EXPECT_TRUE(wire.put("+PONG\r\n", out));
  EXPECT_THAT(out, StartsWith("HTTP/1.1 404 Not Found\r\n"));
  out.clear();
  EXPECT_FALSE(wire.put("-REJECTED-TOKEN a newer one was shown\r\n", out));
  EXPECT_THAT(out, StartsWith("HTTP/1.1 409 Conflict\r\n"));
}

TEST(ResourceWire, AsksForThePassword) {
  ResourceWire by_http;
  by_http.require("secret", "");
  EXPECT_THAT(taken(by_http,
                    "GET /resource/x HTTP/1.1\r\nClient: a\r\n\r\n"
                    "GET /resource/x HTTP/1.1\r\nAuthorization: Bearer secret\r\n\r\n",
                    1000)
                  .requests,
              ElementsAre("PING|", "READ|x|"));
  std::string out;
  EXPECT_TRUE(by_http.put("+PONG\r\n", out));
  EXPECT_THAT(out, StartsWith("HTTP/1.1 401 Unauthorized\r\n"));
  ResourceWire as_redis;
  as_redis.require("secret", "");
  EXPECT_THAT(taken(as_redis,
                    "*2\r\n$4\r\nREAD\r\n$1\r\nx\r\n*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n"
                    "*2\r\n$4\r\nREAD\r\n$1\r\nx\r\n",
                    1000)
                  .requests,
              ElementsAre("PING|", "PING|", "READ|x|"));
  out.clear();
  for (const char* answer : {"+PONG\r\n", "+PONG\r\n", "*2\r\n$1\r\n1\r\n:2\r\n"})
    EXPECT_TRUE(as_redis.put(answer, out));
  EXPECT_EQ(out, "-NOAUTH Authentication required.\r\n+OK\r\n*2\r\n$1\r\n1\r\n:2\r\n");
}

TEST(ResourceWire, KnowsTheNameOfAClient) {
  ResourceWire by_http;
  taken(by_http, "GET /resource/x HTTP/1.1\r\nClient: worker-a\r\n\r\n", 1000);
  EXPECT_EQ(by_http.name_given(""), "worker-a");
  ResourceWire as_redis;
  const std::string_view named = "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$8\r\nworker-b\r\n";
  taken(as_redis, named, 1000);
  EXPECT_EQ(as_redis.name_given(named), "worker-b");
}

TEST(ResourceWire, RefusesWhatIsTooLong) {
  ResourceWire wire;
  EXPECT_TRUE(
      taken(wire, "PUT /resource/x HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n", 1000).refused);
  ResourceWire other;
  EXPECT_TRUE(taken(other, "GET /resource/" + std::string(20'000, 'x'), 1000).refused);
}

RC_GTEST_PROP(ResourceWire, TakesRequestsHoweverTheirBytesArrive, ()) {
  const auto bodies = *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<std::string>>());
  std::string bytes;
  std::vector<std::string> expected;
  for (const std::string& body : bodies) {
    bytes += "PUT /resource/x HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) +
             "\r\n\r\n" + body;
    expected.push_back("WRITE|x|" + body + "|");
  }
  ResourceWire wire;
  const Taken all = taken(wire, bytes, *rc::gen::inRange<std::size_t>(1, 40));
  RC_ASSERT(all.requests == expected);
  RC_ASSERT(!all.refused);
}

// After any bytes the wire can still answer.
RC_GTEST_PROP(ResourceWire, BearsAnyBytes, (const std::string& garbage)) {
  const std::string beginning = *rc::gen::element<std::string>(
      "", "GET ", "GET /resource/x HTTP/1.1\r\n",
      "PUT /resource/x HTTP/1.1\r\nContent-Length: 3\r\n",
      "PUT /resource/% HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "*2\r\n$4\r\nREAD\r\n");
  ResourceWire wire;
  const Taken all = taken(wire, beginning + garbage, *rc::gen::inRange<std::size_t>(1, 40));
  std::string out;
  for (std::size_t i = 0; i <= all.requests.size(); ++i) wire.put(garbage, out);
}

}  // namespace
}  // namespace picklock::outside
