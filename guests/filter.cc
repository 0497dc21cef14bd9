#include "guests/filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>

#include <cstddef>

namespace picklock::guests {
namespace {

constexpr std::uint32_t kBitOfX32 = 0x40000000;

class FilterText {
 public:
  void load(std::size_t offset) {
    steps_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void load_argument(unsigned which) {  // its lower half: a descriptor is an int
    load(offsetof(seccomp_data, args) + which * sizeof(std::uint64_t));
  }
  void decide(std::uint32_t what) { steps_.push_back(BPF_STMT(BPF_RET | BPF_K, what)); }
  // Skips so many steps if the loaded value is (or is not) so.
  void jump(std::uint16_t test, std::uint32_t value, std::uint8_t if_so, std::uint8_t if_not) {
    steps_.push_back(
        BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, if_so, if_not));
  }
  std::vector<sock_filter> take() { return std::move(steps_); }

 private:
  std::vector<sock_filter> steps_;
};

void trap_if_socket(FilterText& text, unsigned argument) {
  text.load_argument(argument);
  text.jump(BPF_JGE, kFirstChannel, 0, 2);
  text.jump(BPF_JGT, kLastSocket, 1, 0);
  text.decide(SECCOMP_RET_USER_NOTIF);
}
constexpr std::uint8_t kStepsOfSocket = 4;

}  // namespace

std::vector<sock_filter> make_filter(std::span<const Trapped> calls) {
  FilterText text;
  text.load(offsetof(seccomp_data, arch));
  text.jump(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0);
  text.decide(SECCOMP_RET_KILL_PROCESS);
  text.load(offsetof(seccomp_data, nr));
  text.jump(BPF_JGE, kBitOfX32, 0, 1);
  text.decide(SECCOMP_RET_KILL_PROCESS);
  for (const Trapped& trapped : calls) {
    const auto number = static_cast<std::uint32_t>(trapped.call);
    if (trapped.when == Trap::always) {
      text.jump(BPF_JEQ, number, 0, 1);
      text.decide(SECCOMP_RET_USER_NOTIF);
      continue;
    }
    const bool two = trapped.when != Trap::on_socket;
    const auto steps = static_cast<std::uint8_t>(two ? 2 * kStepsOfSocket : kStepsOfSocket);
    text.jump(BPF_JEQ, number, 0, static_cast<std::uint8_t>(steps + 1));
    trap_if_socket(text, 0);
    if (two) trap_if_socket(text, trapped.when == Trap::on_socket_or_second ? 1 : 2);
    text.decide(SECCOMP_RET_ALLOW);
  }
  text.decide(SECCOMP_RET_ALLOW);
  return text.take();
}

}  // namespace picklock::guests
