#include "reports/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace picklock::reports {
namespace {

using models::Role;
using sim::HistoryEvent;
using sim::Instant;
using sim::ProcessId;
using sim::TenureId;
using sim::What;

constexpr std::size_t kShortestFold = 2;

class Folder {
 public:
  Folder(const Run& run, const Narrator& narrator, Transcript& transcript)
      : run_(run), narrator_(narrator), transcript_(transcript) {}

  void fold() {
    std::map<TenureId, std::vector<std::size_t>> by_tenure;
    for (std::size_t i = 0; i < transcript_.exchanges.size(); ++i) {
      if (transcript_.exchanges[i].tenure != 0 && !transcript_.exchanges[i].pushed)
        by_tenure[transcript_.exchanges[i].tenure].push_back(i);
    }
    for (const auto& [tenure, exchanges] : by_tenure) {
      const auto decision = transcript_.decided.find(tenure);
      const bool granted = decision != transcript_.decided.end() && decision->second.granted;
      const auto split =
          std::partition_point(exchanges.begin(), exchanges.end(), [&](std::size_t i) {
            return decision == transcript_.decided.end() ||
                   transcript_.exchanges[i].sent < decision->second.position;
          });
      fold_tries({exchanges.begin(), split}, granted);
      fold_repeated({split, exchanges.end()});
    }
    for (const std::size_t timeout : transcript_.timeouts) {
      if (transcript_.exchanges[transcript_.items[timeout].exchange].folded)
        transcript_.items[timeout].dropped = true;
    }
    std::erase_if(transcript_.items, [&](const Item& item) {
      return item.dropped ||
             (item.part != Part::happening && transcript_.exchanges[item.exchange].folded);
    });
    std::stable_sort(transcript_.items.begin(), transcript_.items.end(),
                     [](const Item& a, const Item& b) { return a.position < b.position; });
  }

 private:
  // What a client did towards one decision: a command to one server, or to each of several.
  struct Try {
    std::vector<std::size_t> exchanges;
    bool answered = true;
    bool shown = false;
  };

  bool is_answered(const Exchange& exchange) const {
    return exchange.answered && !exchange.lost && !exchange.timed_out;
  }

  // A try must be seen if a property broke in it or a fault was anchored to it.
  bool is_notable(const Try& attempt) const {
    const Exchange& first = transcript_.exchanges[attempt.exchanges.front()];
    const Exchange& last = transcript_.exchanges[attempt.exchanges.back()];
    const Instant from = first.sent_at;
    const Instant to = last.answered ? last.answered_at : last.sent_at;
    for (const properties::Verdict& verdict : run_.verdicts) {
      for (const Witness& witness : verdict.witnesses) {
        const HistoryEvent* broke = narrator_.broke_at(verdict.property, witness);
        if (broke == nullptr) continue;
        // What a sleep began with belongs to it.
        for (const HistoryEvent* event : {broke, &run_.history[witness.event]}) {
          if (event->what != What::acquire_invoked && event->tenure == first.tenure &&
              from <= event->at && event->at <= to)
            return true;
        }
      }
    }
    for (const scenarios::FiredFault& fired : run_.fired) {
      if (fired.fault >= run_.scenario.faults.size() || fired.at < from || fired.at > to) continue;
      const sim::Fault& fault = run_.scenario.faults[fired.fault];
      if (fault.trigger.at) continue;
      const std::string& by = fault.trigger.by.empty() ? fault.target : fault.trigger.by;
      const auto named = std::find(run_.processes.begin(), run_.processes.end(), by);
      const bool a_client =
          named != run_.processes.end() &&
          narrator_.is_client(static_cast<ProcessId>(named - run_.processes.begin()));
      if (!a_client || narrator_.process(first.client) == by) return true;
    }
    return false;
  }

