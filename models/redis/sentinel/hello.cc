// Hellos: how Sentinels find each other and pass on the newest configuration.
#include <array>
#include <charconv>

#include "models/redis/numbers.h"
#include "models/redis/sentinel/sentinel.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

struct Hello {
  std::string_view host;
  std::uint16_t port = 0;
  std::string_view id;
  std::uint64_t epoch = 0;
  std::string_view master_name;
  std::string_view master_host;
  std::uint16_t master_port = 0;
  std::uint64_t config_epoch = 0;
};

template <typename Number>
void read_number(std::string_view text, Number& number) {
  std::from_chars(text.data(), text.data() + text.size(), number);
}

// False: not of eight parts.
bool read_hello(std::string_view text, Hello& hello) {
  std::array<std::string_view, 8> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == parts.size())) return false;
    parts[i] = text.substr(0, comma);
    if (comma != std::string_view::npos) text.remove_prefix(comma + 1);
  }
  hello.host = parts[0];
  read_number(parts[1], hello.port);
  hello.id = parts[2];
  read_number(parts[3], hello.epoch);
  hello.master_name = parts[4];
  hello.master_host = parts[5];
  read_number(parts[6], hello.master_port);
  read_number(parts[7], hello.config_epoch);
  return true;
}

}  // namespace

void Sentinel::say_hello(Instance& instance) {
  const Instance& master = instance.master != nullptr ? *instance.master : instance;
  const Address& address = master.current_address();
  const auto add = [this](std::string_view part) { text_.append(part).append(1, ','); };
  text_.clear();
  add(own_.host);
  add(Digits(own_.port).view());
  add(id_);
  add(Digits(static_cast<std::int64_t>(epoch_)).view());
  add(master.name);
  add(address.host);
  add(Digits(address.port).view());
  text_.append(Digits(static_cast<std::int64_t>(master.config_epoch)).view());
  send(instance, {"PUBLISH", kHelloChannel, text_}, Asked::publish);
}

// Sends the next hello now and not at the end of the period.
void Sentinel::say_hello_soon(Instance& master) {
  const auto hurry = [](Instance& instance) {
    if (instance.last_published_at > kPublishPeriod)
      instance.last_published_at -= kPublishPeriod + 1;
  };
  hurry(master);
  for (const auto& other : master.sentinels) hurry(*other);
  for (const auto& replica : master.replicas) hurry(*replica);
}

void Sentinel::heard(std::string_view message) {
  if (!read_request(message, argv_) || argv_.size() != 3) return;
  if (argv_[2].find(id_) != std::string_view::npos) return;  // its own
  take_hello(argv_[2]);
}

void Sentinel::take_hello(std::string_view text) {
  Hello hello;
  if (!read_hello(text, hello)) return;
  Instance* const master = find_master(hello.master_name);
  if (master == nullptr) return;
  Instance* sender = nullptr;
  for (const auto& other : master->sentinels) {
    if (other->run_id == hello.id && other->address.port == hello.port &&
        other->address.host == hello.host)
      sender = other.get();
  }
  if (sender == nullptr) sender = &meet(*master, {std::string(hello.host), hello.port}, hello.id);
  raise_epoch(hello.epoch);
  if (master->config_epoch < hello.config_epoch) {
    master->config_epoch = hello.config_epoch;
    if (hello.master_port != master->address.port || hello.master_host != master->address.host) {
      event("+config-update-from", *sender);
      switch_address(*master, {std::string(hello.master_host), hello.master_port});
    }
  }
  sender->last_hello_at = now();
}

Instance& Sentinel::meet(Instance& master, const Address& address, std::string_view id) {
  const bool moved =
      retire_if(master.sentinels, [&](const Instance& other) { return other.run_id == id; });
  if (moved) {
    event("+sentinel-address-switch", described(master) + " ip " + address.host + " port " +
                                          std::to_string(address.port) + " for " + std::string(id));
  } else {
    std::string replaced;
    for (const auto& other : master.sentinels) {
      if (other->address != address) continue;
      event("+sentinel-invalid-addr", *other);
      replaced = other->run_id;
    }
    for (const auto& watched : masters_) {
      if (replaced.empty()) break;
      retire_if(watched->sentinels,
                [&](const Instance& other) { return other.run_id == replaced; });
    }
  }
  Instance& sender = add_sentinel(master, address, id);
  if (!moved) event("+sentinel", sender);
  if (moved) {
    // Its contact in the name of other masters leads to the old address.
    for (const auto& watched : masters_) {
      for (const auto& other : watched->sentinels) {
        if (other->run_id != id) continue;
        other->contact->close();
        other->address = address;
      }
    }
  }
  save();
  return sender;
}

}  // namespace picklock::redis
