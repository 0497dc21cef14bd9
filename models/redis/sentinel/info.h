// The fields that a Sentinel reads from a server's INFO.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace picklock::redis {

// Views into the text. Fields that the text does not have are empty.
struct ServerInfo {
  struct Replica {
    std::string_view host;
    std::uint16_t port = 0;
  };

  std::string_view run_id;
  bool tells_role = false;
  bool is_replica = false;
  std::vector<Replica> replicas;
  std::int64_t link_down_ms = 0;  // 0: its link to the master is up
  // Only a replica reports these.
  std::optional<std::string_view> master_host;
  std::optional<std::uint16_t> master_port;
  std::optional<bool> link_up;
  std::optional<std::int64_t> priority;
  std::optional<std::uint64_t> offset;
};

// `info` is reused.
void read_info(std::string_view text, ServerInfo& info);

}  // namespace picklock::redis
