// The real server's side of a comparison: one connection for each session, over MariaDB's client
// library. Each has its own thread, because a statement may wait.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conform/address.h"
#include "conform/mysql/sequence.h"

struct st_mysql;
struct st_mysql_res;

namespace picklock::conform::mysql {

// Whether a server of this protocol listens there.
bool answers(const Address& address);

// The library's answer to a statement; frees the result.
Answer answer_of(st_mysql* handle, st_mysql_res* result);

class Connection {
 public:
  // Throws NoServer.
  explicit Connection(const Address& address, const std::string& database = {});
  Connection(Connection&&) noexcept = default;
  ~Connection();

  Answer say(const std::string& text);
  std::uint64_t id() const;  // CONNECTION_ID()
  std::string version() const;

 private:
  struct Close {
    void operator()(st_mysql* handle) const;
  };
  std::unique_ptr<st_mysql, Close> handle_;
};

// Plays one interleaving after the other, each in a database of its own, which it leaves empty.
class RealSide {
 public:
  RealSide(const Address& address, const std::string& database);
  ~RealSide();

  std::string version() const { return control_.version(); }
  std::vector<Outcome> play(const Interleaving& interleaving);

 private:
  struct Session {
    std::unique_ptr<Connection> connection;
    std::thread thread;
    std::string text;
    std::optional<Answer> answer;
    bool asked = false;  // not answered yet
    bool over = false;
  };

  void prepare(const Interleaving& interleaving);
  void clean_up();
  void serve(Session& session);
  Outcome take(const Step& step);
  void settle();
  std::set<std::uint64_t> waiting();
  bool busy() const;
  void name_owner(Answer& answer) const;

  Address address_;
  std::string database_;
  Connection control_;
  Connection snapshot_;  // holds back the purge: deleted rows stay
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Session> sessions_;
  std::set<std::uint32_t> killed_;
};

}  // namespace picklock::conform::mysql
