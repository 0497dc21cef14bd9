#include "models/servers/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "models/servers/verbs.h"

namespace picklock::servers {

const Kind& kind_of(LockServer server) {
  for (const Kind* kind : kinds()) {
    if (kind->server == server) return *kind;
  }
  throw std::invalid_argument(fmt::format("no lock server is called {}", server.key));
}

keys::Words keys_of_kinds() {
  keys::Words all;
  for (const Kind* kind : kinds()) all.push_back(kind->server.key);
  return all;
}

Renaming without(std::string_view stem, std::uint32_t gone) {
  return [stem, gone](const std::string& name) -> std::optional<std::string> {
    if (!name.starts_with(stem)) return name;
    std::uint32_t number = 0;
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + stem.size(), end, number);
    if (error != std::errc{} || (rest != end && *rest != '-')) return name;
    if (number == gone) return std::nullopt;
    if (number < gone) return name;
    return std::string(stem) + std::to_string(number - 1) + std::string(rest, end);
  };
}

Renaming without_suffix(std::string suffix) {
  return [suffix = std::move(suffix)](const std::string& name) -> std::optional<std::string> {
    if (name.ends_with(suffix)) return std::nullopt;
    return name;
  };
}

bool fails_over(const sim::Plan& faults) {
  return std::any_of(faults.begin(), faults.end(),
                     [](const sim::Fault& fault) { return fault.verb == models::kFailOver; });
}

}  // namespace picklock::servers
