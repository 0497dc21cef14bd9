// Jute, ZooKeeper's serialization: numbers in big-endian, texts and lists preceded by their
// lengths. Texts are read as views of the bytes.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/zookeeper/op_code.h"
#include "picklock/zookeeper.h"
#include "sim/message.h"

namespace picklock::zookeeper::jute {

inline constexpr std::int32_t kNull = -1;       // the length of a null text
inline constexpr std::int32_t kAllRights = 31;  // read, write, create, delete, admin

template <typename Some, typename Direction>
void each_field(Some& stat, Direction&& direct) {
  direct(stat.czxid);
  direct(stat.mzxid);
  direct(stat.ctime);
  direct(stat.mtime);
  direct(stat.version);
  direct(stat.cversion);
  direct(stat.aversion);
  direct(stat.ephemeral_owner);
  direct(stat.data_length);
  direct(stat.num_children);
  direct(stat.pzxid);
}

// A list of access rights: all of them for everybody, or an empty list.
template <typename Bool>
struct Rights {
  Bool& some;
};
template <typename Bool>
Rights(Bool&) -> Rights<Bool>;

// ---------------------------------------------------------------- written

template <std::integral T>
void put(sim::Payload& out, T value) {
  using Bits = std::make_unsigned_t<T>;
  const auto bits = static_cast<Bits>(value);
  char* at = out.extend(sizeof bits);
  for (std::size_t i = 0; i < sizeof bits; ++i)
    at[i] = static_cast<char>(bits >> (8 * (sizeof bits - 1 - i)));
}
inline void put(sim::Payload& out, bool value) { put(out, static_cast<std::int8_t>(value)); }

template <typename Enum>
requires std::is_enum_v<Enum>
void put(sim::Payload& out, Enum value) {
  put(out, static_cast<std::underlying_type_t<Enum>>(value));
}

inline void put(sim::Payload& out, std::string_view text) {
  put(out, static_cast<std::int32_t>(text.size()));
  out.append(text);
}
inline void put(sim::Payload& out, const std::optional<std::string_view>& data) {
  if (data)
    put(out, *data);
  else
    put(out, kNull);
}
inline void put(sim::Payload& out, const std::string& text) { put(out, std::string_view(text)); }
inline void put(sim::Payload& out, const std::optional<std::string>& data) {
  put(out, data ? std::optional<std::string_view>(*data) : std::nullopt);
}
inline void put(sim::Payload& out, const std::vector<std::string_view>& texts) {
  put(out, static_cast<std::int32_t>(texts.size()));
  for (const std::string_view text : texts) put(out, text);
}
inline void put(sim::Payload& out, const Stat& stat) {
  each_field(stat, [&out](auto field) { put(out, field); });
}
inline void put(sim::Payload& out, Rights<const bool> rights) {
  put(out, std::int32_t{rights.some ? 1 : 0});
  if (!rights.some) return;
  put(out, kAllRights);
  put(out, std::string_view("world"));
  put(out, std::string_view("anyone"));
}

// ---------------------------------------------------------------- read

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  bool over() const { return rest_.empty(); }
  bool all() const { return good_ && over(); }

  template <std::integral T>
  void take(T& value) {
    std::uint64_t bits = 0;
    for (const char byte : cut(sizeof value)) bits = bits << 8 | static_cast<unsigned char>(byte);
    value = static_cast<T>(bits);
  }
  void take(bool& value) { value = byte() != 0; }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void take(Enum& value) {
    std::underlying_type_t<Enum> number{};
    take(number);
    value = static_cast<Enum>(number);
  }

  void take(std::optional<std::string_view>& data) {
    const std::int32_t size = number();
    data.reset();
    if (size != kNull) data = size >= 0 ? cut(static_cast<std::size_t>(size)) : fail();
  }
  void take(std::string_view& text) {
    std::optional<std::string_view> data;
    take(data);
    text = data.value_or(std::string_view());
  }
  void take(std::string& text) {
    std::string_view view;
    take(view);
    text = view;
  }
  void take(std::optional<std::string>& data) {
    std::optional<std::string_view> view;
    take(view);
    data = view;
  }
  void take(std::vector<std::string_view>& texts) {
    texts.clear();
    for (std::int32_t left = number(); left > 0 && good_; --left) take(texts.emplace_back());
  }
  void take(Stat& stat) {
    each_field(stat, [this](auto& field) { take(field); });
  }

  void take(Rights<bool> rights) {
    const std::int32_t count = number();
    rights.some = count > 0;
    for (std::int32_t left = count; left > 0 && good_; --left) {
      std::string_view word;
      number();
      take(word);
      take(word);
    }
  }

  std::int32_t number() {
    std::int32_t value = 0;
    take(value);
    return value;
  }
  std::int8_t byte() {
    std::int8_t value = 0;
    take(value);
    return value;
  }

 private:
  std::string_view cut(std::size_t size) {
    if (size > rest_.size()) return fail();
    const std::string_view front = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return front;
  }
  std::string_view fail() {
    good_ = false;
    rest_ = {};
    return {};
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace picklock::zookeeper::jute
