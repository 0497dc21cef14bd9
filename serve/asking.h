// One request to the control port of a server.
#pragma once

#include <string>

namespace picklock::serve {

struct Question {
  std::string host = "127.0.0.1";
  std::string port;
  std::string token;  // empty: none
  std::string method;
  std::string target;
  std::string body;
};

struct Answer {
  bool good = false;
  std::string body;
};

// Throws BadInput if nobody listens there, or not such a server.
Answer ask(const Question& question);

}  // namespace picklock::serve
