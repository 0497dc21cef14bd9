#include "models/zookeeper/four_letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace picklock::zookeeper {
namespace {

// As the release prints it; models/zookeeper/version.h has the number alone.
constexpr std::string_view kBuild =
    "3.8.0-5a02a05eddb59aee6ac762f7ea82e92a68eb9c0f, built on 2022-02-25 08:49 UTC";

// Known to the real server too. Here they are not in the whitelist, for they tell of what the model
// does not have.
constexpr std::string_view kNotAllowed[] = {"conf", "cons", "crst", "dirs", "dump", "gtmk",
                                            "hash", "lsnr", "srst", "stmk", "wchc", "wchp"};
constexpr std::string_view kAllowed[] = {"envi", "isro", "mntr", "ruok", "srvr", "stat", "wchs"};

template <typename Words>
bool is_in(const Words& words, std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::string environment(const Condition& server) {
  return fmt::format("Environment:\nzookeeper.version={}\nhost.name={}\n", kBuild, server.host);
}

std::string statistics(const Condition& server, bool with_clients) {
  return fmt::format(
      "Zookeeper version: {}\n{}Latency min/avg/max: 0/0.0/0\nReceived: {}\nSent: {}\n"
      "Connections: {}\nOutstanding: {}\nZxid: {:#x}\nMode: {}\nNode count: {}\n",
      kBuild, with_clients ? "Clients:\n\n" : "", server.received, server.sent, server.connections,
      server.outstanding, server.zxid, server.mode, server.nodes);
}

std::string monitored(const Condition& server) {
  return fmt::format(
      "zk_version\t{}\nzk_server_state\t{}\nzk_ephemerals_count\t{}\nzk_num_alive_connections\t{}\n"
      "zk_outstanding_requests\t{}\nzk_znode_count\t{}\nzk_global_sessions\t{}\n"
      "zk_packets_sent\t{}\nzk_packets_received\t{}\nzk_watch_count\t{}\n",
      kBuild, server.mode, server.ephemerals, server.connections, server.outstanding, server.nodes,
      server.sessions, server.sent, server.received, server.watches);
}

}  // namespace

bool is_four_letter_word(std::string_view bytes) {
  return is_in(kAllowed, bytes) || is_in(kNotAllowed, bytes);
}

std::string answer_to_word(std::string_view word, const Condition& server) {
  if (!is_in(kAllowed, word))
    return fmt::format("{} is not executed because it is not in the whitelist.\n", word);
  if (word == "ruok") return "imok";
  if (word == "envi") return environment(server);
  if (word == "isro") return server.serves ? "rw" : "null";
  if (!server.serves) return "This ZooKeeper instance is not currently serving requests\n";
  if (word == "mntr") return monitored(server);
  if (word == "wchs")
    return fmt::format("{} connections watching {} paths\nTotal watches:{}\n",
                       server.watching_connections, server.watched_paths, server.path_watches);
  return statistics(server, word == "stat");
}

}  // namespace picklock::zookeeper
