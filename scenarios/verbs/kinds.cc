#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "scenarios/process_kinds.h"
#include "scenarios/verbs/kind.h"

namespace picklock::verbs {
namespace {

std::vector<Kind> in_order() {
  std::vector<Kind> all;
  for (const auto group :
       {of_processes, of_threads, of_clocks, of_links, of_messages, of_servers}) {
    std::vector<Kind> some = group();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const Kind& a, const Kind& b) { return a.verb < b.verb; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].verb != static_cast<sim::Verb>(i))
      throw std::logic_error("no kind of verb has number " + std::to_string(i));
  }
  return all;
}

}  // namespace

bool Kind::takes(std::string_view key) const {
  return required == key || std::find(allowed.begin(), allowed.end(), key) != allowed.end();
}

std::span<const Kind> kinds() {
  static const std::vector<Kind> all = in_order();
  return all;
}

const Kind& kind_of(sim::Verb verb) { return kinds()[static_cast<std::size_t>(verb)]; }

bool any_blocks(std::span<const sim::Fault> faults) {
  return std::any_of(faults.begin(), faults.end(),
                     [](const sim::Fault& fault) { return kind_of(fault.verb).can_heal; });
}

bool any_slows(std::span<const sim::Fault> faults, std::string_view process) {
  return std::any_of(faults.begin(), faults.end(), [process](const sim::Fault& fault) {
    const Kind& verb = kind_of(fault.verb);
    return fault.target == process && (verb.silences || (verb.takes("step") && !verb.jumps));
  });
}

const std::vector<std::string_view>& names() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names;
    for (const Kind& kind : kinds()) names.push_back(kind.name);
    return names;
  }();
  return all;
}

std::string_view inapplicable(sim::Verb verb, const servers::ProcessKind& target) {
  const Kind& kind = kind_of(verb);
  if (kind.hits_clients && target == scenarios::kClientKind) return {};
  if (std::find(target.bears.begin(), target.bears.end(), verb) != target.bears.end()) return {};
  for (const servers::Refusal& refusal : target.refuses) {
    if (refusal.verb == verb) return refusal.reason;
  }
  return kind.rare;
}

}  // namespace picklock::verbs
