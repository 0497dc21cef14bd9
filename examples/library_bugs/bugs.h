// The table of the bugs: what each library did wrong, where it was reported, and the fix.
#pragma once

#include <picklock/scenario.h>

#include <string_view>
#include <vector>

namespace library_bugs {

struct Bug {
  std::string_view name;     // of its tests
  std::string_view library;  // and its kind of server
  std::string_view thread;   // on GitHub, where it was reported or fixed
  std::string_view before;   // the versions with the bug, as far as the thread says
  std::string_view wrong;
  std::string_view fix;
  picklock::Property breaks;
  // The lock under contention, before or after the fix.
  picklock::Scenario (*scenario)(bool fixed);
};

const std::vector<Bug>& all_bugs();

}  // namespace library_bugs
