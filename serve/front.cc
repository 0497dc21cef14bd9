#include "serve/front.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <utility>

#include "keys/bad_input.h"
#include "outside/true_time.h"
#include "serve/control.h"

namespace picklock::serve {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kMostConnections = 10'000;

// A test may compare a server's clock with its own, unless time stands still. Then the clock shows
// the same in every test.
sim::Duration wall_offset(const Clock& clock) {
  return clock.stands_still() ? sim::Duration{} : outside::true_time_offset();
}

asio::ip::address_v4 host_from(const Options& options) {
  if (options.listen.empty()) return asio::ip::address_v4::loopback();
  const auto refuse = [&options](std::string_view why) {
    throw keys::BadInput(
        fmt::format("serve: --listen: {}: {}", keys::printable(options.listen), why));
  };
  error_code error;
  asio::ip::address_v4 host = asio::ip::make_address_v4(options.listen, error);
  if (error) refuse("must be an IPv4 address of this machine");
  // Sentinels and nodes of a cluster tell it to their clients.
  if (host.is_unspecified()) refuse("give the one address at which clients reach this machine");
  if (!host.is_loopback() && options.password.empty())
    refuse("other machines reach it: give --password-file or PICKLOCK_PASSWORD");
  return host;
}

}  // namespace

Front::Front(scenarios::Scenario scenario, const Options& options)
    : options_(options),
      host_(host_from(options)),
      loop_(options.speed),
      deployment_(std::move(scenario),
                  {.machine = host_.to_string(), .password = options.password}),
      control_(loop_.io) {
  std::vector<std::uint16_t> ports;
  for (std::size_t i = 0; i < deployment_.size(); ++i) {
    const std::size_t port = options.port == 0 ? 0 : options.port + i;
    if (port > 65535) throw keys::BadInput("serve: --port: there are not so many ports behind it");
    acceptors_.push_back(listen(static_cast<std::uint16_t>(port)));
    ports.push_back(acceptors_.back().local_endpoint().port());
  }
  control_ = listen(options.control_port);
  if (!options.sockets.empty()) listen_locally();
  deployment_.set_ports(ports);
}

Front::~Front() {
  for (std::size_t i = 0; i < local_acceptors_.size(); ++i) ::unlink(path_of(i).c_str());
}

Front::Acceptor Front::listen(std::uint16_t port) {
  const tcp::endpoint here(host_, port);
  Acceptor acceptor(loop_.io);
  error_code error;
  acceptor.open(here.protocol(), error);
  if (!error) acceptor.set_option(Acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(here, error);
  if (!error) acceptor.listen(Acceptor::max_listen_connections, error);
  if (error)
    throw keys::BadInput(fmt::format("serve: {} port {}: {}", host(), port, error.message()));
  return acceptor;
}

std::string Front::path_of(std::size_t server) const {
  if (options_.sockets.empty()) return {};
  return options_.sockets + '/' + deployment_.served(server).name + ".sock";
}

void Front::listen_locally() {
  using Local = asio::local::stream_protocol;
  for (std::size_t i = 0; i < deployment_.size(); ++i) {
    const std::string path = path_of(i);
    const auto refuse = [&path](const std::string& why) {
      throw keys::BadInput(fmt::format("serve: --sockets: {}: {}", keys::printable(path), why));
    };
    if (path.size() >= sizeof(sockaddr_un::sun_path)) refuse("the path is too long for a socket");
    // A program that was killed leaves its sockets behind, on which nobody listens.
    struct stat there {};
    if (::lstat(path.c_str(), &there) == 0) {
      if (!S_ISSOCK(there.st_mode)) refuse("there is a file that is no socket");
      Local::socket probe(loop_.io);
      error_code listens;
      probe.connect(Local::endpoint(path), listens);
      if (!listens) refuse("another program listens there");
      ::unlink(path.c_str());
    }
    LocalAcceptor acceptor(loop_.io);
    error_code error;
    acceptor.open(Local(), error);
    if (!error) acceptor.bind(Local::endpoint(path), error);
    if (!error) acceptor.listen(LocalAcceptor::max_listen_connections, error);
    if (error) refuse(error.message());
    local_acceptors_.push_back(std::move(acceptor));
  }
}

std::vector<Front::Served> Front::served() const {
  std::vector<Served> all;
  for (std::size_t i = 0; i < acceptors_.size(); ++i) {
    if (deployment_.is_resource(i)) continue;
    const servers::ProcessSpec& server = deployment_.served(i);
    all.push_back({server.name, std::string(server.kind->name),
                   acceptors_[i].local_endpoint().port(), path_of(i)});
  }
  return all;
}

template <typename From>
void Front::accept(From& from, std::size_t server) {
  from.async_accept([this, &from, server](error_code error, auto socket) {
    if (error == asio::error::operation_aborted) return;
    // A real server refuses more as well (maxclients).
    if (!error && deployment_.connected() < kMostConnections) {
      auto visitor = std::make_shared<Visitor>(loop_, std::move(socket));
      loop_.arrive([this, server, visitor] {
        visitors_.push_back(visitor);
        visitor->enter(deployment_, server);
      });
    }
    go_on(error, [this, &from, server] { accept(from, server); });
  });
}

// Where descriptors have run out, the next attempt would fail at once, and the one after it.
void Front::go_on(error_code error, std::function<void()> accept) {
  if (!error) {
    accept();
    return;
  }
  auto pause = std::make_shared<asio::steady_timer>(loop_.io, std::chrono::milliseconds(50));
  pause->async_wait([pause, accept = std::move(accept)](error_code ended) {
    if (!ended) accept();
  });
}

void Front::accept_control() {
  control_.async_accept([this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) converse(*this, std::move(socket));
    go_on(error, [this] { accept_control(); });
  });
}

void Front::run() {
  for (std::size_t i = 0; i < acceptors_.size(); ++i) accept(acceptors_[i], i);
  for (std::size_t i = 0; i < local_acceptors_.size(); ++i) accept(local_acceptors_[i], i);
  accept_control();
  loop_.after_taking_in([this] { deployment_.keep_history_short(); });
  asio::signal_set signals(loop_.io, SIGINT, SIGTERM);
  signals.async_wait([this](error_code error, int) {
    if (!error) loop_.arrive([this] { stop(); });
  });
  while (!stopping_) one_run();
}

void Front::one_run() {
  loop_.restart();
  deployment_.build(wall_offset(loop_.clock), options_.timeline);
  deployment_.simulation().scheduler.set_pacer(&loop_);
  deployment_.simulation().scheduler.run();
  if (after_run_) after_run_(name_, account_of(deployment_));
  name_ = std::exchange(next_name_, {});
  for (Waiting* const one : std::exchange(waiting_, {})) one->run_ended();
  for (const auto& visitor : visitors_) visitor->leave();
  visitors_.clear();
}

void Front::reset(std::string name) {
  next_name_ = std::move(name);
  deployment_.simulation().scheduler.stop();
}

void Front::stop() {
  stopping_ = true;
  reset();
}

}  // namespace picklock::serve
