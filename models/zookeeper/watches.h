// The watches at one server; each fires once. A server keeps two tables: exists and getData add to
// the one, getChildren to the other (Z30, Z31). They live and die with the connections of the
// server (Z34).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/zookeeper/tree.h"
#include "picklock/zookeeper.h"

namespace picklock::zookeeper {

// A connection of the server, by its number.
using Watcher = std::uint32_t;

// The types of removeWatches, with their numbers on the wire.
enum class WatcherType : std::int32_t { children = 1, data = 2, any = 3 };

class Watches {
 public:
  struct Told {
    Watcher who = 0;
    EventType type{};
    std::string path{};
  };

  void watch_data(std::string_view path, Watcher who) { add(data_, path, who); }
  void watch_children(std::string_view path, Watcher who) { add(children_, path, who); }
  bool has(std::string_view path, WatcherType type, Watcher who) const;
  // False: there was no such watch.
  bool remove(std::string_view path, WatcherType type, Watcher who);
  void drop(Watcher who);  // its connection has ended
  void clear();

  // Removes the watches that this change fires and appends them to `told`, in order, each watcher
  // once.
  void fire(const Change& change, std::vector<Told>& told);

  std::size_t size() const;
  // Counts the table of exists and getData.
  void count_of_data(std::size_t& paths, std::size_t& watchers, std::size_t& watches) const;

 private:
  using Table = std::map<std::string, std::set<Watcher>, std::less<>>;

  static void add(Table& table, std::string_view path, Watcher who);
  static bool is_in(const Table& table, std::string_view path, Watcher who);
  static bool remove_from(Table& table, std::string_view path, Watcher who);
  static std::set<Watcher> take(Table& table, std::string_view path);

  Table data_;
  Table children_;
};

}  // namespace picklock::zookeeper
