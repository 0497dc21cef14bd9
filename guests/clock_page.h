// The clocks of a guest as two pages of its memory, so that reading them needs no trapped call: a
// vDSO of ours with the functions that its libraries look for, and the times that they show. The
// times are right because virtual time stands still while a thread runs.
#pragma once

#include <cstdint>

#include "guests/descriptor.h"

namespace picklock::guests {

class ClockPage {
 public:
  // Where every guest has it: below all programs, and above what the kernel keeps free.
  static constexpr std::uint64_t kAddress = 0x100000;
  static constexpr std::uint64_t kSize = 4096;  // of each page: the vDSO, then the times

  // Throws std::runtime_error if the machine has no memory for it.
  ClockPage();
  ClockPage(const ClockPage&) = delete;
  ClockPage& operator=(const ClockPage&) = delete;
  ~ClockPage();

  int file() const { return file_.get(); }
  // Lets the program read the clocks so many times; its next read after them is a trapped call.
  void lend(std::int64_t wall, std::int64_t monotonic, std::uint32_t reads);
  // It reads no more. Returns how many times it did.
  std::uint32_t take_back();

 private:
  struct Times;

  Descriptor file_;
  Times* times_;
  std::uint32_t lent_ = 0;
};

}  // namespace picklock::guests
