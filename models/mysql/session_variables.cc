#include "models/mysql/session_variables.h"

#include <algorithm>
#include <utility>

#include "models/mysql/sql_tokens.h"

namespace picklock::mysql {
namespace {

struct Constant {
  std::string_view name;
  std::string_view text;
};

// Variables that change nothing in the model.
constexpr Constant kTexts[] = {
    {"version_comment", "picklock"},
    {"version_compile_os", "Linux"},
    {"character_set_client", "utf8mb4"},
    {"character_set_connection", "utf8mb4"},
    {"character_set_results", "utf8mb4"},
    {"character_set_server", "utf8mb4"},
    {"character_set_database", "utf8mb4"},
    {"collation_server", "utf8mb4_general_ci"},
    {"collation_connection", "utf8mb4_general_ci"},
    {"collation_database", "utf8mb4_general_ci"},
    {"default_storage_engine", "InnoDB"},
    {"init_connect", ""},
    {"license", "GPL"},
    {"query_cache_type", "OFF"},
    {"sql_mode", "STRICT_TRANS_TABLES"},
    {"system_time_zone", "UTC"},
    {"time_zone", "SYSTEM"},
};
constexpr std::pair<std::string_view, std::int64_t> kNumbers[] = {
    {"auto_increment_increment", 1},  {"lower_case_table_names", 0},
    {"max_allowed_packet", 16 << 20}, {"net_buffer_length", 16384},
    {"net_read_timeout", 30},         {"net_write_timeout", 60},
    {"performance_schema", 0},        {"query_cache_size", 0},
    {"foreign_key_checks", 1},        {"unique_checks", 1},
    {"sql_safe_updates", 0},
};

constexpr std::pair<std::string_view, About> kAboutNames[] = {
    {"pseudo_thread_id", About::connection_id},
    {"version", About::version},
    {"tx_isolation", About::isolation},
    {"transaction_isolation", About::isolation},
    {"innodb_lock_wait_timeout", About::lock_wait_timeout},
    {"wait_timeout", About::wait_timeout},
    {"interactive_timeout", About::wait_timeout},
    {"autocommit", About::autocommit},
    {"read_only", About::read_only},
};

}  // namespace

bool is_without_effect(std::string_view variable) {
  constexpr std::string_view kMore[] = {"names",
                                        "sql_notes",
                                        "sql_warnings",
                                        "sql_auto_is_null",
                                        "session_track_schema",
                                        "session_track_system_variables"};
  const auto named = [variable](const auto& one) { return one.name == variable; };
  return std::any_of(std::begin(kTexts), std::end(kTexts), named) ||
         std::any_of(std::begin(kNumbers), std::end(kNumbers),
                     [variable](const auto& one) { return one.first == variable; }) ||
         std::find(std::begin(kMore), std::end(kMore), variable) != std::end(kMore);
}

std::optional<Value> constant_of(std::string_view variable) {
  for (const auto& one : kTexts) {
    if (one.name == variable) return Value(std::string(one.text));
  }
  for (const auto& [name, number] : kNumbers) {
    if (name == variable) return Value(number);
  }
  return std::nullopt;
}

std::string variable_name(std::string_view name) {
  std::string all = lower(name);
  for (const std::string_view scope : {"session.", "global.", "local."}) {
    if (all.starts_with(scope)) return all.substr(scope.size());
  }
  return all;
}

std::optional<About> about_of(std::string_view variable) {
  for (const auto& [name, about] : kAboutNames) {
    if (name == variable) return about;
  }
  return std::nullopt;
}

}  // namespace picklock::mysql
