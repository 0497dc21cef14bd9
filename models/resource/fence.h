// The resource's check of fencing tokens (architecture "Fencing"). It keeps what it was shown, for
// as long as the run lasts, and decides with each request.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/process.h"

namespace picklock::models {

// Which requests are compared with the newest token, and show theirs: writes; writes and reads; or
// both, and only with the token that was announced last, because tokens have no order.
// An announcement shows its token in any case.
enum class Checks : std::uint8_t { writes, accesses, announced };

// Whether the resource accepts a token that another client has shown before.
enum class EqualToken : std::uint8_t { accept, refuse };

enum class Access : std::uint8_t { read, write, announcement };

struct Token {
  std::int64_t rank = 0;  // the order of tokens that have one
  std::string_view name;  // the token of an owner, which has no order
};

class Fence {
 public:
  void reset(Checks checks, EqualToken equal) {
    checks_ = checks;
    equal_ = equal;
    newest_ = 0;
    shown_by_ = kNobody;
    announced_ = false;
    announced_name_.clear();
  }

  // Whether the request of `client` passes. If it does, it has shown its token.
  bool admits(Access access, const Token& token, sim::ProcessId client);

 private:
  static constexpr sim::ProcessId kNobody = UINT32_MAX;

  bool is_announced(const Token& token) const {
    return announced_ && token.rank == newest_ && token.name == announced_name_;
  }

  Checks checks_ = Checks::writes;
  EqualToken equal_ = EqualToken::accept;
  std::int64_t newest_ = 0;
  sim::ProcessId shown_by_ = kNobody;
  bool announced_ = false;
  std::string announced_name_;
};

}  // namespace picklock::models
