#include "models/redis/value.h"

#include "models/redis/numbers.h"

namespace picklock::redis {

bool Hash::set(std::string_view name, std::string_view value, const CompactLimits& limits) {
  Field* field = find(name);
  const bool is_new = field == nullptr;
  if (is_new) {
    if (used_ == fields_.size()) fields_.emplace_back();
    field = &fields_[used_++];
    field->name.assign(name);
  }
  field->value.assign(value);
  large_ = large_ || used_ > limits.hash_entries ||
           std::max(name.size(), value.size()) > limits.hash_value;
  return is_new;
}

bool Set::add(std::string_view member, const CompactLimits& limits) {
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
  sorted_ = sorted_ && members_.size() <= limits.set_entries;
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

void SortedSet::add(std::string_view name, double score, const CompactLimits& limits) {
  large_ = large_ || size() >= limits.zset_entries || name.size() > limits.zset_value;
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

std::string_view Value::encoding() const {
  switch (type_) {
    case Type::string: {
      constexpr std::size_t kLongestNumber = 20;
      constexpr std::size_t kLongestEmbedded = 44;
      std::int64_t number = 0;
      if (text_form_ == TextForm::by_content && text_.size() <= kLongestNumber &&
          strict_integer(text_, number))
        return "int";
      const bool embedded = text_form_ != TextForm::altered && text_.size() <= kLongestEmbedded;
      return embedded ? "embstr" : "raw";
    }
    case Type::hash:
      return others_->hash.large() ? "hashtable" : "listpack";
    case Type::list:
      return "quicklist";
    case Type::set:
      return others_->set.sorted() ? "intset" : "hashtable";
    case Type::sorted_set:
      return others_->sorted_set.large() ? "skiplist" : "listpack";
  }
  return {};
}

}  // namespace picklock::redis
