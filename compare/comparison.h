// A comparison of locks: its locks, columns and properties, and the results of every cell so far.
// The results of a cell depend only on the seed and on the number of its runs that are known. They
// do not depend on the process or order in which these were made, or on the other locks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "compare/cell.h"
#include "compare/measures.h"
#include "explore/profile.h"
#include "models/locks/algorithm.h"

namespace picklock::compare {

using picklock::Property;

// The shortest story that was found of a violation.
struct Story {
  Sighting sighting;         // the run it comes from
  std::uint32_t faults = 0;  // left in it
  bool minimal = false;      // no single step makes it simpler
  bool given_up = false;     // there was no time to shrink it
  std::string title;
  std::string text;  // of its file
  std::string file;  // where it is kept, from the working directory; empty: nowhere
};

// Between processes (explore/workers/wire.h).
template <typename Archive>
void fields(Archive& archive, Story& story) {
  archive(story.sighting, story.faults, story.minimal, story.given_up, story.title, story.text,
          story.file);
}

// The results of a cell.
struct Known {
  std::uint64_t runs = 0;              // the first so many are known
  std::optional<std::uint64_t> all{};  // how many there are; nullopt: unknown, or without end
  Measures measures;
  std::map<Property, Story> stories;  // of what is violated
  // Runs that ended the process they were made in, and how.
  std::map<std::uint64_t, std::string> crashes;
};

// Beside the cells of the table, a lock has cells for each class of faults that try every plan of
// one fault, and of two; there `column` is the class.
struct CellName {
  std::size_t lock = 0;
  std::size_t column = 0;
  bool fenced = false;
  std::uint32_t every = 0;  // faults of the plans that are all tried; 0: plans are drawn
  bool operator==(const CellName&) const = default;
  bool operator<(const CellName& that) const {
    return std::tie(lock, column, fenced, every) <
           std::tie(that.lock, that.column, that.fenced, that.every);
  }
};

struct Options {
  std::vector<std::string> locks;      // empty: every one that is shipped
  std::vector<Column> columns;         // empty: none, each class, all
  std::vector<Property> properties{};  // the exit status answers to these; empty: to promises
  std::uint64_t seed = 1;
  std::uint32_t complete = 0;  // first tries every plan of at most so many faults
  // The user's changes of the workloads, as words of a command: " --set clients.count=5".
  std::string settings{};
  // The resource of the cells with fencing.
  scenarios::ResourceSpec fenced = {.fencing = scenarios::Fencing::ideal};
};

inline constexpr std::uint32_t kMostComplete = 2;  // faults

// The results of every plan of few faults, with two clients that take the lock once.
struct Complete {
  std::vector<Measures> with;  // one fault, two faults

  std::size_t faults() const { return with.size(); }
  // The fewest faults with which a count is not 0; 0: there are none.
  template <typename Count>
  std::size_t fewest(Count count) const {
    for (std::size_t i = 0; i < with.size(); ++i) {
      if (count(with[i]) > 0) return i + 1;
    }
    return 0;
  }
  std::size_t fewest_for_harm() const {
    return fewest([](const Measures& measures) { return measures.unsafe; });
  }
  std::size_t fewest_for(Property property) const {
    return fewest([property](const Measures& measures) {
      return measures.properties[static_cast<std::size_t>(property)].violations;
    });
  }
};

class Comparison {
 public:
  // `workloads`: of all shipped locks (compare/workload.h). Requires: locks that there are.
  Comparison(Options options, std::vector<scenarios::Scenario> workloads);

  struct Lock {
    const models::Algorithm* algorithm = nullptr;
    scenarios::Scenario workload;
    std::size_t number = 0;  // among all that are shipped
  };

  const std::vector<Lock>& locks() const { return locks_; }
  const std::vector<Column>& columns() const { return options_.columns; }
  const Options& options() const { return options_; }
  const std::vector<scenarios::Scenario>& workloads() const { return workloads_; }
  explore::PairedPlans& plans() { return plans_; }

  // Why the column's faults cannot act on the lock; empty: they can, or some of them.
  const std::string& why_impossible(std::size_t lock, std::size_t column) const {
    return impossible_[lock * columns().size() + column];
  }

  // Every cell of the table that can be made, in its order.
  std::vector<CellName> cells() const;
  // Every cell that tries all plans, for the classes of some column; none where that was not asked.
  std::vector<CellName> complete_cells() const;
  // First those of the table.
  std::vector<CellName> all_cells() const;
  Known& known(const CellName& cell) { return known_[cell]; }
  const Known& known(const CellName& cell) const;

  // The cell whose story shows a violation of this one: of the columns with none but its classes of
  // faults, the one that needed the fewest faults. A lock that fails without faults has one story
  // of that, not one for each column. Requires: the property is violated in the cell.
  CellName teller(const CellName& cell, Property property) const;
  struct Told {
    CellName cell;                 // that it comes from
    const Story* story = nullptr;  // nullptr: there was no time for it, or no violation
  };
  // The teller's story; the cell's own if the teller has none yet.
  Told told(const CellName& cell, Property property) const;

  std::unique_ptr<Cell> cell(const CellName& name);

  // How a cell is called in files: "lua-check-delete.pause.ideal".
  std::string label(const CellName& cell) const;

  // With the faults of the column; nullopt: not every plan of one is known, or could be judged.
  // Two faults are of one class, so a mix of classes has none.
  std::optional<Complete> complete(std::size_t lock, std::size_t column) const;

  // Runs that violate a property although it was promised.
  std::uint64_t broken(const CellName& cell, Property property) const {
    return known(cell).measures.properties[static_cast<std::size_t>(property)].broken;
  }
  // Runs that a property is held against: all where it was asked for, else those in which it was
  // promised.
  std::uint64_t held_against(const CellName& cell, Property property) const;
  // The lease of the locks that have one; nullopt: none has.
  std::optional<sim::Duration> lease() const;
  // Whether holders read at the resource.
  bool reads() const;
  // Whether nothing was found that the exit status answers to.
  bool clean() const;

 private:
  std::optional<Measures> complete_with(std::uint32_t faults, std::size_t lock,
                                        std::size_t column) const;

  Options options_;
  std::vector<scenarios::Scenario> workloads_;  // of all that are shipped
  std::vector<explore::Profile> profiles_;      // of these
  explore::PairedPlans plans_;
  std::vector<Lock> locks_;
  std::vector<std::string> impossible_;
  std::vector<FaultClasses> possible_;  // of each lock
  std::map<CellName, Known> known_;
};

// The columns of a comparison that is not asked for any.
std::vector<Column> every_column();
// "pause+partition"; nullopt: some word of it is no class. `unknown`: that word.
std::optional<Column> column_named(std::string_view name, std::string& unknown);

inline std::string_view fencing_name(bool fenced) { return fenced ? "ideal" : "none"; }

// The command that makes a cell again, to as many runs.
std::string command(const Comparison& comparison, const CellName& cell);

}  // namespace picklock::compare
