// A process of its own that works something out and sends it back. It goes when its parent goes,
// and an interrupt from the keyboard is its parent's to answer.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

namespace picklock::explore {

class Child {
 public:
  // False: nobody reads any more.
  using Send = std::function<bool(std::string_view bytes)>;

  // Forks, and does the work in the child; what it throws ends the child as a crash would, and its
  // message is what the child died of. Throws std::system_error.
  explicit Child(const std::function<void(const Send&)>& work);
  ~Child();  // ends it
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // To be polled; read() when there is something.
  int descriptor() const { return read_from_; }
  // Takes in what there is without waiting. False: the child will send no more.
  bool read();
  // Bytes that were received and not consumed yet.
  std::string& received() { return received_; }

  // Once read() was false: how it ended; empty: as it should. Waits for it.
  std::string died_of();

 private:
  pid_t process_ = -1;
  int read_from_ = -1;
  char* last_words_ = nullptr;  // shared with it
  std::string received_;
};

}  // namespace picklock::explore
