#include "reports/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/violation.h"
#include "scenarios/program_locks.h"

namespace picklock::reports {
namespace {

using history::HistoryEvent;
using history::TenureId;
using history::What;
using sim::Instant;
using sim::ProcessId;

constexpr std::size_t kShortestFold = 2;
// A command without an answer that took longer to arrive was held up.
constexpr sim::Duration kAtOnce = std::chrono::milliseconds(50);

class Folder {
 public:
  Folder(const Run& run, const Narrator& narrator, Transcript& transcript)
      : run_(run), narrator_(narrator), transcript_(transcript) {}

  void fold() {
    std::map<TenureId, std::vector<std::size_t>> by_tenure;
    for (std::size_t i = 0; i < transcript_.exchanges.size(); ++i) {
      const Exchange& exchange = transcript_.exchanges[i];
      if (exchange.woke && exchange.answered) woken_[exchange.client].push_back(*exchange.answered);
      if (exchange.tenure != 0 && !exchange.pushed) by_tenure[exchange.tenure].push_back(i);
    }
    for (auto& [client, positions] : woken_) std::sort(positions.begin(), positions.end());
    fold_outside();
    const std::map<TenureId, Decision> decided = decisions();
    for (const auto& [tenure, exchanges] : by_tenure) {
      const auto decision = decided.find(tenure);
      const bool granted = decision != decided.end() && decision->second.granted;
      const auto split =
          std::partition_point(exchanges.begin(), exchanges.end(), [&](std::size_t i) {
            return decision == decided.end() ||
                   transcript_.exchanges[i].sent < decision->second.position;
          });
      fold_tries({exchanges.begin(), split}, granted);
      fold_repeated({split, exchanges.end()});
    }
    std::erase_if(transcript_.items, [&](const Item& item) {
      return item.exchange && transcript_.exchanges[*item.exchange].folded;
    });
  }

 private:
  // Attempts of a client outside belong to no tenure before one is granted. Between its steps of
  // two tenures it repeats what it sends until then.
  void fold_outside() {
    if (!narrator_.is_of_outside() && !scenarios::has_programs(run_.scenario)) return;
    std::map<ProcessId, std::vector<std::size_t>> waiting;
    for (std::size_t i = 0; i < transcript_.exchanges.size(); ++i) {
      const Exchange& exchange = transcript_.exchanges[i];
      if (exchange.pushed || exchange.upkeep || exchange.role == Role::none) continue;
      if (exchange.tenure == 0) {
        waiting[exchange.client].push_back(i);
      } else {
        fold_waiting(waiting[exchange.client]);
      }
    }
    for (auto& [client, exchanges] : waiting) fold_waiting(exchanges);
  }

  void fold_waiting(std::vector<std::size_t>& exchanges) {
    if (opening(exchanges)) {
      fold_tries(exchanges, false);
    } else {
      fold_repeated(exchanges);
    }
    exchanges.clear();
  }

  // How and when an acquire ended.
  struct Decision {
    std::size_t position = 0;
    bool granted = false;
  };

  std::map<TenureId, Decision> decisions() const {
    std::map<TenureId, Decision> all;
    for (std::size_t i = 0; i < run_.history.size(); ++i) {
      const HistoryEvent& event = run_.history[i];
      if (event.what >= What::acquire_ok && event.what <= What::acquire_unknown)
        all.try_emplace(event.tenure,
                        Decision{transcript_.positions[i], event.what == What::acquire_ok});
    }
    return all;
  }

  // One attempt of a client: a command to one server, or to each of several.
  struct Try {
    std::vector<std::size_t> exchanges;
    std::set<ProcessId> granted;  // the servers that granted the request
    bool answered = true;
    bool arrives = true;  // before the client stops waiting
    bool failed = false;  // answered with an error
    bool shown = false;

    bool alike(const Try& other) const {
      return answered == other.answered && granted == other.granted && arrives == other.arrives &&
             failed == other.failed;
    }
  };

