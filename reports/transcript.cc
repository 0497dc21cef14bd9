#include "reports/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

std::string shortened(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    // Owner tokens and script digests are told apart by their first digits.
    const bool token =
        word.size() >= 16 && std::all_of(word.begin(), word.end(), [](char c) {
          return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-' || c == ':';
        });
    if (!out.empty()) out += ' ';
    out += token ? std::string(word.substr(0, 4)) + ".." : std::string(word);
  }
  return out;
}

class Transcriber {
 public:
  Transcriber(const Run& run, const Narrator& narrator, Detail detail)
      : run_(run),
        narrator_(narrator),
        detail_(detail),
        algorithm_(scenarios::find_algorithm(run.scenario)) {
    find_involved();
    for (const scenarios::Setup& setup : scenarios::setups(run.scenario))
      waits_for_replicas_ = waits_for_replicas_ || setup.lock.options.wait_replicas > 0;
  }

  Transcript transcribe() {
    transcript_.positions.resize(run_.history.size());
    for (std::size_t i = 0; i < run_.trace.records.size(); ++i) read(i, run_.trace.records[i]);
    transcript_.changes = changes(run_, narrator_, transcript_.positions);
    return std::move(transcript_);
  }

 private:
  // An exchange that was delivered and is not answered yet. Of those of one step, the first comes
  // first. Some are never answered, so a long run has many.
  struct Open {
    ProcessId server = 0;
    ProcessId client = 0;
    TenureId tenure = 0;
    Role role{};
    std::size_t exchange = 0;

    auto operator<=>(const Open&) const = default;
  };
  Open open(const Exchange& exchange) const {
    return {exchange.server, exchange.client, exchange.tenure, exchange.role, index_of(exchange)};
  }

  // Messages to a replica matter if a fault concerns it, if a client sends to it or waits for it,
  // or if it takes over from another server.
  void find_involved() {
    const auto add = [this](const std::string& name) {
      if (const auto process = narrator_.find(name)) involved_.insert(*process);
    };
    for (const sim::Fault& fault : run_.scenario.faults) {
      add(fault.target);
      add(fault.to);
      add(fault.trigger.on);
      for (const std::string& other : fault.from) add(other);
    }
    for (std::size_t i = 0; i < run_.trace.records.size(); ++i) {
      const TraceRecord& record = run_.trace.records[i];
      if (record.kind == TraceKind::resumed) resumed_[record.process].push_back(i);
      const bool asked = record.kind == TraceKind::sent && !record.reply &&
                         record.role != Role::none && narrator_.is_client(record.process);
      if (asked) involved_.insert(record.peer);
      if (record.kind == TraceKind::told) involved_.insert(record.process);
    }
  }
  bool is_involved(ProcessId process) const {
    return narrator_.is_client(process) || involved_.contains(process) || waits_for_replicas_;
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
    const models::Algorithm* algorithm = algorithm_of(request.process);
    const bool of_lock = meaning.empty() && algorithm != nullptr && algorithm->gloss != nullptr;
    return of_lock ? algorithm->gloss(words(request), words(answer)) : meaning;
  }

  const models::Algorithm* algorithm_of(ProcessId client) const {
    const scenarios::OneClient* one = scenarios::unlike(run_.scenario, client);
    return one == nullptr || one->lock.algorithm.empty() ? algorithm_
                                                         : scenarios::find_algorithm(one->lock);
  }

  void read(std::size_t position, const TraceRecord& record) {
    switch (record.kind) {
      case TraceKind::sent:
        record.reply ? reply_sent(position, record) : command_sent(position, record);
        break;
      case TraceKind::copied:
        record.reply ? reply_sent(position, record) : command_copied(position, record);
        break;
      case TraceKind::delivered:
        delivered(position, record);
        break;
      case TraceKind::lost:
        lost(position, record);
        break;
      case TraceKind::timed_out:
        timed_out(position, record);
        break;
      case TraceKind::reset:
        reset(position, record);
        break;
      case TraceKind::woke:
        if (record.tag != 0) woke(record);
        break;
      case TraceKind::paused:
        paused(position, record);
        break;
      case TraceKind::resumed:
        resumed(position, record);
        break;
      case TraceKind::crashed:
        down(record.process);
        break;
      case TraceKind::told:
        add_event(position, record, std::string(run_.trace.payload(record)));
        break;
      case TraceKind::mark:
        mark(position, record);
        break;
      case TraceKind::recorded:
        if (record.message < run_.history.size()) history_event(position, record.message);
        break;
      case TraceKind::started:
      case TraceKind::held:
      case TraceKind::connected:
      case TraceKind::clock_set:
        break;
    }
  }

