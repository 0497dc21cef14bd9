#include "models/redis/value.h"

#include "models/redis/numbers.h"

namespace picklock::redis {

bool Set::add(std::string_view member) {
  constexpr std::size_t kMostSorted = 512;  // set-max-intset-entries
  if (contains(member)) return false;
  std::int64_t number = 0;
  sorted_ = sorted_ && strict_integer(member, number);
  auto place = members_.end();
  if (sorted_) {
    place = std::find_if(members_.begin(), members_.end(), [number](const std::string& other) {
      std::int64_t other_number = 0;
      strict_integer(other, other_number);
      return other_number > number;
    });
  }
  members_.emplace(place, member);
  sorted_ = sorted_ && members_.size() <= kMostSorted;
  return true;
}

bool Set::remove(std::string_view member) {
  const auto found = find(member);
  if (found == members_.end()) return false;
  members_.erase(found);
  return true;
}

std::string Set::take(std::size_t place) {
  const auto at = members_.begin() + static_cast<std::ptrdiff_t>(place);
  std::string member = std::move(*at);
  members_.erase(at);
  return member;
}

std::size_t SortedSet::rank(std::string_view name) const {
  return static_cast<std::size_t>(
      std::find_if(members_.begin(), members_.end(),
                   [name](const Member& member) { return member.name == name; }) -
      members_.begin());
}

void SortedSet::add(std::string_view name, double score) {
  constexpr std::size_t kMostSmall = 128;        // zset-max-listpack-entries
  constexpr std::size_t kLongestSmallName = 64;  // zset-max-listpack-value
  large_ = large_ || size() >= kMostSmall || name.size() > kLongestSmallName;
  insert({score, std::string(name)});
}

void SortedSet::set_score(std::size_t rank, double score) {
  const auto at = members_.begin() + static_cast<std::ptrdiff_t>(rank);
  Member member = std::move(*at);
  members_.erase(at);
  member.score = score;
  insert(std::move(member));
}

void SortedSet::insert(Member member) {
  if (member.score == 0 && !large_) member.score = 0;
  const auto place = std::lower_bound(members_.begin(), members_.end(), member,
                                      [](const Member& one, const Member& other) {
                                        if (one.score != other.score)
                                          return one.score < other.score;
                                        return one.name < other.name;
                                      });
  members_.insert(place, std::move(member));
}

}  // namespace picklock::redis
