#include "explore/executable.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace picklock::explore {
namespace {

namespace fs = std::filesystem;

// As cmake/commit.cmake writes that of the program.
[[gnu::section(".picklock.commit")]] const char kCommit[64] = "the commit of this test, 3f61c0aa";

// The text is data of this test like any other.
std::string ordinary_text() { return "an ordinary text of this test, 9b27e4d0"; }

class ProgramFile : public testing::Test {
 protected:
  ProgramFile() { write(); }
  ~ProgramFile() override { fs::remove(file_); }

  void write() { std::ofstream(file_, std::ios::binary) << bytes_; }

  std::uint64_t fingerprint() const { return executable_fingerprint(file_.string()); }

  // Writes other bytes in place of some, wherever they are.
  void replace(std::string_view some, std::string_view by) {
    ASSERT_EQ(some.size(), by.size());
    ASSERT_NE(bytes_.find(some), std::string::npos);
    for (std::size_t at = 0; (at = bytes_.find(some, at)) != std::string::npos; at += by.size())
      bytes_.replace(at, by.size(), by);
    write();
  }

  const fs::path file_ = fs::temp_directory_path() / ("program-" + std::to_string(getpid()));
  std::string bytes_ = [] {
    std::ostringstream bytes;
    bytes << std::ifstream("/proc/self/exe", std::ios::binary).rdbuf();
    return bytes.str();
  }();
};

TEST_F(ProgramFile, HasTheSameFingerprintWhereverItIs) {
  EXPECT_EQ(fingerprint(), executable_fingerprint("/proc/self/exe"));
}

TEST_F(ProgramFile, HasAnotherFingerprintIfItsDataDiffers) {
  const std::uint64_t before = fingerprint();
  std::string other = ordinary_text();
  other[3] = 'O';
  replace(ordinary_text(), other);
  EXPECT_NE(fingerprint(), before);
}

TEST_F(ProgramFile, HasTheSameFingerprintAtEveryCommit) {
  const std::uint64_t before = fingerprint();
  replace(std::string_view(kCommit, 33), "another commit of it, and a-dirty");
  EXPECT_EQ(fingerprint(), before);
}

// A note of type 3 by GNU, with 20 bytes; some linkers write none.
TEST_F(ProgramFile, HasTheSameFingerprintWithAnyBuildId) {
  const std::uint64_t before = fingerprint();
  const std::string note("\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU", 16);
  const std::size_t at = bytes_.find(note);
  if (at == std::string::npos) GTEST_SKIP() << "there is no build id";
  bytes_.replace(at + note.size(), 20, 20, 'x');
  write();
  EXPECT_EQ(fingerprint(), before);
}

TEST_F(ProgramFile, HasTheSameFingerprintWithoutWhatIsForDebuggers) {
  const std::uint64_t before = fingerprint();
  const std::string command = "strip --strip-all " + file_.string();
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "there is no strip";
  bytes_.clear();
  EXPECT_EQ(fingerprint(), before);
}

TEST_F(ProgramFile, MayBeAnything) {
  for (const std::string text : {"", "#!/bin/sh\n", "\177ELF"}) {
    bytes_ = text;
    write();
    const std::uint64_t one = fingerprint();
    bytes_ += "x";
    write();
    EXPECT_NE(fingerprint(), one);
  }
}

}  // namespace
}  // namespace picklock::explore
