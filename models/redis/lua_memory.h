// The allocator of an interpreter. Small objects are in slots of one region, with a free list for
// each size, so that a short script's tables and strings cost next to nothing. Larger ones, and all
// once the region is used up, come from the allocator of the process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace picklock::redis {

class LuaMemory {
 public:
  // Implements lua_Alloc; `size` is never 0. Null: there is no memory.
  void* resize(void* block, std::size_t old_size, std::size_t size) {
    const std::size_t rounded = slots(size);
    if (block != nullptr && slots(old_size) == rounded && is_slot(block)) return block;
    if (rounded > kSizes && (block == nullptr || !is_slot(block))) return std::realloc(block, size);
    void* const moved = rounded <= kSizes ? take(rounded) : std::malloc(size);
    if (moved == nullptr || block == nullptr) return moved;
    std::memcpy(moved, block, old_size < size ? old_size : size);
    free(block, old_size);
    return moved;
  }

  void free(void* block, std::size_t size) {
    if (block == nullptr) return;
    if (!is_slot(block)) {
      std::free(block);
      return;
    }
    Free*& first = free_[slots(size) - 1];
    first = new (block) Free{first};
  }

 private:
  static constexpr std::size_t kSlot = 16;   // bytes
  static constexpr std::size_t kSizes = 16;  // in slots
  static constexpr std::size_t kRegion = std::size_t{1} << 20;

  struct Free {
    Free* next;
  };

  static std::size_t slots(std::size_t size) { return (size + kSlot - 1) / kSlot; }
  bool is_slot(const void* block) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(block) - region_.get()) < kRegion;
  }

  void* take(std::size_t slots) {
    Free*& first = free_[slots - 1];
    if (first != nullptr) {
      void* const block = first;
      first = first->next;
      return block;
    }
    if (used_ + slots * kSlot > kRegion) return std::malloc(slots * kSlot);
    void* const block = region_.get() + used_;
    used_ += slots * kSlot;
    return block;
  }

  std::unique_ptr<std::byte[]> region_{new std::byte[kRegion]};  // untouched pages take nothing
  std::size_t used_ = 0;
  std::array<Free*, kSizes> free_{};
};

}  // namespace picklock::redis
