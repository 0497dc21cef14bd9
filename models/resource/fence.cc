#include "models/resource/fence.h"

namespace picklock::models {

bool Fence::admits(Access access, const Token& token, sim::ProcessId client) {
  if (checks_ == Checks::announced) {
    if (access != Access::announcement) return is_announced(token);
    announced_ = true;
    newest_ = token.rank;
    announced_name_ = token.name;
    return true;
  }
  if (access == Access::read && checks_ == Checks::writes) return true;
  if (token.rank < newest_) return false;
  const bool of_another = shown_by_ != kNobody && shown_by_ != client;
  if (token.rank == newest_ && of_another && equal_ == EqualToken::refuse) return false;
  newest_ = token.rank;
  shown_by_ = client;
  return true;
}

}  // namespace picklock::models
