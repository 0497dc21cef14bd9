// Stacks for fibers, carved from large mappings and recycled: a touched page stays touched, so a
// world costs no page faults after the first. Below each of the first stacks lies a guard page;
// guards for all would exhaust the kernel's table of mappings at some 30,000, so further ones are
// only checked when they are returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace picklock::sim {

struct Stack {
  char* bottom = nullptr;
  std::size_t size = 0;
  char* top() const { return bottom + size; }
};

class StackPool {
 public:
  explicit StackPool(std::size_t stack_size) : size_(stack_size) {}
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();

  Stack take();  // throws std::bad_alloc when the address space is exhausted
  void give_back(
      Stack stack);  // aborts when its lowest word was written: what lies below is damaged too

  std::size_t stack_size() const { return size_; }
  std::size_t mapped() const { return mapped_; }  // stacks mapped so far, in use or free

 private:
  void map_more();

  std::size_t size_;
  std::size_t mapped_ = 0;
  std::vector<char*> free_;
  std::vector<Stack> mappings_;
};

}  // namespace picklock::sim
