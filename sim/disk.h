// The disk of one process's machine, with a few files. What is written outlives the process, for
// the kernel has it; what is fsynced outlives the machine's power too.
//
// Beside the bytes stand the tag and role of their writer, as beside those of a message.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "sim/occurrence.h"

namespace picklock::sim {

class Disk {
 public:
  struct Piece {
    std::size_t end = 0;  // behind its last byte
    Tag tag = 0;
    std::uint8_t role = 0;
  };
  struct Content {
    std::string bytes;
    std::vector<Piece> pieces;  // in order, one behind the other

    void cut(std::size_t size);
    void clear() {
      bytes.clear();
      pieces.clear();
    }
  };

  bool empty() const { return used_ == 0; }
  // nullptr: there is no such file.
  const Content* find(std::string_view name) const;

  // Behind what is there; a new file if there is none.
  void append(std::string_view name, std::string_view bytes, Tag tag = 0, std::uint8_t role = 0);
  // All of it at once, as by renaming another file: never half of either.
  void replace(std::string_view name, std::string_view bytes);
  // What is behind `size` bytes is gone.
  void truncate(std::string_view name, std::size_t size);
  void remove(std::string_view name);
  void fsync(std::string_view name);

  void lose_power();  // every file is what it was at its last fsync, or not there
  void clear();       // without any file; what was allocated is kept

 private:
  struct File {
    std::string name;
    Content content;
    std::size_t synced = 0;  // so many bytes of it are safe
    bool durable = false;    // it has been fsynced at all
    // Replaced or cut since its last fsync: a loss of power leaves what it was then.
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
