#include "models/zookeeper/wire.h"

#include <gmock/gmock.h>

#include <string>

namespace picklock::zookeeper::wire_tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <typename Record>
std::string written(const Record& record) {
  sim::Payload out;
  write(record, out);
  return std::string(out.view());
}

std::string bytes(std::initializer_list<int> values) { return {values.begin(), values.end()}; }

std::string told(const std::string& message, bool reply) {
  return protocol().describe(message, reply);
}

// As a server of version 3.8.0 sent it.
TEST(ZookeeperWire, WritesWhatARealServerSends) {
  EXPECT_EQ(
      written(Event{EventType::created, "/w"}),
      bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0,   0,
             0,    0,    0,    0,    1,    0,    0,    0,    3,    0,    0,    0,    2, '/', 'w'}));
  EXPECT_EQ(written(Reply{.op = OpCode::create, .xid = 77, .zxid = 0xa6, .path = "/w"}),
            bytes({0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0, 0xa6, 0, 0, 0, 0, 0, 0, 0, 2, '/', 'w'}));
  const std::string password = bytes({0xa1, 0x62, 0x86, 0xf3, 0x93, 0xe1, 0xec, 2, 0x2b, 0xf5, 0x9f,
                                      0x62, 0x8c, 0x32, 0x29, 0x87});
  EXPECT_EQ(written(ConnectResponse{4000, 0x01000071003d0017, password}),
            bytes({0, 0, 0, 0, 0, 0, 0x0f, 0xa0, 1, 0, 0, 0x71, 0, 0x3d, 0, 0x17, 0, 0, 0, 16}) +
                password + std::string(1, '\0'));
}

TEST(ZookeeperWire, SaysOfAMultiThatFailedNothingButCodes) {  // Z52
  const Reply failed{.op = OpCode::multi,
                     .xid = 3,
                     .zxid = 46,
                     .parts = {{.op = OpCode::create, .path = "/m/b"},
                               {.op = OpCode::check, .code = Code::no_node},
                               {.op = OpCode::remove, .code = Code::runtime_inconsistency}}};
  const auto part = [](int low) {
    const int high = low == 0 ? 0 : 0xff;
    return bytes({0xff, 0xff, 0xff, 0xff, 0, high, high, high, low, high, high, high, low});
  };
  EXPECT_EQ(written(failed).substr(16),
            part(0) + part(0x9b) + part(0xfe) +
                bytes({0xff, 0xff, 0xff, 0xff, 1, 0xff, 0xff, 0xff, 0xff}));
}

TEST(ZookeeperWire, ReadsWhatItWrites) {
  const Stat stat{.czxid = 1,
                  .mzxid = -2,
                  .ctime = INT64_MAX,
                  .mtime = INT64_MIN,
                  .version = 5,
                  .cversion = -6,
                  .aversion = 7,
                  .ephemeral_owner = 0x0100007100000001,
                  .data_length = 9,
                  .num_children = 10,
                  .pzxid = 11};
  for (const OpCode op :
       {OpCode::create, OpCode::create2, OpCode::create_container, OpCode::exists, OpCode::get_data,
        OpCode::set_data, OpCode::get_children, OpCode::get_children2, OpCode::sync, OpCode::ping,
        OpCode::remove, OpCode::check, OpCode::set_watches, OpCode::close_session}) {
    const Reply reply{.op = op,
                      .xid = -2,
                      .zxid = 1L << 40,
                      .path = "/a",
                      .data = "x",
                      .stat = stat,
                      .children = {"b", "", "c"}};
    const std::string sent = written(reply);
    Reply again{.op = op};
    ASSERT_TRUE(read(sent, again)) << name(op);
    EXPECT_EQ(written(again), sent) << name(op);
    EXPECT_EQ(again.zxid, reply.zxid);
  }
  const std::string with_data = written(Reply{.op = OpCode::get_data, .data = "x", .stat = stat});
  Reply data{.op = OpCode::get_data};
  ASSERT_TRUE(read(with_data, data));
  EXPECT_EQ(data.stat, stat);
  ASSERT_TRUE(read(written(Reply{.op = OpCode::get_data}), data));
  EXPECT_FALSE(data.data.has_value());
}

TEST(ZookeeperWire, ReadsTheRequestsThatItWrites) {
  const std::string some = "data";
  for (const OpCode op :
       {OpCode::create, OpCode::create2, OpCode::create_container, OpCode::remove, OpCode::exists,
        OpCode::get_data, OpCode::set_data, OpCode::get_children, OpCode::get_children2,
        OpCode::sync, OpCode::ping, OpCode::check, OpCode::remove_watches, OpCode::check_watches,
        OpCode::auth, OpCode::set_watches, OpCode::close_session}) {
    const Request request{.xid = 9,
                          .op = op,
                          .path = "/a",
                          .data = some,
                          .version = 3,
                          .flags = 2,
                          .watch = true,
                          .seen = 77,
                          .data_watches = {"/a", "/b"},
                          .exists_watches = {},
                          .child_watches = {"/c"}};
    const std::string sent = written(request);
    Request again;
    ASSERT_TRUE(read(sent, again)) << name(op);
    EXPECT_EQ(written(again), sent) << name(op);
    EXPECT_FALSE(read(sent + "x", again)) << "more than there should be";
  }
  const std::string without =
      written(Request{.op = OpCode::create, .path = "/a", .has_acl = false});
  Request again;
  ASSERT_TRUE(read(without, again));
  EXPECT_FALSE(again.has_acl);
  EXPECT_FALSE(again.data.has_value());
}