  // Nobody knows what a client outside sends a command for, so that only the same may be left out.
  bool alike(const Try& one, const Try& other) const {
    const auto same = [this](std::size_t a, std::size_t b) {
      const Exchange& left = transcript_.exchanges[a];
      const Exchange& right = transcript_.exchanges[b];
      return left.role == right.role && left.form() == right.form() &&
             (left.role != Role::command || left.text == right.text);
    };
    return one.alike(other) && (first_of(one).tenure != 0 ||
                                std::equal(one.exchanges.begin(), one.exchanges.end(),
                                           other.exchanges.begin(), other.exchanges.end(), same));
  }

  const Exchange& first_of(const Try& attempt) const {
    return transcript_.exchanges[attempt.exchanges.front()];
  }
  const Exchange& last_of(const Try& attempt) const {
    return transcript_.exchanges[attempt.exchanges.back()];
  }

  static bool is_answered(const Exchange& exchange) {
    return exchange.answered && !exchange.lost && !exchange.timed_out;
  }

  static bool arrives(const Exchange& exchange) {
    return exchange.delivered &&
           (is_answered(exchange) || exchange.delivered_at - exchange.sent_at <= kAtOnce);
  }

  void add(Try& attempt, std::size_t index) const {
    const Exchange& exchange = transcript_.exchanges[index];
    attempt.exchanges.push_back(index);
    attempt.answered = attempt.answered && is_answered(exchange);
    attempt.arrives = attempt.arrives && arrives(exchange);
    attempt.failed = exchange.answer.starts_with("error:") && !exchange.wants_script();
  }

