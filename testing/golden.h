// Texts that tests compare exactly. With PICKLOCK_UPDATE set in the environment they are written
// anew; read them before you commit them. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace picklock::reports::testing {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = "reports/testdata/" + name;
  if (std::getenv("PICKLOCK_UPDATE") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << ": tests run in the root of the repository";
  const std::string golden{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, golden) << path;
}

}  // namespace picklock::reports::testing
