// The whole of `picklock serve`: a socket for each server, the control port, and the runs one after
// another.
#pragma once

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "serve/account.h"
#include "serve/deployment.h"
#include "serve/loop.h"
#include "serve/visitor.h"

namespace picklock::serve {

struct Options {
  // Of every port; empty: the loopback. Another than that needs a password.
  std::string listen;
  std::string password;            // which clients must give; empty: none
  std::uint16_t port = 0;          // of the first server, the others follow; 0: any that are free
  std::uint16_t control_port = 0;  // 0: any that is free
  double speed = 1;                // 0: time stands still until it is advanced
  std::string sockets;             // folder of a Unix socket for each server; empty: none
  std::string token;               // that the control port asks for; empty: the password
  bool timeline = true;            // every message is kept, to tell of it
};

// A request to the control port that waits for virtual time.
class Waiting {
 public:
  // The time that it waits for will not come.
  virtual void run_ended() = 0;

 protected:
  ~Waiting() = default;
};

class Front {
 public:
  // Listens. Throws BadInput if a port or a socket cannot be had, or others could use it.
  Front(scenarios::Scenario scenario, const Options& options);
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;
  ~Front();

  struct Served {
    std::string name;
    std::string kind;
    std::uint16_t port = 0;
    std::string socket;  // its path; empty: none
  };
  // The servers of the lock.
  std::vector<Served> served() const;
  std::string host() const { return host_.to_string(); }
  std::uint16_t resource_port() const { return acceptors_.back().local_endpoint().port(); }
  std::uint16_t control_port() const { return control_.local_endpoint().port(); }

  // Serves until stop().
  void run();
  // Ends the loop; may be called from a signal's handler of the loop.
  void stop();
  // Every connection ends, and the servers start anew, without data, at the beginning of time.
  // `name`: of the run that begins.
  void reset(std::string name = {});
  // Called at the end of each run. Requires that a timeline is kept.
  void after_run(std::function<void(const std::string& name, const Account& account)> task) {
    after_run_ = std::move(task);
  }

  // --- for the control port
  Deployment& deployment() { return deployment_; }
  Loop& loop() { return loop_; }
  const std::string& token() const {
    return options_.token.empty() ? options_.password : options_.token;
  }
  void waits(Waiting& one) { waiting_.insert(&one); }
  void waits_no_more(Waiting& one) { waiting_.erase(&one); }
  bool keeps_timeline() const { return options_.timeline; }

 private:
  using Acceptor = boost::asio::ip::tcp::acceptor;
  using LocalAcceptor = boost::asio::local::stream_protocol::acceptor;

  Acceptor listen(std::uint16_t port);
  void listen_locally();
  std::string path_of(std::size_t server) const;
  template <typename From>
  void accept(From& from, std::size_t server);
  void accept_control();
  void go_on(boost::system::error_code error, std::function<void()> accept);
  void one_run();

  Options options_;
  boost::asio::ip::address_v4 host_;
  Loop loop_;
  Deployment deployment_;
  std::vector<Acceptor> acceptors_;  // one for each server, and the last for the resource
  std::vector<LocalAcceptor> local_acceptors_;  // the same by Unix sockets, if there are any
  Acceptor control_;
  std::vector<std::shared_ptr<Visitor>> visitors_;  // of this run: its connections name them
  std::set<Waiting*> waiting_;
  std::string name_;  // of this run
  std::string next_name_;
  std::function<void(const std::string& name, const Account& account)> after_run_;
  bool stopping_ = false;
};

}  // namespace picklock::serve
