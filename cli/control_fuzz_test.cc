// The control port of `picklock serve` survives any bytes, and answers a client that behaves
// afterwards. PICKLOCK_FUZZ_INPUTS: how many connections write bytes that were changed by chance
// (400).
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <deque>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/random.h"
#include "testing/mutation.h"

namespace picklock::cli {
namespace {

using ::testing::HasSubstr;

class Serving {
 public:
  Serving() {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      execl(PICKLOCK_PROGRAM, "picklock", "serve", "--manual", "--json", "--die-with-parent",
            static_cast<char*>(nullptr));
      _exit(127);
    }
    ::close(ends[1]);
    FILE* in = fdopen(ends[0], "r");
    std::string line;
    for (int byte = 0; (byte = std::fgetc(in)) != EOF && byte != '\n';)
      line += static_cast<char>(byte);
    std::fclose(in);
    port_ = nlohmann::json::parse(line).at("control").get<std::uint16_t>();
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;
  ~Serving() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }

  std::uint16_t port() const { return port_; }

 private:
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
};

class Connection {
 public:
  explicit Connection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("the control port takes no connection");
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::close(socket_); }

  // The other side may have closed already.
  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  // The answers. The other side must close the connection, because no further request can come.
  std::string rest() const {
    shutdown(socket_, SHUT_WR);
    std::string all;
    for (char bytes[4096];;) {
      const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        throw std::runtime_error("no answer and no end");
      if (got <= 0) return all;
      all.append(bytes, static_cast<std::size_t>(got));
    }
  }
  void reset_at_end() const {
    const linger now{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

 private:
  int socket_;
};

std::string request(std::string_view first, std::string_view body = {}) {
  return std::string(first) +
         " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

const std::vector<std::string>& requests() {
  static const std::vector<std::string> all = {
      request("GET /"),
      request("GET /faults"),
      request("GET /history"),
      request("GET /verdicts"),
      request("GET /timeline?detail=everything"),
      request("HEAD /timeline"),
      request("POST /advance", R"({"by": "10ms"})"),
      request("POST /failover/redis-1"),
      request("POST /reset", R"({"name": "the next"})"),
      request("POST /faults", R"({"pause": "redis-1", "for": "5s"})"),
      request("POST /faults", R"({"crash": "redis-1", "for": "1s", "keeps": "none"})"),
      request("POST /faults", R"({"partition": "clients", "from": ["redis-1"], "for": "5s"})"),
      request("POST /faults", R"({"step-clock": "redis-1", "step": "-1h"})"),
      request("POST /faults",
              R"({"drop": "redis-1", "before": "command.applied", "command": "SET", "by": 1})"),
      "POST /advance HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{\"by\": \r\n"
      "6\r\n\"1ms\"}\r\n0\r\n\r\n",
      "POST /advance HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
      "GET / HTTP/1.0\r\n\r\n"};
  return all;
}

TEST(ControlFuzz, WhateverComesAClientThatBehavesIsAnsweredAfterwards) {
  const Serving serving;
  std::deque<Connection> open;
  const std::uint64_t inputs = fuzz::inputs(400);
  for (std::uint64_t seed = 0; seed < inputs; ++seed) {
    SCOPED_TRACE(seed);
    sim::Random random(seed, 1);
    fuzz::Mutation mutated(random);
    std::string bytes;
    for (std::uint64_t left = 1 + random.below(3); left > 0; --left)
      bytes += mutated(requests()[random.below(requests().size())]);
    const Connection& client = open.emplace_back(serving.port());
    client.write(bytes);
    const std::uint64_t end = random.below(8);
    if (end == 0) {  // half open, until others have come
      if (open.size() > 50) open.pop_front();
      continue;
    }
    if (end == 1)
      client.reset_at_end();
    else if (end > 3)
      client.rest();
    open.pop_back();
  }
  const Connection healthy(serving.port());
  healthy.write(request("GET /"));
  EXPECT_THAT(healthy.rest(), HasSubstr("200 OK"));
}

}  // namespace
}  // namespace picklock::cli
