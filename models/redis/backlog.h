// The end of the stream that a server has sent to its replicas, so that a replica that was away for
// a moment need not be sent all data again. Offsets count the bytes of the stream, from 1.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "history/history.h"

namespace picklock::redis {

class Backlog {
 public:
  bool active() const { return active_; }
  void begin(std::int64_t offset) {
    active_ = true;
    forget();
    first_ = offset + 1;
  }
  void end() {
    active_ = false;
    forget();
  }

  // Appends bytes on behalf of a tenure, which is stored beside them.
  void add(std::string_view bytes, history::TenureId tenure, Role role) {
    pieces_.push_back({bytes_.size(), bytes.size(), tenure, role});
    bytes_.append(bytes);
    while (size() > kSize && pieces_.size() > 1) {
      first_ += static_cast<std::int64_t>(pieces_.front().size);
      skipped_ += pieces_.front().size;
      pieces_.pop_front();
    }
    if (skipped_ > kSize) {
      bytes_.erase(0, skipped_);
      for (Piece& piece : pieces_) piece.at -= skipped_;
      skipped_ = 0;
    }
  }

  std::int64_t first() const { return first_; }
  std::size_t size() const { return bytes_.size() - skipped_; }
  std::int64_t last() const { return first_ + static_cast<std::int64_t>(size()) - 1; }

  // Whether a replica can resume at this offset.
  bool reaches(std::int64_t offset) const {
    return active_ && offset >= first_ && offset <= last() + 1;
  }
  // Calls `visit(bytes, tenure, role)` for each piece from this offset on.
  template <typename Visit>
  void each_from(std::int64_t offset, Visit visit) const {
    std::int64_t at = first_;
    for (const Piece& piece : pieces_) {
      if (at >= offset)
        visit(std::string_view(bytes_).substr(piece.at, piece.size), piece.tenure, piece.role);
      at += static_cast<std::int64_t>(piece.size);
    }
  }

 private:
  static constexpr std::size_t kSize = 1 << 20;  // repl-backlog-size

  struct Piece {
    std::size_t at = 0;
    std::size_t size = 0;
    history::TenureId tenure = 0;
    Role role{};
  };

  void forget() {
    bytes_.clear();
    pieces_.clear();
    skipped_ = 0;
  }

  bool active_ = false;
  std::int64_t first_ = 1;
  std::string bytes_;
  std::size_t skipped_ = 0;  // at the beginning of bytes_
  std::deque<Piece> pieces_;
};

}  // namespace picklock::redis
