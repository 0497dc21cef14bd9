#include "reports/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "reports/changes.h"
#include "reports/columns.h"
#include "scenarios/setup.h"
#include "scenarios/verbs/kind.h"

namespace picklock::reports {
namespace {

using history::Cause;
using history::HistoryEvent;
using history::TenureId;
using history::What;
using sim::Instant;
using sim::ProcessId;
using sim::TraceKind;
using sim::TraceRecord;

// Shorter pauses of a garbage collector get no row.
constexpr sim::Duration kNotablePause = std::chrono::milliseconds(100);

// Owner tokens and script digests are told apart by their first digits.
std::string shortened(const std::string& text) {
  constexpr std::size_t kShortestToken = 16;
  std::string out;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find(' ', at), text.size());
    const bool token =
        end - at >= kShortestToken && text.find_first_not_of("0123456789abcdef-:", at) >= end;
    if (!out.empty()) out += ' ';
    out += token ? text.substr(at, 4) + ".." : text.substr(at, end - at);
  }
  return out;
}

class Transcriber {
 public:
  Transcriber(const Run& run, const Narrator& narrator, Detail detail)
      : run_(run), narrator_(narrator), everything_(detail == Detail::everything) {
    find_struck();
    find_involved();
  }

  Transcript transcribe() {
    transcript_.positions.resize(run_.history.size());
    for (std::size_t i = 0; i < run_.trace.records.size(); ++i) read(i, run_.trace.records[i]);
    for (const Exchange& exchange : transcript_.exchanges) add_parts(exchange);
    std::erase_if(transcript_.items, [](const Item& item) { return item.dropped; });
    transcript_.changes = changes(run_, narrator_, transcript_.positions);
    return std::move(transcript_);
  }

 private:
  // Messages to a replica matter if a fault concerns it or one of them, if a client sends to it or
  // waits for it, or if it takes over from another server.
  void find_involved() {
    std::vector<std::string> named;
    for (const sim::Fault& fault : run_.scenario.faults) {
      named.insert(named.end(), {fault.target, fault.to, fault.trigger.on});
      named.insert(named.end(), fault.from.begin(), fault.from.end());
    }
    for (const scenarios::Setup& setup : scenarios::setups(run_.scenario)) {
      if (setup.lock.options.wait_replicas > 0) named = run_.processes;
    }
    for (const std::string& name : named) {
      if (const auto process = narrator_.find(name)) involved_.insert(*process);
    }
    for (const TraceRecord& record : run_.trace.records) {
      if (record.kind == TraceKind::sent && is_struck(record)) involved_.insert(record.peer);
      if (narrator_.is_client(record.process)) involved_.insert({record.process, record.peer});
      if (record.kind == TraceKind::told) involved_.insert(record.process);
    }
  }

  // The command or message at which a fault struck is told, whatever it is for. A fault at a
  // command that is under way is of the newest one that its trigger means.
  void find_struck() {
    for (std::size_t i = 0; i < run_.trace.records.size(); ++i) {
      const TraceRecord& record = run_.trace.records[i];
      if (record.kind != TraceKind::recorded || record.message >= run_.history.size()) continue;
      const HistoryEvent& event = run_.history[record.message];
      if (event.what != What::fault_fired || event.key >= run_.scenario.faults.size()) continue;
      const sim::Trigger& trigger = run_.scenario.faults[event.key].trigger;
      if (trigger.is_message()) struck_messages_.insert(record.answers);
      if (trigger.at || trigger.role != Role::command) continue;
      std::size_t sent = i;
      while (sent > 0 && !is_meant(event.key, run_.trace.records[sent])) --sent;
      if (record.answers != 0 || sent > 0)
        struck_messages_.insert(record.answers != 0 ? record.answers
                                                    : run_.trace.records[sent].message);
    }
  }

  bool is_struck(const TraceRecord& record) const {
    return struck_messages_.contains(record.message);
  }

