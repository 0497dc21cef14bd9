// A Redis server as a Sentinel sees it, without data: role, offset, links, channels. Test-only.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "models/redis/sentinel/config.h"
#include "models/redis/wire.h"
#include "sim/service.h"

namespace picklock::redis {

class FakeServer final : public sim::Service {
 public:
  void reset(sim::Simulation& simulation, sim::Process& process,
             const std::deque<FakeServer>& others, std::size_t number) {
    attach(simulation, process);
    self_ = {.process = &process, .endpoint = this};
    others_ = &others;
    run_id_ = std::string(39, 'a') + static_cast<char>('a' + number);
  }

  Node node() const { return self_; }
  Address address() const { return Address::of(self_); }
  bool is_master() const { return master_.host.empty(); }
  const Address& master() const { return master_; }
  void follow(const Address& master) {
    master_ = master;
    down_since_ = sim::kNever;
  }
  void lead() { master_ = {}; }

  std::uint64_t offset = 1000;
  int priority = 100;
  bool obeys = true;     // executes SLAVEOF
  bool loading = false;  // and says so
  sim::Instant promoted_at{};
  std::vector<std::string> heard;  // commands but PING, INFO and PUBLISH

  void start(sim::Keeps keeps) override {
    if (keeps == sim::Keeps::none) run_id_.front() = ++run_id_.front();
  }
  void halted() override {
    for (Client& client : clients_) client.connection->session = nullptr;
    clients_.clear();
  }
  void on_reset(sim::Connection& connection) override { gone(connection); }
  void on_closed(sim::Connection& connection) override { gone(connection); }

 private:
  struct Client {
    sim::Connection* connection = nullptr;
    bool listens = false;
    bool in_multi = false;
    bool open = true;
    std::vector<std::vector<std::string>> queue{};
  };

  static void gone(sim::Connection& connection) {
    if (connection.session == nullptr) return;
    static_cast<Client*>(connection.session)->open = false;
    connection.session = nullptr;
  }

  bool apply(sim::Message& request, sim::Payload& out) override {
    if (request.connection->session == nullptr) {
      clients_.push_back({.connection = request.connection});
      request.connection->session = &clients_.back();
    }
    Client& client = *static_cast<Client*>(request.connection->session);
    std::vector<std::string_view> argv;
    read_request(request.payload.view(), argv);
    if (argv[0] == "MULTI") {
      heard.emplace_back("MULTI");
      client.in_multi = true;
      out.append("+OK\r\n");
    } else if (argv[0] == "EXEC") {
      client.in_multi = false;
      write_array(out, client.queue.size());
      for (const auto& words : client.queue) {
        const std::vector<std::string_view> queued(words.begin(), words.end());
        run(client, queued, out);
      }
      client.queue.clear();
      heard.emplace_back("EXEC");
    } else if (client.in_multi) {
      client.queue.emplace_back(argv.begin(), argv.end());
      out.append("+QUEUED\r\n");
    } else {
      run(client, argv, out);
    }
    return true;
  }

  void run(Client& client, const std::vector<std::string_view>& argv, sim::Payload& out) {
    const std::string_view command = argv[0];
    if (command != "PING" && command != "INFO" && command != "PUBLISH") {
      std::string& line = heard.emplace_back(command);
      for (std::size_t i = 1; i < argv.size(); ++i) line.append(1, ' ').append(argv[i]);
    }
    if (command == "PING") {
      out.append(loading ? "-LOADING Redis is loading the dataset in memory\r\n" : "+PONG\r\n");
    } else if (command == "INFO") {
      write_bulk(out, info());
    } else if (command == "SUBSCRIBE") {
      client.listens = true;
      write_array(out, 3);
      write_bulk(out, "subscribe");
      write_bulk(out, argv[1]);
      write_integer(out, 1);
    } else if (command == "PUBLISH") {
      write_integer(out, publish(argv[1], argv[2]));
    } else if (command == "SLAVEOF") {
      if (obeys) replicate(argv[1], argv[2]);
      out.append("+OK\r\n");
    } else if (command == "CLIENT" && argv[1] == "KILL") {
      write_integer(out, kill(client, argv[3] == "pubsub"));
    } else {
      out.append("+OK\r\n");
    }
  }

  void replicate(std::string_view host, std::string_view port) {
    if (host == "NO") {
      if (!is_master()) promoted_at = simulation().now();
      lead();
    } else {
      follow({std::string(host), static_cast<std::uint16_t>(std::stoi(std::string(port)))});
    }
  }

  std::int64_t publish(std::string_view channel, std::string_view text) {
    std::int64_t told = 0;
    for (const Client& client : clients_) {
      if (!client.open || !client.listens) continue;
      sim::Message& message = simulation().network.make(*client.connection, 1);
      write_array(message.payload, 3);
      write_bulk(message.payload, "message");
      write_bulk(message.payload, channel);
      write_bulk(message.payload, text);
      simulation().network.send_unasked(message);
      ++told;
    }
    return told;
  }

  std::int64_t kill(const Client& asking, bool listeners) {
    std::int64_t killed = 0;
    for (Client& client : clients_) {
      if (!client.open || client.listens != listeners || &client == &asking) continue;
      sim::Connection& connection = *client.connection;
      gone(connection);
      simulation().network.shut(connection);
      ++killed;
    }
    return killed;
  }

  std::string info() {
    std::string text = "# Server\r\nrun_id:" + run_id_ + "\r\n\r\n# Replication\r\n";
    if (is_master()) {
      text += "role:master\r\n";
      int number = 0;
      for (const FakeServer& other : *others_) {
        if (other.process().down() || other.master_ != address()) continue;
        text += "slave" + std::to_string(number++) + ":ip=" + other.address().host +
                ",port=6379,state=online,offset=" + std::to_string(other.offset) + ",lag=0\r\n";
      }
      return text;
    }
    bool up = false;
    for (const FakeServer& other : *others_)
      up = up || (other.address() == master_ && !other.process().down());
    if (up) down_since_ = sim::kNever;
    if (!up && down_since_ == sim::kNever) down_since_ = simulation().now();
    text += "role:slave\r\nmaster_host:" + master_.host +
            "\r\nmaster_port:" + std::to_string(master_.port) +
            "\r\nmaster_link_status:" + (up ? "up" : "down") + "\r\n";
    if (!up) {
      const auto seconds = (simulation().now() - down_since_).count() / 1'000'000'000;
      text += "master_link_down_since_seconds:" + std::to_string(seconds) + "\r\n";
    }
    return text + "slave_repl_offset:" + std::to_string(offset) +
           "\r\nslave_priority:" + std::to_string(priority) + "\r\n";
  }

  Node self_;
  const std::deque<FakeServer>* others_ = nullptr;
  std::string run_id_;
  Address master_;  // empty: it is one
  sim::Instant down_since_ = sim::kNever;
  std::deque<Client> clients_;
};

}  // namespace picklock::redis
