// The output of a program, in memory.
#pragma once

#include <cstdint>
#include <string>

namespace picklock::outside {

class Output {
 public:
  // Bytes that are kept of it, its beginning and its end.
  static constexpr std::int64_t kMost = std::int64_t{1} << 20;

  // Throws std::runtime_error if the machine has no place for it.
  Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  // As a child of this process that has inherited its descriptors can open it.
  const std::string& path() const { return path_; }
  void clear();
  std::int64_t size() const;  // with all that is not kept
  // Without white space around it; empty: nothing was printed.
  std::string last_line() const;

 private:
  int file_;
  std::string path_;
};

}  // namespace picklock::outside
