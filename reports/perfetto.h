// A run as trace events, for ui.perfetto.dev and other viewers of Chrome's trace event format: what
// each process believed, asked, held and suffered, on tracks of its own, with an arrow from every
// command to where it arrived. Virtual time from the start of the run; a digest gives the same
// bytes. https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#pragma once

#include <string>

#include "scenarios/run.h"

namespace picklock::reports {

// Of the file's own run, which must have been traced; not of its twins.
std::string perfetto(const scenarios::Outcome& outcome);

}  // namespace picklock::reports
