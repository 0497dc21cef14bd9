// docs/locks: a page for every lock, for users who choose one: how it works, what it promises, what
// breaks it, and the commands that show it. Only the sentences on how it works are written by hand;
// the rest comes from the catalogue of locks, the shipped scenarios and the safety table.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::compare {

struct LockPage {
  std::string file;  // "lua-check-delete.md"; the first is README.md, which lists the others
  std::string text;
};

// `directory`: where the shipped scenarios are. `how`: the sentences on how a lock works.
std::vector<LockPage> lock_pages(const std::string& directory,
                                 const std::function<std::string(std::string_view lock)>& how);

// Those sentences, as a page has them; empty: it has none.
std::string how_it_works(const std::string& page);

}  // namespace picklock::compare
