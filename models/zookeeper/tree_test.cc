#include "models/zookeeper/tree.h"

#include <gmock/gmock.h>

namespace picklock::zookeeper::tree_tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A tree that receives writes one after the other, as zxid 1, 2 and so on, one each second.
struct Forest {
  Result write(Write write) {
    changes.clear();
    ++zxid;
    return tree.apply(write, {zxid, zxid * 1000}, changes);
  }
  Result create(std::string path, CreateMode mode = CreateMode::persistent, SessionId session = 7) {
    return write({.op = OpCode::create,
                  .session = session,
                  .path = std::move(path),
                  .data = "",
                  .flags = static_cast<std::int32_t>(mode)});
  }
  Result remove(std::string path, std::int32_t version = kAnyVersion) {
    return write({.op = OpCode::remove, .path = std::move(path), .version = version});
  }
  Result set(std::string path, std::string data, std::int32_t version = kAnyVersion) {
    return write({.op = OpCode::set_data,
                  .path = std::move(path),
                  .data = std::move(data),
                  .version = version});
  }
  Stat stat(std::string_view path) const { return Tree::stat_of(*tree.find(path)); }
  // "created /a", as watchers would be notified.
  std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const Change& change : changes) {
      constexpr std::string_view kNames[] = {"", "created", "deleted", "data", "children"};
      all.push_back(std::string(kNames[static_cast<std::size_t>(change.type)]) + " " + change.path);
    }
    return all;
  }

  Tree tree;
  std::vector<Change> changes;
  Zxid zxid = 0;
};

Write create_of(std::string path, CreateMode mode = CreateMode::persistent) {
  return {.op = OpCode::create,
          .session = 7,
          .path = std::move(path),
          .data = "",
          .flags = static_cast<std::int32_t>(mode)};
}
Write check_of(std::string path, std::int32_t version) {
  return {.op = OpCode::check, .path = std::move(path), .version = version};
}
Write remove_of(std::string path) { return {.op = OpCode::remove, .path = std::move(path)}; }

TEST(Tree, CreatesANodeOnceAndUnderAParentThatIsThere) {  // Z20
  Forest forest;
  EXPECT_EQ(forest.create("/a").path, "/a");
  EXPECT_EQ(forest.create("/a").code, Code::node_exists);
  EXPECT_EQ(forest.create("/b/c").code, Code::no_node);
  EXPECT_EQ(forest.create("/e", CreateMode::ephemeral).code, Code::ok);
  EXPECT_EQ(forest.create("/e/c").code, Code::no_children_for_ephemerals);
  EXPECT_EQ(forest.create("/").code, Code::node_exists);
}

// Z51: the answers of a server of version 3.8.0.
TEST(Tree, MissesTheParentBeforeItDislikesThePath) {
  Forest forest;
  for (const char* path : {"/a//b", "/a/", "/./x", "x/y"})
    EXPECT_EQ(forest.create(path).code, Code::no_node) << path;
  for (const char* path : {"a", "", "//", "/.", "/..", "/\x01"})
    EXPECT_EQ(forest.create(path).code, Code::bad_arguments) << path;
  forest.create("/a");
  EXPECT_EQ(forest.create("/a/").code, Code::bad_arguments);
  EXPECT_EQ(forest.create("/a//b").code, Code::no_node);
  Write without = create_of("/b");
  without.has_acl = false;
  EXPECT_EQ(forest.write(without).code, Code::invalid_acl);
  Write odd = create_of("/b");
  odd.flags = 9;
  EXPECT_EQ(forest.write(odd).code, Code::bad_arguments);
  odd.flags = 5;
  EXPECT_EQ(forest.write(odd).code, Code::unimplemented) << "TTLs are off, as they come";
}

TEST(Tree, TellsARootWithTwoNamesAndNodesThatNobodyCreated) {  // Z51
  const Forest forest;
  EXPECT_EQ(forest.tree.find(""), forest.tree.find("/"));
  EXPECT_EQ(forest.stat("/").cversion, -1);
  EXPECT_EQ(forest.stat("/").num_children, 1);
  EXPECT_EQ(forest.stat("/zookeeper").cversion, -2);
  EXPECT_EQ(forest.stat("/zookeeper/config"), Stat{});
}

TEST(Tree, RemovesALeafOfTheVersionAskedFor) {  // Z20, Z51
  Forest forest;
  forest.create("/a");
  forest.create("/a/b");
  EXPECT_EQ(forest.remove("/a", 7).code, Code::bad_version);
  EXPECT_EQ(forest.remove("/a").code, Code::not_empty);
  EXPECT_EQ(forest.remove("/a/b", 0).code, Code::ok);
  EXPECT_EQ(forest.remove("/a/b").code, Code::no_node);
  EXPECT_EQ(forest.remove("/a").code, Code::ok);
  for (const char* path : {"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota", "x"})
    EXPECT_EQ(forest.remove(path).code, Code::bad_arguments) << path;
}

