#include "explore/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "keys/bad_input.h"

namespace picklock::explore {
namespace {

namespace fs = std::filesystem;

// ".picklock-XXXXXX.part": an incomplete file, locked by the process that writes it.
constexpr std::string_view kPartStem = ".picklock-";
constexpr std::string_view kPartEnd = ".part";

bool holds(const fs::path& file, const std::string& text) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {}) == text;
}

// A file under a temporary name, which the destructor removes unless it was placed.
class Part {
 public:
  explicit Part(const fs::path& folder) {
    // Before the file is locked, another search may remove it as an abandoned one.
    for (struct stat now{}; now.st_nlink == 0;) {
      close_file();
      path_ = (folder / fmt::format("{}XXXXXX{}", kPartStem, kPartEnd)).string();
      file_ = mkostemps(path_.data(), static_cast<int>(kPartEnd.size()), O_CLOEXEC);
      if (file_ < 0) return;
      flock(file_, LOCK_EX);
      if (fstat(file_, &now) != 0) return;
    }
  }
  ~Part() {
    if (file_ >= 0) unlink(path_.c_str());
    close_file();
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  bool write_through(std::string_view text) const {
    if (file_ < 0 || fchmod(file_, 0644) != 0) return false;
    while (!text.empty()) {
      const ssize_t written = write(file_, text.data(), text.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return fsync(file_) == 0;
  }

  enum class Placed { yes, taken, no };

  // The name appears only when the file is complete, and never replaces another file.
  Placed place(const fs::path& file) const {
    if (link(path_.c_str(), file.c_str()) == 0) return Placed::yes;
    // Some file systems have no links.
    if (errno != EEXIST &&
        renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) == 0)
      return Placed::yes;
    return errno == EEXIST ? Placed::taken : Placed::no;
  }

 private:
  void close_file() const {
    if (file_ >= 0) close(file_);
  }

  std::string path_;
  int file_ = -1;
};

// Fsyncs the folder, so that the names are on disk as well.
void sync_names(const fs::path& folder) {
  const int names = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (names < 0) return;
  fsync(names);
  close(names);
}

// Removes the files of searches that were killed: no process has them locked.
void sweep(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPartStem) || !name.ends_with(kPartEnd)) continue;
    const int part = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (part < 0) continue;
    if (flock(part, LOCK_EX | LOCK_NB) == 0) fs::remove(entry.path(), error);
    close(part);
  }
}

}  // namespace

Folder::Folder(const std::string& word, fs::path path) : path_(std::move(path)) {
  const auto refuse = [&](std::string_view problem) {
    throw keys::BadInput(
        fmt::format("{}: {} {}", word, keys::printable(path_.string(), 200), problem));
  };
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error)) refuse("is not a directory");
  fs::path existing = fs::absolute(path_).lexically_normal();
  while (!fs::exists(existing, error) && existing.has_relative_path())
    existing = existing.parent_path();
  // Permissions alone do not show whether a file can be written.
  if (!Part(existing).write_through({}))
    refuse(fmt::format("cannot be written to: {}", std::strerror(errno)));
}

std::string Folder::keep(const std::string& stem, const std::string& text) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (!std::exchange(swept_, true)) sweep(path_);
  std::optional<Part> part;
  for (int number = 1;; ++number) {
    const fs::path file = path_ / fmt::format("{}-{}.toml", stem, number);
    if (fs::exists(file, error)) {
      if (holds(file, text)) return fs::proximate(file).string();
      continue;
    }
    if (!part && !part.emplace(path_).write_through(text)) return {};
    const Part::Placed placed = part->place(file);
    if (placed == Part::Placed::taken) {
      --number;  // by another process, which may keep the same text
      continue;
    }
    if (placed == Part::Placed::no) return {};
    sync_names(path_);
    return fs::proximate(file).string();
  }
}

}  // namespace picklock::explore
