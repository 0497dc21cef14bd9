#include "outside/output.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace picklock::outside {

Output::Output() : file_(memfd_create("picklock-output", MFD_CLOEXEC)) {
  if (file_ < 0)
    throw std::runtime_error(std::string("no memory for a program's output: ") +
                             std::strerror(errno));
  path_ = "/proc/self/fd/" + std::to_string(file_);
}

Output::~Output() { close(file_); }

void Output::clear() {
  if (ftruncate(file_, 0) != 0)
    throw std::runtime_error(std::string("a program's output: ") + std::strerror(errno));
}

std::int64_t Output::size() const {
  struct stat is {};
  return fstat(file_, &is) == 0 ? is.st_size : 0;
}

std::string Output::last_line() const {
  constexpr off_t kMostOfLine = 4096;
  constexpr const char* kSpace = " \t\r\n";
  const off_t whole = this->size();
  const off_t from = whole > kMostOfLine ? whole - kMostOfLine : 0;
  std::string text(static_cast<std::size_t>(whole - from), '\0');
  const ssize_t size = pread(file_, text.data(), text.size(), from);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  const std::size_t last = text.find_last_not_of(kSpace);
  if (last == std::string::npos) return {};
  text.resize(last + 1);
  const std::size_t line = text.find_last_of('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

}  // namespace picklock::outside
