// The state of a running script, available to every function that the interpreter calls: the server
// it acts on, the time it has used, the memory it may use.
//
// Time: every instruction of the interpreter takes kInstruction, and library functions are charged
// instructions in proportion to their work. Time passes in portions of kPortion instructions, so a
// script as short as a lock's takes none. A script of a real server is some twenty times as fast;
// the model is slower so that an endless script reaches the end of a run soon.
//
// Memory: a script that uses more than kMostMemory gets the interpreter's own error; a real server
// would use all memory of the machine. Garbage is not collected while a script runs, unless it uses
// much: the contents of weak tables would depend on earlier scripts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/lua.h"
#include "models/redis/lua_memory.h"
#include "models/redis/numbers.h"
#include "picklock/redis.h"
#include "sim/time.h"

struct lua_Debug;

namespace picklock::redis {

inline constexpr sim::Duration kInstruction{100};
inline constexpr int kPortion = 1000;

class ScriptRun {
 public:
  static ScriptRun& of(lua_State* lua);

  // Opens a new interpreter whose functions find this object, which must outlive it. Null: no
  // memory.
  lua_State* open_interpreter();

  void begin(ScriptHost& host);
  void end();
  ScriptHost& host() { return *host_; }

  // Charges work that the interpreter does not count as instructions. May raise an error, or throw
  // an exception that ends the script's thread.
  void charge(lua_State* lua, std::size_t instructions) {
    unpaid_ += instructions;
    if (unpaid_ >= static_cast<std::size_t>(kPortion)) pay(lua);
  }

  // Calls something that may throw past the interpreter.
  template <typename Action>
  void guarded(Action action) {
    try {
      action();
    } catch (...) {
      escaped_ = std::current_exception();
      throw;
    }
  }
  // The interpreter takes any exception for an error of the script, so functions that catch errors
  // must rethrow escaped exceptions.
  void pass_on_escaped() const {
    if (escaped_) std::rethrow_exception(escaped_);
  }

  // Called between scripts; collects garbage if enough memory is in use.
  void tidy();
  // Garbage was collected in the middle of a script, or a stack has grown to its limit: both depend
  // on what earlier scripts have left.
  bool strained() const { return strained_; }

  std::uint8_t protocol = 2;
  bool cjson_configured = false;  // a script has changed the settings of cjson
  // Used by redis.call; members so that their memory is reused.
  Reply reply;
  std::vector<std::string_view> argv;
  std::vector<NumberText> numbers;
  std::string text;

 private:
  static constexpr std::size_t kMostMemory = std::size_t{64} << 20;
  static constexpr std::size_t kMuchMemory = std::size_t{8} << 20;
  // The stack of calls takes more where its next growth would be beyond the interpreter's limit.
  static constexpr std::size_t kLargeBlock = std::size_t{512} << 10;

  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t size);
  static void on_count(lua_State* lua, lua_Debug*);
  void pay(lua_State* lua);

  lua_State* lua_ = nullptr;
  ScriptHost* host_ = nullptr;
  std::size_t unpaid_ = 0;
  std::exception_ptr escaped_;

  LuaMemory memory_;
  std::size_t used_ = 0;
  std::size_t limit_ = SIZE_MAX;
  std::size_t collect_at_ = SIZE_MAX;
  bool hungry_ = false;  // the script uses much memory: garbage is collected while it runs
  bool strained_ = false;
  std::size_t tidy_at_ = 0;
};

}  // namespace picklock::redis
