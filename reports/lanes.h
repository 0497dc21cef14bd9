// The lanes of a timeline: which processes get a column, and what each column shows at a moment.
// A heavy bar means that a client believes that it holds the lock, or that a server holds an entry.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reports/ink.h"
#include "reports/story.h"

namespace picklock::reports {

class Lanes {
 public:
  // As many processes get a lane as leave room for `text_width` columns of text. Unless the story
  // has every detail, those that a fault or a witness names come first.
  Lanes(const Run& run, const Narrator& narrator, const Story& story, const Palette& palette,
        int width, int text_width, Detail detail = Detail::what_matters);

  int width() const { return width_; }
  // Processes without a lane: for lack of room, or because no fault and no witness names them.
  const std::vector<sim::ProcessId>& left_out() const { return left_out_; }
  const std::vector<sim::ProcessId>& passed_over() const { return passed_over_; }
  bool passes_over(const Row& row) const;
  bool shows(sim::ProcessId process) const { return lane_of(process) != nullptr; }
  std::vector<Line> heading() const;
  // The meanings of the marks shown so far.
  std::vector<std::string> legend() const;

  void apply(const Change& change);
  Line plain() const;
  Line row(const Row& row);
  Ink ink(sim::ProcessId process) const;

 private:
  struct Lane {
    sim::ProcessId process = 0;
    int at = 0;  // its first column
    int width = 0;
    int anchor = 0;  // the column of its bar
    std::vector<std::string> name;
    int beliefs = 0;
    bool paused = false;
    bool down = false;
    std::optional<sim::ProcessId> owner;
  };

  const Lane* lane_of(sim::ProcessId process) const;
  int lay_out(const std::vector<sim::ProcessId>& processes, bool folded_names);
  Cells bars() const;
  std::string bar(const Lane& lane) const;
  void arrow(Cells& cells, const Row& row);
  void arrows(Cells& cells, const Row& row);
  void event(Cells& cells, sim::ProcessId process);
  void mark(Cells& cells, sim::ProcessId process, const std::string& glyph, Ink ink) const;

  const Narrator& narrator_;
  const Palette& palette_;
  int width_ = 0;
  std::vector<Lane> lanes_;
  std::vector<sim::ProcessId> left_out_;
  std::vector<sim::ProcessId> passed_over_;
  std::map<sim::ProcessId, Ink> inks_;
  bool believed_ = false;  // the marks that have been shown so far
  bool paused_believing_ = false;
  bool paused_ = false;
  bool owned_ = false;
  std::set<sim::ProcessId> owners_;
  bool sends_ = false;
  bool sends_believing_ = false;
  bool dotted_ = false;
  bool event_ = false;
  bool ends_ = false;
  bool lost_ = false;
  bool violation_ = false;
  bool several_ = false;
  bool unlike_ = false;  // some of those answered differently
  bool several_owners_ = false;
};

}  // namespace picklock::reports