  // ---------------------------------------------------------------- messages

  Exchange& begin_exchange(std::size_t position, const TraceRecord& record) {
    exchanges_[record.message] = transcript_.exchanges.size();
    Exchange& exchange = transcript_.exchanges.emplace_back();
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

  void add_part(std::size_t position, Part part, const Exchange& exchange) {
    const bool shown = exchange.pushed && detail_ == Detail::everything;
    if (exchange.upkeep && !shown) return;
    Item& item = transcript_.items.emplace_back();
    item.position = position;
    item.part = part;
    item.exchange = index_of(exchange);
    item.tenure = exchange.tenure;
  }

  std::size_t index_of(const Exchange& exchange) const {
    return static_cast<std::size_t>(&exchange - transcript_.exchanges.data());
  }

  void command_sent(std::size_t position, const TraceRecord& record) {
    Exchange& exchange = begin_exchange(position, record);
    exchange.client = record.process;
    exchange.server = record.peer;
    // Commands that keep a session alive belong to no tenure.
    const bool keeps_alive = exchange.role == Role::renew && exchange.tenure == 0;
    const bool shown = detail_ == Detail::everything && narrator_.is_client(record.process);
    exchange.upkeep = !shown && (exchange.role == Role::none || keeps_alive);
    if (!exchange.upkeep) {
      exchange.text = describe(record);
      name_if_unusual(exchange);
    } else if (narrator_.is_client(record.process)) {
      transcript_.upkeep.insert(name_of(describe(record)));
    }
    add_part(position, Part::sent, exchange);
  }

  void command_copied(std::size_t position, const TraceRecord& record) {
    command_sent(position, record);
    transcript_.exchanges.back().copied = true;
  }

  // SCRIPT alone says nothing; its second word does.
  static std::string name_of(const std::string& command) {
    constexpr std::string_view kScript = "SCRIPT ";
    return command.substr(0, command.find(' ', command.starts_with(kScript) ? kScript.size() : 0));
  }

  // An unasked message to a client gets a row only if it wakes the client. Other messages without
  // an open command are the stream to a replica and an answer that is sent twice.
  void reply_sent(std::size_t position, const TraceRecord& record) {
    Exchange* const asked = exchange_of(record.answers);
    if (asked != nullptr && open_.erase(open(*asked)) > 0) {
      exchanges_[record.message] = index_of(*asked);
      if (asked->upkeep) return;
      asked->answer = describe(record);
      asked->gloss = gloss(run_.trace.records[asked->sent], record);
      return;
    }
    const bool news = record.answers == 0 && narrator_.is_client(record.peer);
    if (!news && (record.role == Role::none || !is_involved(record.peer))) return;
    Exchange& pushed = begin_exchange(position, record);
    pushed.client = record.peer;
    pushed.server = record.process;
    if (news) pushed.tenure = 0;  // the publisher's tenure does not wait for it
    pushed.answer = describe(record);
    pushed.pushed = true;
    pushed.upkeep = news;
  }

  void delivered(std::size_t position, const TraceRecord& record) {
    Exchange* const exchange = exchange_of(record.message);
    if (exchange == nullptr) return;
    auto& arrived = record.reply ? exchange->answered : exchange->delivered;
    if (arrived) return;
    arrived = position;
    (record.reply ? exchange->answered_at : exchange->delivered_at) = record.at;
    if (!record.reply) open_.insert(open(*exchange));
    add_part(position, record.reply ? Part::answered : Part::delivered, *exchange);
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
    if (record.reply) add_part(position, Part::answer_lost, *exchange);
  }

  // A pushed message gets a row only if it wakes a client at once: one that was paused when the
  // message came wakes when it runs again.
  void woke(const TraceRecord& record) {
    Exchange* const push = exchange_of(record.message);
    if (push == nullptr || push->answered_at != record.at) return;
    if (!std::exchange(push->upkeep, false)) return;
    push->woke = true;
    if (detail_ == Detail::what_matters) add_part(*push->answered, Part::answered, *push);
  }

  void timed_out(std::size_t position, const TraceRecord& record) {
    Exchange* const exchange = exchange_of(record.message);
    if (exchange == nullptr || exchange->upkeep) return;
    exchange->timed_out = true;
    transcript_.timeouts.push_back(transcript_.items.size());
    Item& item =
        add_event(position, record, "stops waiting for the answer to " + exchange->command());
    item.exchange = index_of(*exchange);
    item.tenure = exchange->tenure;
  }

  // Both ends of a connection report its end. If one of them is down, that is told already. Servers
  // reconnect to each other by themselves.
  void reset(std::size_t position, const TraceRecord& record) {
    if (down_.contains(record.process) || down_.contains(record.peer)) return;
    const bool at_client = narrator_.is_client(record.process);
    const ProcessId client = at_client ? record.process : record.peer;
    const ProcessId server = at_client ? record.peer : record.process;
    if (!narrator_.is_client(client) || !resets_.insert({record.at, client, server}).second) return;
    transcript_.add(position, record.at, RowKind::event, client,
                    fmt::format("the connection of {} with {} breaks", narrator_.process(client),
                                narrator_.process(server)));
  }

  // ---------------------------------------------------------------- processes

  void paused(std::size_t position, const TraceRecord& record) {
    const bool by_fault = follows_fault(position);
    if (!by_fault && resumes_at(position) - record.at < kNotablePause) return;
    pauses_.try_emplace(record.process, record.at);  // it runs again after the last of several
    if (!by_fault) add_event(position, record, "is paused");
  }

  // A fault that pauses is recorded directly before its pause, and has a row of its own.
  bool follows_fault(std::size_t position) const {
    if (position == 0) return false;
    const TraceRecord& before = run_.trace.records[position - 1];
    return before.kind == TraceKind::recorded && before.message < run_.history.size() &&
           run_.history[before.message].what == What::fault_fired;
  }

  Instant resumes_at(std::size_t position) const {
    const auto all = resumed_.find(run_.trace.records[position].process);
    if (all == resumed_.end()) return run_.ended;
    const auto next = std::upper_bound(all->second.begin(), all->second.end(), position);
    return next == all->second.end() ? run_.ended : run_.trace.records[*next].at;
  }

  void resumed(std::size_t position, const TraceRecord& record) {
    const auto pause = pauses_.find(record.process);
    if (pause == pauses_.end()) return;
    add_event(position, record, "runs again after " + rounded(record.at - pause->second));
    pauses_.erase(pause);
  }

  void down(ProcessId process) {
    down_.insert(process);
    pauses_.erase(process);
    open_.erase(open_.lower_bound({.server = process}), open_.lower_bound({.server = process + 1}));
  }

  void mark(std::size_t position, const TraceRecord& record) {
    const std::string_view mark = run_.trace.payload(record);
    const auto& plan = run_.scenario.faults;
    if (std::any_of(plan.begin(), plan.end(),
                    [&](const sim::Fault& f) { return f.trigger.mark == mark; }))
      add_event(position, record, "passes " + reports::mark(mark));
  }

  // An action of a process, or an event that meets it.
  Item& add_event(std::size_t position, const TraceRecord& record, const std::string& verb) {
    return transcript_.add(position, record.at, RowKind::event, record.process,
                           narrator_.process(record.process) + " " + printable(verb));
  }

  // ---------------------------------------------------------------- the history

  void history_event(std::size_t position, std::size_t index) {
    const HistoryEvent& event = run_.history[index];
    transcript_.positions[index] = position;
    switch (event.what) {
      case What::acquire_invoked:
        asked(position, event);
        break;
      case What::release_invoked:
        if (holds_[event.tenure] > 0) --holds_[event.tenure];
        asked(position, event);
        break;
      case What::acquire_ok:
        ++holds_[event.tenure];
        [[fallthrough]];
      case What::acquire_failed:
      case What::acquire_unknown:
        transcript_.decided.try_emplace(event.tenure,
                                        Decision{position, event.what == What::acquire_ok});
        learned(position, event);
        break;
      case What::release_ok:
      case What::release_failed:
      case What::release_unknown:
        learned(position, event);
        break;
      case What::loss_learned:
        holds_.erase(event.tenure);
        learned(position, event);
        break;
      case What::deadline_passed:
      case What::abandoned:
        holds_.erase(event.tenure);
        add_event(position, event);
        break;
      case What::thread_ended:
      case What::out_of_connections:
        add_event(position, event);
        break;
      case What::process_crashed:
        down(event.process);
        add_event(position, event);
        break;
      case What::process_started:
        if (!started_.insert(event.process).second || down_.contains(event.process)) {
          back_ = transcript_.items.size();
          Item& item = add_event(position, event);
          if (const auto lost = lost_in_crash_.find(event.process); lost != lost_in_crash_.end())
            item.row.text += without_entry(lost->second);
        }
        lost_in_crash_.erase(event.process);
        down_.erase(event.process);
        break;
      case What::fault_fired:
        fault_fired(position, event);
        break;
      case What::fault_ended:
        fault_ended(position, event);
        break;
      case What::entry_created:
      case What::entry_altered:
      case What::entry_removed:
        entry_changed(position, event);
        break;
      case What::horizon:
        transcript_.add(position, event.at, RowKind::end, event.process, narrator_.event(event));
        break;
      // Other rows tell of these.
      case What::write_accepted:
      case What::write_rejected:
      case What::read_accepted:
      case What::read_rejected:
      case What::token_announced:
      case What::token_rejected:
      case What::deadlock_broken:
      case What::refused_free:
      case What::wait_begun:
      case What::wait_ended:
      case What::queued:
      case What::link_cut:
      case What::link_healed:
        break;
    }
  }

  Item& add_event(std::size_t position, const HistoryEvent& event) {
    return transcript_.add(position, event.at, RowKind::event, event.process,
                           narrator_.event(event));
  }

  void asked(std::size_t position, const HistoryEvent& event) {
    Item& item = add_event(position, event);
    item.joins_after = true;
    item.tenure = event.tenure;
    item.barrier = false;
  }

  void learned(std::size_t position, const HistoryEvent& event) {
    Item& item = add_event(position, event);
    item.joins_before = true;
    item.tenure = event.tenure;
    item.barrier = false;
    item.row.outcome = outcome(event);
    item.fails = event.what == What::release_failed;
  }

  // The meaning of an answer, shown beside it.
  std::string outcome(const HistoryEvent& event) {
    const int holds = holds_[event.tenure];
    switch (event.what) {
      case What::acquire_ok:
        return narrator_.event(event) +
               (holds > 1 ? fmt::format(" again, {} holds by its count", holds) : "");
      case What::release_ok:
        return holds == 0 ? "released"
                          : fmt::format("one hold released, {} left by its count", holds);
      case What::release_failed:
        return "it had nothing of its own to release";
      default:
        return narrator_.event(event);
    }
  }

  // ---------------------------------------------------------------- faults

  const sim::Fault* fault_of(const HistoryEvent& event) const {
    const auto& plan = run_.scenario.faults;
    return event.key < plan.size() ? &plan[event.key] : nullptr;
  }

  void fault_fired(std::size_t position, const HistoryEvent& event) {
    std::string text = fmt::format("fault {}", event.key + std::uint64_t{1});
    ProcessId target = event.process;
    const sim::Fault* const fault = fault_of(event);
    if (fault != nullptr) {
      text += ": " + printable(reports::fault(*fault));
      target = narrator_.find(fault->target).value_or(target);
      const sim::Trigger& trigger = fault->trigger;
      if (!trigger.at && trigger.mark.empty() && trigger.command.empty() &&
          trigger.phase == sim::Phase::sent)
        struck_.emplace_back(trigger.role, transcript_.items.size());
    }
    if (const scenarios::FiredFault* const fired = fired_fault(run_, event.key);
        fired != nullptr && !fired->in_vain.empty())
      text += fmt::format(": {}", fired->in_vain);
    transcript_.add(position, event.at, RowKind::fault, target, std::move(text));
    fired_at_[event.key] = event.at;
  }

  // A step may consist of several commands: those that undo half an acquire belong to the acquire.
  // The row of a fault names the command that it struck, if that is not the step's usual one.
  void name_if_unusual(const Exchange& struck) {
    std::erase_if(struck_, [&](const auto& fault) {
      Row& row = transcript_.items[fault.second].row;
      if (row.at != struck.sent_at) return true;
      if (fault.first != struck.role) return false;
      const auto usual = std::find_if(
          transcript_.exchanges.begin(), transcript_.exchanges.end(), [&](const Exchange& earlier) {
            return earlier.role == struck.role && earlier.tenure == struck.tenure;
          });
      if (usual->form() != struck.form())
        row.text += fmt::format(" (here a different command: {})", struck.form());
      return true;
    });
  }

  // The end of a pause or crash has a row of its own, and a fault without length needs no end.
  void fault_ended(std::size_t position, const HistoryEvent& event) {
    const auto fired = fired_at_.find(event.key);
    if (fired == fired_at_.end() || fired->second == event.at || was_healed(event)) return;
    std::string text = narrator_.event(event);
    if (const sim::Fault* const fault = fault_of(event)) {
      const verbs::Kind& verb = verbs::kind_of(fault->verb);
      if (verb.end_shows) return;
      if (verb.told_at_end != nullptr) text += ": " + printable(verb.told_at_end(*fault));
    }
    transcript_.add(position, event.at, RowKind::fault, event.process, std::move(text));
  }

  // Whether a heal has ended a partition or a hold before its time.
  bool was_healed(const HistoryEvent& ended) const {
    const sim::Fault* const fault = fault_of(ended);
    if (fault == nullptr || !verbs::kind_of(fault->verb).can_heal) return false;
    const auto ends = [&](const std::string& healed) {
      const bool other = verbs::kind_of(fault->verb).on_message
                             ? fault->trigger.on == healed || fault->trigger.by == healed
                             : fault->from.size() == 1 && fault->from.front() == healed;
      return healed == fault->target || other;
    };
    return std::any_of(run_.fired.begin(), run_.fired.end(), [&](const auto& fired) {
      if (fired.fault >= run_.scenario.faults.size()) return false;
      const sim::Fault& later = run_.scenario.faults[fired.fault];
      return later.verb == sim::Verb::heal && fired.at >= fired_at_.at(ended.key) &&
             fired.at < ended.at && ends(later.target);
    });
  }

  // ---------------------------------------------------------------- entries

  // Only a change that no command made has a row. A mutex inside a client needs none: the lane of
  // the client shows its belief.
  void entry_changed(std::size_t position, const HistoryEvent& event) {
    if (narrator_.is_client(event.process)) return;
    const bool of_lock = narrator_.is_lock(event.key);
    if (event.cause == Cause::command) {
      if (of_lock) taken(event);
      return;
    }
    if (of_lock && &narrator_.first_loss(event) != &event) return;
    if (of_lock && narrator_.is_kept_by_copy(event)) return;  // its server is replaced, it lives on
    if (of_lock && narrator_.crash_that_lost(event) != nullptr) {
      lost_in_crash_[event.process] = event.owner;  // the row of the restart says so
      return;
    }
    if (of_lock && event.cause == Cause::restart && lost_at_start(position, event)) return;
    Item& item = add_event(position, event);
    if (event.what == What::entry_removed) item.row.text = narrator_.entry_ends(event);
  }

  // Attributes a change to the command that the server is about to answer.
  void taken(const HistoryEvent& event) {
    const auto client = narrator_.actor_of(event);
    if (event.tenure == 0 || !client) return;
    Open wanted{event.process, *client, event.tenure, event.role};
    const auto first = open_.lower_bound(wanted);
    if (first == open_.end()) return;
    wanted.exchange = first->exchange;
    if (*first == wanted)
      transcript_.exchanges[first->exchange].took = event.what != What::entry_removed;
  }

  // An entry that a server loses by its restart is mentioned in the row of the restart.
  bool lost_at_start(std::size_t position, const HistoryEvent& event) {
    const std::string without = without_entry(event.owner);
    if (without.empty() || back_ + 1 != transcript_.items.size()) return false;
    Row& row = transcript_.items[back_].row;
    if (row.from != event.process || row.at != event.at) return false;
    row.text += without;
    row.last = position;
    return true;
  }

  std::string without_entry(TenureId owner) const {
    const auto process = narrator_.process_of(owner);
    return process ? fmt::format(", without {}'s entry", narrator_.process(*process)) : "";
  }

  const Run& run_;
  const Narrator& narrator_;
  const Detail detail_;
  bool waits_for_replicas_ = false;
  const models::Algorithm* const algorithm_;  // nullptr: the run is not of a known lock
  Transcript transcript_;
  std::map<std::uint32_t, std::size_t> exchanges_;  // by the number of a message
  std::set<Open> open_;
  std::map<TenureId, int> holds_;  // as their clients count
  std::map<ProcessId, Instant> pauses_;
  std::map<history::KeyId, Instant> fired_at_;
  std::map<ProcessId, TenureId> lost_in_crash_;       // the owner of an entry that a crash took
  std::vector<std::pair<Role, std::size_t>> struck_;  // faults on a command that is not sent yet
  std::set<std::tuple<Instant, ProcessId, ProcessId>> resets_;
  std::set<ProcessId> involved_;
  std::map<ProcessId, std::vector<std::size_t>> resumed_;  // positions
  std::set<ProcessId> down_;
  std::set<ProcessId> started_;
  std::size_t back_ = SIZE_MAX - 1;  // the row of the latest process to start again
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
  Item item;
  item.position = position;
  item.row = {.kind = kind,
              .at = at,
              .until = at,
              .from = from,
              .to = from,
              .text = std::move(text),
              .answer = {},
              .outcome = {},
              .complete = true,
              .processes = {from},
              .position = position,
              .last = position};
  item.barrier = true;
  return items.emplace_back(std::move(item));
}

Transcript transcribe(const Run& run, const Narrator& narrator, Detail detail) {
  return Transcriber(run, narrator, detail).transcribe();
}

}  // namespace picklock::reports
