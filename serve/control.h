// The control port: HTTP with JSON, as `picklock ctl` and any client of HTTP speak to it.
//
//   GET  /                 the servers, their ports, and the time
//   POST /advance          {"by": "5s"}: answers when this time is over
//   POST /faults           a table [[fault]] of a scenario file: {"pause": "redis-1", "for": "5s"};
//   a
//                          step is command.sent or command.applied, by a client's name or its
//                          number
//   GET  /faults           those of this run, with when they struck and what they changed
//   POST /failover/SERVER  another takes its place
//   GET  /history          what happened at the servers and the resource, and the faults
//   GET  /timeline         the same as text, every message included; ?detail=everything
//   GET  /verdicts         the properties that can be judged from outside, and what is held
//   POST /reset            the servers anew, without data, at the beginning of time; {"name": "…"}
//                          is that of the run that begins
#pragma once

#include <boost/asio/ip/tcp.hpp>

namespace picklock::serve {

class Front;

// Answers the requests on this connection, one after another, as long as it lasts.
void converse(Front& front, boost::asio::ip::tcp::socket socket);

}  // namespace picklock::serve
