#include "conform/folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "conform/address.h"

namespace picklock::conform {

Folder::Folder(std::string_view name) {
  std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("picklock-{}-XXXXXX", name)).string();
  if (mkdtemp(path.data()) == nullptr)
    throw NoServer(fmt::format("no folder for a server: {}", std::strerror(errno)));
  path_ = path;
}

void Folder::remove() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace picklock::conform
