#include "models/redis/sentinel/info.h"

#include <charconv>

namespace picklock::redis {
namespace {

constexpr std::size_t kRunIdSize = 40;

template <typename Number>
Number leading_number(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// `ip=10.0.0.2,port=6379,state=online,...`: the value behind `key`.
std::string_view part(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return text.substr(0, text.find(','));
}

bool names_replica(std::string_view key) {
  return key.size() > 5 && key.starts_with("slave") && key[5] >= '0' && key[5] <= '9';
}

void read_replica_field(std::string_view key, std::string_view value, ServerInfo& info) {
  if (key == "master_host") {
    info.master_host = value;
  } else if (key == "master_port") {
    info.master_port = leading_number<std::uint16_t>(value);
  } else if (key == "master_link_status") {
    info.link_up = value == "up";
  } else if (key == "slave_priority") {
    info.priority = leading_number<std::int64_t>(value);
  } else if (key == "slave_repl_offset") {
    info.offset = leading_number<std::uint64_t>(value);
  }
}

void read_field(std::string_view key, std::string_view value, ServerInfo& info) {
  if (key == "run_id") {
    if (value.size() >= kRunIdSize) info.run_id = value.substr(0, kRunIdSize);
  } else if (key == "role") {
    info.is_replica = value == "slave";
    info.tells_role = info.is_replica || value == "master";
  } else if (key == "master_link_down_since_seconds") {
    info.link_down_ms = leading_number<std::int64_t>(value) * 1000;
  } else if (names_replica(key)) {
    info.replicas.push_back(
        {part(value, "ip="), leading_number<std::uint16_t>(part(value, "port="))});
  } else if (info.is_replica) {
    read_replica_field(key, value, info);
  }
}

}  // namespace

void read_info(std::string_view text, ServerInfo& info) {
  std::vector<ServerInfo::Replica> replicas = std::move(info.replicas);
  replicas.clear();
  info = {};
  info.replicas = std::move(replicas);
  while (!text.empty()) {
    const std::size_t end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos)
      read_field(line.substr(0, colon), line.substr(colon + 1), info);
  }
}

}  // namespace picklock::redis
