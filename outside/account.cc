#include "outside/account.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "picklock/client.h"

namespace picklock::outside {
namespace {

using history::HistoryEvent;
using history::KeyId;
using history::TenureId;
using history::What;
using sim::ProcessId;
using sim::TraceKind;
using sim::TraceRecord;

bool changes_entry(What what) { return what >= What::entry_created && what <= What::entry_removed; }

// The first two words of a request: what commands of the same purpose have in common.
std::string form_of(const sim::Protocol& protocol, std::string_view payload) {
  std::string text = protocol.describe(payload, false);
  const std::size_t second = text.find(' ');
  if (second != std::string::npos) text.resize(std::min(text.find(' ', second + 1), text.size()));
  return text;
}

class Accountant {
 public:
  Accountant(const history::History& history, const sim::Trace& trace, const Cast& cast)
      : history_(history), trace_(trace), cast_(cast) {
    last_granted_.assign(cast.clients, 0);
  }

  Account account() {
    for (std::size_t at = 0; at < trace_.records.size(); ++at) read(at, trace_.records[at]);
    name_steps();
    write();
    list_left();
    return std::move(account_);
  }

 private:
  // A tenure of a client at the lock of one key.
  struct Tenure {
    TenureId id = 0;
    std::uint32_t entries = 0;  // that are left of it
  };
  struct Entry {
    TenureId tenure = 0;
    ProcessId client = kNobody;
    sim::Instant until = sim::kNever;
  };
  struct Request {
    std::size_t sent = 0;  // its place in the trace
    Role role{};
    TenureId tenure = 0;
  };
  // An event of the new history. Those of one place come in the order in which they were added.
  struct Placed {
    std::size_t at = 0;
    HistoryEvent event;
  };

  // A client that sent the message, or for which it is; else the process as it is numbered.
  ProcessId renumbered(ProcessId process, sim::Tag tag, KeyId thing = 0) const {
    const ProcessId client = cast_.client(tag);
    if (process < cast_.first_server && client != kNobody) return client;
    if (process == cast_.resource && thing > 0) return cast_.second_thing + thing - 1;
    return cast_.number_of[process];
  }

  ProcessId client_of(sim::Tag tag) const { return cast_.client(tag); }
  bool is_outside(ProcessId process, sim::Tag tag) const {
    return process < cast_.first_server && client_of(tag) != kNobody;
  }

  // ---------------------------------------------------------------- what happened

  void read(std::size_t at, const TraceRecord& record) {
    switch (record.kind) {
      case TraceKind::sent:
        if (is_outside(record.process, record.tag) && !record.reply) {
          requests_[record.message] = {.sent = at, .role = {}, .tenure = 0};
          const sim::Protocol& protocol = *trace_.protocols[record.protocol];
          if (record.peer == cast_.resource && protocol.command != nullptr)
            say(at, client_of(record.tag), protocol.command(trace_.payload(record)));
        } else if (record.reply && is_outside(record.peer, record.tag)) {
          std::erase(waiting_[record.tag], record.answers);
        }
        return;
      case TraceKind::delivered:
        // Requests on one connection are served in their order.
        if (record.peer >= cast_.first_server && !record.reply &&
            requests_.contains(record.message) &&
            std::find(waiting_[record.tag].begin(), waiting_[record.tag].end(), record.message) ==
                waiting_[record.tag].end())
          waiting_[record.tag].push_back(record.message);
        return;
      case TraceKind::mark:
        say(at, cast_.number_of[record.process], trace_.payload(record));
        return;
      case TraceKind::recorded:
        if (record.message < history_.size()) happened(at, history_[record.message]);
        return;
      default:
        return;
    }
  }

  void happened(std::size_t at, const HistoryEvent& event) {
    if (event.what == What::queued || event.what == What::refused_free) return;
    HistoryEvent told = event;
    if (changes_entry(event.what)) {
      change(at, told);
    } else if (history::is_at_resource(event.what)) {
      use(at, told);
    } else {
      if (event.what == What::process_crashed) forget(renumbered(event.process, 0));
      told.process = renumbered(event.process, 0);
      told.peer = renumbered(event.peer, 0);
    }
    placed_.push_back({at, told});
  }

  // A client that has died knows nothing of its tenures when it starts again.
  void forget(ProcessId client) {
    if (client >= cast_.clients) return;
    last_granted_[client] = 0;
    said_.erase(client);
    std::erase_if(current_, [client](const auto& one) { return one.first.first == client; });
  }