  // A try stays visible if a property was violated in it or a fault was anchored to it.
  bool is_notable(const Try& attempt) const {
    const Exchange& first = first_of(attempt);
    const Exchange& last = last_of(attempt);
    const Instant from = first.sent_at;
    const Instant to = last.answered ? last.answered_at : last.sent_at;
    for (const properties::Verdict& verdict : run_.verdicts) {
      for (const Witness& witness : verdict.witnesses) {
        const HistoryEvent* broke = Violation(narrator_, verdict.property, witness).broke_at();
        if (broke == nullptr) continue;
        // The command before a sleep belongs to the sleep.
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
      const auto named = narrator_.find(by);
      if (!named || !narrator_.is_client(*named) || *named == first.client) return true;
    }
    return false;
  }

  // The command with which every try of the client begins: the first one that it repeats.
  std::optional<std::size_t> opening(const std::vector<std::size_t>& exchanges) const {
    std::map<std::pair<ProcessId, std::string_view>, std::size_t> times;
    for (const std::size_t i : exchanges) {
      if (transcript_.exchanges[i].role == Role::acquire) ++times[request(i)];
    }
    for (const std::size_t i : exchanges) {
      if (transcript_.exchanges[i].role != Role::acquire) continue;
      // A request that asks for its script is followed by itself in the same try.
      const std::size_t later = --times[request(i)];
      if (later > (transcript_.exchanges[i].wants_script() ? 1U : 0U)) return i;
    }
    return std::nullopt;
  }

  // The request with which tries begin once the first server is not asked any more, because it has
  // failed over or is down; and the last request to the first server.
  std::pair<std::size_t, std::optional<std::size_t>> opening_elsewhere(
      std::optional<std::size_t> first, const std::vector<std::size_t>& exchanges) const {
    if (!first) return {};
    const auto last = std::find_if(exchanges.rbegin(), exchanges.rend(), [&](std::size_t i) {
                        return same_request(*first, i);
                      }).base();
    const std::optional<std::size_t> next = opening({last, exchanges.end()});
    const bool same =
        next && transcript_.exchanges[*next].form() == transcript_.exchanges[*first].form();
    return {*std::prev(last), same ? next : std::nullopt};
  }

  bool at_once(const Try& attempt, const Exchange& exchange) const {
    return exchange.sent_at - last_of(attempt).sent_at <= kOneBreath;
  }

  std::pair<ProcessId, std::string_view> request(std::size_t i) const {
    return {transcript_.exchanges[i].server, transcript_.exchanges[i].form()};
  }

  bool same_request(std::size_t one, std::size_t other) const {
    return transcript_.exchanges[one].role == Role::acquire &&
           transcript_.exchanges[other].role == Role::acquire && request(one) == request(other);
  }

  void fold_tries(const std::vector<std::size_t>& exchanges, bool granted) {
    std::optional<std::size_t> first = opening(exchanges);
    const auto [last, moved] = opening_elsewhere(first, exchanges);
    std::vector<Try> tries;
    bool opened = false;
    for (const std::size_t i : exchanges) {
      if (moved && i > last) first = moved;
      const bool opens = first && same_request(*first, i) &&
                         (first != moved || !at_once(tries.back(), transcript_.exchanges[i]));
      const bool loaded =
          opens && last_opening_ && transcript_.exchanges[*last_opening_].wants_script();
      if (tries.empty() || (opens && opened && !loaded)) tries.emplace_back();
      if (opens) {
        opened = true;
        last_opening_ = i;
      }
      const Exchange& exchange = transcript_.exchanges[i];
      add(tries.back(), i);
      if (exchange.took && first && exchange.form() == transcript_.exchanges[*first].form())
        tries.back().granted.insert(exchange.server);
    }
    last_opening_.reset();
    if (tries.empty()) return;
    tries.front().shown = true;
    if (granted) tries.back().shown = true;
    fold_runs(
        tries, [this](const Try& a, const Try& b) { return alike(a, b); },
        [this](const std::vector<Try>& all, std::size_t begin, std::size_t end) {
          const std::size_t count = end - begin;
          const std::string each = count == 2 ? "both times" : "each time";
          const Try& attempt = all[begin];
          return fmt::format("retried {}, {}", times(count),
                             !attempt.granted.empty()
                                 ? fmt::format("{} granted by {} alone", each,
                                               narrator_.processes({attempt.granted.begin(),
                                                                    attempt.granted.end()}))
                             : !attempt.answered ? "without an answer"
                             : attempt.failed    ? "an error " + each
                                                 : "refused " + each);
        });
  }

  void fold_repeated(const std::vector<std::size_t>& exchanges) {
    for (std::size_t role = 1; role < kRoleNames.size(); ++role) {
      std::vector<Try> tries;
      for (const std::size_t i : exchanges) {
        const Exchange& exchange = transcript_.exchanges[i];
        if (exchange.role != static_cast<Role>(role)) continue;
        if (tries.empty() || !continues(tries.back(), exchange)) tries.emplace_back();
        add(tries.back(), i);
        if (exchange.took) tries.back().granted.insert(exchange.server);
      }
      if (tries.empty()) continue;
      tries.front().shown = true;
      const auto same = [this](const Try& a, const Try& b) {
        return alike(a, b) && answers(a) == answers(b);
      };
      fold_runs(tries, same, [&](const std::vector<Try>& all, std::size_t begin, std::size_t end) {
        const bool more =
            std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(begin),
                        [&](const Try& earlier) { return same(earlier, all[begin]); });
        return fmt::format("{} {}{}{}", deed(all[begin]), times(end - begin),
                           more || !all[begin].answered ? " more" : "",
                           outcome(all[begin], end - begin));
      });
    }
  }

  // Whether the command is sent to one more server in this try, or once more to load its script.
  bool continues(const Try& attempt, const Exchange& exchange) const {
    const auto asked = std::find_if(
        attempt.exchanges.rbegin(), attempt.exchanges.rend(),
        [&](std::size_t i) { return transcript_.exchanges[i].server == exchange.server; });
    if (asked == attempt.exchanges.rend())
      return exchange.role == Role::renew && at_once(attempt, exchange);
    const Exchange& earlier = transcript_.exchanges[*asked];
    return earlier.wants_script() && earlier.form() == exchange.form();
  }

  // The last answer of each server.
  std::map<ProcessId, std::string> answers(const Try& attempt) const {
    std::map<ProcessId, std::string> all;
    for (const std::size_t i : attempt.exchanges)
      all[transcript_.exchanges[i].server] = transcript_.exchanges[i].answer;
    return all;
  }

  bool succeeded(const Try& attempt) const {
    return !attempt.granted.empty() || last_of(attempt).answer.starts_with("accepted");
  }

