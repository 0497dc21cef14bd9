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

// Whether a word of a request is one of `names`. Statements put names in quotes and brackets.
bool names_one(std::string_view request, const std::set<std::string_view>& names) {
  constexpr std::string_view kBetween = " '\"`(),;=";
  for (std::size_t at = 0; at < request.size();) {
    const std::size_t end = std::min(request.find_first_of(kBetween, at), request.size());
    if (end > at && names.contains(request.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

// Whether `word` is one of the words of a request.
bool has_word(std::string_view request, std::string_view word) {
  for (std::size_t at = 0; (at = request.find(word, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    if (at > 0 && request[at - 1] == ' ' && (end == request.size() || request[end] == ' '))
      return true;
  }
  return false;
}

class Accountant {
 public:
  Accountant(const history::History& history, const sim::Trace& trace, const Cast& cast)
      : history_(history), trace_(trace), cast_(cast) {
    last_granted_.assign(cast.clients, 0);
  }

  Account account() {
    find_locks();
    for (std::size_t at = 0; at < trace_.records.size(); ++at) read(at, trace_.records[at]);
    name_steps();
    find_late_renewals();
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
  // A tenure of a client of picklock, which accompanies all that it does with a lock.
  struct Own {
    TenureId tenure = 0;
    sim::ThreadId thread = 0;
  };
  // A lock that its client has released and not taken again until `to`, a place in the trace.
  struct Free {
    sim::Instant at{};
    std::size_t from = 0;
    std::size_t to = SIZE_MAX;
  };
  // An event of the new history. Those of one place come in the order in which they were added.
  struct Placed {
    std::size_t at = 0;
    HistoryEvent event;
  };

  // A client that sent the message, or for which it is; else the process as it is numbered.
  ProcessId renumbered(ProcessId process, ProcessId client, KeyId thing = 0) const {
    if (process < cast_.first_server && client != kNobody) return client;
    if (process == cast_.resource && thing > 0) return cast_.second_thing + thing - 1;
    return cast_.number_of[process];
  }

  ProcessId client_of(sim::Tag tag) const { return cast_.client(tag); }
  bool is_outside(ProcessId process, sim::Tag tag) const {
    return process < cast_.first_server && client_of(tag) != kNobody;
  }

  // The client of a message: nobody asked for what the server has pushed, and its tag is that of
  // the client that gave the cause.
  ProcessId client_of(const TraceRecord& record) const {
    if (!is_pushed(record)) return cast_.client(record.tag);
    const auto receiver = cast_.receiver_of.find(record.message);
    return receiver == cast_.receiver_of.end() ? kNobody : receiver->second;
  }
  static bool is_pushed(const TraceRecord& record) { return record.reply && record.answers == 0; }

  // ---------------------------------------------------------------- the locks

  void find_locks() {
    if (cast_.takes == nullptr) return;
    std::set<std::string_view> taken;
    for (const TraceRecord& record : trace_.records) {
      const bool asks = record.kind == TraceKind::sent && !record.reply &&
                        record.process < cast_.first_server && record.peer != cast_.resource &&
                        !cast_.is_own(client_of(record.tag));
      if (!asks) continue;
      for (const std::string_view key : cast_.takes(trace_.payload(record))) taken.insert(key);
    }
    // In another database, orders is called db1:orders.
    const auto is_taken = [&taken](std::string_view key) {
      const bool elsewhere = key.starts_with("db") && key.find(':') != std::string_view::npos;
      return taken.contains(key) || (elsewhere && taken.contains(key.substr(key.find(':') + 1)));
    };
    for (const std::string& key : cast_.keys)
      locks_.push_back(locks_.size() < cast_.named || is_taken(key));
    std::set<KeyId> others;
    for (const HistoryEvent& event : history_) {
      if (changes_entry(event.what) && !is_lock(event.key)) others.insert(event.key);
    }
    account_.other_keys.assign(others.begin(), others.end());
  }

  bool is_lock(KeyId key) const { return key >= locks_.size() || locks_[key]; }

  // ---------------------------------------------------------------- what happened

  void read(std::size_t at, const TraceRecord& record) {
    switch (record.kind) {
      case TraceKind::sent:
        if (is_outside(record.process, record.tag) && !record.reply) {
          const Own* const own = find_own(record.tag);
          requests_[record.message] =
              own != nullptr ? Request{at, record.role, own->tenure} : Request{at, Role::none, 0};
          const sim::Protocol& protocol = *trace_.protocols[record.protocol];
          if (record.peer == cast_.resource && protocol.command != nullptr)
            say(at, client_of(record.tag), protocol.command(trace_.payload(record)));
        } else if (is_pushed(record)) {
          push(record);
        } else if (record.reply && is_outside(record.peer, record.tag)) {
          std::erase(waiting_[record.tag], record.answers);
        }
        return;
      case TraceKind::delivered:
        // Requests on one connection are served in their order.
        if (record.peer >= cast_.first_server && !record.reply &&
            requests_.contains(record.message) && find_own(record.tag) == nullptr) {
          std::deque<std::uint32_t>& waiting = waiting_[record.tag];
          if (std::find(waiting.begin(), waiting.end(), record.message) == waiting.end())
            waiting.push_back(record.message);
        }
        return;
      case TraceKind::lost:
        if (const auto told = told_of_.find(record.message); told != told_of_.end())
          ++account_.releases[told->second].lost;
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
    if (changes_entry(event.what) && !is_lock(event.key)) return;
    HistoryEvent told = event;
    if (event.what == What::acquire_invoked) own_[event.tenure] = {++tenures_, event.thread};
    if (changes_entry(event.what) && event.process < cast_.first_server) {
      tell_own(told);
    } else if (changes_entry(event.what)) {
      change(at, told);
    } else if (history::is_at_resource(event.what)) {
      use(at, told);
    } else {
      if (event.what == What::process_crashed) forget(renumbered(event.process, kNobody));
      tell_own(told);
      told.process = renumbered(event.process, kNobody);
      told.peer = renumbered(event.peer, kNobody);
    }
    placed_.push_back({at, told});
  }

  // A message to a client that has not asked for it belongs to the last release of the one that
  // gave the cause.
  void push(const TraceRecord& record) {
    const auto last = last_release_.find(client_of(record.tag));
    if (record.peer >= cast_.first_server || last == last_release_.end()) return;
    told_of_[record.message] = last->second;
    const ProcessId receiver = client_of(record);
    Release& release = account_.releases[last->second];
    const bool known = receiver == kNobody || receiver == release.client;
    if (!known &&
        std::find(release.woken.begin(), release.woken.end(), receiver) == release.woken.end())
      release.woken.push_back(receiver);
  }

  // ---------------------------------------------------------------- clients of picklock

  // nullptr: the tag is none of theirs.
  const Own* find_own(sim::Tag tag) const {
    const auto found = own_.find(tag);
    return found == own_.end() ? nullptr : &found->second;
  }

  // The deeds of such a client are in the history already. A program has the number of its client
  // as its thread, so theirs come after all clients.
  void tell_own(HistoryEvent& event) const {
    if (cast_.is_own(event.process)) {
      event.thread += cast_.clients;
      const Own* const owner = find_own(event.owner);
      event.owner = owner != nullptr ? owner->tenure : 0;
    }
    if (const Own* const own = find_own(event.tenure)) event.tenure = own->tenure;
  }

  // ---------------------------------------------------------------- programs

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
    const Own* const own = find_own(event.tenure);
    Entry& entry = entries_[{event.key, event.process}];
    const bool removed = event.what == What::entry_removed;
    const bool has_it =
        own != nullptr ? own->tenure == entry.tenure : client != kNobody && client == entry.client;
    const bool by_command = event.cause == history::Cause::command;
    const bool takes = client != kNobody && by_command &&
                       (event.what == What::entry_created ||
                        (event.what == What::entry_altered && event.passes && !has_it));
    const TenureId owner = entry.tenure;
    TenureId acts = 0;
    if (own != nullptr) {
      if (by_command) acts = own->tenure;
    } else if (client != kNobody && by_command) {
      acts = has_it ? entry.tenure : tenure_of(at, event.tenure, event.key, takes).id;
      step(event, acts);
      if (removed && has_it) release(at, event, client);
    }
    if (takes || removed) leave(event.key, entry);
    if (takes) {
      if (own == nullptr) {
        Tenure& tenure = tenure_of(at, event.tenure, event.key, false);
        ++tenure.entries;
        end_release(at, client, event.key);
        acts = tenure.id;
      }
      entry = {.tenure = acts, .client = client, .until = event.until};
      if (own == nullptr && is_granted(event.key, acts)) last_granted_[client] = acts;
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
    event.process = renumbered(event.process, kNobody);
    event.thread = thread_of(client, own);
  }

  sim::ThreadId thread_of(ProcessId client, const Own* own) const {
    if (own != nullptr) return own->thread + cast_.clients;
    return client == kNobody ? 0 : client;
  }

  bool is_granted(KeyId key, TenureId tenure) const {
    std::set<std::uint32_t> groups;
    for (auto one = entries_.lower_bound({key, 0});
         one != entries_.end() && one->first.first == key; ++one) {
      const ProcessId server = one->first.second;
      const bool alone = server >= cast_.group_of.size();
      if (one->second.tenure == tenure) groups.insert(alone ? server : cast_.group_of[server]);
    }
    return groups.size() >= cast_.quorum;
  }

  void release(std::size_t at, const HistoryEvent& event, ProcessId client) {
    last_release_[client] = account_.releases.size();
    account_.releases.push_back({.at = event.at,
                                 .key = event.key,
                                 .server = renumbered(event.process, kNobody),
                                 .client = client});
    free_[{client, event.key}].push_back({.at = event.at, .from = at});
  }

  // The client has taken the lock of this key, so that nothing is the work of a release before.
  void end_release(std::size_t at, ProcessId client, KeyId key) {
    last_release_.erase(client);
    const auto free = free_.find({client, key});
    if (free == free_.end()) return;
    for (Free& one : free->second) one.to = std::min(one.to, at);
  }

  // A copy, or what a server has found again: its owner keeps it.
  void restore(const HistoryEvent& event, Entry& entry) {
    const sim::Tag owner = event.owner != 0 ? event.owner : event.tenure;
    const ProcessId client = client_of(owner);
    const auto found = current_.find({client, event.key});
    leave(event.key, entry);
    const Own* const own = find_own(owner);
    entry = {.tenure = own != nullptr ? own->tenure : 0, .client = client, .until = event.until};
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
    const Own* const own = find_own(tag);
    event.tenure = own != nullptr               ? own->tenure
                   : client == kNobody          ? 0
                   : last_granted_[client] != 0 ? last_granted_[client]
                                                : tenure_of(at, tag, 0, false).id;
    const KeyId thing = event.key;
    if (Request* const request = request_of(tag)) {
      const bool reads = event.what == What::read_accepted || event.what == What::read_rejected;
      *request = {request->sent, reads ? Role::read : Role::write, event.tenure};
    }
    event.key = 0;
    event.peer = client == kNobody ? 0 : client;
    event.thread = thread_of(client, own);
    event.process = renumbered(event.process, kNobody, thing);
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
    if (protocol.describe == nullptr) return;
    std::string form = form_of(protocol, trace_.payload(record));
    if (role == Role::renew) {
      renewals_.insert(std::move(form));
    } else {
      forms_.emplace(std::move(form), role);
    }
  }

  // A request of the same form as one that has taken a lock is an attempt.
  void name_steps() {
    const std::set<std::string_view> locks = names_of_locks();
    for (auto& [number, request] : requests_) {
      const TraceRecord& record = trace_.records[request.sent];
      const sim::Protocol& protocol = *trace_.protocols[record.protocol];
      const bool known = request.role != Role::none || find_own(record.tag) != nullptr;
      if (known || protocol.describe == nullptr) continue;
      const auto form = forms_.find(form_of(protocol, trace_.payload(record)));
      if (form != forms_.end()) {
        request.role = form->second;
      } else if (names_one(protocol.describe(trace_.payload(record), false), locks)) {
        request.role = Role::command;
      }
    }
  }

  std::set<std::string_view> names_of_locks() const {
    std::set<std::string_view> names;
    for (const HistoryEvent& event : history_) {
      if (changes_entry(event.what) && is_lock(event.key) && event.key < cast_.keys.size())
        names.insert(cast_.keys[event.key]);
    }
    return names;
  }

  // A request of a form that has renewed a lock, and has done nothing else, is a renewal.
  void find_late_renewals() {
    if (renewals_.empty() || cast_.keys.empty()) return;
    for (const auto& [number, request] : requests_) {
      const TraceRecord& record = trace_.records[request.sent];
      const sim::Protocol& protocol = *trace_.protocols[record.protocol];
      if (protocol.describe == nullptr) continue;
      const std::string form = form_of(protocol, trace_.payload(record));
      if (!renewals_.contains(form) || forms_.contains(form)) continue;
      const std::string text = protocol.describe(trace_.payload(record), false);
      const ProcessId client = client_of(record.tag);
      for (auto free = free_.lower_bound({client, 0});
           free != free_.end() && free->first.first == client; ++free) {
        const KeyId key = free->first.second;
        if (has_word(text, cast_.keys[key])) note_late(record, key, request.sent, free->second);
      }
    }
  }

  void note_late(const TraceRecord& record, KeyId key, std::size_t sent,
                 const std::vector<Free>& all) {
    const auto last = std::find_if(all.rbegin(), all.rend(), [sent](const Free& one) {
      return one.from < sent && sent < one.to;
    });
    if (last == all.rend()) return;
    account_.late_renewals.push_back(
        {.at = record.at, .key = key, .client = client_of(record.tag), .released = last->at});
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
    const ProcessId client = client_of(record);
    record.process = renumbered(record.process, client, thing);
    record.peer = renumbered(record.peer, client, thing);
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

  std::map<sim::Tag, Own> own_;
  std::vector<bool> locks_;                                // by key; empty: all are
  std::map<std::uint32_t, Request> requests_;              // from outside, by number
  std::map<sim::Tag, std::deque<std::uint32_t>> waiting_;  // at their servers, without an answer
  std::map<std::pair<ProcessId, KeyId>, Tenure> current_;  // by client and key
  std::map<std::pair<KeyId, ProcessId>, Entry> entries_;
  std::vector<TenureId> last_granted_;             // by client; 0: none was
  std::map<ProcessId, TenureId> said_;             // what each client believes to hold
  std::set<TenureId> told_;                        // which of them were believed in
  std::map<ProcessId, std::size_t> last_release_;  // by client
  std::map<std::uint32_t, std::size_t> told_of_;   // by message: the release of which it tells
  std::map<std::pair<ProcessId, KeyId>, std::vector<Free>> free_;  // by client
  std::map<std::string, Role, std::less<>> forms_;                 // that took or released a lock
  std::set<std::string, std::less<>> renewals_;                    // that renewed one
  TenureId tenures_ = 0;
  std::vector<Placed> placed_;
};

}  // namespace

Account account_of(const history::History& history, const sim::Trace& trace, const Cast& cast) {
  return Accountant(history, trace, cast).account();
}

}  // namespace picklock::outside
