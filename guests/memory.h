// The memory of a process of the guest.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace picklock::guests {

class Memory {
 public:
  explicit Memory(pid_t thread) : thread_(thread) {}

  // False: not all of it is there.
  bool read(std::uint64_t from, void* to, std::size_t size) const;
  bool write(std::uint64_t to, const void* from, std::size_t size) const;

  template <typename T>
  std::optional<T> get(std::uint64_t from) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (!read(from, &value, sizeof value)) return std::nullopt;
    return value;
  }
  template <typename T>
  bool put(std::uint64_t to, const T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return write(to, &value, sizeof value);
  }

  // As many of the bytes as are there.
  std::string bytes(std::uint64_t from, std::size_t size) const;
  // The bytes that an array of struct iovec refers to; fewer if not all of them are there.
  std::string gathered(std::uint64_t vectors, std::size_t count) const;
  // Up to the zero byte; empty if there is none within the length of a path.
  std::string text(std::uint64_t from) const;

 private:
  pid_t thread_;
};

}  // namespace picklock::guests
