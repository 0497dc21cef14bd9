// Compares reports of an entry's owner, of the cause of its loss and of the number of grants,
// against a naive reading of the history, in random runs of every lock. PICKLOCK_SEEDS: how many
// runs of each, at most 20 unless PICKLOCK_WHOLE is set; PICKLOCK_FIRST: the number of the first
// one (0); PICKLOCK_LOCK: of this lock alone; PICKLOCK_SET: a change to each file, as of `--set`. A
// fair lock polls at every round trip, so with "network.latency=10ms" it is ten times as fast.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "explore/fault_plan.h"
#include "keys/bad_input.h"
#include "models/locks/catalogue.h"
#include "picklock/mysql.h"
#include "reports/narrator.h"
#include "reports/story.h"
#include "reports/wording.h"
#include "scenarios/runner.h"
#include "scenarios/shipped.h"
#include "scenarios/writer.h"
#include "testing/whole.h"

namespace picklock::explore {
namespace {

using history::Cause;
using history::HistoryEvent;
using history::TenureId;
using history::What;

constexpr std::uint64_t kRunsOfEach = 20;

bool is_client(const scenarios::Run& run, sim::ProcessId process) {
  const std::string& name = run.processes[process];
  return name.starts_with("client-") || name == "coordinator";
}

bool of_lock(const scenarios::Run& run, const HistoryEvent& event) {
  const bool entry = event.what == What::entry_created || event.what == What::entry_altered ||
                     event.what == What::entry_removed;
  return entry && event.key == 0 && !is_client(run, event.process);
}

// The client that acquires as this tenure; empty: it has none.
std::string client_of(const scenarios::Run& run, TenureId tenure) {
  for (const HistoryEvent& event : run.history) {
    if (event.what == What::acquire_invoked && event.tenure == tenure)
      return run.processes[event.process];
  }
  return "";
}

// The first primary of a server: redis-1 for redis-1-replica-2, and mysql-1 for mysql-2, its
// replica.
std::string group_of(const scenarios::Run& run, sim::ProcessId server) {
  const std::string& name = run.processes[server];
  return name.starts_with("mysql-") ? "mysql-1" : name.substr(0, name.find("-replica"));
}

bool is_ensemble(const scenarios::Run& run, sim::ProcessId process) {
  return run.processes[process].starts_with("zookeeper-");
}

// With each change the server says who had the entry before it; the column must have shown that.
std::string columns(const scenarios::Run& run, const reports::Story& story) {
  std::map<sim::ProcessId, std::vector<const reports::Change*>> shown;
  for (const reports::Change& change : story.changes) {
    if (change.shift == reports::Shift::entry_is || change.shift == reports::Shift::no_entry)
      shown[change.process].push_back(&change);
  }
  std::map<sim::ProcessId, std::size_t> next;
  for (const HistoryEvent& event : run.history) {
    if (!of_lock(run, event) || is_ensemble(run, event.process)) continue;
    const std::vector<const reports::Change*>& column = shown[event.process];
    const std::size_t at = next[event.process]++;
    if (at >= column.size())
      return fmt::format("a change at {} is not shown", reports::instant(event.at));
    const bool removed = event.what == What::entry_removed;
    if (removed != (column[at]->shift == reports::Shift::no_entry))
      return "the column shows an entry that is gone, or none that is there";
    if (at == 0 || event.what == What::entry_created || event.owner == 0) continue;
    const reports::Change& before = *column[at - 1];
    if (before.shift == reports::Shift::no_entry) continue;  // lost twice: see `losses`
    const std::string owner = client_of(run, event.owner);
    if (!owner.empty() && run.processes[before.owner] != owner)
      return fmt::format("{} shows {} as the owner, but the server says {} at {}",
                         run.processes[event.process], run.processes[before.owner], owner,
                         reports::instant(event.at));
  }
  return "";
}

// Which servers of an ensemble are up and connected with most of them.
class Majority {
 public:
  explicit Majority(const scenarios::Run& run) {
    for (std::size_t i = 0; i < run.processes.size(); ++i) {
      if (is_ensemble(run, static_cast<sim::ProcessId>(i)))
        servers_.push_back(static_cast<sim::ProcessId>(i));
    }
  }

  void see(const HistoryEvent& event) {
    if (event.what == What::process_crashed) down_.insert(event.process);
    if (event.what == What::process_started) down_.erase(event.process);
    if (event.what == What::link_cut) cut_.emplace(event.process, event.peer);
    if (event.what == What::link_healed) cut_.erase({event.process, event.peer});
  }

