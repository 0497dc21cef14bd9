#include "models/real/server_process.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <system_error>

namespace picklock::models::real {

void ServerProcess::start(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "no server can be started");
  if (pid_ > 0) return;
  setpgid(0, 0);  // a Ctrl-C is for us
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotExecute);
  const int nothing = open("/dev/null", O_RDONLY);
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(nothing, STDIN_FILENO);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  execvp(words.front(), words.data());
  _exit(kCannotExecute);
}

std::optional<int> ServerProcess::ended() {
  int status = 0;
  if (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  return status;
}

void ServerProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void ServerProcess::stop() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGSTOP);
  int status = 0;
  while (waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  if (!WIFSTOPPED(status)) pid_ = -1;
}

void ServerProcess::go_on() {
  if (pid_ > 0) ::kill(pid_, SIGCONT);
}

std::uint16_t free_port() {
  // Below those that the kernel gives to outgoing connections, one of which could take it while its
  // server is down; processes that look at the same time begin at different ones.
  constexpr int kFirst = 10'000;
  constexpr int kPorts = 22'000;
  static int next = getpid() * 37 % kPorts;
  for (int i = 0; i < kPorts; ++i) {
    const auto port = static_cast<std::uint16_t>(kFirst + next++ % kPorts);
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    where.sin_port = htons(port);
    const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0;
    close(probe);
    if (bound) return port;
  }
  return 0;
}

std::string last_line(const std::string& file) {
  std::ifstream said(file);
  std::string line;
  std::string last;
  while (std::getline(said, line)) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace picklock::models::real