  bool is_meant(std::size_t fault, const TraceRecord& record) const {
    const bool command =
        record.kind == TraceKind::sent && !record.reply && narrator_.is_client(record.process);
    const sim::Fault& one = run_.scenario.faults[fault];
    const sim::Trigger& trigger = one.trigger;
    const auto by = narrator_.find(trigger.by.empty() ? one.target : trigger.by);
    const bool of_other = by && narrator_.is_client(*by) && *by != record.process;
    // All clients outside are one process, which has sent nothing by itself.
    const bool of_all = trigger.by.empty() && narrator_.is_of_outside();
    if (!command || (of_other && !of_all)) return false;
    const sim::Protocol& protocol = *run_.trace.protocols[record.protocol];
    return protocol.command != nullptr &&
           (trigger.command.empty() ||
            sim::is_same_command(trigger.command, protocol.command(run_.trace.payload(record))));
  }

  std::string words(const TraceRecord& record) const {
    const sim::Protocol& protocol = *run_.trace.protocols[record.protocol];
    const std::string_view payload = run_.trace.payload(record);
    return printable(protocol.describe != nullptr ? protocol.describe(payload, record.reply)
                                                  : std::string(payload));
  }

  std::string describe(const TraceRecord& record) const { return shortened(words(record)); }

  // By the protocol, or by the lock.
  std::string gloss(const TraceRecord& request, const TraceRecord& answer) const {
    const sim::Protocol& protocol = *run_.trace.protocols[answer.protocol];
    std::string meaning;
    if (protocol.gloss != nullptr)
      meaning = protocol.gloss(run_.trace.payload(request), run_.trace.payload(answer));
    const scenarios::OneClient* const own = scenarios::unlike(run_.scenario, request.process);
    const bool own_lock = own != nullptr && !own->lock.algorithm.empty();
    const models::Algorithm* const algorithm =
        scenarios::find_algorithm(own_lock ? own->lock : run_.scenario.lock);
    const bool of_lock = meaning.empty() && algorithm != nullptr && algorithm->gloss != nullptr;
    return of_lock ? algorithm->gloss(words(request), words(answer)) : meaning;
  }

  void read(std::size_t position, const TraceRecord& record) {
    switch (record.kind) {
      case TraceKind::sent:
      case TraceKind::copied:
        return record.reply ? reply_sent(position, record) : command_sent(position, record);
      case TraceKind::delivered:
        return delivered(position, record);
      case TraceKind::lost:
        return lost(position, record);
      case TraceKind::timed_out:
        return timed_out(position, record);
      case TraceKind::reset:
        return reset(position, record);
      case TraceKind::woke:
        return woke(record);
      case TraceKind::paused:
        return paused(position, record);
      case TraceKind::resumed:
        return resumed(position, record);
      case TraceKind::crashed:
        return down(record.process);
      case TraceKind::told:
        add_event(position, record, run_.trace.payload(record));
        return;
      case TraceKind::mark:
        return mark(position, record);
      case TraceKind::recorded:
        if (record.message < run_.history.size()) happened(position, record);
        return;
      default:  // other rows tell of these
        return;
    }
  }

  // ---------------------------------------------------------------- messages

  Exchange& begin_exchange(std::size_t position, const TraceRecord& record) {
    exchanges_[record.message] = transcript_.exchanges.size();
    Exchange& exchange = transcript_.exchanges.emplace_back();
    exchange.client = record.reply ? record.peer : record.process;
    exchange.server = record.reply ? record.process : record.peer;
    exchange.role = record.role;
    exchange.tenure = record.tag;
    exchange.sent = position;
    exchange.sent_at = record.at;
    return exchange;
  }

  // nullptr: nothing is told of the message.
  Exchange* exchange_of(std::uint32_t message) {
    const auto found = exchanges_.find(message);
    return found == exchanges_.end() ? nullptr : &transcript_.exchanges[found->second];
  }

  std::size_t index_of(const Exchange& exchange) const {
    return static_cast<std::size_t>(&exchange - transcript_.exchanges.data());
  }

