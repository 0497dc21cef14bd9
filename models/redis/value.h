// What a key can hold. A value is reused by the keys that come after it in its slot: clearing keeps
// the memory, so that a lock taken and released over and over allocates nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace picklock::models::redis {

enum class Type : std::uint8_t { string, hash, list, set, sorted_set };

// As TYPE says it.
constexpr std::string_view name(Type type) {
  constexpr std::string_view kNames[] = {"string", "hash", "list", "set", "zset"};
  return kNames[static_cast<std::size_t>(type)];
}

// The fields of a hash in the order in which they came, as a small hash of the real server has
// them.
class Hash {
 public:
  struct Field {
    std::string name;
    std::string value;
  };

  std::size_t size() const { return used_; }
  bool empty() const { return used_ == 0; }
  void clear() { used_ = 0; }

  Field* find(std::string_view name) {
    for (std::size_t i = 0; i < used_; ++i) {
      if (fields_[i].name == name) return &fields_[i];
    }
    return nullptr;
  }
  Field& add(std::string_view name) {
    if (used_ == fields_.size()) fields_.emplace_back();
    Field& field = fields_[used_++];
    field.name.assign(name);
    field.value.clear();
    return field;
  }
  void remove(Field& field) {
    for (Field* next = &field + 1; next != fields_.data() + used_; ++next)
      std::swap(next[-1], *next);
    --used_;
  }

  Field* begin() { return fields_.data(); }
  Field* end() { return fields_.data() + used_; }

 private:
  std::vector<Field> fields_;
  std::size_t used_ = 0;
};

using List = std::deque<std::string>;

// In the order in which its members came, but for a set of small integers, which the real server
// keeps sorted.
using Set = std::vector<std::string>;

// By score, then by the bytes of the member.
struct Scored {
  double score = 0;
  std::string member;
};
using SortedSet = std::vector<Scored>;

class Value {
 public:
  Type type() const { return type_; }

  // Empty, of this type.
  void become(Type type) {
    type_ = type;
    text_.clear();
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

  // Each only of its own type.
  std::string& text() { return text_; }
  const std::string& text() const { return text_; }
  Hash& hash() { return others_->hash; }
  List& list() { return others_->list; }
  Set& set() { return others_->set; }
  SortedSet& sorted_set() { return others_->sorted_set; }

  // Without elements; a string never is.
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

  // About what it takes in memory.
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
      for (const Scored& one : others_->sorted_set) all += 2 * kPerElement + one.member.size();
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
  std::string text_;
  std::unique_ptr<Others> others_;
};

}  // namespace picklock::models::redis
