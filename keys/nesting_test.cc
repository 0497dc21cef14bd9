#include "keys/nesting.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace picklock::keys {
namespace {

std::string dotted(int parts) {
  std::string key = "a";
  for (int i = 1; i < parts; ++i) key += ".a";
  return key;
}

TEST(Nesting, AllowsWhatPeopleWrite) {
  EXPECT_EQ(too_deep_at(""), std::nullopt);
  EXPECT_EQ(too_deep_at("a = [[1.5, 2.5], [3.5]]\n[b.c]\nd.e = {f = 1}\n"), std::nullopt);
  EXPECT_EQ(too_deep_at(std::string(16, '[') + std::string(16, ']')), std::nullopt);
}

TEST(Nesting, FindsTheLineThatIsTooDeep) {
  EXPECT_EQ(too_deep_at("a = 1\nb = " + std::string(17, '[')), 2);
  EXPECT_EQ(too_deep_at("a = 1\n\n" + dotted(18) + " = 1"), 3);
  EXPECT_EQ(too_deep_at(fmt::format("[{}]", dotted(18))), 1);
}

TEST(Nesting, LooksIntoNeitherTextNorComments) {
  const std::string deep(100, '[');
  const std::string dots(100, '.');
  EXPECT_EQ(too_deep_at("a = \"" + deep + dots + "\\\"" + deep + "\" # " + deep + "\n"),
            std::nullopt);
  EXPECT_EQ(too_deep_at("a = '" + deep + "\\'\n"), std::nullopt);
  EXPECT_EQ(too_deep_at("a = \"\"\"" + deep + "\n\"\" \\\"\"\"" + deep + "\"\"\"\n"), std::nullopt);
  EXPECT_EQ(too_deep_at("a = '''" + deep + "\n''" + deep + "'''\nb = " + deep), 3);
  EXPECT_EQ(too_deep_at("a = \"\"\"\"x\"\"\"\"\"\nb = " + deep), 2);
}

}  // namespace
}  // namespace picklock::keys
