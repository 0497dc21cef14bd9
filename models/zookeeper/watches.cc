#include "models/zookeeper/watches.h"

#include <iterator>
#include <utility>

namespace picklock::zookeeper {

void Watches::add(Table& table, std::string_view path, Watcher who) {
  table[std::string(path)].insert(who);
}

bool Watches::is_in(const Table& table, std::string_view path, Watcher who) {
  const auto found = table.find(path);
  return found != table.end() && found->second.contains(who);
}

bool Watches::remove_from(Table& table, std::string_view path, Watcher who) {
  const auto found = table.find(path);
  if (found == table.end() || found->second.erase(who) == 0) return false;
  if (found->second.empty()) table.erase(found);
  return true;
}

std::set<Watcher> Watches::take(Table& table, std::string_view path) {
  const auto found = table.find(path);
  if (found == table.end()) return {};
  return std::move(table.extract(found).mapped());
}

bool Watches::has(std::string_view path, WatcherType type, Watcher who) const {
  return (type != WatcherType::children && is_in(data_, path, who)) ||
         (type != WatcherType::data && is_in(children_, path, who));
}

bool Watches::remove(std::string_view path, WatcherType type, Watcher who) {
  bool removed = false;
  if (type != WatcherType::children) removed = remove_from(data_, path, who);
  if (type != WatcherType::data) removed = remove_from(children_, path, who) || removed;
  return removed;
}

void Watches::drop(Watcher who) {
  for (Table* table : {&data_, &children_}) {
    for (auto row = table->begin(); row != table->end();) {
      row->second.erase(who);
      row = row->second.empty() ? table->erase(row) : std::next(row);
    }
  }
}

void Watches::clear() {
  data_.clear();
  children_.clear();
}

void Watches::fire(const Change& change, std::vector<Told>& told) {
  const bool of_children = change.type == EventType::children_changed;
  std::set<Watcher> whom = take(of_children ? children_ : data_, change.path);
  // A client that watches both the data of a node and its children is notified once of its deletion
  // (Z32).
  if (change.type == EventType::deleted) whom.merge(take(children_, change.path));
  for (const Watcher who : whom) told.push_back({who, change.type, change.path});
}

std::size_t Watches::size() const {
  std::size_t all = 0;
  for (const Table* table : {&data_, &children_}) {
    for (const auto& [path, watchers] : *table) all += watchers.size();
  }
  return all;
}

void Watches::count_of_data(std::size_t& paths, std::size_t& watchers, std::size_t& watches) const {
  std::set<Watcher> all;
  paths = data_.size();
  watches = 0;
  for (const auto& [path, of_path] : data_) {
    watches += of_path.size();
    all.insert(of_path.begin(), of_path.end());
  }
  watchers = all.size();
}

}  // namespace picklock::zookeeper
