// A run as trace events, for ui.perfetto.dev and other viewers of Chrome's trace event format.
// Every process has tracks for its state, belief, acquires, entries and commands. An arrow leads
// from every command to its arrival. Times are virtual; runs with one digest give the same bytes.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#pragma once

#include <string>

#include "scenarios/run.h"

namespace picklock::reports {

// Writes the file's own run, which must have been traced, without its twins.
std::string perfetto(const scenarios::Outcome& outcome);

}  // namespace picklock::reports
