#include "guests/zygote.h"

#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "guests/failure.h"
#include "guests/tracing.h"

namespace picklock::guests {
namespace {

constexpr int kPatienceWithCall = 5000;   // milliseconds
constexpr std::uint64_t kSizeOfCall = 2;  // bytes of the instruction

int event_of(int status) { return status >> 16; }

}  // namespace

Zygote::Zygote(pid_t process, Descriptor pidfd, Descriptor listener, const seccomp_notif& call,
               Upbringing upbringing)
    : process_(process),
      pidfd_(std::move(pidfd)),
      listener_(std::move(listener)),
      upbringing_(std::move(upbringing)) {
  if (ptrace(PTRACE_SEIZE, process_, nullptr,
             PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0 ||
      ptrace(PTRACE_INTERRUPT, process_, nullptr, nullptr) != 0)
    fail("cannot trace a program that is to be forked");
  seccomp_notif_resp response{};
  response.id = call.id;
  response.error = -EINTR;  // never seen: it stops before it returns
  if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, &response) != 0)
    fail("cannot stop a program that is to be forked");
  await_stop();
  if (ptrace(PTRACE_GETREGS, process_, nullptr, &before_call_) != 0)
    fail("cannot read the registers of a program that is to be forked");
  before_call_.rip -= kSizeOfCall;
  before_call_.rax = static_cast<unsigned long long>(call.data.nr);
  before_call_.orig_rax = ~std::uint64_t{0};  // there is no call that could be restarted
}

Zygote::~Zygote() {
  ::kill(process_, SIGKILL);  // all its copies end with it
  while (waitpid(process_, nullptr, __WALL) < 0 && errno == EINTR) {
  }
}

int Zygote::await_stop() const {
  int status = 0;
  while (waitpid(process_, &status, __WALL) < 0) {
    if (errno != EINTR) fail("cannot wait for a program that is to be forked");
  }
  if (!WIFSTOPPED(status)) {
    errno = ESRCH;
    fail("a program that is to be forked has ended");
  }
  return status;
}

void Zygote::resume() {
  if (ptrace(PTRACE_SYSCALL, process_, nullptr, nullptr) != 0)
    fail("cannot resume a program that is to be forked");
}

void Zygote::let_call_pass() const {
  std::array<pollfd, 2> watched{{{listener_.get(), POLLIN, 0}, {pidfd_.get(), POLLIN, 0}}};
  while (::poll(watched.data(), watched.size(), kPatienceWithCall) < 0 && errno == EINTR) {
  }
  seccomp_notif call{};
  errno = ETIMEDOUT;
  if ((watched[0].revents & POLLIN) == 0 ||
      ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
    fail("a program that is to be forked makes no call");
  seccomp_notif_resp response{};
  response.id = call.id;
  response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, &response) != 0)
    fail("a program that is to be forked makes no call");
}

// Executes a call in it that the filter traps.
std::int64_t Zygote::inject(int call, std::initializer_list<std::uint64_t> arguments) {
  user_regs_struct registers = before_call_;
  registers.rax = static_cast<unsigned long long>(call);
  const std::array<unsigned long long*, 5> places{&registers.rdi, &registers.rsi, &registers.rdx,
                                                  &registers.r10, &registers.r8};
  std::size_t which = 0;
  for (const std::uint64_t argument : arguments) *places[which++] = argument;
  if (ptrace(PTRACE_SETREGS, process_, nullptr, &registers) != 0)
    fail("cannot set the registers of a program that is to be forked");
  resume();
  while (WSTOPSIG(await_stop()) != kStopOfCall) resume();  // before the call
  resume();
  let_call_pass();
  for (int status; WSTOPSIG(status = await_stop()) != kStopOfCall; resume()) {
    if (event_of(status) != PTRACE_EVENT_CLONE) continue;
    unsigned long child = 0;
    if (ptrace(PTRACE_GETEVENTMSG, process_, nullptr, &child) != 0)
      fail("cannot find the copy of a program");
    child_ = static_cast<pid_t>(child);
  }
  if (ptrace(PTRACE_GETREGS, process_, nullptr, &registers) != 0)
    fail("cannot read the registers of a program that is to be forked");
  return static_cast<std::int64_t>(registers.rax);
}

pid_t Zygote::fork() {
  // The ends of earlier copies. Their signal would be 0, so that the program never notices.
  if (std::exchange(has_children_, true))
    inject(SYS_wait4, {~std::uint64_t{0}, 0, WNOHANG | __WALL, 0});
  const std::uint64_t cleared = upbringing_.cleared_at_exit;
  child_ = 0;
  const std::int64_t result = inject(
      SYS_clone,
      {CLONE_NEWPID | (cleared != 0 ? std::uint64_t{CLONE_CHILD_CLEARTID} : 0), 0, 0, cleared, 0});
  if (result < 0 || child_ == 0) {
    errno = static_cast<int>(-result);
    fail("cannot fork a program");
  }
  int status = 0;
  if (waitpid(child_, &status, __WALL) != child_ || !WIFSTOPPED(status) ||
      ptrace(PTRACE_SETREGS, child_, nullptr, &before_call_) != 0 ||
      ptrace(PTRACE_DETACH, child_, nullptr, nullptr) != 0)
    fail("cannot start the copy of a program");
  return child_;
}

// ---------------------------------------------------------------- all of them

std::shared_ptr<Zygote> Cradles::find(const Beginning& beginning) {
  for (auto at = cradles_.begin(); at != cradles_.end(); ++at) {
    const bool same_clocks =
        at->beginning.monotonic == beginning.monotonic && at->beginning.wall == beginning.wall;
    if (at->beginning.text != beginning.text) continue;
    if (at->zygote->upbringing().has_seen_clocks && !same_clocks) continue;
    if (at->zygote->in_use) continue;
    cradles_.splice(cradles_.begin(), cradles_, at);
    return at->zygote;
  }
  return nullptr;
}

void Cradles::add(Beginning beginning, std::shared_ptr<Zygote> zygote) {
  cradles_.push_front({std::move(beginning), std::move(zygote)});
  if (cradles_.size() > Nursery::kMost) cradles_.pop_back();
}

void Cradles::drop(const Zygote& zygote) {
  cradles_.remove_if([&zygote](const Cradle& cradle) { return cradle.zygote.get() == &zygote; });
}

Nursery::Nursery() : cradles_(std::make_unique<Cradles>()) {}
Nursery::~Nursery() = default;
std::size_t Nursery::size() const { return cradles_->size(); }
std::size_t Nursery::forks() const { return cradles_->forks; }

}  // namespace picklock::guests
