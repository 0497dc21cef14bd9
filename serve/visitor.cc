#include "serve/visitor.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <utility>

namespace picklock::serve {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// A client that reads so slowly is cut off, as `client-output-buffer-limit` does.
constexpr std::size_t kMostUnread = std::size_t{64} << 20;
// The same happens to one that sends so much before it has an answer.
constexpr std::size_t kMostHeld = std::size_t{64} << 20;

}  // namespace

Visitor::Visitor(Loop& loop, Socket socket, std::unique_ptr<servers::Wire> wire)
    : loop_(loop), socket_(std::move(socket)), wire_(std::move(wire)), block_(16 * 1024) {
  // A socket that refuses these works all the same, only slower; one of Unix has no delay.
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
}

void Visitor::enter(Deployment& deployment, std::size_t server) {
  deployment_ = &deployment;
  caller_ = deployment.admit();
  const servers::Door& door = deployment.door(server);
  connection_ = &deployment.simulation().network.dial(deployment.clients(), *this, *door.process,
                                                      *door.endpoint, *door.protocol,
                                                      deployment.caller(caller_).connection);
  read();
}

void Visitor::leave() {
  connection_ = nullptr;
  if (deployment_ != nullptr) deployment_->gone(caller_);
  deployment_ = nullptr;
  error_code ignored;  // it is over either way
  socket_.close(ignored);
  // Its connection of the simulation names this object until the run is over.
  for (std::string* bytes : {&in_, &out_}) *bytes = std::string();
  block_ = std::vector<char>();
}

void Visitor::read() {
  socket_.async_read_some(asio::buffer(block_), [self = shared_from_this()](error_code error,
                                                                            std::size_t size) {
    self->loop_.arrive([self, error, size] {
      if (self->connection_ == nullptr) return;
      if (error) {
        self->deployment_->simulation().network.close(*std::exchange(self->connection_, nullptr));
        self->leave();
        return;
      }
      self->in_.append(self->block_.data(), size);
      self->cut();
      if (self->socket_.is_open() && !self->ending_) self->read();
    });
  });
}

void Visitor::cut() {
  if (!opened_) return;
  std::string_view rest = in_;
  while (!ending_ && connection_ != nullptr && connection_->usable()) {
    sim::Network& network = deployment_->simulation().network;
    sim::Message& message = network.make(*connection_, 0);
    switch (wire_->cut(rest, message.payload)) {
      case servers::Cut::request:
        if (const auto name = wire_->name_given(message.payload.view()))
          caller_ = deployment_->renamed(caller_, *name);
        deployment_->heard(caller_);
        send(message);
        continue;
      case servers::Cut::nothing:
        network.release(message);
        continue;
      case servers::Cut::held:
        held_ = true;
        network.release(message);
        break;
      case servers::Cut::partial:
        network.release(message);
        break;
      case servers::Cut::malformed:
        // The server refuses it in its turn, and hangs up.
        message.payload.clear();
        message.payload.append(rest);
        send(message);
        rest = {};
        break;
    }
    break;
  }
  if (!socket_.is_open()) return;
  in_.erase(0, in_.size() - rest.size());
  if (held_ && in_.size() > kMostHeld) cut_off();
}

// A fault may strike before the request has left.
void Visitor::send(sim::Message& message) {
  sim::Simulation& simulation = deployment_->simulation();
  message.role = kCommand;
  message.tag = caller_;
  sim::Nemesis& nemesis = simulation.nemesis;
  if (!nemesis.idle()) {
    const sim::Protocol& protocol = connection_->protocol();
    nemesis.step({.client = connection_->client(),
                  .server = connection_->server(),
                  .role = kCommand,
                  .phase = sim::Phase::sent,
                  .side = sim::Side::before,
                  .tag = caller_,
                  .command = protocol.command != nullptr ? protocol.command(message.payload.view())
                                                         : std::string_view(),
                  .message = &message});
    if (connection_ == nullptr || !connection_->usable())
      return simulation.network.release(message);
  }
  simulation.network.send(message);
}

void Visitor::answer(std::string_view message) {
  if (!wire_->put(message, out_)) ending_ = true;
  if (out_.size() > kMostUnread) return cut_off();
  if (std::exchange(flushing_, true)) return;
  loop_.before_wait([self = shared_from_this()] { self->flush(); });
}

void Visitor::cut_off() {
  if (connection_ != nullptr)
    deployment_->simulation().network.close(*std::exchange(connection_, nullptr));
  leave();
}

void Visitor::flush() {
  if (!socket_.is_open()) return;
  error_code error;
  const std::size_t written = socket_.write_some(asio::buffer(out_), error);
  out_.erase(0, written);
  // The reader learns of an error as well, and tells the server.
  if (error && error != asio::error::would_block) return;
  if (out_.empty()) {
    flushing_ = false;
    if (ending_) end();
    return;
  }
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code failed) {
    if (!failed) self->flush();
  });
}

void Visitor::end() {
  ending_ = true;
  if (!out_.empty() || flushing_) return;
  if (connection_ != nullptr && connection_->usable())
    deployment_->simulation().network.close(*connection_);
  error_code ignored;  // the client may be gone
  socket_.shutdown(Socket::shutdown_both, ignored);
  leave();
}

void Visitor::on_message(sim::Connection&, sim::Message& message) {
  if (connection_ != nullptr) answer(message.payload.view());
  if (std::exchange(held_, false)) cut();
}

void Visitor::on_opened(sim::Connection&) {
  opened_ = true;
  sim::Network& network = deployment_->simulation().network;
  sim::Message& greeting = network.make(*connection_, 0);
  if (wire_->open(greeting.payload)) {
    send(greeting);
  } else {
    network.release(greeting);
  }
  cut();
}

void Visitor::on_reset(sim::Connection&) {
  if (connection_ != nullptr) end();
}

}  // namespace picklock::serve
