#include "guests/memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <climits>
#include <vector>

namespace picklock::guests {
namespace {

constexpr std::size_t kPage = 4096;

iovec span_of(const void* at, std::size_t size) { return {const_cast<void*>(at), size}; }
// An address of the other process.
iovec span_of(std::uint64_t at, std::size_t size) {
  return {reinterpret_cast<void*>(at), size};  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

bool Memory::read(std::uint64_t from, void* to, std::size_t size) const {
  const iovec here = span_of(to, size);
  const iovec there = span_of(from, size);
  return process_vm_readv(thread_, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

bool Memory::write(std::uint64_t to, const void* from, std::size_t size) const {
  const iovec here = span_of(from, size);
  const iovec there = span_of(to, size);
  return process_vm_writev(thread_, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

std::string Memory::bytes(std::uint64_t from, std::size_t size) const {
  std::string read_so_far;
  // A size may be nonsense, so that no more is allocated than is there.
  for (std::size_t part; read_so_far.size() < size;) {
    part = std::min<std::size_t>(size - read_so_far.size(), std::size_t{1} << 20);
    const std::size_t before = read_so_far.size();
    read_so_far.resize(before + part);
    const iovec here = span_of(read_so_far.data() + before, part);
    const iovec there = span_of(from + before, part);
    const ssize_t got = process_vm_readv(thread_, &here, 1, &there, 1, 0);
    read_so_far.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got != static_cast<ssize_t>(part)) break;
  }
  return read_so_far;
}

std::string Memory::gathered(std::uint64_t vectors, std::size_t count) const {
  std::vector<iovec> parts(std::min<std::size_t>(count, IOV_MAX));
  if (parts.empty() || !read(vectors, parts.data(), parts.size() * sizeof(iovec))) return {};
  std::string all;
  for (const iovec& part : parts) {
    const std::string one = bytes(reinterpret_cast<std::uint64_t>(part.iov_base), part.iov_len);
    all += one;
    if (one.size() != part.iov_len) break;
  }
  return all;
}

std::string Memory::text(std::uint64_t from) const {
  std::string path;
  while (path.size() < PATH_MAX) {
    const std::string part = bytes(from, kPage - from % kPage);
    const std::size_t end = part.find('\0');
    path += part.substr(0, end);
    if (end != std::string::npos) return path;
    if (part.empty()) break;
    from += part.size();
  }
  return {};
}

}  // namespace picklock::guests