  bool has(sim::ProcessId one) const {
    std::size_t reached = 0;
    for (const sim::ProcessId other : servers_) {
      const bool apart = cut_.contains({one, other}) || cut_.contains({other, one});
      if (!apart && !down_.contains(other)) ++reached;
    }
    return !down_.contains(one) && 2 * reached > servers_.size();
  }
  bool is_there() const {
    return std::any_of(servers_.begin(), servers_.end(), [this](auto one) { return has(one); });
  }

 private:
  std::vector<sim::ProcessId> servers_;
  std::set<sim::ProcessId> down_;
  std::set<std::pair<sim::ProcessId, sim::ProcessId>> cut_;
};

// The entry of an ensemble is in the column of one server, which reaches most of the others if any
// does. It has the owner whom the history names, and moves only when that server no longer does.
std::string ensemble(const scenarios::Run& run, const reports::Story& story) {
  std::vector<const reports::Change*> shown;
  for (const reports::Change& change : story.changes) {
    const bool entry =
        change.shift == reports::Shift::entry_is || change.shift == reports::Shift::no_entry;
    if (entry && is_ensemble(run, change.process)) shown.push_back(&change);
  }
  Majority majority(run);
  std::size_t next = 0;
  const reports::Change* entry = nullptr;  // shown now
  for (const HistoryEvent& event : run.history) {
    majority.see(event);
    if (of_lock(run, event) && is_ensemble(run, event.process)) {
      if (next == shown.size())
        return fmt::format("a change at {} is not shown", reports::instant(event.at));
      const reports::Change& change = *shown[next++];
      const bool removed = event.what == What::entry_removed;
      if (removed != (change.shift == reports::Shift::no_entry))
        return "the column of the ensemble shows an entry that is gone, or none that is there";
      if (entry != nullptr && entry->process != change.process)
        return "two columns show the entry of one ensemble";
      if (majority.is_there() && !majority.has(change.process))
        return fmt::format("{} is shown with the entry at {}, without a majority",
                           run.processes[change.process], reports::instant(event.at));
      const std::string owner = client_of(run, event.owner != 0 ? event.owner : event.tenure);
      if (!removed && !owner.empty() && run.processes[change.owner] != owner)
        return fmt::format("the ensemble shows {} as the owner, but it is {} at {}",
                           run.processes[change.owner], owner, reports::instant(event.at));
      entry = removed ? nullptr : &change;
    } else if (entry != nullptr && !majority.has(entry->process) && majority.is_there()) {
      if (next + 1 >= shown.size()) return "an entry stays with a server without a majority";
      const reports::Change& leaves = *shown[next++];
      const reports::Change& comes = *shown[next++];
      if (leaves.process != entry->process || leaves.shift != reports::Shift::no_entry ||
          comes.shift != reports::Shift::entry_is || comes.owner != entry->owner ||
          !majority.has(comes.process))
        return fmt::format("an entry is not moved to a majority at {}", reports::instant(event.at));
      entry = &comes;
    }
  }
  return next == shown.size() ? "" : "a change of the ensemble is shown that there was not";
}

// The owners of the entries in a group of servers just before this instant is over.
std::set<TenureId> owners_at(const scenarios::Run& run, const std::string& group, sim::Instant at) {
  std::map<sim::ProcessId, TenureId> owners;
  for (const HistoryEvent& event : run.history) {
    if (event.at > at) break;
    if (!of_lock(run, event) || group_of(run, event.process) != group) continue;
    if (event.what == What::entry_removed) {
      owners.erase(event.process);
    } else if (event.what == What::entry_created) {
      owners[event.process] = event.owner != 0 ? event.owner : event.tenure;
    } else if (event.owner != 0) {
      owners[event.process] = event.owner;
    }
  }
  std::set<TenureId> all;
  for (const auto& [server, owner] : owners) all.insert(owner);
  return all;
}

struct Word {
  const char* text;
  Cause cause;
};
constexpr Word kWords[] = {{"'s entry expires", Cause::expiry},
                           {"'s entry is evicted", Cause::eviction},
                           {"'s entry is lost in the failover", Cause::failover},
                           {"'s entry ends with its session", Cause::session_end},
                           {"'s entry is lost in the restart", Cause::restart},
                           {"'s entry is lost in the crash", Cause::crash},
                           {" crashes, and ", Cause::crash}};

// The client whose entry ends by a row with these words: "client-1's entry expires", or "redis-1
// crashes, and client-1's entry is lost".
std::string owner_told(const std::string& row, const Word& word, std::size_t at) {
  if (word.text[0] == '\'') return row.substr(0, at);
  const std::size_t from = at + std::string_view(word.text).size();
  return row.substr(from, row.find('\'', from) - from);
}

// Each row about the end of an entry has an event of this cause, owner, server and instant. An
// entry that is said to be lost in a failover is nowhere in its group.
std::string losses(const scenarios::Run& run, const reports::Story& story) {
  for (const reports::Row& row : story.rows) {
    if (row.kind != reports::RowKind::event) continue;
    for (const Word& word : kWords) {
      const std::size_t at = row.text.find(word.text);
      if (at == std::string::npos) continue;
      const std::string owner = owner_told(row.text, word, at);
      const auto told =
          std::find_if(run.history.begin(), run.history.end(), [&](const HistoryEvent& event) {
            return of_lock(run, event) && event.what == What::entry_removed &&
                   event.cause == word.cause && event.at == row.at && event.process == row.from &&
                   client_of(run, event.owner) == owner;
          });
      if (told == run.history.end()) return "no event is behind: " + row.text;
      if (word.cause == Cause::failover &&
          owners_at(run, group_of(run, row.from), row.at).contains(told->owner))
        return "the group still has what it is said to have lost: " + row.text;
    }
  }
  return "";
}

// An entry that appears on a server is that of the client that acts, or of the one that had it
// elsewhere.
std::string appearances(const scenarios::Run& run, const reports::Story& story) {
  for (const HistoryEvent& event : run.history) {
    if (of_lock(run, event) && event.what == What::entry_created && event.tenure == 0 &&
        event.owner == 0)
      return fmt::format("an entry without an owner appears on {} at {}",
                         run.processes[event.process], reports::instant(event.at));
  }
  for (const reports::Row& row : story.rows) {
    if (row.text.find("an unknown client gets an entry") != std::string::npos)
      return "nobody has what appears: " + row.text;
  }
  return "";
}

std::string grants(const scenarios::Run& run) {
  std::vector<TenureId> told;
  for (const HistoryEvent& event : run.history) {
    const bool known = std::find(told.begin(), told.end(), event.tenure) != told.end();
    if (event.what == What::acquire_ok && !known) told.push_back(event.tenure);
  }
  return run.grants == told.size()
             ? ""
             : fmt::format("{} grants are counted, {} were told", run.grants, told.size());
}

// The plain scenarios of MySQL have no replica, so without this nothing fails over there.
scenarios::Scenario with_failover(const models::Algorithm& lock) {
  scenarios::Document document = scenarios::shipped::document("plain/" + std::string(lock.name));
  if (lock.uses.server == picklock::mysql::kServer)
    document.set(scenarios::change_from("servers.mysql.replicas=1"));
  if (const char* change = std::getenv("PICKLOCK_SET"); change != nullptr)
    document.set(scenarios::change_from(change));
  return document.scenario(scenarios::shipped_vocabulary());
}

TEST(ToldTruly, OwnersLossesAndGrantsAreThoseOfTheHistoryInRandomRunsOfEveryLock) {
  const char* given = std::getenv("PICKLOCK_SEEDS");
  const std::uint64_t asked = given != nullptr ? std::stoull(given) : kRunsOfEach;
  const std::uint64_t runs = tests_are_whole() ? asked : std::min(asked, kRunsOfEach);
  const char* start = std::getenv("PICKLOCK_FIRST");
  const std::uint64_t first = start != nullptr ? std::stoull(start) : 0;
  const char* only = std::getenv("PICKLOCK_LOCK");
  std::uint64_t too_long = 0;
  std::string too_long_one;
  std::uint64_t made = 0;
  scenarios::Runner runner;
  for (const models::Algorithm* lock : models::locks::all()) {
    if (only != nullptr && lock->name != only) continue;
    scenarios::Scenario scenario = with_failover(*lock);
    FaultPlans plans(scenario, profile(scenario, scenario.seed));
    const FaultLimits limits{.classes = plans.possible(), .most = 4};
    for (std::uint64_t i = first; i < first + runs; ++i) {
      ++made;
      plans.draw(1, i, limits, scenario.faults);
      scenarios::Run run;
      try {
        run = runner.run_once(scenario, i + 1);
      } catch (const keys::BadInput&) {  // it is longer than any run may be
        ++too_long;
        too_long_one = scenarios::file_text(scenario);
        continue;
      }
      const reports::Narrator narrator(run);
      const reports::Story story = reports::tell(run, narrator);
      for (const std::string& wrong : {columns(run, story), ensemble(run, story),
                                       losses(run, story), appearances(run, story), grants(run)})
        ASSERT_EQ(wrong, "") << "seed " << run.seed << " of\n" << scenarios::file_text(scenario);
    }
  }
  // A replica that is down when its primary fails over is never promoted, and clients never stop
  // trying.
  EXPECT_LE(too_long, 1 + made / 100) << "such as\n" << too_long_one;
}

}  // namespace
}  // namespace picklock::explore