  void command_sent(std::size_t position, const TraceRecord& record) {
    Exchange& exchange = begin_exchange(position, record);
    exchange.copied = record.kind == TraceKind::copied;
    // Commands that keep a session alive belong to no tenure.
    const bool keeps_alive = exchange.role == Role::renew && exchange.tenure == 0;
    const bool of_client = narrator_.is_client(record.process);
    const bool shown = (everything_ && of_client) || is_struck(record);
    exchange.upkeep = !shown && (exchange.role == Role::none || keeps_alive);
    if (!exchange.upkeep) {
      exchange.text = describe(record);
      name_if_unusual(exchange, record.message);
    } else if (of_client) {
      transcript_.upkeep.insert(name_of(describe(record)));
    }
  }

  // SCRIPT alone says nothing; its second word does.
  static std::string name_of(const std::string& command) {
    constexpr std::string_view kScript = "SCRIPT ";
    return command.substr(0, command.find(' ', command.starts_with(kScript) ? kScript.size() : 0));
  }

  // Other messages than the first answer are the news for a client, the stream to a replica, and an
  // answer that is sent twice.
  void reply_sent(std::size_t position, const TraceRecord& record) {
    Exchange* const asked = exchange_of(record.answers);
    if (asked != nullptr && !std::exchange(asked->replied, true))
      return answer_sent(*asked, record);
    const bool news = record.answers == 0 && narrator_.is_client(record.peer);
    const bool told = record.role != Role::none && involved_.contains(record.peer);
    if (!news && !told && !is_struck(record)) return;
    Exchange& pushed = begin_exchange(position, record);
    if (news) pushed.tenure = 0;  // the publisher's tenure does not wait for it
    pushed.answer = describe(record);
    pushed.pushed = true;
    pushed.upkeep = news && !is_struck(record);
  }

  // A change of an entry is the effect of the command that the server answers next for this step.
  void answer_sent(Exchange& asked, const TraceRecord& record) {
    exchanges_[record.message] = index_of(asked);
    if (asked.upkeep && is_struck(record)) {
      asked.upkeep = false;
      asked.text = describe(run_.trace.records[asked.sent]);
    }
    if (asked.upkeep) return;
    asked.answer = describe(record);
    asked.gloss = gloss(run_.trace.records[asked.sent], record);
    const auto effect = effects_.extract({record.process, asked.tenure, asked.role});
    asked.took = !effect.empty() && effect.mapped();
  }

  void delivered(std::size_t position, const TraceRecord& record) {
    Exchange* const exchange = exchange_of(record.message);
    if (exchange == nullptr) return;
    auto& arrived = record.reply ? exchange->answered : exchange->delivered;
    if (arrived) return;
    arrived = position;
    (record.reply ? exchange->answered_at : exchange->delivered_at) = record.at;
  }

  void lost(std::size_t position, const TraceRecord& record) {
    Exchange* const exchange = exchange_of(record.message);
    if (exchange == nullptr) return;
    // It was delivered to a connection that its receiver had closed, so nobody reads it.
    if (record.reply ? exchange->answered : exchange->delivered) {
      exchange->ignored = exchange->pushed;
      return;
    }
    exchange->lost = true;
    if (exchange->pushed) exchange->upkeep = false;
    if (record.reply) exchange->answer_lost = position;
  }

  // A pushed message gets a row only if it wakes a client at once: one that was paused when the
  // message came wakes when it runs again.
  void woke(const TraceRecord& record) {
    Exchange* const push = exchange_of(record.message);
    if (record.tag == 0 || push == nullptr || push->answered_at != record.at) return;
    push->woke = std::exchange(push->upkeep, false) || push->woke;
  }

  void timed_out(std::size_t position, const TraceRecord& record) {
    Exchange* const exchange = exchange_of(record.message);
    if (exchange == nullptr || exchange->upkeep) return;
    exchange->timed_out = true;
    Item& item =
        add_event(position, record, "stops waiting for the answer to " + exchange->command());
    item.exchange = index_of(*exchange);
    item.tenure = exchange->tenure;
    item.row.to = exchange->server;
  }

