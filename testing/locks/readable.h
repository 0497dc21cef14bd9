// The requests of Redisson's locks as text, with the names of their scripts in place of their
// SHA-1. Test-only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/locks/redisson/scripts.h"
#include "picklock/redis.h"

namespace picklock::models::locks::redisson {

// "EVALSHA {take} 1 lock 30000 token-1:1", "upkeep: SCRIPT LOAD {take}".
inline std::vector<std::string> readable(std::vector<std::string> lines) {
  const std::pair<std::string_view, const redis::Script&> scripts[] = {
      {"{take}", take()},
      {"{take_fenced}", take_fenced()},
      {"{give_back}", give_back()},
      {"{give_back_without_latch}", give_back_without_latch()},
      {"{give_back_silently}", give_back_silently()},
      {"{extend}", extend()},
      {"{force_open}", force_open()},
      {"{force_open_of}", force_open_of()},
      {"{force_open_for_next}", force_open_for_next()},
      {"{take_in_turn}", take_in_turn()},
      {"{take_if_first}", take_if_first()},
      {"{give_to_next}", give_to_next()},
      {"{leave_queue}", leave_queue()},
      {"{keep_place}", keep_place()},
  };
  for (std::string& line : lines) {
    for (const auto& [name, script] : scripts) {
      for (const std::string& form : {std::string(script.sha()), std::string(script.body())}) {
        const std::size_t at = line.find(form);
        if (at != std::string::npos) line.replace(at, form.size(), name);
      }
    }
  }
  return lines;
}

}  // namespace picklock::models::locks::redisson
