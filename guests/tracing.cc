#include "guests/tracing.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "guests/failure.h"

namespace picklock::guests {
namespace {

constexpr long kInstruction = 0x050f;  // syscall
constexpr long kOfInstruction = 0xffff;

class StartOfStack {
 public:
  explicit StartOfStack(pid_t process) : process_(process) {}

  std::uint64_t peek(std::uint64_t at) const {
    errno = 0;
    const long word = ptrace(PTRACE_PEEKDATA, process_, at, nullptr);
    if (errno != 0) fail("cannot read the stack of a new program");
    return static_cast<std::uint64_t>(word);
  }
  void poke(std::uint64_t at, std::uint64_t word) const {
    if (ptrace(PTRACE_POKEDATA, process_, at, word) != 0)
      fail("cannot write the stack of a new program");
  }

 private:
  pid_t process_;
};

}  // namespace

void prepare_image(pid_t process, std::uint64_t vdso, const std::array<std::uint64_t, 2>& random) {
  user_regs_struct registers{};
  if (ptrace(PTRACE_GETREGS, process, nullptr, &registers) != 0)
    fail("cannot read the registers of a new program");
  const StartOfStack stack(process);
  std::uint64_t at = registers.rsp;
  at += 8 * (stack.peek(at) + 2);       // the number of arguments, and they
  while (stack.peek(at) != 0) at += 8;  // the environment
  for (at += 8; stack.peek(at) != AT_NULL; at += 16) {
    const std::uint64_t kind = stack.peek(at);
    if (kind == AT_SYSINFO_EHDR && vdso != 0) stack.poke(at + 8, vdso);
    if (kind == AT_SYSINFO_EHDR && vdso == 0) stack.poke(at, AT_IGNORE);
    if (kind == AT_RANDOM) {
      const std::uint64_t bytes = stack.peek(at + 8);
      stack.poke(bytes, random[0]);
      stack.poke(bytes + 8, random[1]);
    }
  }
}

// ---------------------------------------------------------------- calls at an exec

CallsAtExec::CallsAtExec(pid_t process) : process_(process) {
  if (ptrace(PTRACE_SETOPTIONS, process_, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0)
    fail("cannot trace a new program");
  go_on_to_call();  // the end of the exec
  if (ptrace(PTRACE_GETREGS, process_, nullptr, &before_) != 0)
    fail("cannot read the registers of a new program");
  before_.orig_rax = ~std::uint64_t{0};  // there is no call that could be restarted
  errno = 0;
  text_ = ptrace(PTRACE_PEEKTEXT, process_, before_.rip, nullptr);
  if (errno != 0 ||
      ptrace(PTRACE_POKETEXT, process_, before_.rip, (text_ & ~kOfInstruction) | kInstruction) != 0)
    fail("cannot write the text of a new program");
}

CallsAtExec::~CallsAtExec() {
  // If these fail, it has ended.
  ptrace(PTRACE_POKETEXT, process_, before_.rip, text_);
  ptrace(PTRACE_SETREGS, process_, nullptr, &before_);
}

std::int64_t CallsAtExec::make(int call, std::initializer_list<std::uint64_t> arguments,
                               const std::function<void()>& meanwhile) {
  user_regs_struct registers = before_;
  registers.rax = static_cast<unsigned long long>(call);
  const std::array<unsigned long long*, 6> places{&registers.rdi, &registers.rsi, &registers.rdx,
                                                  &registers.r10, &registers.r8,  &registers.r9};
  std::size_t which = 0;
  for (const std::uint64_t argument : arguments) *places[which++] = argument;
  if (ptrace(PTRACE_SETREGS, process_, nullptr, &registers) != 0)
    fail("cannot set the registers of a new program");
  go_on_to_call();
  if (!meanwhile) {
    go_on_to_call();
  } else {
    if (ptrace(PTRACE_SYSCALL, process_, nullptr, nullptr) != 0)
      fail("cannot resume a new program");
    meanwhile();
    await_call();
  }
  if (ptrace(PTRACE_GETREGS, process_, nullptr, &registers) != 0)
    fail("cannot read the registers of a new program");
  return static_cast<std::int64_t>(registers.rax);
}

void CallsAtExec::go_on_to_call() {
  if (ptrace(PTRACE_SYSCALL, process_, nullptr, nullptr) != 0) fail("cannot resume a new program");
  await_call();
}

// Waits until it begins or ends a call.
void CallsAtExec::await_call() const {
  for (;;) {
    int status = 0;
    while (waitpid(process_, &status, __WALL) < 0) {
      if (errno != EINTR) fail("cannot wait for a new program");
    }
    if (!WIFSTOPPED(status)) {
      errno = ESRCH;
      fail("a new program has ended");
    }
    if (WSTOPSIG(status) == kStopOfCall) return;
    ptrace(PTRACE_SYSCALL, process_, nullptr, WSTOPSIG(status));  // a signal on its way
  }
}

}  // namespace picklock::guests
