// The value of a key. Later keys in the same slot reuse it: clearing keeps the memory, so that a
// lock acquired and released over and over allocates nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace picklock::redis {

enum class Type : std::uint8_t { string, hash, list, set, sorted_set };

// The type's name as TYPE reports it.
constexpr std::string_view name(Type type) {
  constexpr std::string_view kNames[] = {"string", "hash", "list", "set", "zset"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Type::sorted_set) + 1);
  return kNames[static_cast<std::size_t>(type)];
}

// How large a value may be until the real server keeps it in another form, which OBJECT ENCODING
// names: the parameters `hash-max-listpack-entries` and its kin. One that has grown beyond stays so
// until it is empty.
struct CompactLimits {
  std::uint64_t hash_entries = 512;
  std::uint64_t hash_value = 64;  // bytes of a field's name, or of its value
  std::uint64_t set_entries = 512;
  std::uint64_t zset_entries = 128;
  std::uint64_t zset_value = 64;  // bytes of a member
};

// The fields of a hash in the order of insertion, as in a small hash of the real server.
class Hash {
 public:
  struct Field {
    std::string name;
    std::string value;
  };

  std::size_t size() const { return used_; }
  bool empty() const { return used_ == 0; }
  void clear() {
    used_ = 0;
    large_ = false;
  }
  bool large() const { return large_; }

  Field* find(std::string_view name) {
    for (std::size_t i = 0; i < used_; ++i) {
      if (fields_[i].name == name) return &fields_[i];
    }
    return nullptr;
  }
  // True: the field is new.
  bool set(std::string_view name, std::string_view value, const CompactLimits& limits);
  void remove(Field& field) {
    for (Field* next = &field + 1; next != fields_.data() + used_; ++next)
      std::swap(next[-1], *next);
    --used_;
  }

  const Field* begin() const { return fields_.data(); }
  Field* begin() { return fields_.data(); }
  Field* end() { return fields_.data() + used_; }

 private:
  std::vector<Field> fields_;
  std::size_t used_ = 0;
  bool large_ = false;
};

using List = std::deque<std::string>;

// A set in the order of insertion; but a set of integers only, if it is not too large, is sorted as
// on the real server.
class Set {
 public:
  std::size_t size() const { return members_.size(); }
  bool empty() const { return members_.empty(); }
  void clear() {
    members_.clear();
    sorted_ = true;
  }

  bool contains(std::string_view member) const { return find(member) != members_.end(); }
  bool sorted() const { return sorted_; }
  // False: the set has it already.
  bool add(std::string_view member, const CompactLimits& limits);
  bool remove(std::string_view member);
  // Removes the member at this place and returns it.
  std::string take(std::size_t place);

  auto begin() const { return members_.begin(); }
  auto end() const { return members_.end(); }

 private:
  using Members = std::vector<std::string>;
  Members::const_iterator find(std::string_view member) const {
    return std::find(members_.begin(), members_.end(), member);
  }

  Members members_;
  bool sorted_ = true;  // only integers, in ascending order
};

// Members in the order of their scores, then of their bytes.
class SortedSet {
 public:
  struct Member {
    double score = 0;
    std::string name;
  };

  std::size_t size() const { return members_.size(); }
  bool empty() const { return members_.empty(); }
  void clear() {
    members_.clear();
    large_ = false;
  }

  // From now on the real server keeps it as a large one.
  void become_large() { large_ = true; }
  bool large() const { return large_; }

  // The rank of a member, from 0; size(): there is none.
  std::size_t rank(std::string_view name) const;
  void add(std::string_view name, double score, const CompactLimits& limits);
  void set_score(std::size_t rank, double score);
  void remove(std::size_t first, std::size_t count) {
    const auto from = members_.begin() + static_cast<std::ptrdiff_t>(first);
    members_.erase(from, from + static_cast<std::ptrdiff_t>(count));
  }

  const Member& operator[](std::size_t rank) const { return members_[rank]; }
  auto begin() const { return members_.begin(); }
  auto end() const { return members_.end(); }

 private:
  void insert(Member member);

  std::vector<Member> members_;
  bool large_ = false;  // is or was large: the real server then keeps the sign of a score of -0
};

class Value {
 public:
  Type type() const { return type_; }

  // Makes the value empty and of this type.
  void become(Type type) {
    type_ = type;
    text_.clear();
    text_form_ = TextForm::by_content;
    if (type == Type::string) return;
    if (others_ == nullptr) others_ = std::make_unique<Others>();
    switch (type) {
      case Type::hash:
        others_->hash.clear();
        break;
      case Type::list:
        others_->list.clear();
        break;
      case Type::set:
        others_->set.clear();
        break;
      case Type::sorted_set:
        others_->sorted_set.clear();
        break;
      case Type::string:
        break;
    }
  }

  // In the words of OBJECT ENCODING (R128).
  std::string_view encoding() const;
  // A text that was written at once is kept as a number where it is one, but one that INCRBYFLOAT
  // has made never is. One that was altered in place is kept apart from the key, however short.
  enum class TextForm : std::uint8_t { by_content, text, altered };
  void set_text_form(TextForm form) { text_form_ = form; }

  // Requires the value to be of this type.
  std::string& text() { return text_; }
  const std::string& text() const { return text_; }
  Hash& hash() { return others_->hash; }
  const Hash& hash() const { return others_->hash; }
  List& list() { return others_->list; }
  Set& set() { return others_->set; }
  SortedSet& sorted_set() { return others_->sorted_set; }

  // Requires the value to be of the same type.
  void copy_from(const Value& other) {
    text_ = other.text_;
    text_form_ = other.text_form_;
    if (type_ != Type::string) *others_ = *other.others_;
  }

  // Whether it has no elements; a string is never empty.
  bool empty() const {
    switch (type_) {
      case Type::hash:
        return others_->hash.empty();
      case Type::list:
        return others_->list.empty();
      case Type::set:
        return others_->set.empty();
      case Type::sorted_set:
        return others_->sorted_set.empty();
      case Type::string:
        break;
    }
    return false;
  }

  // An estimate of its memory.
  std::size_t bytes() const {
    constexpr std::size_t kPerElement = 16;
    std::size_t all = text_.size();
    if (type_ == Type::hash) {
      for (const Hash::Field& field : others_->hash)
        all += kPerElement + field.name.size() + field.value.size();
    } else if (type_ == Type::list) {
      for (const std::string& element : others_->list) all += kPerElement + element.size();
    } else if (type_ == Type::set) {
      for (const std::string& member : others_->set) all += kPerElement + member.size();
    } else if (type_ == Type::sorted_set) {
      for (const SortedSet::Member& member : others_->sorted_set)
        all += 2 * kPerElement + member.name.size();
    }
    return all;
  }

 private:
  struct Others {
    Hash hash;
    List list;
    Set set;
    SortedSet sorted_set;
  };

  Type type_ = Type::string;
  TextForm text_form_ = TextForm::by_content;
  std::string text_;
  std::unique_ptr<Others> others_;
};

}  // namespace picklock::redis
