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

}  // namespace

Visitor::Visitor(Loop& loop, Socket socket)
    : loop_(loop), socket_(std::move(socket)), block_(16 * 1024) {
  // A socket that refuses these works all the same, only slower; one of Unix has no delay.
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
}

void Visitor::enter(Deployment& deployment, std::size_t server) {
  deployment_ = &deployment;
  caller_ = deployment.admit();
  dial(deployment.simulation(), deployment.clients(), deployment.door(server),
       deployment.open_wire(server), deployment.caller(caller_).connection);
  read();
}

void Visitor::leave() {
  forget();
  if (deployment_ != nullptr) deployment_->gone(caller_);
  deployment_ = nullptr;
  error_code ignored;  // it is over either way
  socket_.close(ignored);
  // Its connection of the simulation names this object until the run is over.
  out_ = std::string();
  block_ = std::vector<char>();
}

sim::Tag Visitor::sender(const std::optional<std::string>& name) {
  if (name) caller_ = deployment_->renamed(caller_, *name);
  return caller_;
}

void Visitor::read() {
  socket_.async_read_some(asio::buffer(block_),
                          [self = shared_from_this()](error_code error, std::size_t size) {
                            self->loop_.arrive([self, error, size] {
                              if (self->deployment_ == nullptr) return;
                              if (error) {
                                self->close();
                                self->leave();
                                return;
                              }
                              self->write({self->block_.data(), size});
                              if (self->socket_.is_open() && !self->has_ended()) self->read();
                            });
                          });
}

void Visitor::readable(std::string_view bytes) {
  out_ += bytes;
  if (out_.size() > kMostUnread) return cut_off();
  if (std::exchange(flushing_, true)) return;
  loop_.before_wait([self = shared_from_this()] { self->flush(); });
}

void Visitor::cut_off() {
  close();
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
    if (has_ended()) end();
    return;
  }
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code failed) {
    if (!failed) self->flush();
  });
}

void Visitor::ended(bool) {
  if (out_.empty() && !flushing_) end();
}

void Visitor::end() {
  if (is_up()) close();
  error_code ignored;  // the client may be gone
  socket_.shutdown(Socket::shutdown_both, ignored);
  leave();
}

}  // namespace picklock::serve
