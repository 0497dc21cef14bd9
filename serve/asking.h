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
  bool patient = false;  // waits for the answer as long as it takes
};

struct Answer {
  bool good = false;
  std::string body;
};

// Throws BadInput if nobody listens there, or not such a server: also if it keeps silent.
Answer ask(const Question& question);

}  // namespace picklock::serve
