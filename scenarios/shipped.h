// The shipped scenarios as the tests of the suite see them: every file and every run that it asks
// for. For tests only; they run in the root of the repository.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "scenarios/catalogue.h"
#include "scenarios/document.h"
#include "scenarios/expectations.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"

namespace picklock::scenarios::shipped {

inline const std::string kDirectory = "scenarios";

inline std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Shipped& one : catalogue(kDirectory)) all.push_back(one.name);
  return all;
}

inline Document document(const std::string& name) {
  return Document::from_file(find_scenario(name, kDirectory));
}

// The plain scenario of a lock.
inline Scenario plain(const std::string& algorithm) {
  return document("plain/" + algorithm).scenario(shipped_vocabulary());
}

// One run that a file asks for: itself, a twin, or a neighbour.
struct Part {
  std::string what;
  Scenario scenario;
  Demands demands;
};

inline std::vector<Part> parts(const Document& document) {
  const Vocabulary& words = shipped_vocabulary();
  std::vector<Part> all = {{"the file", document.scenario(words), {}}};
  for (std::size_t i = 0; i < all[0].scenario.twins.size(); ++i) {
    all.push_back({"twin " + std::to_string(i + 1), document.twin(i, words), {.contention = true}});
  }
  for (std::size_t i = 0; i < all[0].scenario.neighbours.size(); ++i) {
    all.push_back({"neighbour " + std::to_string(i + 1),
                   document.neighbour(i, words),
                   {.may_be_vain = true}});
  }
  return all;
}

inline std::uint64_t seeds() {
  const char* given = std::getenv("PICKLOCK_SEEDS");
  return given != nullptr ? std::max(1ull, std::strtoull(given, nullptr, 10)) : 1000;
}

// A name that GoogleTest accepts.
inline std::string test_name(std::string name) {
  for (char& letter : name) {
    if (letter == '-' || letter == '/') letter = '_';
  }
  return name;
}

}  // namespace picklock::scenarios::shipped