  // A client says that it believes to hold the lock that was granted to it last, or no longer.
  void say(std::size_t at, ProcessId client, std::string_view word) {
    const bool enters = word == kEnter;
    if (client >= cast_.clients || (!enters && word != kLeave)) return;
    const auto believed = said_.find(client);
    if (enters == (believed != said_.end())) return;  // it has said so already
    HistoryEvent event{.at = trace_.records[at].at,
                       .what = enters ? What::acquire_ok : What::release_invoked,
                       .role = enters ? Role::acquire : Role::release,
                       .process = client,
                       .thread = client};
    if (enters) {
      TenureId tenure = last_granted_[client];
      // It may think so without any entry, or for a second time.
      if (tenure == 0 || told_.contains(tenure)) tenure = begin(at, client, 0);
      told_.insert(tenure);
      event.tenure = said_[client] = tenure;
    } else {
      event.tenure = believed->second;
      said_.erase(believed);
    }
    placed_.push_back({at, event});
  }

  // Its request, if it came from outside and is under way.
  Request* request_of(sim::Tag tag) {
    const auto waiting = waiting_.find(tag);
    if (waiting == waiting_.end() || waiting->second.empty()) return nullptr;
    return &requests_[waiting->second.front()];
  }

  // A tenure begins where its first request was sent.
  TenureId begin(std::size_t at, ProcessId client, KeyId key, const Request* request = nullptr) {
    const TenureId id = ++tenures_;
    const std::size_t from = request != nullptr ? request->sent : at;
    placed_.push_back({from,
                       {.at = trace_.records[from].at,
                        .what = What::acquire_invoked,
                        .role = Role::acquire,
                        .process = client,
                        .thread = client,
                        .tenure = id,
                        .key = key}});
    return id;
  }

  Tenure& tenure_of(std::size_t at, sim::Tag tag, KeyId key, bool creates) {
    Tenure& tenure = current_[{client_of(tag), key}];
    if (tenure.id == 0 || (creates && tenure.entries == 0))
      tenure = {.id = begin(at, client_of(tag), key, request_of(tag)), .entries = 0};
    return tenure;
  }

  void change(std::size_t at, HistoryEvent& event) {
    const ProcessId client = client_of(event.tenure);
    Entry& entry = entries_[{event.key, event.process}];
    const bool removed = event.what == What::entry_removed;
    const bool own = client != kNobody && client == entry.client;
    const bool takes = client != kNobody && event.cause == history::Cause::command &&
                       (event.what == What::entry_created ||
                        (event.what == What::entry_altered && event.passes && !own));
    const TenureId owner = entry.tenure;
    const bool by_command = event.cause == history::Cause::command;
    TenureId acts = 0;
    if (client != kNobody && by_command)
      acts = own ? entry.tenure : tenure_of(at, event.tenure, event.key, takes).id;
    step(event, acts);
    if (takes || removed) leave(event.key, entry);
    if (takes) {
      Tenure& tenure = tenure_of(at, event.tenure, event.key, false);
      ++tenure.entries;
      acts = tenure.id;
      entry = {.tenure = tenure.id, .client = client, .until = event.until};
      last_granted_[client] = tenure.id;
    } else if (removed) {
      entries_.erase({event.key, event.process});
    } else if (event.what == What::entry_created) {
      restore(event, entry);
    } else {
      entry.until = event.until;
    }
    event.tenure = acts;
    if (event.what != What::entry_created) {
      event.owner = owner;
    } else {
      event.owner = acts != 0 ? 0 : entry.tenure;
    }
    event.process = renumbered(event.process, 0);
    event.thread = client == kNobody ? 0 : client;
  }

  // A copy, or what a server has found again: its owner keeps it.
  void restore(const HistoryEvent& event, Entry& entry) {
    const sim::Tag owner = event.owner != 0 ? event.owner : event.tenure;
    const ProcessId client = client_of(owner);
    const auto found = current_.find({client, event.key});
    leave(event.key, entry);
    entry = {.tenure = 0, .client = client, .until = event.until};
    if (client == kNobody || found == current_.end()) return;
    entry.tenure = found->second.id;
    ++found->second.entries;
  }

  void leave(KeyId key, Entry& entry) {
    if (entry.tenure == 0) return;
    const auto owner = current_.find({entry.client, key});
    const bool counts = owner != current_.end() && owner->second.id == entry.tenure;
    if (counts && owner->second.entries > 0) --owner->second.entries;
    entry.tenure = 0;
  }

  void use(std::size_t at, HistoryEvent& event) {
    const ProcessId client = client_of(event.tenure);
    const sim::Tag tag = event.tenure;
    event.tenure = client == kNobody            ? 0
                   : last_granted_[client] != 0 ? last_granted_[client]
                                                : tenure_of(at, tag, 0, false).id;
    const KeyId thing = event.key;
    if (Request* const request = request_of(tag)) {
      const bool reads = event.what == What::read_accepted || event.what == What::read_rejected;
      *request = {request->sent, reads ? Role::read : Role::write, event.tenure};
    }
    event.key = 0;
    event.peer = client == kNobody ? 0 : client;
    event.thread = client == kNobody ? 0 : client;
    event.process = renumbered(event.process, 0, thing);
  }