  // Both ends of a connection report its end. If one of them is down, that is told already. Servers
  // reconnect to each other by themselves.
  void reset(std::size_t position, const TraceRecord& record) {
    if (down_.contains(record.process) || down_.contains(record.peer)) return;
    auto [client, server] = std::pair(record.process, record.peer);
    if (!narrator_.is_client(client)) std::swap(client, server);
    if (!narrator_.is_client(client) || !resets_.insert({record.at, client, server}).second) return;
    transcript_.add(position, record.at, RowKind::event, client,
                    fmt::format("the connection of {} with {} breaks", narrator_.process(client),
                                narrator_.process(server)));
  }

  // The rows of its messages.
  void add_parts(const Exchange& exchange) {
    if (exchange.upkeep && !(exchange.pushed && everything_)) return;
    const auto add = [&](Part part, std::optional<std::size_t> position) {
      if (!position) return;
      Item& item = transcript_.items.emplace_back();
      item.position = *position;
      item.part = part;
      item.exchange = index_of(exchange);
      item.tenure = exchange.tenure;
    };
    if (!exchange.pushed) add(Part::sent, exchange.sent);
    add(Part::delivered, exchange.delivered);
    add(Part::answered, exchange.answered);
    add(Part::answer_lost, exchange.answer_lost);
  }

  // ---------------------------------------------------------------- processes

  // A fault that pauses is recorded directly before its pause, and has a row of its own.
  void paused(std::size_t position, const TraceRecord& record) {
    Pause& pause = pauses_.try_emplace(record.process, Pause{record.at}).first->second;
    if (position == after_fault_) {
      pause.by_fault = true;
    } else {
      pause.rows.push_back(transcript_.items.size());
      add_event(position, record, "is paused");
    }
  }

  void resumed(std::size_t position, const TraceRecord& record) {
    const auto found = pauses_.extract(record.process);
    if (found.empty()) return;
    const Pause& pause = found.mapped();
    if (pause.by_fault || record.at - pause.since >= kNotablePause) {
      add_event(position, record, "runs again after " + rounded(record.at - pause.since));
    } else {
      for (const std::size_t row : pause.rows) transcript_.items[row].dropped = true;
    }
  }

  void down(ProcessId process) {
    down_.insert(process);
    pauses_.erase(process);
    std::erase_if(effects_, [&](const auto& one) { return std::get<0>(one.first) == process; });
  }

  void mark(std::size_t position, const TraceRecord& record) {
    const std::string_view mark = run_.trace.payload(record);
    const auto& plan = run_.scenario.faults;
    if (std::any_of(plan.begin(), plan.end(),
                    [&](const auto& f) { return f.trigger.mark == mark; }))
      add_event(position, record, "passes " + reports::mark(mark));
  }

  // An action of a process, or an event that meets it.
  Item& add_event(std::size_t position, const TraceRecord& record, std::string_view verb) {
    return transcript_.add(position, record.at, RowKind::event, record.process,
                           narrator_.process(record.process) + " " + printable(verb));
  }

  // ---------------------------------------------------------------- the history

  void happened(std::size_t position, const TraceRecord& record) {
    const HistoryEvent& event = run_.history[record.message];
    transcript_.positions[record.message] = position;
    count_holds(event);
    if (event.what == What::process_crashed) down(event.process);
    if (!has_row(position, event)) return;
    const bool fault = event.what == What::fault_fired || event.what == What::fault_ended;
    const RowKind kind = fault                         ? RowKind::fault
                         : event.what == What::horizon ? RowKind::end
                                                       : RowKind::event;
    Item& item = transcript_.add(position, event.at, kind, event.process, narrator_.event(event));
    item.tenure = event.tenure;
    item.joins_after = event.what == What::acquire_invoked || event.what == What::release_invoked;
    item.joins_before = event.what <= What::loss_learned && !item.joins_after;
    item.fails = event.what == What::release_failed;
    if (item.joins_before) item.row.outcome = outcome(event);
    if (event.what == What::fault_fired) fired(position, event, record.answers);
    if (event.what == What::process_started) restarted(event.process);
    if (event.what == What::process_crashed) crashes_[event.process] = transcript_.items.size() - 1;
  }

