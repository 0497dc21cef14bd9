#include "conform/redis/outcomes/situation.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <utility>

namespace picklock::conform::redis::outcomes {
namespace {

constexpr std::string_view kBetween = " | ";

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string stretch(std::int64_t number, const Scale& scale) {
  const auto above = std::upper_bound(scale.begin(), scale.end(), number);
  if (above == scale.begin()) return "below " + std::to_string(scale.front());
  if (above == scale.end()) return std::to_string(scale.back()) + " or more";
  return std::to_string(above[-1]) + " to " + std::to_string(*above);
}

std::string on_scale(const std::string& reply, const Scale& scale) {
  const std::optional<std::int64_t> number = number_of(reply);
  return scale.empty() || !number ? reply : stretch(*number, scale);
}

std::string field_of(const std::string& reply, const std::string& field) {
  const std::size_t at = reply.find("\n" + field + ":");
  if (field.empty() || at == std::string::npos) return reply;
  const std::string rest = reply.substr(at + field.size() + 2);
  return rest.substr(0, rest.find('\r'));
}

bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Writes instants near kStart as the difference from it.
std::string relative(std::string_view text) {
  constexpr std::int64_t kNear = 1'000'000'000;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && digit(text[end])) ++end;
    if (end == at) {
      result += text[at++];
      continue;
    }
    const std::string_view digits = text.substr(at, end - at);
    at = end;
    const std::int64_t after = number_of(digits).value_or(0) - kStart;
    if (after < -kNear || after > kNear) {
      result += digits;
    } else {
      result += after < 0 ? "t" : "t+";
      result += std::to_string(after);
    }
  }
  return result;
}

class Telling {
 public:
  Telling(const Group& group, Side& side) : side_(side), relative_(group.clocks_stand) {}

  Outcome outcome;

  void operator()(const Ask& ask) {
    const Duration begun = side_.now();
    side_.send(ask.client, node(ask.node), ask.words);
    const std::string reply =
        field_of(side_.receive(ask.client, node(ask.node), ask.patience), ask.field);
    note(ask.as, on_scale(reply, ask.scale));
    note_time(ask.time_as, begun, ask.time_scale);
  }

  void operator()(const Send& send) { side_.send(send.client, node(send.node), send.words); }

  void operator()(const Receive& receive) {
    note(receive.as, side_.receive(receive.client, node(receive.node), receive.patience));
  }

  void operator()(const Repeat& repeat) {
    const Duration begun = side_.now();
    std::int64_t count = 0;
    std::string reply;
    for (;; ++count) {
      side_.send(repeat.client, node(repeat.node), repeat.words);
      const Duration left = begun + repeat.within - side_.now();
      reply =
          field_of(side_.receive(repeat.client, node(repeat.node), std::max(left, repeat.every)),
                   repeat.field);
      const bool over = repeat.until.empty() ? reply != repeat.as_long_as : reply == repeat.until;
      if (over || side_.now() - begun >= repeat.within) break;
      side_.pass(repeat.every);
    }
    if (!repeat.call.empty()) names_[repeat.call] = reply;
    note(repeat.as, reply);
    note(repeat.count_as, count == 0 ? "none" : "some");
    note_time(repeat.time_as, begun, repeat.time_scale);
  }

  void operator()(const Do& deed) { side_.act(deed.deed, node(deed.node)); }
  void operator()(const Pass& pass) { side_.pass(pass.time); }
  void operator()(const Skew& skew) {
    side_.skew(skew.node.empty() ? skew.node : node(skew.node), skew.ahead);
  }

  void operator()(const Await& await) {
    constexpr Duration kEvery(5);
    const Duration begun = side_.now();
    bool held = side_.holds(await.condition, node(await.node));
    while (!held && side_.now() - begun < await.within) {
      side_.pass(kEvery);
      held = side_.holds(await.condition, node(await.node));
    }
    note(await.as, held ? "yes" : "never");
    note_time(await.time_as, begun, await.time_scale);
  }

  void operator()(const Heard& heard) {
    std::string all;
    for (const std::string& command : side_.heard(node(heard.node)))
      all += (all.empty() ? "" : ", ") + command;
    note(heard.as, all.empty() ? "nothing" : all);
  }

 private:
  const std::string& node(const std::string& name) const {
    const auto called = names_.find(name);
    return called == names_.end() ? name : called->second;
  }

  void note(const std::string& name, const std::string& value) {
    if (!name.empty()) outcome.push_back({name, relative_ ? relative(value) : value});
  }

  void note_time(const std::string& name, Duration begun, const Scale& scale) {
    if (!name.empty()) note(name, stretch((side_.now() - begun).count(), scale));
  }

  Side& side_;
  bool relative_;
  std::map<std::string, std::string> names_;
};

std::vector<std::string> split(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; (at = text.find(between)) != std::string_view::npos;) {
    parts.emplace_back(text.substr(0, at));
    text.remove_prefix(at + between.size());
  }
  parts.emplace_back(text);
  return parts;
}

}  // namespace

Outcome run(const Situation& situation, Side& side) {
  side.begin(situation.group);
  Telling telling(situation.group, side);
  for (const Step& step : situation.steps) std::visit(telling, step);
  return std::move(telling.outcome);
}

std::map<std::string, Allowed> Allowed::read(std::string_view text) {
  std::map<std::string, Allowed> all;
  Allowed* section = nullptr;
  bool inside = false;  // a block
  for (const std::string& line : split(text, "\n")) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("== ")) {
      section = &all[line.substr(3, line.rfind(" (") - 3)];
      inside = false;
      continue;
    }
    if (line.empty()) {
      inside = false;
      continue;
    }
    const std::size_t colon = line.find(": ");
    if (section == nullptr || colon == std::string::npos)
      throw std::runtime_error("neither a title nor `name: value`: " + line);
    if (!std::exchange(inside, true)) section->blocks_.emplace_back();
    section->blocks_.back().push_back(
        {line.substr(0, colon), split(std::string_view(line).substr(colon + 2), kBetween)});
  }
  return all;
}

bool Allowed::contains(const Outcome& outcome) const {
  const auto fits = [](const Line& line, const Observation& seen) {
    return line.name == seen.name &&
           std::find(line.values.begin(), line.values.end(), seen.value) != line.values.end();
  };
  return std::any_of(blocks_.begin(), blocks_.end(), [&](const std::vector<Line>& block) {
    return std::equal(block.begin(), block.end(), outcome.begin(), outcome.end(), fits);
  });
}

std::string shown(const Outcome& outcome) {
  std::string text;
  for (const Observation& seen : outcome) text += seen.name + ": " + seen.value + "\n";
  return text;
}

}  // namespace picklock::conform::redis::outcomes