  // The request that made the change was a step of its client.
  void step(HistoryEvent& event, TenureId tenure) {
    Request* const request = event.tenure != 0 ? request_of(event.tenure) : nullptr;
    const Role role = event.what == What::entry_created   ? Role::acquire
                      : event.what == What::entry_removed ? Role::release
                      : event.passes                      ? Role::acquire
                                                          : Role::renew;
    if (request == nullptr || event.cause != history::Cause::command) return;
    event.role = role;
    // The first change tells what the request is for: a script may count a token as well.
    if (request->role != Role::none) return;
    request->role = role;
    request->tenure = tenure;
    const TraceRecord& record = trace_.records[request->sent];
    const sim::Protocol& protocol = *trace_.protocols[record.protocol];
    if (protocol.describe != nullptr && role != Role::renew)
      forms_.emplace(form_of(protocol, trace_.payload(record)), role);
  }

  // A request of the same form as one that has taken a lock is an attempt.
  void name_steps() {
    for (auto& [number, request] : requests_) {
      const TraceRecord& record = trace_.records[request.sent];
      const sim::Protocol& protocol = *trace_.protocols[record.protocol];
      if (request.role != Role::none || protocol.describe == nullptr) continue;
      const auto form = forms_.find(form_of(protocol, trace_.payload(record)));
      if (form != forms_.end()) request.role = form->second;
    }
  }

  // ---------------------------------------------------------------- the run

  void write() {
    std::stable_sort(placed_.begin(), placed_.end(),
                     [](const Placed& a, const Placed& b) { return a.at < b.at; });
    account_.trace.protocols = trace_.protocols;
    account_.trace.bytes = trace_.bytes;
    auto next = placed_.begin();
    for (std::size_t at = 0; at < trace_.records.size(); ++at) {
      const TraceRecord& record = trace_.records[at];
      // A tenure begins before its first request leaves, and other events are where they were.
      for (; next != placed_.end() && next->at == at; ++next) record_event(next->event, record);
      if (record.kind != TraceKind::recorded) copy(record);
    }
    for (; next != placed_.end(); ++next) record_event(next->event, {});
  }

  void record_event(const HistoryEvent& event, const TraceRecord& record) {
    const bool fault = event.what == What::fault_fired;
    account_.trace.records.push_back(
        {.at = event.at,
         .kind = TraceKind::recorded,
         .process = event.process,
         .peer = event.peer,
         .message = static_cast<std::uint32_t>(account_.history.size()),
         .answers = fault ? record.answers : 0,
         .tag = event.tenure});
    account_.history.push_back(event);
  }

  void copy(TraceRecord record) {
    const auto request = requests_.find(record.reply ? record.answers : record.message);
    const KeyId thing = thing_of(record);
    record.process = renumbered(record.process, record.tag, thing);
    record.peer = renumbered(record.peer, record.tag, thing);
    record.role = request != requests_.end()     ? request->second.role
                  : record.role == Role::command ? Role::none
                                                 : record.role;
    record.tag = request != requests_.end() ? request->second.tenure : 0;
    account_.trace.records.push_back(record);
  }

  // The part of the resource that a message concerns.
  KeyId thing_of(const TraceRecord& record) const {
    const std::uint32_t number = record.reply ? record.answers : record.message;
    const auto request = requests_.find(number);
    if (request == requests_.end() ||
        (record.process != cast_.resource && record.peer != cast_.resource))
      return 0;
    // Its name is the second word.
    const TraceRecord& sent = trace_.records[request->second.sent];
    std::string form = form_of(*trace_.protocols[sent.protocol], trace_.payload(sent));
    form.erase(0, form.find(' ') + 1);
    const auto found = std::find(cast_.things.begin(), cast_.things.end(), form);
    return found == cast_.things.end() ? 0 : static_cast<KeyId>(found - cast_.things.begin());
  }

  void list_left() {
    for (const auto& [place, entry] : entries_) {
      if (entry.client == kNobody) continue;
      account_.left.push_back(
          {place.first, cast_.number_of[place.second], entry.client, entry.until});
    }
  }

  const history::History& history_;
  const sim::Trace& trace_;
  const Cast& cast_;
  Account account_;

  std::map<std::uint32_t, Request> requests_;              // from outside, by number
  std::map<sim::Tag, std::deque<std::uint32_t>> waiting_;  // at their servers, without an answer
  std::map<std::pair<ProcessId, KeyId>, Tenure> current_;  // by client and key
  std::map<std::pair<KeyId, ProcessId>, Entry> entries_;
  std::vector<TenureId> last_granted_;  // by client; 0: none was
  std::map<ProcessId, TenureId> said_;  // what each client believes to hold
  std::set<TenureId> told_;             // which of them were believed in
  std::map<std::string, Role, std::less<>> forms_;
  TenureId tenures_ = 0;
  std::vector<Placed> placed_;
};

}  // namespace

Account account_of(const history::History& history, const sim::Trace& trace, const Cast& cast) {
  return Accountant(history, trace, cast).account();
}

}  // namespace picklock::outside
