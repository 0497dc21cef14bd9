// The control port: HTTP with JSON, as `picklock ctl` and any client of HTTP speak to it.
//
//   GET  /                 the servers, their ports, and the time
//   POST /advance          {"by": "5s"}: answers when this time is over
//   POST /faults           a table [[fault]] of a scenario file: {"pause": "redis-1", "for": "5s"}
//   GET  /faults           those of this run, with when they struck and what they changed
//   POST /failover/SERVER  another takes its place
//   GET  /history          what happened at the servers, and the faults
//   POST /reset            the servers anew, without data, at the beginning of time
#pragma once

#include <boost/asio/ip/tcp.hpp>

namespace picklock::serve {

class Front;

// Answers the requests on this connection, one after another, as long as it lasts.
void converse(Front& front, boost::asio::ip::tcp::socket socket);

}  // namespace picklock::serve
