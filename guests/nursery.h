// Programs that have begun, kept for those that begin alike: a start is then a fork of a process
// that stands before its first connection, with its interpreter up and its modules imported.
//
// A run is the same with and without a nursery. A zygote therefore serves only starts of equal
// arguments, environment, folder, name, seed and hosts; and, if the program has read a clock by
// then, of equal clocks. A program that has threads, children or files by then, or has waited, is
// started anew each time.
//
// A nursery belongs to the thread that makes it. Nothing in the same process may wait for children
// that it does not know (waitpid with -1), because zygotes are traced. Only root may fork into a
// new process namespace; for other users a nursery has no effect.
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
