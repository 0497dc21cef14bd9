#include "conform/server_process.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

namespace picklock::conform {

namespace {

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

std::vector<std::string> environment(const std::vector<std::string>& ours) {
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) {
    const bool replaced = std::any_of(ours.begin(), ours.end(), [&](const std::string& variable) {
      return name_of(variable) == name_of(*one);
    });
    if (!replaced) all.emplace_back(*one);
  }
  all.insert(all.end(), ours.begin(), ours.end());
  return all;
}

std::vector<char*> for_exec(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

}  // namespace

void ServerProcess::start(const std::vector<std::string>& command, const std::string& log,
                          const Surroundings& surroundings) {
  const std::vector<char*> words = for_exec(command);
  const std::vector<std::string> all_variables = environment(surroundings.variables);
  const std::vector<char*> variables = for_exec(all_variables);
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
  for (const int inherited : surroundings.files) fcntl(inherited, F_SETFD, 0);
  execvpe(words.front(), words.data(), variables.data());
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

}  // namespace picklock::conform
