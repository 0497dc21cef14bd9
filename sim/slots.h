// Elements in numbered slots that never move. Those of a small world are in one short block, those
// of a crowd in large mappings of huge pages: with ordinary pages nearly every access would miss
// the processor's page tables.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace picklock::sim {

template <typename T>
class Slots {
 public:
  Slots() = default;
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  ~Slots() {
    for (std::size_t slot = kFirst; slot < made_; ++slot) (*this)[slot].~T();
    for (const Mapping& mapping : mappings_) munmap(mapping.base, mapping.size);
  }

  T& operator[](std::size_t slot) {
    if (slot < kFirst) return first_[slot];
    return blocks_[(slot - kFirst) >> kShift][(slot - kFirst) & kMask];
  }
  const T& operator[](std::size_t slot) const { return const_cast<Slots&>(*this)[slot]; }

  // Creates the element unless it exists. Slots must be created in order.
  T& at_least(std::size_t slot) {
    while (made_ <= slot) make_one();
    return (*this)[slot];
  }

 private:
  static constexpr std::size_t kFirst = 64;
  static constexpr std::size_t kShift = 14;
  static constexpr std::size_t kMask = (std::size_t{1} << kShift) - 1;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  struct Mapping {
    void* base = nullptr;
    std::size_t size = 0;
  };

  [[gnu::noinline]] void make_one() {
    if (made_ == 0) {
      owned_ = std::make_unique<T[]>(kFirst);
      first_ = owned_.get();
      made_ = kFirst;
      return;
    }
    if ((made_ - kFirst) >> kShift == blocks_.size()) map_block();
    new (&(*this)[made_]) T();
    ++made_;
  }

  void map_block() {
    const std::size_t bytes = (sizeof(T) << kShift) + kHugePage;
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) throw std::bad_alloc();
    mappings_.push_back({base, bytes});
    void* aligned = base;
    std::size_t room = bytes;
    std::align(kHugePage, sizeof(T) << kShift, aligned, room);
    madvise(aligned, sizeof(T) << kShift, MADV_HUGEPAGE);
    blocks_.push_back(static_cast<T*>(aligned));
  }

  T* first_ = nullptr;
  std::vector<T*> blocks_;
  std::size_t made_ = 0;
  std::unique_ptr<T[]> owned_;
  std::vector<Mapping> mappings_;
};

}  // namespace picklock::sim