  // Other rows tell the other events.
  bool has_row(std::size_t position, const HistoryEvent& event) {
    switch (event.what) {
      case What::fault_fired:
      case What::horizon:
      case What::out_of_connections:
      case What::abandoned:
        return true;
      case What::process_started:
        return down_.erase(event.process) > 0;
      case What::fault_ended:
        return ends_later(event);
      case What::entry_created:
      case What::entry_altered:
      case What::entry_removed:
        return !narrator_.is_client(event.process) && changes_by_itself(position, event);
      default:
        return event.what <= What::process_crashed;
    }
  }

  void count_holds(const HistoryEvent& event) {
    int& holds = holds_[event.tenure];
    if (event.what == What::acquire_ok) ++holds;
    if (event.what == What::release_invoked && holds > 0) --holds;
    if (event.what == What::loss_learned || event.what == What::deadline_passed ||
        event.what == What::abandoned)
      holds = 0;
  }

  // The meaning of an answer, shown beside it.
  std::string outcome(const HistoryEvent& event) const {
    const int holds = holds_.at(event.tenure);
    if (event.what == What::acquire_ok && holds > 1)
      return fmt::format("{} again, {} holds by its count", narrator_.event(event), holds);
    if (event.what == What::release_ok && holds > 0)
      return fmt::format("one hold released, {} left by its count", holds);
    return event.what == What::release_ok       ? "released"
           : event.what == What::release_failed ? "it had nothing of its own to release"
                                                : narrator_.event(event);
  }

  // ---------------------------------------------------------------- faults

  void fired(std::size_t position, const HistoryEvent& event, std::uint32_t request) {
    after_fault_ = position + 1;
    const auto& plan = run_.scenario.faults;
    if (request != 0 && event.key < plan.size() && plan[event.key].trigger.command.empty())
      struck_.emplace(request, transcript_.items.size() - 1);
  }

  // A step may consist of several commands: those that undo half an acquire belong to the acquire.
  // The row of a fault names the command that it struck, if that is not the step's usual one, and
  // if the command leaves at once: else the row of the command follows.
  void name_if_unusual(const Exchange& struck, std::uint32_t request) {
    const auto [begin, end] = struck_.equal_range(request);
    for (auto fault = begin; fault != end; ++fault) {
      Row& row = transcript_.items[fault->second].row;
      const auto usual = std::find_if(
          transcript_.exchanges.begin(), transcript_.exchanges.end(), [&](const Exchange& earlier) {
            return earlier.role == struck.role && earlier.tenure == struck.tenure;
          });
      if (row.at == struck.sent_at && usual->form() != struck.form())
        row.text += fmt::format(" (here a different command: {})", struck.form());
    }
  }

  // The end of a pause or crash has a row of its own, and a fault without length needs no end.
  bool ends_later(const HistoryEvent& event) const {
    const scenarios::FiredFault* const fired = fired_fault(run_, event.key);
    if (fired == nullptr || fired->at == event.at || fired->healed) return false;
    const auto& plan = run_.scenario.faults;
    return event.key >= plan.size() || !verbs::kind_of(plan[event.key].verb).end_shows;
  }

  // ---------------------------------------------------------------- entries