  void fold_tries(const std::vector<std::size_t>& exchanges, bool granted) {
    std::vector<Try> tries;
    for (const std::size_t i : exchanges) {
      const Exchange& exchange = transcript_.exchanges[i];
      const bool begins =
          exchange.role == Role::acquire && !tries.empty() &&
          exchange.server == transcript_.exchanges[tries.front().exchanges.front()].server;
      if (tries.empty() || begins) tries.emplace_back();
      tries.back().exchanges.push_back(i);
      tries.back().answered = tries.back().answered && is_answered(exchange);
    }
    if (tries.empty()) return;
    tries.front().shown = true;
    if (granted) tries.back().shown = true;
    fold_runs(
        tries, [](const Try& a, const Try& b) { return a.answered == b.answered; },
        [](const Try& run, std::size_t count) {
          return fmt::format("retried {}, {}", times(count),
                             !run.answered ? "without an answer"
                             : count == 1  ? "refused"
                             : count == 2  ? "refused both times"
                                           : "refused each time");
        });
  }

  void fold_repeated(const std::vector<std::size_t>& exchanges) {
    for (std::size_t role = 1; role < models::kRoleNames.size(); ++role) {
      std::vector<Try> tries;
      for (const std::size_t i : exchanges) {
        if (transcript_.exchanges[i].role == static_cast<Role>(role))
          tries.push_back({{i}, is_answered(transcript_.exchanges[i]), false});
      }
      if (tries.empty()) continue;
      tries.front().shown = true;
      fold_runs(
          tries,
          [&](const Try& a, const Try& b) {
            const Exchange& x = transcript_.exchanges[a.exchanges.front()];
            const Exchange& y = transcript_.exchanges[b.exchanges.front()];
            return a.answered == b.answered && x.answer == y.answer && x.server == y.server;
          },
          [&](const Try& run, std::size_t count) {
            return deed(static_cast<Role>(role)) + " " + times(count) + " more" +
                   (run.answered ? "" : ", without an answer");
          });
    }
  }

  static std::string deed(Role role) {
    switch (role) {
      case Role::acquire:
        return "asked";
      case Role::renew:
        return "renewed its lease";
      case Role::check:
        return "asked who holds the lock";
      case Role::release:
        return "tried to release";
      case Role::write:
        return "wrote";
      case Role::subscribe:
      case Role::watch:
        return "began to wait";
      case Role::none:
      case Role::upkeep:
        break;
    }
    return "repeated it";
  }

  template <class Alike, class Words>
  void fold_runs(std::vector<Try>& tries, Alike alike, Words words) {
    for (Try& attempt : tries) attempt.shown = attempt.shown || is_notable(attempt);
    for (std::size_t begin = 0; begin < tries.size();) {
      std::size_t end = begin + 1;
      if (tries[begin].shown) {
        begin = end;
        continue;
      }
      while (end < tries.size() && !tries[end].shown && alike(tries[begin], tries[end])) ++end;
      if (end - begin >= kShortestFold)
        fold_away(tries, begin, end, words(tries[begin], end - begin));
      begin = end;
    }
  }

  void fold_away(const std::vector<Try>& tries, std::size_t begin, std::size_t end,
                 const std::string& words) {
    const Exchange& first = transcript_.exchanges[tries[begin].exchanges.front()];
    const Exchange& last = transcript_.exchanges[tries[end - 1].exchanges.front()];
    Item& item = transcript_.add(first.sent, first.sent_at, RowKind::fold, first.client,
                                 fmt::format("{} {} (until {})", narrator_.process(first.client),
                                             words, instant(last.sent_at)));
    item.row.until = last.sent_at;
    item.row.to = first.server;
    item.row.processes.push_back(first.server);
    item.barrier = false;
    for (std::size_t i = begin; i < end; ++i) {
      for (const std::size_t exchange : tries[i].exchanges)
        transcript_.exchanges[exchange].folded = true;
    }
  }

  const Run& run_;
  const Narrator& narrator_;
  Transcript& transcript_;
};

}  // namespace

void fold(const Run& run, const Narrator& narrator, Transcript& transcript) {
  Folder(run, narrator, transcript).fold();
}

}  // namespace picklock::reports
