// An unmodified program that runs in virtual time: the calls by which it meets clocks, waiting,
// chance and the network are answered by its Surroundings. One thread of it runs at a time, inside
// the members of Guest and on the caller's thread; each member returns when all its threads wait.
//
// Equal surroundings make equal runs, on one machine. Computing takes no virtual time. A program
// can still see some of the real world: files, /proc (except for uptime and load), and instructions
// of the processor that count cycles or draw numbers (rdtsc, rdrand).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "guests/surroundings.h"

namespace picklock::guests {

struct Start {
  std::vector<std::string> argv;         // the program is looked up in PATH
  std::vector<std::string> environment;  // NAME=value; TZ=UTC and PICKLOCK_FD=3 are added
  std::string folder;                    // in which it starts; empty: this one
  std::string output;  // a file to which its output is added; empty: nobody reads it
  // Bytes of that file that are kept, half of them from its beginning and half from its end. The
  // rest becomes a hole in it.
  std::int64_t most_output = INT64_MAX;
  // The name of its host. Programs tell each other apart by host and process; all are process 1.
  std::string name = "guest";
  // All that is random before its first connection follows from this, from argv and from the name;
  // afterwards it comes from Surroundings::random. Only starts of equal seeds can share a zygote,
  // so this should not differ from run to run, but from start to start of one name.
  std::uint64_t seed = 0;
  // Nanoseconds of the processor for which a thread may compute between two calls.
  std::int64_t most_computing = 10'000'000'000;
};

class Nursery;
class Supervisor;

class Guest {
 public:
  // The nursery outlives the guest.
  explicit Guest(Surroundings& surroundings, Nursery* nursery = nullptr);
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  ~Guest();  // kills it

  // Runs the program until all its threads wait. Throws std::runtime_error, with one line, if it
  // cannot be executed. Only one call, in the thread that calls the other members too.
  void start(const Start& start);
  // Kills all its processes. May be called by a member of Surroundings.
  void kill();
  bool alive() const;
  // As of waitpid, once the program has ended.
  std::optional<int> exit_status() const;

  // A clock has come to its alarm.
  void time_came();
  void opened(SocketId socket);
  void refused(SocketId socket, int error);  // a number of errno
  void received(SocketId socket, std::string_view bytes);
  // The end comes after all that was received; or ECONNRESET.
  void hung_up(SocketId socket, bool reset);

  // Until thaw() no thread goes on, and arrivals are kept. If Surroundings::send calls freeze(),
  // the sending call has not returned yet.
  void freeze();
  void thaw();

  // Why the run cannot be repeated: a sentence that names the call. The program is then killed.
  // Empty: it can.
  const std::string& not_reproducible() const;

 private:
  std::unique_ptr<Supervisor> supervisor_;
};

}  // namespace picklock::guests