  // Only a change that no command made has a row. A mutex inside a client needs none: the lane of
  // the client shows its belief.
  bool changes_by_itself(std::size_t position, const HistoryEvent& event) {
    const bool of_lock = narrator_.is_lock(event.key);
    if (of_lock && event.cause == Cause::command)
      effects_[{event.process, event.tenure, event.role}] = event.what != What::entry_removed;
    if (event.cause == Cause::command) return false;
    if (&narrator_.first_loss(event) != &event) return false;
    if (narrator_.is_kept_by_copy(event)) return false;  // its server is replaced, it lives on
    if (!of_lock) return true;
    if (narrator_.crash_that_lost(event) == nullptr) return !lost_at_start(position, event);
    if (starts_after(event)) {
      lost_in_crash_[event.process] = without_entry(event.owner);
    } else if (const auto process = narrator_.process_of(event.owner)) {
      transcript_.items[crashes_[event.process]].row.text +=
          fmt::format(", and {}'s entry is lost", narrator_.process(*process));
    }
    return false;
  }

  bool starts_after(const HistoryEvent& event) const {
    const auto after = run_.history.begin() + (&event - run_.history.data());
    return std::any_of(after, run_.history.end(), [&event](const HistoryEvent& later) {
      return later.what == What::process_started && later.process == event.process;
    });
  }

  // The row of a restart mentions the entry that the server has lost, by its crash or by the start.
  void restarted(ProcessId process) {
    restarts_[process] = transcript_.items.size() - 1;
    transcript_.items.back().row.text += std::exchange(lost_in_crash_[process], "");
  }

  bool lost_at_start(std::size_t position, const HistoryEvent& event) {
    const auto restart = restarts_.find(event.process);
    const bool lost = event.what == What::entry_removed && event.cause == Cause::restart;
    if (!lost || restart == restarts_.end()) return false;
    Row& row = transcript_.items[restart->second].row;
    const std::string without = without_entry(event.owner);
    if (row.at != event.at || without.empty()) return false;
    row.text += without;
    row.last = position;
    return true;
  }

  std::string without_entry(TenureId owner) const {
    const auto process = narrator_.process_of(owner);
    return process ? fmt::format(", without {}'s entry", narrator_.process(*process)) : "";
  }

  // Pauses of one process that overlap: it runs again after the last of them.
  struct Pause {
    Instant since{};
    bool by_fault = false;
    std::vector<std::size_t> rows{};
  };

  const Run& run_;
  const Narrator& narrator_;
  const bool everything_;
  Transcript transcript_;
  std::map<std::uint32_t, std::size_t> exchanges_;  // by the number of a message
  // By server and step: whether the latest change by a command that is not answered left an entry.
  std::map<std::tuple<ProcessId, TenureId, Role>, bool> effects_;
  std::map<TenureId, int> holds_;  // as their clients count
  std::map<ProcessId, Pause> pauses_;
  std::optional<std::size_t> after_fault_;            // the position behind the latest fault
  std::multimap<std::uint32_t, std::size_t> struck_;  // rows of faults by the request
  std::map<ProcessId, std::string> lost_in_crash_;    // what the row of the restart says of it
  std::map<ProcessId, std::size_t> restarts_;         // their latest rows
  std::map<ProcessId, std::size_t> crashes_;          // the same
  std::set<std::tuple<Instant, ProcessId, ProcessId>> resets_;
  std::set<ProcessId> involved_;
  std::set<std::uint32_t> struck_messages_;  // by their numbers
  std::set<ProcessId> down_;
};

}  // namespace

std::string_view Exchange::form() const {
  const std::string_view all = text;
  std::size_t end = all.find(' ');
  if (all.starts_with("EVAL") && end != std::string_view::npos) end = all.find(' ', end + 1);
  return all.substr(0, end);
}

Item& Transcript::add(std::size_t position, sim::Instant at, RowKind kind, sim::ProcessId from,
                      std::string text) {
  Item& item = items.emplace_back();
  item.position = position;
  item.row = {.kind = kind,
              .at = at,
              .until = at,
              .from = from,
              .to = from,
              .text = std::move(text),
              .processes = {from},
              .position = position,
              .last = position};
  return item;
}

Transcript transcribe(const Run& run, const Narrator& narrator, Detail detail) {
  return Transcriber(run, narrator, detail).transcribe();
}

}  // namespace picklock::reports
