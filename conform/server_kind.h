// The servers that can be compared with their models: one record for each kind.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "conform/campaign.h"
#include "conform/coverage.h"

namespace picklock::conform {

// A difference between the words of two sides that do the same. A comparison leaves out nothing
// else.
struct Normalisation {
  std::string_view name;
  std::string_view commands;  // that it concerns; empty: all
  std::string_view why;
};

// How a report calls things. Text in braces is replaced.
struct Wording {
  std::string_view title;     // "the model and {} differ"
  std::string_view against;   // the server and its version: `redis-server {}`
  std::string_view one_case;  // `sequence`
  std::string_view commands;  // several: `requests`
  std::string_view state;     // of a cell, in JSON: `key`
  std::string_view cell;      // an empty cell: `{command} {reply} {state}`
  std::string_view coverage;  // `{seen} kinds of reply`
  std::string_view holes;     // after it, if cells are empty
  std::string_view interrupted = "interrupted";
  bool several_lines = false;  // each side of a difference may be: then JSON has a list
  bool tells_shrunk = false;   // whether the difference was shrunk as far as it goes
};

struct ServerKind {
  std::string_view name;     // `redis`
  std::string_view package;  // that picklock starts a server from
  // The purpose of --flush. Empty: it has none, and the second text says why.
  std::string_view flush{};
  std::string_view why_no_flush{};
  std::string_view address{};  // what is done to a server of the user's
  Wording wording;
  std::span<const State> states;
  std::span<const Normalisation> normalisations;
  // The parts that depend on the server's clock, where that cannot be set. Empty: there are none.
  std::string_view left_out{};
  // Throws NoServer.
  Report (*run)(const Campaign& campaign, const Watch& watch);
};

// In the order in which they are listed.
std::span<const ServerKind> server_kinds();

}  // namespace picklock::conform
