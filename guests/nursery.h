// Programs that have begun, kept for those that begin alike: a start is then a fork of a process
// that stands before its first connection, its interpreter up and its modules imported.
//
// A run is the same with and without. What may differ from run to run must not have been seen
// before that point: a zygote serves starts of equal arguments, environment, name, hosts and clocks
// only. A program that has threads, children or files by then is started anew each time.
//
// It belongs to the thread that makes it. Only root may fork into a new process namespace; for
// others it has no effect.
#pragma once

#include <cstddef>
#include <memory>

namespace picklock::guests {

class Cradles;

class Nursery {
 public:
  static constexpr std::size_t kMost = 16;  // the one that was not used for longest goes

  Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;
  ~Nursery();

  std::size_t size() const;
  // So many starts were forks.
  std::size_t forks() const;

 private:
  friend class Supervisor;

  std::unique_ptr<Cradles> cradles_;
};

}  // namespace picklock::guests
