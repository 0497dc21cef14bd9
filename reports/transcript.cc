#include "reports/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "reports/columns.h"

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
  Transcriber(const Run& run, const Narrator& narrator)
      : run_(run), narrator_(narrator), algorithm_(scenarios::find_algorithm(run.scenario)) {
    find_involved();
  }

  Transcript transcribe() {
    transcript_.positions.resize(run_.history.size());
    if (with_trace()) {
      read_trace();
    } else {
      for (std::size_t i = 0; i < run_.history.size(); ++i) history_event(i, i);
    }
    return std::move(transcript_);
  }

 private:
  bool with_trace() const { return !run_.trace.records.empty(); }

  // Messages to a replica matter if a fault concerns it, if a client sends to it or waits for it,
  // or if it takes over from another server.
  void find_involved() {
    const auto name = [this](const std::string& process) {
      const auto found = std::find(run_.processes.begin(), run_.processes.end(), process);
      if (found != run_.processes.end())
        involved_.insert(static_cast<ProcessId>(found - run_.processes.begin()));
    };
    for (const sim::Fault& fault : run_.scenario.faults) {
      name(fault.target);
      name(fault.to);
      name(fault.trigger.on);
      for (const std::string& other : fault.from) name(other);
    }
    for (const TraceRecord& record : run_.trace.records) {
      const bool asked = record.kind == TraceKind::sent && !record.reply &&
                         record.role != Role::none && narrator_.is_client(record.process);
      if (asked) involved_.insert(record.peer);
      if (record.kind == TraceKind::told) involved_.insert(record.process);
    }
  }
  bool is_involved(ProcessId process) const {
    return narrator_.is_client(process) || involved_.contains(process) ||
           run_.scenario.lock.options.wait_replicas > 0;
  }

  void add_part(std::size_t position, Part part, std::size_t exchange) {
    if (transcript_.exchanges[exchange].upkeep) return;
    Item item;
    item.position = position;
    item.part = part;
    item.exchange = exchange;
    item.tenure = transcript_.exchanges[exchange].tenure;
    transcript_.items.push_back(std::move(item));
  }

  void shift(std::size_t position, ProcessId process, Shift shift, ProcessId owner = 0) {
    transcript_.changes.push_back({position, process, shift, owner});
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
    const bool of_lock = meaning.empty() && algorithm_ != nullptr && algorithm_->gloss != nullptr;
    return of_lock ? algorithm_->gloss(words(request), words(answer)) : meaning;
  }

  void read_trace() {
    for (std::size_t i = 0; i < run_.trace.records.size(); ++i) {
      const TraceRecord& record = run_.trace.records[i];
      switch (record.kind) {
        case TraceKind::sent:
          record.reply ? reply_sent(i, record) : command_sent(i, record);
          break;
        case TraceKind::delivered:
          delivered(i, record);
          break;
        case TraceKind::lost:
          lost(i, record);
          break;
        case TraceKind::timed_out:
          timed_out(i, record);
          break;
        case TraceKind::reset:
          reset(i, record);
          break;
        case TraceKind::paused:
          paused(i, record);
          break;
        case TraceKind::resumed:
          resumed(i, record);
          break;
        case TraceKind::crashed:
          down(i, record.process);
          break;
        case TraceKind::started:
          shift(i, record.process, Shift::comes_up);
          break;
        case TraceKind::told:
          told(i, record);
          break;
        case TraceKind::mark:
          mark(i, record);
          break;
        case TraceKind::recorded:
          history_event(i, record.message);
          break;
        case TraceKind::held:
        case TraceKind::connected:
        case TraceKind::woke:
        case TraceKind::clock_set:
          break;
      }
    }
  }

  void command_sent(std::size_t position, const TraceRecord& record) {
    Exchange exchange;
    exchange.client = record.process;
    exchange.server = record.peer;
    exchange.role = record.role;
    exchange.tenure = record.tag;
    // Commands that keep a session alive belong to no tenure.
    const bool keeps_alive = exchange.role == Role::renew && exchange.tenure == 0;
    exchange.upkeep = exchange.role == Role::none || keeps_alive;
    if (!exchange.upkeep) {
      exchange.text = describe(record);
    } else if (narrator_.is_client(record.process)) {
      transcript_.upkeep.insert(name_of(describe(record)));
    }
    exchange.sent = position;
    exchange.sent_at = record.at;
    commands_[record.message] = transcript_.exchanges.size();
    transcript_.exchanges.push_back(std::move(exchange));
    add_part(position, Part::sent, transcript_.exchanges.size() - 1);
  }

  // SCRIPT alone says nothing; its second word does.
  static std::string name_of(const std::string& command) {
    constexpr std::string_view kScript = "SCRIPT ";
    return command.substr(0, command.find(' ', command.starts_with(kScript) ? kScript.size() : 0));
  }

  // An unasked message to a client gets a row only if it wakes the client. Other messages without
  // an open command are the stream to a replica and an answer that is sent twice.
  void reply_sent(std::size_t position, const TraceRecord& record) {
    const auto command = commands_.find(record.answers);
    if (command != commands_.end() && open_.erase(command->second) > 0) {
      Exchange& exchange = transcript_.exchanges[command->second];
      if (!exchange.upkeep) {
        exchange.answer = describe(record);
        exchange.gloss = gloss(run_.trace.records[exchange.sent], record);
      }
      replies_[record.message] = command->second;
      return;
    }
    const bool news = record.answers == 0 && narrator_.is_client(record.peer);
    if (!news && (record.role == Role::none || !is_involved(record.peer))) return;
    Exchange pushed;
    pushed.client = record.peer;
    pushed.server = record.process;
    pushed.role = record.role;
    pushed.tenure = news ? 0 : record.tag;  // the publisher's tenure does not wait for it
    pushed.answer = describe(record);
    pushed.sent = position;
    pushed.sent_at = record.at;
    pushed.pushed = true;
    pushed.upkeep = news;
    replies_[record.message] = transcript_.exchanges.size();
    transcript_.exchanges.push_back(std::move(pushed));
  }

  void delivered(std::size_t position, const TraceRecord& record) {
    if (const auto command = commands_.find(record.message); command != commands_.end()) {
      Exchange& exchange = transcript_.exchanges[command->second];
      if (exchange.delivered) return;
      exchange.delivered = position;
      exchange.delivered_at = record.at;
      open_.insert(command->second);
      add_part(position, Part::delivered, command->second);
    } else if (const auto reply = replies_.find(record.message); reply != replies_.end()) {
      Exchange& exchange = transcript_.exchanges[reply->second];
      if (exchange.answered) return;
      exchange.answered = position;
      exchange.answered_at = record.at;
      if (exchange.pushed) pushes_[exchange.client] = reply->second;
      add_part(position, Part::answered, reply->second);
    }
  }

  void lost(std::size_t position, const TraceRecord& record) {
    if (const auto command = commands_.find(record.message); command != commands_.end()) {
      transcript_.exchanges[command->second].lost = true;
    } else if (const auto reply = replies_.find(record.message); reply != replies_.end()) {
      transcript_.exchanges[reply->second].lost = true;
      if (transcript_.exchanges[reply->second].pushed)
        transcript_.exchanges[reply->second].upkeep = false;
      add_part(position, Part::answer_lost, reply->second);
    }
  }

  void timed_out(std::size_t position, const TraceRecord& record) {
    const auto command = commands_.find(record.message);
    if (command == commands_.end() || transcript_.exchanges[command->second].upkeep) return;
    Exchange& exchange = transcript_.exchanges[command->second];
    exchange.timed_out = true;
    Item& item =
        transcript_.add(position, record.at, RowKind::event, exchange.client,
                        fmt::format("{} stops waiting for the answer to {}",
                                    narrator_.process(exchange.client), exchange.command()));
    item.exchange = command->second;
    item.tenure = exchange.tenure;
    transcript_.timeouts.push_back(transcript_.items.size() - 1);
  }

  // Both ends of a connection report its end. If one of them is down, that is told already.
  void reset(std::size_t position, const TraceRecord& record) {
    if (down_.contains(record.process) || down_.contains(record.peer)) return;
    // Servers reconnect to each other by themselves.
    if (!narrator_.is_client(record.process) && !narrator_.is_client(record.peer)) return;
    const auto ends = std::minmax(record.process, record.peer);
    if (!resets_.insert({record.at, ends.first, ends.second}).second) return;
    const ProcessId client = narrator_.is_client(record.process) ? record.process : record.peer;
    const ProcessId server = client == record.process ? record.peer : record.process;
    transcript_.add(position, record.at, RowKind::event, client,
                    fmt::format("the connection of {} with {} breaks", narrator_.process(client),
                                narrator_.process(server)));
  }

  void paused(std::size_t position, const TraceRecord& record) {
    shift(position, record.process, Shift::pauses);
    const auto& records = run_.trace.records;
    const auto end =
        std::find_if(records.begin() + static_cast<std::ptrdiff_t>(position), records.end(),
                     [&](const TraceRecord& later) {
                       return later.kind == TraceKind::resumed && later.process == record.process;
                     });
    const Instant until = end == records.end() ? run_.ended : end->at;
    const bool by_fault = paused_by_fault(record);
    if (!by_fault && until - record.at < kNotablePause) return;
    pauses_[record.process] = record.at;
    if (by_fault) return;
    transcript_.add(position, record.at, RowKind::event, record.process,
                    narrator_.process(record.process) + " is paused");
  }

  bool paused_by_fault(const TraceRecord& record) const {
    return std::any_of(run_.fired.begin(), run_.fired.end(),
                       [&](const scenarios::FiredFault& fired) {
                         if (fired.at != record.at || fired.fault >= run_.scenario.faults.size())
                           return false;
                         const sim::Fault& fault = run_.scenario.faults[fired.fault];
                         return fault.verb == sim::Verb::pause &&
                                fault.target == narrator_.process(record.process);
                       });
  }

  void resumed(std::size_t position, const TraceRecord& record) {
    shift(position, record.process, Shift::resumes);
    const auto pause = pauses_.find(record.process);
    if (pause != pauses_.end()) {
      transcript_.add(position, record.at, RowKind::event, record.process,
                      fmt::format("{} runs again after {}", narrator_.process(record.process),
                                  rounded(record.at - pause->second)));
      pauses_.erase(pause);
    }
  }

  void down(std::size_t position, ProcessId process) {
    down_.insert(process);
    pauses_.erase(process);
    std::erase_if(open_, [&](std::size_t i) { return transcript_.exchanges[i].server == process; });
    shift(position, process, Shift::goes_down);
  }

  void told(std::size_t position, const TraceRecord& record) {
    transcript_.add(position, record.at, RowKind::event, record.process,
                    fmt::format("{} {}", narrator_.process(record.process),
                                printable(run_.trace.payload(record))));
  }

  void mark(std::size_t position, const TraceRecord& record) {
    const std::string_view mark = run_.trace.payload(record);
    const auto& plan = run_.scenario.faults;
    if (std::none_of(plan.begin(), plan.end(),
                     [&](const sim::Fault& f) { return f.trigger.mark == mark; }))
      return;
    transcript_.add(position, record.at, RowKind::event, record.process,
                    fmt::format("{} passes {}", narrator_.process(record.process),
                                printable(reports::mark(mark))));
  }

  void history_event(std::size_t position, std::size_t index) {
    if (index >= run_.history.size()) return;
    const HistoryEvent& event = run_.history[index];
    transcript_.positions[index] = position;
    follow_belief(position, event);
    switch (event.what) {
      case What::acquire_invoked:
        asked(position, event);
        break;
      case What::acquire_ok:
      case What::acquire_failed:
      case What::acquire_unknown:
        transcript_.decided.try_emplace(event.tenure,
                                        Decision{position, event.what == What::acquire_ok});
        learned(position, event);
        break;
      case What::release_ok:
      case What::release_failed:
      case What::release_unknown:
      case What::loss_learned:
        learned(position, event);
        break;
      case What::release_invoked:
        asked(position, event);
        break;
      case What::deadline_passed:
      case What::thread_ended:
        add_event(position, event);
        break;
      case What::process_crashed:
        down(position, event.process);
        add_event(position, event);
        break;
      case What::process_started:
        shift(position, event.process, Shift::comes_up);
        if (!started_.insert(event.process).second || down_.contains(event.process))
          back_ = {event.process, add_event(position, event).row.at, transcript_.items.size() - 1};
        down_.erase(event.process);
        break;
      case What::wait_ended:
        if (event.owner != 0) woken(event);
        break;
      case What::deadlock_broken:
      case What::refused_free:
      case What::wait_begun:
      case What::queued:
      case What::link_cut:
      case What::link_healed:
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
      case What::write_accepted:
      case What::write_rejected:
      case What::read_accepted:
        if (!with_trace()) add_event(position, event);
        break;
      case What::horizon:
        transcript_.add(position, event.at, RowKind::end, event.process, narrator_.event(event));
        break;
    }
  }

  // A pushed message gets a row only if it wakes a client.
  void woken(const HistoryEvent& event) {
    const auto latest = pushes_.find(event.process);
    if (latest == pushes_.end()) return;
    Exchange& push = transcript_.exchanges[latest->second];
    if (push.answered_at != event.at || !std::exchange(push.upkeep, false)) return;
    push.woke = true;
    add_part(*push.answered, Part::answered, latest->second);
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
  std::string outcome(const HistoryEvent& event) const {
    switch (event.what) {
      case What::acquire_ok: {
        const int holds = depth_of(event.tenure);
        return narrator_.event(event) +
               (holds > 1 ? fmt::format(" again, {} holds by its count", holds) : "");
      }
      case What::release_ok: {
        const int left = depth_of(event.tenure);
        return left == 0 ? "released"
                         : fmt::format("one hold released, {} left by its count", left);
      }
      case What::release_failed:
        return "it had nothing of its own to release";
      default:
        return narrator_.event(event);
    }
  }

  int depth_of(TenureId tenure) const {
    const auto belief = beliefs_.find(tenure);
    return belief == beliefs_.end() ? 0 : belief->second.depth;
  }

  void follow_belief(std::size_t position, const HistoryEvent& event) {
    const auto end = [&](auto&& matches) {
      for (auto belief = beliefs_.begin(); belief != beliefs_.end();) {
        if (!matches(*belief)) {
          ++belief;
          continue;
        }
        shift(position, belief->second.process, Shift::belief_ends);
        belief = beliefs_.erase(belief);
      }
    };
    switch (event.what) {
      case What::acquire_ok: {
        Belief& belief = beliefs_[event.tenure];
        if (belief.depth++ > 0) break;
        belief.process = event.process;
        belief.thread = event.thread;
        shift(position, event.process, Shift::belief_begins);
        break;
      }
      case What::release_invoked: {
        const auto belief = beliefs_.find(event.tenure);
        if (belief != beliefs_.end() && --belief->second.depth > 0) break;
        end([&](const auto& held) { return held.first == event.tenure; });
        break;
      }
      case What::loss_learned:
      case What::deadline_passed:
        end([&](const auto& held) { return held.first == event.tenure; });
        break;
      case What::process_crashed:
        end([&](const auto& held) { return held.second.process == event.process; });
        break;
      case What::thread_ended:
        end([&](const auto& held) { return held.second.thread == event.thread; });
        break;
      default:
        break;
    }
  }

  void fault_fired(std::size_t position, const HistoryEvent& event) {
    std::string text = fmt::format("fault {}", event.key + std::uint64_t{1});
    ProcessId target = event.process;
    if (event.key < run_.scenario.faults.size()) {
      const sim::Fault& fault = run_.scenario.faults[event.key];
      text += ": " + printable(reports::fault(fault));
      const auto named = std::find(run_.processes.begin(), run_.processes.end(), fault.target);
      if (named != run_.processes.end())
        target = static_cast<ProcessId>(named - run_.processes.begin());
    }
    text += unusual_command(position, event);
    transcript_.add(position, event.at, RowKind::fault, target, std::move(text));
    fired_at_[event.key] = event.at;
  }

  // A step may consist of several commands: those that undo half an acquire belong to the acquire.
  std::string unusual_command(std::size_t position, const HistoryEvent& event) const {
    if (event.key >= run_.scenario.faults.size()) return "";
    const sim::Trigger& trigger = run_.scenario.faults[event.key].trigger;
    if (trigger.at || !trigger.mark.empty() || !trigger.command.empty() ||
        trigger.phase != sim::Phase::sent)
      return "";
    const auto& records = run_.trace.records;
    for (std::size_t i = position; i < records.size() && records[i].at == event.at; ++i) {
      const TraceRecord& record = records[i];
      if (record.kind != TraceKind::sent || record.reply || record.role != trigger.role) continue;
      const auto first = std::find_if(
          transcript_.exchanges.begin(), transcript_.exchanges.end(), [&](const Exchange& earlier) {
            return earlier.role == record.role && earlier.tenure == record.tag;
          });
      if (first == transcript_.exchanges.end()) return "";
      Exchange hit;
      hit.text = describe(record);
      return hit.form() == first->form()
                 ? ""
                 : fmt::format(" (here a different command: {})", hit.form());
    }
    return "";
  }

  // The end of a pause or crash has a row of its own, and a fault without length needs no end.
  void fault_ended(std::size_t position, const HistoryEvent& event) {
    const auto fired = fired_at_.find(event.key);
    if (fired == fired_at_.end() || fired->second == event.at) return;
    std::string text = narrator_.event(event);
    if (event.key < run_.scenario.faults.size()) {
      const sim::Fault& fault = run_.scenario.faults[event.key];
      if (fault.verb == sim::Verb::pause || fault.verb == sim::Verb::crash ||
          fault.verb == sim::Verb::restart)
        return;
      const std::string goes_on = delayed(fault);
      if (!goes_on.empty()) text += ": " + printable(goes_on);
    }
    transcript_.add(position, event.at, RowKind::fault, event.process, std::move(text));
  }

  void entry_changed(std::size_t position, const HistoryEvent& event) {
    // A mutex inside a client needs no row: the lane of the client shows its belief.
    if (narrator_.is_client(event.process)) return;
    if (event.key != 0) {
      other_key_changed(position, event);
      return;
    }
    taken(event);
    const std::pair<ProcessId, history::KeyId> entry{event.process, event.key};
    if (event.what == What::entry_removed) {
      entries_.erase(entry);
    } else {
      const TenureId owner =
          event.what == What::entry_created && event.tenure != 0 ? event.tenure : event.owner;
      if (owner != 0 || event.what == What::entry_created)
        entries_[entry] = owner != 0 ? owner : event.tenure;
    }
    const auto held = entries_.lower_bound({event.process, 0});
    const bool any = held != entries_.end() && held->first.first == event.process;
    const auto owner = any ? narrator_.process_of(held->second) : std::nullopt;
    shift(position, event.process, any ? Shift::entry_is : Shift::no_entry,
          owner.value_or(event.process));

    const bool by_itself = event.cause != Cause::command;
    if (!by_itself && with_trace()) return;
    if (&narrator_.first_loss(event) != &event) return;
    if (event.cause == Cause::restart && lost_at_start(position, event)) return;
    Item& item = add_event(position, event);
    if (by_itself && event.what == What::entry_removed) item.row.text = ended_by_itself(event);
  }

  // Attributes a change to the command that the server is about to answer.
  void taken(const HistoryEvent& event) {
    if (event.cause != Cause::command || event.tenure == 0) return;
    const auto client = narrator_.actor_of(event);
    if (!client) return;
    for (const std::size_t i : open_) {
      Exchange& exchange = transcript_.exchanges[i];
      if (exchange.client != *client || exchange.server != event.process ||
          exchange.tenure != event.tenure || exchange.role != event.role)
        continue;
      exchange.took = event.what != What::entry_removed;
      return;
    }
  }

  // A key other than the lock's own, such as the counter of fencing tokens.
  void other_key_changed(std::size_t position, const HistoryEvent& event) {
    if (event.cause == Cause::command && with_trace()) return;
    Item& item = add_event(position, event);
    if (event.what == What::entry_removed)
      item.row.text = fmt::format("{} {}", narrator_.key(event.key), end_by_itself(event.cause));
  }

  // An entry that a server loses by its restart is mentioned in the row of the restart.
  bool lost_at_start(std::size_t position, const HistoryEvent& event) {
    const auto owner = narrator_.process_of(event.owner);
    if (!back_ || !owner || back_->process != event.process || back_->at != event.at) return false;
    if (back_->item + 1 != transcript_.items.size()) return false;
    Row& row = transcript_.items[back_->item].row;
    row.text += fmt::format(", without {}'s entry", narrator_.process(*owner));
    row.last = position;
    return true;
  }

  std::string ended_by_itself(const HistoryEvent& event) const {
    const auto owner = narrator_.process_of(event.owner);
    const std::string whose =
        owner ? narrator_.process(*owner) + "'s entry" : "the entry of " + narrator_.key(event.key);
    return fmt::format("{} {}", whose, end_by_itself(event.cause));
  }

  static std::string_view end_by_itself(Cause cause) {
    switch (cause) {
      case Cause::expiry:
        return "expires";
      case Cause::eviction:
        return "is evicted";
      case Cause::failover:
        return "is lost in the failover";
      case Cause::session_end:
        return "ends with its session";
      case Cause::coordinator:
        return "is freed by the coordinator";
      default:
        return "is lost in the restart";
    }
  }

  struct Start {
    ProcessId process = 0;
    Instant at{};
    std::size_t item = 0;
  };
  struct Belief {
    ProcessId process = 0;
    sim::ThreadId thread = 0;
    int depth = 0;
  };

  const Run& run_;
  const Narrator& narrator_;
  const models::Algorithm* const algorithm_;  // nullptr: the run is not of a known lock
  Transcript transcript_;
  std::map<std::uint32_t, std::size_t> commands_;
  std::map<std::uint32_t, std::size_t> replies_;
  std::map<ProcessId, std::size_t> pushes_;  // the latest push to a client
  std::set<std::size_t> open_;               // exchanges: delivered, and not yet answered
  std::map<TenureId, Belief> beliefs_;
  std::map<std::pair<ProcessId, history::KeyId>, TenureId> entries_;
  std::map<ProcessId, Instant> pauses_;
  std::map<history::KeyId, Instant> fired_at_;
  std::set<std::tuple<Instant, ProcessId, ProcessId>> resets_;
  std::set<ProcessId> involved_;
  std::set<ProcessId> down_;
  std::set<ProcessId> started_;
  std::optional<Start> back_;  // the latest process to start again
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

Transcript transcribe(const Run& run, const Narrator& narrator) {
  return Transcriber(run, narrator).transcribe();
}

}  // namespace picklock::reports
