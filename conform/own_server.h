// A server program that picklock starts on a free loopback port, in a temporary folder. It ends
// with this object, and with this process however that ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "conform/address.h"
#include "conform/folder.h"
#include "conform/server_process.h"

namespace picklock::conform {

// One of several kinds; each says how its program is started and when it answers.
class OwnServer {
 public:
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;

  const Address& address() const { return address_; }
  bool runs() const { return process_.pid().has_value(); }  // as far as we have looked
  // Throws NoServer if it has ended of itself.
  void look_for_end();

  // Each has taken effect when it returns.
  void kill() { process_.kill(); }  // -9
  void stop() { process_.stop(); }
  void go_on() { process_.go_on(); }

 protected:
  struct Program {
    std::string name;     // in messages: `redis-server`
    std::string package;  // that has it
    std::string folder;   // as in Folder: `redis`
  };

  // Nothing runs yet. `stop` is asked while the server starts.
  explicit OwnServer(Program program, Stop stop = {});
  ~OwnServer();

  const std::filesystem::path& folder() const { return folder_.path(); }
  void remove_folder() { folder_.remove(); }
  std::string log() const;
  std::string last_line() const;  // of the log that says anything
  std::optional<pid_t> pid() const { return process_.pid(); }
  // The status of waitpid(), once, if it has ended of itself.
  std::optional<int> ended() { return process_.ended(); }

  // At a new address; it answers when this returns. Throws NoServer or Interrupted, as all below.
  void start();
  // In two steps, and again after kill(): the same address and folder, an empty log.
  void choose_address();
  void begin();
  // False: it has ended instead.
  bool await_answer();

 private:
  // Configures the server for address() and folder(), and returns the command line.
  virtual std::vector<std::string> command() = 0;
  virtual Surroundings surroundings() const { return {}; }
  virtual bool answers() = 0;

  Program program_;
  Stop stop_;
  Folder folder_;
  Address address_;
  int log_;  // a file in memory
  ServerProcess process_;
};

}  // namespace picklock::conform
