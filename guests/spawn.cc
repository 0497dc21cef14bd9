#include "guests/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "guests/failure.h"
#include "guests/filter.h"

// Headers of older kernels lack these.
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace picklock::guests {
namespace {

constexpr rlim_t kStack = rlim_t{8} << 20;
constexpr int kFirstFree = 16;  // descriptors from here on are in no way when others are set

// A message from the new process to its parent.
struct Note {
  volatile int listener = -1;
  volatile int error = 0;
  const char* volatile failed = nullptr;
};

// Memory that a process shares with its child.
class SharedNote {
 public:
  SharedNote()
      : note_(mmap(nullptr, sizeof(Note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                   0)) {
    if (note_ == MAP_FAILED) fail("cannot share memory");
    new (note_) Note;
  }
  SharedNote(const SharedNote&) = delete;
  SharedNote& operator=(const SharedNote&) = delete;
  ~SharedNote() { munmap(note_, sizeof(Note)); }

  Note& operator*() const { return *static_cast<Note*>(note_); }
  Note* operator->() const { return static_cast<Note*>(note_); }

 private:
  void* note_;
};

std::string value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment) {
    if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  }
  return {};
}

// Where a program is: as given if the name has a slash, or else in a folder of PATH.
std::string found(const Start& start) {
  if (start.argv.empty()) throw std::runtime_error("no program is named");
  const std::string& name = start.argv.front();
  if (name.find('/') != std::string::npos) return name;
  std::string path = value_of(start.environment, "PATH");
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find(':', from), path.size());
    std::string one = path.substr(from, end - from) + "/" + name;
    struct stat about {};
    if (access(one.c_str(), X_OK) == 0 && stat(one.c_str(), &about) == 0 && S_ISREG(about.st_mode))
      return one;
    from = end + 1;
  }
  throw std::runtime_error(fmt::format("there is no program {} in PATH", name));
}

std::vector<std::string> completed(const std::vector<std::string>& environment) {
  std::vector<std::string> all = environment;
  // libuv would poll by io_uring, which no supervisor can see into.
  for (const char* const entry : {"TZ=UTC", "PICKLOCK_FD=3", "UV_USE_IO_URING=0"}) {
    const std::string_view name(entry, static_cast<std::size_t>(std::strchr(entry, '=') - entry));
    std::erase_if(all, [&](const std::string& other) {
      return other.starts_with(name) && other.size() > name.size() && other[name.size()] == '=';
    });
    all.emplace_back(entry);
  }
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

// Moves a descriptor out of the way of those that a child sets.
Descriptor high(int number, std::string_view what) {
  const Descriptor low(number);
  if (!low) fail(what);
  Descriptor copy(fcntl(low.get(), F_DUPFD_CLOEXEC, kFirstFree));
  if (!copy) fail(what);
  return copy;
}

// All that a child needs is made before it exists, because it may not allocate.
struct Plan {
  std::string program;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* folder;
  const char* host;
  std::size_t host_size;
  int input;
  int output;
  int beliefs;
  int processor;
  std::span<const sock_filter> filter;
};

[[noreturn]] void give_up(Note& note, const char* what) {
  note.error = errno;
  note.failed = what;
  _exit(127);
}

// Nobody answers trapped calls yet, so the child makes none after it has set the filter.
[[noreturn]] void be_child(const Plan& plan, Note& note) {
  if (dup2(plan.input, 0) < 0 || dup2(plan.output, 1) < 0 || dup2(plan.output, 2) < 0 ||
      dup2(plan.beliefs, kBeliefs) < 0 || syscall(SYS_close_range, kBeliefs + 1, ~0U, 0) != 0)
    give_up(note, "cannot set its descriptors");
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(note, "cannot bind its life to this process");
  // A parent that has ended before leaves a child that stops for ever below. In a namespace of its
  // own the child cannot ask who its parent is, but the parent alone reads the beliefs.
  pollfd beliefs{.fd = kBeliefs, .events = POLLOUT, .revents = 0};
  if (poll(&beliefs, 1, 0) < 0 || (beliefs.revents & POLLERR) != 0) _exit(127);
  if (plan.folder != nullptr && chdir(plan.folder) != 0) give_up(note, "cannot enter its folder");
  if (sethostname(plan.host, plan.host_size) != 0) give_up(note, "cannot name its host");
  setsid();  // a leader already needs no other session
  umask(022);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);  // not all can be set
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit descriptors{kDescriptors, kDescriptors};
  const rlimit no_core{0, 0};
  if (setrlimit(RLIMIT_NOFILE, &descriptors) != 0) give_up(note, "cannot have 1024 descriptors");
  rlimit stack{};
  getrlimit(RLIMIT_STACK, &stack);
  stack.rlim_cur = std::min(kStack, stack.rlim_max);
  // The limit of the stack decides where the kernel places libraries.
  if (setrlimit(RLIMIT_STACK, &stack) != 0 || setrlimit(RLIMIT_CORE, &no_core) != 0)
    give_up(note, "cannot limit its stack");
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(plan.processor), &one);
  // Only speed depends on it.
  sched_setaffinity(0, sizeof one, &one);
  if (personality(ADDR_NO_RANDOMIZE) < 0) give_up(note, "cannot fix its addresses");
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) give_up(note, "it cannot be traced");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up(note, "cannot bind its privileges");
  const sock_fprog program{static_cast<unsigned short>(plan.filter.size()),
                           const_cast<sock_filter*>(plan.filter.data())};
  const long listener =
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
              SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
  if (listener < 0) give_up(note, "its system calls cannot be listened to");
  note.listener = static_cast<int>(listener);
  asm volatile("int3");  // a stop: the parent takes the listener before the exec closes it
  execve(plan.program.c_str(), plan.arguments.data(), plan.environment.data());
  note.error = errno;
  asm volatile("int3");
  _exit(127);
}