TEST(Tree, SetsDataOfTheVersionAskedFor) {
  Forest forest;
  forest.create("/a");
  EXPECT_EQ(forest.set("/a", "x", 1).code, Code::bad_version);
  const Stat stat = forest.set("/a", "xyz", 0).stat;
  EXPECT_EQ(stat.version, 1);
  EXPECT_EQ(stat.data_length, 3);
  EXPECT_EQ(stat.mzxid, 3);
  EXPECT_EQ(stat.mtime, 3000);
  EXPECT_EQ(stat.czxid, 1);
  EXPECT_EQ(forest.set("/no", "").code, Code::no_node);
  EXPECT_EQ(forest.set("x", "").code, Code::bad_arguments);
  EXPECT_EQ(forest.set("/", "root").code, Code::ok);
  EXPECT_EQ(forest.set("/zookeeper/config", "").code, Code::no_auth);
}

TEST(Tree, NumbersSequentialNodesByAllCreationsUnderTheirParent) {  // Z21
  Forest forest;
  forest.create("/q");
  EXPECT_EQ(forest.create("/q/a-", CreateMode::persistent_sequential).path, "/q/a-0000000000");
  forest.create("/q/plain");
  forest.create("/q/plain");
  forest.remove("/q/plain");
  forest.set("/q", "x");
  EXPECT_EQ(forest.create("/q/b-", CreateMode::ephemeral_sequential).path, "/q/b-0000000002");
  EXPECT_EQ(forest.create("/q/", CreateMode::persistent_sequential).path, "/q/0000000003");
  for (const char* path : {"/q/a-0000000000", "/q/b-0000000002", "/q/0000000003"})
    forest.remove(path);
  forest.remove("/q");
  forest.create("/q");
  EXPECT_EQ(forest.create("/q/a-", CreateMode::persistent_sequential).path, "/q/a-0000000000");
}

TEST(Tree, ShowsAVersionOfChildrenThatIsNotTheCounterOfNames) {  // Z22
  Forest forest;
  forest.create("/q");
  for (const char* path : {"/q/1", "/q/2", "/q/3", "/q/4"}) forest.create(path);
  forest.remove("/q/2");
  forest.create("/q/5");
  EXPECT_EQ(forest.stat("/q").cversion, 6);
  EXPECT_EQ(forest.stat("/q").num_children, 4);
  EXPECT_EQ(forest.stat("/q").pzxid, forest.zxid);
}

TEST(Tree, TellsTheNodesWatchersBeforeThoseOfItsParent) {  // Z32
  Forest forest;
  forest.create("/a");
  EXPECT_THAT(forest.told(), ElementsAre("created /a", "children /"));
  forest.set("/a", "x");
  EXPECT_THAT(forest.told(), ElementsAre("data /a"));
  forest.remove("/a");
  EXPECT_THAT(forest.told(), ElementsAre("deleted /a", "children /"));
}

TEST(Tree, EndsASessionWithItsEphemeralNodes) {  // Z3
  Forest forest;
  forest.write({.op = OpCode::create_session, .session = 7, .timeout = 4000});
  forest.create("/a", CreateMode::ephemeral, 7);
  forest.create("/b", CreateMode::ephemeral, 8);
  forest.create("/c", CreateMode::ephemeral_sequential, 7);
  EXPECT_EQ(forest.stat("/a").ephemeral_owner, 7);
  forest.write({.op = OpCode::close_session, .session = 7});
  EXPECT_THAT(forest.told(),
              ElementsAre("deleted /a", "children /", "deleted /c0000000002", "children /"));
  EXPECT_FALSE(forest.tree.has_session(7));
  EXPECT_NE(forest.tree.find("/b"), nullptr);
  EXPECT_THAT(forest.tree.ephemerals_of(7), IsEmpty());
}

TEST(Tree, DoesAMultiWholeAndNumbersWithinIt) {  // Z52
  Forest forest;
  forest.create("/m");
  const Result done = forest.write(
      {.op = OpCode::multi,
       .parts = {create_of("/m/s-", CreateMode::persistent_sequential),
                 create_of("/m/s-", CreateMode::persistent_sequential), check_of("/m", 0)}});
  EXPECT_EQ(done.code, Code::ok);
  EXPECT_EQ(done.parts.at(1).path, "/m/s-0000000001");
  EXPECT_EQ(forest.stat("/m/s-0000000000").czxid, 2);
}

