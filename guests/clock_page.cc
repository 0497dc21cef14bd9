#include "guests/clock_page.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

#include "guests/failure.h"
#include "guests/thread.h"

// The vDSO: as much of a shared library as glibc, musl and Go look at. Its functions read the page
// behind it. With no reads left, and for the clocks of computing, they are system calls.
asm(R"(
  .pushsection .rodata
  .balign 16
  .globl picklock_vdso
  .hidden picklock_vdso
  .globl picklock_vdso_end
  .hidden picklock_vdso_end
  .set times_wall, vdso + 4096
  .set times_monotonic, vdso + 4112
  .set times_microseconds, vdso + 4128
  .set times_left, vdso + 4136

picklock_vdso:
vdso:
  .byte 0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0
  .short 3, 62                               # a shared library for x86-64
  .long 1
  .quad 0, vdso_segments - vdso, 0
  .long 0
  .short 64, 56, 2, 64, 0, 0
vdso_segments:
  .long 1, 5                                 # PT_LOAD, readable and executable
  .quad 0, 0, 0, vdso_end - vdso, vdso_end - vdso, 4096
  .long 2, 4                                 # PT_DYNAMIC, readable
  .quad vdso_dynamic - vdso, vdso_dynamic - vdso, vdso_dynamic - vdso
  .quad vdso_dynamic_end - vdso_dynamic, vdso_dynamic_end - vdso_dynamic, 8
vdso_dynamic:
  .quad 14, vdso_name - vdso_names           # DT_SONAME
  .quad 4, vdso_hash - vdso                  # DT_HASH
  .quad 5, vdso_names - vdso                 # DT_STRTAB
  .quad 6, vdso_symbols - vdso               # DT_SYMTAB
  .quad 10, vdso_names_end - vdso_names      # DT_STRSZ
  .quad 11, 24                               # DT_SYMENT
  .quad 0x6ffffff0, vdso_versions - vdso     # DT_VERSYM
  .quad 0x6ffffffc, vdso_definitions - vdso  # DT_VERDEF
  .quad 0x6ffffffd, 2                        # DT_VERDEFNUM
  .quad 0, 0
vdso_dynamic_end:
vdso_hash:
  .long 1, 4                                 # one bucket, in which all symbols are
  .long 1
  .long 0, 2, 3, 0
  .balign 8
vdso_symbols:
  .quad 0, 0, 0
  .long vdso_clock_gettime_name - vdso_names
  .short 0x12, 1                             # a global function
  .quad vdso_clock_gettime - vdso, vdso_gettimeofday - vdso_clock_gettime
  .long vdso_gettimeofday_name - vdso_names
  .short 0x12, 1
  .quad vdso_gettimeofday - vdso, vdso_time - vdso_gettimeofday
  .long vdso_time_name - vdso_names
  .short 0x12, 1
  .quad vdso_time - vdso, vdso_end - vdso_time
vdso_versions:
  .short 0, 2, 2, 2
vdso_definitions:
  .short 1, 1, 1, 1                          # the base
  .long 0x0deebfa1, 20, 28
  .long vdso_name - vdso_names, 0
  .short 1, 0, 2, 1
  .long 0x03ae75f6, 20, 0
  .long vdso_version - vdso_names, 0
vdso_names:
  .byte 0
vdso_name:
  .asciz "linux-vdso.so.1"
vdso_version:
  .asciz "LINUX_2.6"
vdso_clock_gettime_name:
  .asciz "__vdso_clock_gettime"
vdso_gettimeofday_name:
  .asciz "__vdso_gettimeofday"
vdso_time_name:
  .asciz "__vdso_time"
vdso_names_end:

  .balign 16
vdso_clock_gettime:
  cmp $7, %edi
  ja 3f
  mov %edi, %ecx
  mov $1, %eax
  shl %cl, %eax
  lea times_monotonic(%rip), %rdx
  test $0xd2, %al                            # MONOTONIC, _RAW, _COARSE and BOOTTIME
  jnz 1f
  lea times_wall(%rip), %rdx
  test $0x21, %al                            # REALTIME and _COARSE
  jz 3f
1:
  mov times_left(%rip), %ecx
  sub $1, %ecx
  jc 3f
  mov %ecx, times_left(%rip)
  mov (%rdx), %rax
  mov 8(%rdx), %rcx
  mov %rax, (%rsi)
  mov %rcx, 8(%rsi)
  xor %eax, %eax
  ret
3:
  mov $228, %eax
  syscall
  ret

  .balign 16
vdso_gettimeofday:
  test %rdi, %rdi
  jz 3f
  test %rsi, %rsi
  jnz 3f
  mov times_left(%rip), %ecx
  sub $1, %ecx
  jc 3f
  mov %ecx, times_left(%rip)
  mov times_wall(%rip), %rax
  mov times_microseconds(%rip), %rcx
  mov %rax, (%rdi)
  mov %rcx, 8(%rdi)
  xor %eax, %eax
  ret
3:
  mov $96, %eax
  syscall
  ret

  .balign 16
vdso_time:
  mov times_left(%rip), %ecx
  sub $1, %ecx
  jc 3f
  mov %ecx, times_left(%rip)
  mov times_wall(%rip), %rax
  test %rdi, %rdi
  jz 2f
  mov %rax, (%rdi)
2:
  ret
3:
  mov $201, %eax
  syscall
  ret
vdso_end:
picklock_vdso_end:
  .popsection
)");

extern "C" {
extern const unsigned char picklock_vdso[] __attribute__((visibility("hidden")));
extern const unsigned char picklock_vdso_end[] __attribute__((visibility("hidden")));
}

namespace picklock::guests {

// As its functions read them.
struct ClockPage::Times {
  std::int64_t wall_seconds;
  std::int64_t wall_nanoseconds;
  std::int64_t monotonic_seconds;
  std::int64_t monotonic_nanoseconds;
  std::int64_t wall_microseconds;
  std::uint32_t left;
};

ClockPage::ClockPage() : file_(memfd_create("clocks", MFD_CLOEXEC)) {
  static_assert(offsetof(Times, wall_microseconds) == 32 && offsetof(Times, left) == 40);
  const auto size = static_cast<std::size_t>(picklock_vdso_end - picklock_vdso);
  if (!file_ || ftruncate(file_.get(), 2 * kSize) != 0 ||
      pwrite(file_.get(), picklock_vdso, size, 0) != static_cast<ssize_t>(size))
    fail("cannot make a page of clocks");
  void* const there =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), off_t{kSize});
  if (there == MAP_FAILED) fail("cannot make a page of clocks");
  times_ = static_cast<Times*>(there);
}

ClockPage::~ClockPage() { munmap(times_, kSize); }

void ClockPage::lend(std::int64_t wall, std::int64_t monotonic, std::uint32_t reads) {
  *times_ = {.wall_seconds = wall / kSecond,
             .wall_nanoseconds = wall % kSecond,
             .monotonic_seconds = monotonic / kSecond,
             .monotonic_nanoseconds = monotonic % kSecond,
             .wall_microseconds = wall % kSecond / 1000,
             .left = reads};
  lent_ = reads;
}

std::uint32_t ClockPage::take_back() {
  const std::uint32_t used = lent_ - times_->left;
  lent_ = times_->left = 0;
  return used;
}

}  // namespace picklock::guests
