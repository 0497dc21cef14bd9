// Values as bytes, for another process of the same program. A value that is read equals the one
// that was written; the reader throws std::out_of_range if bytes are missing.
//
// Numbers, enumerations and structures of them are copied. A class with other members has a
// function beside it, which both directions use:
//   template <typename Archive>
//   void fields(Archive& archive, Lead& lead) { archive(lead.run, lead.file); }
#pragma once

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace picklock::explore::workers {

template <typename Archive, typename Value>
concept HasFields = requires(Archive& archive, Value& value) {
  fields(archive, value);
};

class WireWriter {
 public:
  explicit WireWriter(std::string& bytes) : bytes_(bytes) {}

  template <typename... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }

 private:
  template <typename Value>
  void put(const Value& value) {
    if constexpr (HasFields<WireWriter, Value>) {
      fields(*this, const_cast<Value&>(value));  // which a writer only reads
    } else {
      static_assert(std::is_trivially_copyable_v<Value> && !std::is_pointer_v<Value>);
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  template <typename Value>
  void put(const std::vector<Value>& all) {
    put(all.size());
    for (const Value& one : all) put(one);
  }

  std::string& bytes_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }

 private:
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) throw std::out_of_range("a message between processes is too short");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  template <typename Value>
  void get(Value& value) {
    if constexpr (HasFields<WireReader, Value>) {
      fields(*this, value);
    } else {
      static_assert(std::is_trivially_copyable_v<Value> && !std::is_pointer_v<Value>);
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
    }
  }
  void get(std::string& text) {
    std::size_t size = 0;
    get(size);
    text = take(size);
  }
  template <typename Value>
  void get(std::vector<Value>& all) {
    std::size_t size = 0;
    get(size);
    all.clear();
    while (all.size() < size) get(all.emplace_back());
  }

  std::string_view bytes_;
};

template <typename Value>
std::string to_wire(const Value& value) {
  std::string bytes;
  WireWriter writer(bytes);
  writer(value);
  return bytes;
}

template <typename Value>
Value from_wire(std::string_view bytes) {
  Value value{};
  WireReader reader(bytes);
  reader(value);
  return value;
}

}  // namespace picklock::explore::workers