TEST(ZookeeperWire, KnowsClientsThatSendNoReadOnlyFlag) {  // Z66
  const std::string password = "0123456789abcdef";
  for (const bool old : {false, true}) {
    ConnectRequest request;
    const std::string sent = written(ConnectRequest{.password = password, .old = old});
    EXPECT_EQ(sent.size(), old ? 44u : 45u);
    ASSERT_TRUE(read(sent, request));
    EXPECT_EQ(request.old, old);
    ConnectResponse response;
    const std::string answer = written(ConnectResponse{4000, 5, password, old});
    EXPECT_EQ(answer.size(), old ? 36u : 37u);
    ASSERT_TRUE(read(answer, response));
    EXPECT_EQ(response.old, old);
  }
}

TEST(ZookeeperWire, ReadsAMultiOfSeveralParts) {
  const Request request{.op = OpCode::multi,
                        .parts = {{.op = OpCode::create, .path = "/a", .data = ""},
                                  {.op = OpCode::check, .path = "/b", .version = 2}}};
  const std::string sent = written(request);
  Request again;
  ASSERT_TRUE(read(sent, again));
  EXPECT_EQ(written(again), sent);
  const Reply reply{.op = OpCode::multi,
                    .parts = {{.op = OpCode::create_container, .path = "/a"},
                              {.op = OpCode::create2, .path = "/b"},
                              {.op = OpCode::check}}};
  Reply answer{.op = OpCode::multi};
  ASSERT_TRUE(read(written(reply), answer));
  std::vector<OpCode> ops;
  for (const Reply& part : answer.parts) ops.push_back(part.op);
  EXPECT_THAT(ops, ElementsAre(OpCode::create2, OpCode::create, OpCode::check));
  Reply none{.op = OpCode::multi};
  ASSERT_TRUE(read(written(Reply{.op = OpCode::multi}), none));
  EXPECT_THAT(none.parts, IsEmpty());
}

TEST(ZookeeperWire, RefusesWhatIsCutShort) {
  const std::string whole = written(Request{.op = OpCode::create, .path = "/a", .data = "x"});
  const std::string connect = written(ConnectRequest{.password = "0123456789abcdef"});
  const std::string reply = written(Reply{.op = OpCode::get_children2, .children = {"a", "b"}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Request request;
    EXPECT_FALSE(read(std::string_view(whole).substr(0, size), request)) << size;
  }
  for (std::size_t size = 0; size + 1 < connect.size(); ++size) {
    ConnectRequest request;
    EXPECT_FALSE(read(std::string_view(connect).substr(0, size), request)) << size;
  }
  for (std::size_t size = 0; size < reply.size(); ++size) {
    Reply cut{.op = OpCode::get_children2};
    EXPECT_FALSE(read(std::string_view(reply).substr(0, size), cut)) << size;
  }
}

TEST(ZookeeperWire, TakesALengthThatNobodyCanMeanForAnError) {
  std::string request = written(Request{.op = OpCode::remove, .path = "/a"});
  for (const int high : {0x7f, 0x80, 0xfe}) {
    request[8] = static_cast<char>(high);
    Request read_one;
    EXPECT_FALSE(read(request, read_one)) << high;
  }
}

TEST(ZookeeperWire, ReadsAsTheFieldWritesIt) {
  EXPECT_EQ(
      told(written(Request{.op = OpCode::create, .path = "/lock/x-", .data = "me", .flags = 3}),
           false),
      "create /lock/x- me ephemeral sequential");
  EXPECT_EQ(told(written(Request{.op = OpCode::exists, .path = "/lock", .watch = true}), false),
            "exists /lock, watched");
  EXPECT_EQ(told(written(Request{.op = OpCode::remove, .path = "/lock", .version = 4}), false),
            "delete /lock version 4");
  EXPECT_EQ(told(written(ConnectRequest{.password = "0123456789abcdef"}), false), "connect");
  EXPECT_EQ(told(written(Reply{.op = OpCode::create, .path = "/lock/x-0000000001"}), true),
            "/lock/x-0000000001");
  EXPECT_EQ(told(written(Reply{.op = OpCode::create, .code = Code::node_exists}), true),
            "NodeExists");
  EXPECT_EQ(told(written(Reply{.op = OpCode::get_children, .children = {"a", "b"}}), true),
            "[a, b]");
  EXPECT_EQ(told(written(Reply{.op = OpCode::get_data, .data = "x"}), true), "\"x\"");
  EXPECT_EQ(told(written(Reply{.op = OpCode::exists}), true), "ok");
  EXPECT_EQ(told(written(Reply{.op = OpCode::remove}), true), "ok");
  EXPECT_EQ(told(written(Event{EventType::deleted, "/lock"}), true), "NodeDeleted /lock");
  EXPECT_EQ(told(written(ConnectResponse{4000, 5, "0123456789abcdef"}), true),
            "session of 4000 ms");
  EXPECT_EQ(told("", true), "what is no answer");
  EXPECT_EQ(protocol().command(written(Request{.op = OpCode::get_children2, .path = "/"})),
            "getChildren2");
}

}  // namespace
}  // namespace picklock::zookeeper::wire_tests
