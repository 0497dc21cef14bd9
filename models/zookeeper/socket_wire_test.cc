#include "models/zookeeper/socket_wire.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/zookeeper/wire.h"

namespace picklock::zookeeper::socket_wire_tests {
namespace {

using servers::Cut;

struct Taken {
  std::vector<std::string> records;
  bool refused = false;
  std::string rest;
};

// The records in bytes that come in pieces of `piece`.
Taken taken(std::string_view bytes, std::size_t piece) {
  Taken all;
  SocketWire wire;
  while (!bytes.empty()) {
    all.rest += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    std::string_view left = all.rest;
    for (bool more = true; more;) {
      sim::Payload message;
      const Cut cut = wire.cut(left, message);
      more = cut == Cut::request;
      all.refused = cut == Cut::malformed;
      if (more) all.records.emplace_back(message.view());
    }
    all.rest = std::string(left);
    if (all.refused) break;
  }
  return all;
}

std::string framed(const std::vector<std::string>& records) {
  std::string bytes;
  for (const std::string& record : records) SocketWire().put(record, bytes);
  return bytes;
}

RC_GTEST_PROP(ZookeeperSocketWire, TakesRecordsHoweverTheirBytesArrive,
              (const std::vector<std::string>& records)) {
  const Taken all = taken(framed(records), *rc::gen::inRange<std::size_t>(1, 40));
  RC_ASSERT(all.records == records);
  RC_ASSERT(all.rest.empty());
}

RC_GTEST_PROP(ZookeeperSocketWire, EndsWithAnyBytes, (const std::string& bytes)) {
  taken(bytes, 7);
  taken(std::string(2, '\0') + bytes, 1);
}

TEST(ZookeeperSocketWire, PutsTheLengthInFront) {
  EXPECT_EQ(framed({"abc"}), std::string("\0\0\0\3abc", 7));
  EXPECT_EQ(framed({std::string(0x1234, 'x')}).substr(0, 4), std::string("\0\0\x12\x34", 4));
}

TEST(ZookeeperSocketWire, RefusesLengthsThatNoRecordHas) {
  for (const char* const length : {"\xff\xff\xff\xff", "\x80\0\0\0", "\0\x10\0\0", "GET ", "abcd"})
    EXPECT_TRUE(taken(std::string(length, 4), 4).refused);
  const std::string longest(kLongestRecord, 'x');
  EXPECT_THAT(taken(framed({longest}), 64 * 1024).records, testing::ElementsAre(longest));
}

TEST(ZookeeperSocketWire, AWordOfFourLettersIsAnsweredAsItIsAndEndsTheConnection) {
  SocketWire wire;
  std::string_view bytes = "ruok\n";
  sim::Payload message;
  EXPECT_EQ(wire.cut(bytes, message), Cut::request);
  EXPECT_EQ(message.view(), "ruok");
  EXPECT_EQ(bytes, "");
  std::string out;
  EXPECT_FALSE(wire.put("imok", out));
  EXPECT_EQ(out, "imok");
}

TEST(ZookeeperSocketWire, AWordStandsOnlyInPlaceOfTheFirstRecord) {
  SocketWire wire;
  const std::string both = framed({"abc"}) + "ruok";
  std::string_view bytes = both;
  sim::Payload message;
  EXPECT_EQ(wire.cut(bytes, message), Cut::request);
  EXPECT_EQ(wire.cut(bytes, message), Cut::malformed);
}

// Behind the length of -1 stands a ping.
TEST(ZookeeperSocketWire, LeavesNothingOfRefusedBytesThatAServerCouldCarryOut) {
  const Taken all = taken(std::string("\xff\xff\xff\xff\0\0\0\x0b", 8), 8);
  EXPECT_TRUE(all.refused);
  EXPECT_EQ(all.rest, "");
  ConnectRequest connect;
  Request request;
  EXPECT_FALSE(read(all.rest, connect));
  EXPECT_FALSE(read(all.rest, request));
}

}  // namespace
}  // namespace picklock::zookeeper::socket_wire_tests
