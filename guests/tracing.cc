#include "guests/tracing.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include <cerrno>

#include "guests/failure.h"

namespace picklock::guests {
namespace {

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

void prepare_image(pid_t process, const std::array<std::uint64_t, 2>& random) {
  user_regs_struct registers{};
  if (ptrace(PTRACE_GETREGS, process, nullptr, &registers) != 0)
    fail("cannot read the registers of a new program");
  const StartOfStack stack(process);
  std::uint64_t at = registers.rsp;
  at += 8 * (stack.peek(at) + 2);       // the number of arguments, and they
  while (stack.peek(at) != 0) at += 8;  // the environment
  for (at += 8; stack.peek(at) != AT_NULL; at += 16) {
    const std::uint64_t kind = stack.peek(at);
    if (kind == AT_SYSINFO_EHDR) stack.poke(at, AT_IGNORE);
    if (kind == AT_RANDOM) {
      const std::uint64_t bytes = stack.peek(at + 8);
      stack.poke(bytes, random[0]);
      stack.poke(bytes + 8, random[1]);
    }
  }
}

}  // namespace picklock::guests
