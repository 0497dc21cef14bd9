// A temporary folder, gone with this object and with all that is in it.
#pragma once

#include <filesystem>
#include <string_view>

namespace picklock::conform {

class Folder {
 public:
  // `picklock-redis-x7Kq2a`, for the name `redis`. Throws NoServer.
  explicit Folder(std::string_view name);
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { remove(); }

  const std::filesystem::path& path() const { return path_; }
  void remove();

 private:
  std::filesystem::path path_;
};

}  // namespace picklock::conform