  // Empty if the verb of the row already says it.
  std::string outcome(const Try& attempt, std::size_t count) const {
    if (!attempt.answered) return ", without an answer";
    const Role role = first_of(attempt).role;
    if (role != Role::renew && role != Role::write) return "";
    const std::string each = count == 2 ? "both times" : "each time";
    const std::map<ProcessId, std::string> told = answers(attempt);
    if (!succeeded(attempt)) {
      const bool alike = std::all_of(told.begin(), told.end(), [&](const auto& one) {
        return one.second == told.begin()->second;
      });
      return alike ? fmt::format(", answered {} {}", told.begin()->second, each) : "";
    }
    if (attempt.granted.empty() || attempt.granted.size() == told.size()) return "";
    return fmt::format(", {} at {} alone", each,
                       narrator_.processes({attempt.granted.begin(), attempt.granted.end()}));
  }

  std::string deed(const Try& attempt) const {
    switch (first_of(attempt).role) {
      case Role::acquire:
        return succeeded(attempt) ? "was granted the lock" : "sent its request";
      case Role::renew:
        return succeeded(attempt) ? "renewed its lease" : "sent its renewal";
      case Role::check:
        return "checked who holds the lock";
      case Role::release:
        return "tried to release";
      case Role::write:
        return succeeded(attempt) ? "wrote" : "sent its write";
      case Role::read:
        return "read from the resource";
      case Role::subscribe:
      case Role::watch:
        return "began to wait";
      case Role::none:
      case Role::upkeep:
      case Role::command:
        break;
    }
    return "repeated a command";
  }

  // A message that woke the client between two tries is the reason for the second one.
  bool parted(const Try& a, const Try& b) const {
    const auto found = woken_.find(first_of(b).client);
    if (found == woken_.end()) return false;
    const std::vector<std::size_t>& positions = found->second;
    const auto woken = std::upper_bound(positions.begin(), positions.end(), last_of(a).sent);
    return woken != positions.end() && *woken < first_of(b).sent;
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
      while (end < tries.size() && !tries[end].shown && alike(tries[begin], tries[end]) &&
             !parted(tries[end - 1], tries[end]))
        ++end;
      if (end - begin >= kShortestFold) fold_away(tries, begin, end, words(tries, begin, end));
      begin = end;
    }
  }

  void fold_away(const std::vector<Try>& tries, std::size_t begin, std::size_t end,
                 const std::string& words) {
    const Exchange& first = first_of(tries[begin]);
    const Exchange& last = first_of(tries[end - 1]);
    Item& item =
        transcript_.add(first.sent, first.sent_at, RowKind::fold, first.client,
                        fmt::format("{} {} (until {}){}", narrator_.process(first.client), words,
                                    instant(last.sent_at), arrivals(tries, begin, end)));
    item.row.complete = tries[begin].arrives;
    item.row.until = last.sent_at;
    item.row.to = first.server;
    item.row.processes.push_back(first.server);
    for (std::size_t i = begin; i < end; ++i) {
      for (const std::size_t exchange : tries[i].exchanges)
        transcript_.exchanges[exchange].folded = true;
    }
  }

  // The times at which delayed commands arrived in the end.
  std::string arrivals(const std::vector<Try>& tries, std::size_t begin, std::size_t end) const {
    std::optional<Instant> from;
    Instant to{};
    if (tries[begin].arrives) return "";
    for (std::size_t i = begin; i < end; ++i) {
      for (const std::size_t k : tries[i].exchanges) {
        const Exchange& exchange = transcript_.exchanges[k];
        if (!exchange.delivered || arrives(exchange)) continue;
        if (!from) from = exchange.delivered_at;
        to = exchange.delivered_at;
      }
    }
    if (!from) return "";
    return instant(*from) == instant(to)
               ? fmt::format("; arrives at {}", instant(to))
               : fmt::format("; arrives from {} to {}", instant(*from), instant(to));
  }

  const Run& run_;
  const Narrator& narrator_;
  Transcript& transcript_;
  std::map<ProcessId, std::vector<std::size_t>>
      woken_;  // positions of messages that woke it, by client
  std::optional<std::size_t> last_opening_;
};

}  // namespace

void fold(const Run& run, const Narrator& narrator, Transcript& transcript) {
  Folder(run, narrator, transcript).fold();
}

}  // namespace picklock::reports
