#include "models/redis/sentinel/link.h"

#include <charconv>
#include <span>

#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

bool is_pushed(std::string_view frame) {
  return frame.starts_with('>') || frame.starts_with("*3\r\n$7\r\nmessage\r\n") ||
         frame.starts_with("*4\r\n$8\r\npmessage\r\n");
}

}  // namespace

std::size_t reply_size(std::string_view bytes) {
  std::size_t at = 0;
  for (std::int64_t missing = 1; missing > 0; --missing) {
    const std::size_t end = bytes.find(kLineEnd, at);
    if (end == std::string_view::npos || end == at) return 0;
    const char kind = bytes[at];
    std::int64_t count = 0;
    const bool counted = std::string_view("$=*%~>").find(kind) != std::string_view::npos;
    if (counted) {
      const char* const last = bytes.data() + end;
      const auto [stop, error] = std::from_chars(bytes.data() + at + 1, last, count);
      if (error != std::errc() || stop != last || count < -1) return 0;
    }
    at = end + kLineEnd.size();
    if (!counted || count < 0) continue;
    if (kind == '$' || kind == '=') {
      if (bytes.size() - at < static_cast<std::size_t>(count) + kLineEnd.size()) return 0;
      at += static_cast<std::size_t>(count) + kLineEnd.size();
    } else {
      missing += kind == '%' ? 2 * count : count;
    }
  }
  return at;
}

void Link::dial(sim::Simulation& simulation, sim::Process& self, const Node* node,
                std::uint32_t ordinal) {
  close();
  dialled_ = true;
  network_ = &simulation.network;
  if (node == nullptr) return;
  connection_ =
      &network_->dial(self, *this, *node->process, *node->endpoint, watch_protocol(), ordinal);
}

void Link::send(std::initializer_list<std::string_view> argv, std::uint64_t tag) {
  if (!dialled_) return;
  tags_.push_back(tag);
  subscribed_ = subscribed_ || *argv.begin() == "SUBSCRIBE" || *argv.begin() == "PSUBSCRIBE";
  if (connection_ == nullptr) return;
  sim::Message& message = network_->make(*connection_, 0);
  write_request(message.payload, std::span(argv.begin(), argv.size()));
  network_->send(message);
}

void Link::close() {
  if (connection_ != nullptr) network_->close(*connection_);
  forget();
}

void Link::forget() {
  connection_ = nullptr;
  dialled_ = subscribed_ = false;
  tags_.clear();
  answered_ = 0;
}

void Link::on_message(sim::Connection& connection, sim::Message& message) {
  std::string_view bytes = message.payload.view();
  while (!bytes.empty() && connection_ == &connection) {
    const std::size_t size = reply_size(bytes);
    const std::string_view frame = bytes.substr(0, size);
    const bool pushed = subscribed_ && is_pushed(frame);
    if (size == 0 || (!pushed && pending() == 0)) {
      close();
      listener_.on_lost(*this);
      return;
    }
    bytes.remove_prefix(size);
    if (pushed) {
      listener_.on_pushed(*this, frame);
      continue;
    }
    const std::uint64_t tag = tags_[answered_++];
    if (pending() == 0) {
      tags_.clear();
      answered_ = 0;
    }
    listener_.on_reply(*this, tag, frame);
  }
}

void Link::on_reset(sim::Connection& connection) {
  if (connection_ != &connection) return;
  forget();
  listener_.on_lost(*this);
}

}  // namespace picklock::redis
