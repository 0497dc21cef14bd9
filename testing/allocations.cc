#include "testing/allocations.h"

#include <cstdlib>
#include <new>

namespace {

std::size_t count = 0;

}  // namespace

// In a file of its own: where a compiler can inline one of the pair alone, it takes them for
// mismatched.
void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
// A sanitizer has a pair of its own for each form that is not replaced here: std::stable_sort
// allocates by this one and frees by the plain delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++count;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace picklock::properties {

std::size_t allocations() { return count; }

}  // namespace picklock::properties
