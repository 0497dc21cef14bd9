#include "models/redis/snapshot.h"

#include <bit>
#include <string>
#include <vector>

#include "models/redis/numbers.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

constexpr std::size_t kHead = 5;  // database, key, type, deadline, owner

std::string text(std::int64_t number) { return std::string(Digits(number).view()); }

std::vector<std::string> elements_of(Value& value) {
  std::vector<std::string> words;
  switch (value.type()) {
    case Type::string:
      words.push_back(value.text());
      break;
    case Type::hash:
      for (const Hash::Field& field : value.hash()) {
        words.push_back(field.name);
        words.push_back(field.value);
      }
      break;
    case Type::list:
      words.assign(value.list().begin(), value.list().end());
      break;
    case Type::set:
      words.assign(value.set().begin(), value.set().end());
      break;
    case Type::sorted_set:
      for (const SortedSet::Member& member : value.sorted_set()) {
        words.push_back(member.name);
        words.push_back(text(std::bit_cast<std::int64_t>(member.score)));
      }
      break;
  }
  return words;
}

std::int64_t number(std::string_view word) {
  std::int64_t value = 0;
  strict_integer(word, value);
  return value;
}

void fill(Value& value, std::span<const std::string_view> words, const CompactLimits& limits) {
  switch (value.type()) {
    case Type::string:
      value.text().assign(words[0]);
      break;
    case Type::hash:
      for (std::size_t i = 0; i < words.size(); i += 2)
        value.hash().set(words[i], words[i + 1], limits);
      break;
    case Type::list:
      value.list().assign(words.begin(), words.end());
      break;
    case Type::set:
      for (const std::string_view word : words) value.set().add(word, limits);
      break;
    case Type::sorted_set:
      for (std::size_t i = 0; i < words.size(); i += 2)
        value.sorted_set().add(words[i], std::bit_cast<double>(number(words[i + 1])), limits);
      break;
  }
}

}  // namespace

void take_snapshot(Keyspace& keys, sim::Payload& out) {
  for (std::uint32_t slot = 0; slot < keys.slots(); ++slot) {
    Entry& entry = keys.at(slot);
    if (!entry.present) continue;
    const std::vector<std::string> elements = elements_of(entry.value);
    const std::string database = text(entry.database);
    const std::string type = text(static_cast<std::int64_t>(entry.value.type()));
    const std::string deadline = text(entry.deadline_ms);
    const std::string owner = text(entry.owner);
    std::vector<std::string_view> words = {database, entry.key, type, deadline, owner};
    words.insert(words.end(), elements.begin(), elements.end());
    write_request(out, words);
  }
}

void load_snapshot(std::string_view bytes, Keyspace& keys, const CompactLimits& limits) {
  std::vector<std::string_view> words;
  while (take_request(bytes, words)) {
    Value& value = keys.source().load(static_cast<std::uint32_t>(number(words[0])), words[1],
                                      static_cast<Type>(number(words[2])), number(words[3]),
                                      static_cast<history::TenureId>(number(words[4])));
    fill(value, std::span(words).subspan(kHead), limits);
  }
}

}  // namespace picklock::redis
