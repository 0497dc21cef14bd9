// The disk of one process's machine, with a few files. Written data outlives the process, because
// the kernel has it; fsynced data also outlives a loss of power.
//
// Each piece of a file carries the tag and role of its writer, as a message does.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "sim/occurrence.h"
#include "sim/role.h"

namespace picklock::sim {

class Disk {
 public:
  struct Piece {
    std::size_t end = 0;  // the offset after its last byte
    Tag tag = 0;
    Role role{};
  };
  struct Content {
    std::string bytes;
    std::vector<Piece> pieces;  // in order and without gaps

    void cut(std::size_t size);
    void clear() {
      bytes.clear();
      pieces.clear();
    }
  };

  bool empty() const { return used_ == 0; }
  // nullptr: there is no such file.
  const Content* find(std::string_view name) const;

  // Appends to the file, which is created if it does not exist.
  void append(std::string_view name, std::string_view bytes, Tag tag = 0, Role role = {});
  // Replaces the whole content atomically, as renaming another file does.
  void replace(std::string_view name, std::string_view bytes);
  // Cuts everything after the first `size` bytes.
  void truncate(std::string_view name, std::size_t size);
  void remove(std::string_view name);
  void fsync(std::string_view name);

  void lose_power();  // every file is what it was at its last fsync, or not there
  void clear();       // without any file; what was allocated is kept

 private:
  struct File {
    std::string name;
    Content content;
    std::size_t synced = 0;  // how many of its bytes are fsynced
    bool durable = false;    // it has been fsynced at all
    // Replaced or cut since its last fsync: a loss of power restores `before`.
    bool renewed = false;
    Content before;
  };

  File* file(std::string_view name);
  File& made(std::string_view name);
  static void keep_before(File& file);

  std::deque<File> files_;
  std::size_t used_ = 0;
};

}  // namespace picklock::sim
