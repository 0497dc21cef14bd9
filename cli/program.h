// The program as a shell meets it, for the tests of each command: exit status, what is on which
// stream, and nothing else there. PICKLOCK_PROGRAM is the program; tests run in the root of the
// repository.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace picklock::cli {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

struct Ran {
  int status = -1;  // as a shell has it: 128 and the signal, where one ended it
  std::string out;
  std::string err;
};

class Program : public testing::Test {
 protected:
  Program() {
    std::string pattern = testing::TempDir() + "picklock-cli-XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~Program() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  // `command` is the shell's; $P in it stands for the program.
  Ran shell(const std::string& command) const {
    const std::string whole = "P='" PICKLOCK_PROGRAM "'; { " + command + "; } >" + path("out") +
                              " 2>" + path("err") + " </dev/null";
    file("command", whole);
    const int status = std::system(("bash " + path("command")).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read("out"),
            read("err")};
  }

  Ran picklock(const std::string& arguments) const { return shell("\"$P\" " + arguments); }

  // Exit 2, nothing on standard output, and on the other exactly one line.
  void expect_refused(const std::string& arguments, const std::string& complaint) const {
    const Ran ran = picklock(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_THAT(ran.err, StartsWith("picklock: ")) << arguments;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << arguments << ran.err;
    EXPECT_LT(ran.err.size(), 600u) << arguments;
    EXPECT_THAT(ran.err, HasSubstr(complaint)) << arguments;
  }

  std::string read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

 private:
  std::string directory_;
};

inline const std::string kStory = "check-then-delete-gap";
inline const std::string kScenario = R"(format = 1
[lock]
algorithm = "set-px-check-delete"
)";

}  // namespace picklock::cli