int wait_for_stop(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, __WALL) < 0) {
    if (errno != EINTR) fail("cannot wait for a new process");
  }
  return status;
}

void map_user(pid_t child) {
  const auto write_file = [child](const char* name, const std::string& text) {
    const std::string path = fmt::format("/proc/{}/{}", child, name);
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file || write(file.get(), text.data(), text.size()) < 0) fail("cannot write " + path);
  };
  write_file("setgroups", "deny");
  write_file("uid_map", fmt::format("{0} {0} 1", geteuid()));
  write_file("gid_map", fmt::format("{0} {0} 1", getegid()));
}

// Kills a child whose start fails.
class Fledgling {
 public:
  explicit Fledgling(pid_t child) : child_(child) {}
  Fledgling(const Fledgling&) = delete;
  Fledgling& operator=(const Fledgling&) = delete;
  ~Fledgling() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    while (waitpid(child_, nullptr, __WALL) < 0 && errno == EINTR) {
    }
  }
  void fly() { child_ = -1; }

 private:
  pid_t child_;
};

[[noreturn]] void complain(const std::string& program, const Note& note) {
  const char* const what = note.failed;
  throw std::runtime_error(fmt::format("cannot execute {}: {}{}{}", program,
                                       what != nullptr ? what : "", what != nullptr ? ": " : "",
                                       std::strerror(note.error)));
}

// Its exec is a trapped call like any other.
void let_exec(int listener) {
  seccomp_notif call{};
  while (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
    if (errno != EINTR) fail("a new process does not execute its program");
  }
  seccomp_notif_resp response{};
  response.id = call.id;
  response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) != 0)
    fail("a new process cannot execute its program");
}

}  // namespace

Spawned spawn(const Start& start, std::span<const sock_filter> filter) {
  const std::vector<std::string> environment = completed(start.environment);
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) fail("cannot make a pipe");
  Descriptor beliefs(pipe_ends[0]);
  const Descriptor beliefs_of_child = high(pipe_ends[1], "cannot make a pipe");
  if (fcntl(beliefs.get(), F_SETFL, O_NONBLOCK) != 0) fail("cannot make a pipe");
  const char* const file = start.output.empty() ? "/dev/null" : start.output.c_str();
  const Descriptor output = high(open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644),
                                 fmt::format("cannot write {}", file));
  const Descriptor input = high(open("/dev/null", O_RDONLY | O_CLOEXEC), "cannot read /dev/null");
  const Plan plan{.program = found(start),
                  .arguments = pointers(start.argv),
                  .environment = pointers(environment),
                  .folder = start.folder.empty() ? nullptr : start.folder.c_str(),
                  .host = start.name.c_str(),
                  .host_size = std::min<std::size_t>(start.name.size(), 64),
                  .input = input.get(),
                  .output = output.get(),
                  .beliefs = beliefs_of_child.get(),
                  .processor = std::max(sched_getcpu(), 0),
                  .filter = filter};
  const SharedNote note;
  const unsigned long flags = CLONE_NEWPID | CLONE_NEWUTS | SIGCHLD;
  auto child = static_cast<pid_t>(syscall(SYS_clone, flags, 0, 0, 0, 0));
  const bool own_user = child < 0 && errno == EPERM;
  // An ordinary user may have the other namespaces in one of users.
  if (own_user) child = static_cast<pid_t>(syscall(SYS_clone, flags | CLONE_NEWUSER, 0, 0, 0, 0));
  if (child < 0) fail("cannot start a process in a namespace of its own");
  if (child == 0) be_child(plan, *note);
  Fledgling fledgling(child);
  if (own_user) map_user(child);
  if (!WIFSTOPPED(wait_for_stop(child))) {
    fledgling.fly();
    complain(plan.program, *note);
  }
  Spawned spawned{.process = child,
                  .pidfd = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, child, 0))),
                  .listener = {},
                  .beliefs = std::move(beliefs)};
  if (!spawned.pidfd) fail("cannot refer to a new process");
  spawned.listener = Descriptor(static_cast<int>(
      syscall(SYS_pidfd_getfd, spawned.pidfd.get(), static_cast<int>(note->listener), 0)));
  if (!spawned.listener) fail("cannot take the listener of a new process");
  // Only speed depends on it, and older kernels lack it.
  ioctl(spawned.listener.get(), SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
  if (ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) != 0 ||
      ptrace(PTRACE_CONT, child, nullptr, nullptr) != 0)
    fail("cannot trace a new process");
  let_exec(spawned.listener.get());
  const int status = wait_for_stop(child);
  if (!WIFSTOPPED(status) || status >> 8 != (SIGTRAP | (PTRACE_EVENT_EXEC << 8)))
    complain(plan.program, *note);
  fledgling.fly();
  return spawned;
}

}  // namespace picklock::guests
