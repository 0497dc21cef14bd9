#include "sim/stack_pool.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "sim/sanitizer.h"

namespace picklock::sim {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kGuarded = 1024;
constexpr std::size_t kPerMapping = 64;
// Tops at the same offset of every page would compete for the same few cache lines. The distance of
// two stacks separates sixteen neighbors; the color separates the rows of sixteen. A crowd does not
// fit the cache anyway: its colors keep the two kilobytes or so that a parked fiber uses in one
// page.
constexpr std::size_t kNeighbours = 16;
constexpr std::size_t kColours = 16;
constexpr std::size_t kColoursOfACrowd = 8;
constexpr std::size_t kColourStep = 256;

// Clears the poison that an ended fiber or an earlier mapping left at this place, which would be
// reported as an error of the next fiber.
void unpoison([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) {
#ifdef PICKLOCK_ASAN
  __asan_unpoison_memory_region(memory, size);
#endif
}

}  // namespace

StackPool::~StackPool() {
  for (const Stack& mapping : mappings_) munmap(mapping.bottom, mapping.size);
}

Stack StackPool::take() {
  if (free_.empty()) map_more();
  char* bottom = free_.back();
  free_.pop_back();
  const std::size_t row = reinterpret_cast<std::uintptr_t>(bottom) / (size_ + kPage) / kNeighbours;
  const std::size_t colour = row % (mapped_ > kGuarded ? kColoursOfACrowd : kColours);
  return Stack{bottom, size_ - colour * kColourStep};
}

void StackPool::give_back(Stack stack) {
  unpoison(stack.bottom, stack.size);
  std::uint64_t word = 0;
  std::memcpy(&word, stack.bottom, sizeof word);
  if (word != 0) {  // a mapping begins as zeros
    std::fputs("picklock: a fiber has overflowed its stack\n", stderr);
    std::abort();
  }
  free_.push_back(stack.bottom);
}

void StackPool::map_more() {
  const std::size_t spacing = size_ + kPage;
  const std::size_t bytes = spacing * kPerMapping;
  void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  unpoison(mapping, bytes);
  // A huge page would make one touched stack cost as much as thirty.
  madvise(mapping, bytes, MADV_NOHUGEPAGE);
  char* base = static_cast<char*>(mapping);
  mappings_.push_back(Stack{base, bytes});
  free_.reserve(free_.size() + kPerMapping);
  const bool guarded = mapped_ < kGuarded;
  for (std::size_t i = kPerMapping; i-- > 0;) {
    char* low = base + i * spacing;
    if (guarded) mprotect(low, kPage, PROT_NONE);
    free_.push_back(low + kPage);
  }
  mapped_ += kPerMapping;
}

}  // namespace picklock::sim
