// Runs the program in a shell, for the tests of each command: exit status and both streams.
// PICKLOCK_PROGRAM is the program; tests run in the root of the repository.
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
  int status = -1;  // as in a shell: 128 and the signal if a signal ended the program
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

  // Runs `command` in bash; $P in it is the program.
  Ran shell(const std::string& command) const {
    const std::string whole = "P='" PICKLOCK_PROGRAM "'; { " + command + "; } >" + path("out") +
                              " 2>" + path("err") + " </dev/null";
    file("command", whole);
    const int status = std::system(("bash " + path("command")).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read("out"),
            read("err")};
  }

  Ran picklock(const std::string& arguments) const { return shell("\"$P\" " + arguments); }

  // Whether `script` is installed and can open a pseudo-terminal: a bare root has no /dev/pts.
  static bool has_terminal() {
    static const bool has =
        std::system("script -qec true /dev/null >/dev/null 2>&1 </dev/null") == 0;
    return has;
  }
  static constexpr const char* kNoTerminal = "no pseudo-terminal can be opened here";

  // The output of the program on a terminal, standard error included. `environment` is set for it,
  // `before` is a command on that terminal. Requires has_terminal().
  std::string on_a_terminal(const std::string& arguments, const std::string& environment = "",
                            const std::string& before = ":") const {
    const std::string typescript = path("typescript");
    file("on_terminal", before + "; \"$P\" " + arguments);
    return shell("unset NO_COLOR; export P TERM=xterm " + environment + "; script -qec 'bash " +
                 path("on_terminal") + "' " + typescript + " >/dev/null; sed '1d;$d' " + typescript)
        .out;
  }

  // Columns of the widest line. Continuation bytes of UTF-8 take none.
  static int widest_line(const std::string& text) {
    int widest = 0;
    int width = 0;
    for (const char letter : text) {
      if (letter == '\n') {
        width = 0;
      } else if (letter != '\r' && (static_cast<unsigned char>(letter) & 0xc0U) != 0x80U) {
        widest = std::max(widest, ++width);
      }
    }
    return widest;
  }

  // Exit 2, nothing on standard output, exactly one line on standard error.
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