TEST(Tree, LeavesNothingBehindOfAMultiThatFails) {  // Z52
  Forest forest;
  forest.create("/m");
  forest.create("/m/e", CreateMode::ephemeral);
  const Stat before = forest.stat("/m");
  const Result failed = forest.write(
      {.op = OpCode::multi,
       .parts = {create_of("/m/a", CreateMode::ephemeral), create_of("/m/c", CreateMode::container),
                 remove_of("/m/e"), Write{.op = OpCode::set_data, .path = "/m", .data = "x"},
                 check_of("/no", 0), create_of("/m/b")}});
  std::vector<Code> codes;
  for (const Result& part : failed.parts) codes.push_back(part.code);
  EXPECT_THAT(codes, ElementsAre(Code::ok, Code::ok, Code::ok, Code::ok, Code::no_node,
                                 Code::runtime_inconsistency));
  EXPECT_THAT(forest.told(), IsEmpty());
  EXPECT_EQ(forest.stat("/m"), before);
  EXPECT_EQ(forest.tree.find("/m/a"), nullptr);
  EXPECT_NE(forest.tree.find("/m/e"), nullptr);
  EXPECT_THAT(forest.tree.ephemerals_of(7), ElementsAre("/m/e"));
  EXPECT_THAT(forest.tree.idle_containers(), IsEmpty());
  EXPECT_EQ(forest.create("/m/n-", CreateMode::persistent_sequential).path, "/m/n-0000000001");
}

TEST(Tree, KnowsContainersThatHaveBeenLeftEmpty) {  // Z53
  Forest forest;
  forest.create("/c", CreateMode::container);
  EXPECT_THAT(forest.tree.idle_containers(), IsEmpty()) << "it has never had a child";
  forest.create("/c/x");
  EXPECT_THAT(forest.tree.idle_containers(), IsEmpty());
  forest.remove("/c/x");
  EXPECT_THAT(forest.tree.idle_containers(), ElementsAre("/c"));
  EXPECT_EQ(forest.stat("/c").ephemeral_owner, 0);
  EXPECT_EQ(forest.write({.op = OpCode::remove_container, .path = "/c"}).code, Code::ok);
  EXPECT_THAT(forest.tree.idle_containers(), IsEmpty());
}

TEST(Tree, TellsNoDataFromEmptyData) {  // Z51
  Forest forest;
  forest.write({.op = OpCode::create, .path = "/none"});
  forest.create("/empty");
  EXPECT_FALSE(forest.tree.find("/none")->data.has_value());
  EXPECT_EQ(forest.tree.find("/empty")->data, "");
}

TEST(Tree, TakesPathsAsThePathUtilsDo) {
  for (const char* path : {"/", "/a", "/a/b.c", "/...", "/\xc3\xa9", "/\xef\xa4\x80"})
    EXPECT_TRUE(is_valid_path(path)) << path;
  for (const char* path : {"", "a", "/a/", "//", "/a//b", "/.", "/a/..", "/a\x7f", "/\xc2\x80",
                           "/\xee\x80\x80", "/\xef\xbf\xb0"})
    EXPECT_FALSE(is_valid_path(path)) << path;
  EXPECT_EQ(parent_of("/"), "");
  EXPECT_EQ(parent_of("/a"), "/");
  EXPECT_EQ(parent_of("/a/b"), "/a");
}

// Z62: the parent's counter does not move any more; old releases let it wrap.
TEST(Tree, GivesTheLastNumberAgainOnceItsNumbersEndUnlessItIsOld) {
  for (const bool wraps : {false, true}) {
    Forest forest;
    forest.tree.reset({.wraps = wraps, .first = 2'147'483'646, .paths = {"/a/lock"}});
    constexpr CreateMode kMode = CreateMode::ephemeral_sequential;
    EXPECT_EQ(forest.create("/a/lock/x-", kMode).path, "/a/lock/x-2147483646");
    EXPECT_EQ(forest.create("/a/lock/x-", kMode).path, "/a/lock/x-2147483647");
    const Zxid seen = forest.stat("/a/lock").pzxid;
    if (wraps) {
      EXPECT_EQ(forest.create("/a/lock/x-", kMode).path, "/a/lock/x--2147483648");
      EXPECT_GT(forest.stat("/a/lock").pzxid, seen);
    } else {
      EXPECT_EQ(forest.create("/a/lock/x-", kMode).code, Code::node_exists);
      EXPECT_EQ(forest.stat("/a/lock").cversion, -4);
      EXPECT_EQ(forest.create("/a/lock/y-", kMode).path, "/a/lock/y-2147483647");
      EXPECT_EQ(forest.stat("/a/lock").cversion, -5);
    }
  }
}

TEST(Tree, HasTheZnodeWhoseNumbersDoNotBeginAtZero) {
  Forest forest;
  forest.tree.reset({.first = -3, .paths = {"/a/lock"}});
  EXPECT_EQ(forest.create("/a/lock").code, Code::node_exists);
  EXPECT_EQ(forest.create("/a/lock/x-", CreateMode::ephemeral_sequential).path,
            "/a/lock/x--000000003");
  EXPECT_EQ(forest.stat("/a").num_children, 1);
}

}  // namespace
}  // namespace picklock::zookeeper::tree_tests
