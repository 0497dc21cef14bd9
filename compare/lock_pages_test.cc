#include "compare/lock_pages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "scenarios/shipped.h"
#include "testing/whole.h"

namespace picklock::compare {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = "docs/locks";

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(LockPages, AreThoseInTheDocumentation) {
  if (tests_are_short()) GTEST_SKIP() << "the texts are compared in the optimised build";
  const auto how = [](std::string_view lock) {
    return how_it_works(contents(kFolder / (std::string(lock) + ".md")));
  };
  std::set<std::string> files;
  for (const LockPage& page : lock_pages(scenarios::shipped::kDirectory, how)) {
    files.insert(page.file);
    if (std::getenv("PICKLOCK_UPDATE") != nullptr) std::ofstream(kFolder / page.file) << page.text;
    EXPECT_EQ(contents(kFolder / page.file), page.text)
        << page.file << " is not what is known; run this test with PICKLOCK_UPDATE=1 to rewrite it";
  }
  for (const fs::directory_entry& one : fs::directory_iterator(kFolder))
    EXPECT_TRUE(files.contains(one.path().filename().string())) << one.path();
}

TEST(LockPages, SayInSentencesHowEachLockWorks) {
  for (const fs::directory_entry& one : fs::directory_iterator(kFolder)) {
    if (one.path().filename() == "README.md") continue;
    EXPECT_GT(how_it_works(contents(one.path())).size(), 150U) << one.path();
  }
}

}  // namespace
}  // namespace picklock::compare
