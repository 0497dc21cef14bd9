// A MariaDB server of our own, on an empty data directory; nothing is kept.
#pragma once

#include <string>
#include <vector>

#include "conform/own_server.h"

namespace picklock::conform::mysql {

class RealServer final : public OwnServer {
 public:
  // The server answers when this returns. Throws NoServer or Interrupted.
  explicit RealServer(Stop stop = {});

 private:
  std::vector<std::string> command() override;
  bool answers() override;
};

}  // namespace picklock::conform::mysql
