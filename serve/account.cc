#include "serve/account.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "properties/judge.h"

namespace picklock::serve {
namespace {

using history::HistoryEvent;
using history::KeyId;
using history::TenureId;
using history::What;
using scenarios::Run;
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
  explicit Accountant(Deployment& deployment)
      : deployment_(deployment),
        history_(deployment.simulation().recorder.history()),
        trace_(deployment.simulation().scheduler.record().tracer().trace()) {
    number_clients();
    number_processes();
  }

  Account account() {
    for (std::size_t at = 0; at < trace_.records.size(); ++at) read(at, trace_.records[at]);
    name_steps();
    write();
    judge();
    list_held();
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
    std::uint32_t client = 0;
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

  // ---------------------------------------------------------------- the clients

  void number_clients() {
    const std::vector<Caller>& callers = deployment_.callers();
    std::map<std::string, std::uint32_t, std::less<>> by_name;
    std::map<std::uint32_t, std::uint32_t> by_connection;
    client_of_.assign(callers.size(), 0);
    names_.assign(1, std::string(kClients));
    there_.assign(1, true);
    // A connection that gives itself a name has been that client from its beginning.
    std::map<std::uint32_t, std::string> named;
    for (const Caller& caller : callers) {
      if (!caller.name.empty()) named.emplace(caller.connection, caller.name);
    }
    std::set<sim::Tag> spoke;
    for (const TraceRecord& record : trace_.records) {
      if (record.kind == TraceKind::sent && !record.reply && record.process == 0)
        spoke.insert(record.tag);
    }
    for (sim::Tag tag = 1; tag < callers.size(); ++tag) {
      if (!spoke.contains(tag)) continue;
      Caller caller = callers[tag];
      if (const auto name = named.find(caller.connection);
          caller.name.empty() && name != named.end())
        caller.name = name->second;
      std::uint32_t& client =
          caller.name.empty() ? by_connection[caller.connection] : by_name[caller.name];
      if (client == 0) {
        client = static_cast<std::uint32_t>(names_.size());
        names_.push_back(name_of(caller));
        there_.push_back(false);
      }
      client_of_[tag] = client;
      there_[client] = there_[client] || caller.there;
    }
    last_granted_.assign(names_.size(), 0);
  }

  // No client has the name of a server.
  std::string name_of(const Caller& caller) const {
    if (caller.name.empty()) return "connection-" + std::to_string(caller.connection);
    bool taken = caller.name == kClients;
    for (std::size_t i = 0; i < deployment_.size(); ++i)
      taken = taken || caller.name == deployment_.served(i).name;
    return taken ? "client-" + caller.name : caller.name;
  }

  void number_processes() {
    Run& run = account_.outcome.run;
    run.outside = static_cast<std::uint32_t>(names_.size());
    run.processes = names_;
    // Behind the process that stands for all clients.
    for (std::size_t i = 0; i + 1 < deployment_.size(); ++i)
      run.processes.push_back(deployment_.served(i).name);
    first_resource_ = static_cast<ProcessId>(run.processes.size());
    const std::vector<std::string>& things = deployment_.resource().names();
    if (things.empty()) run.processes.emplace_back("resource");
    for (const std::string& thing : things) run.processes.push_back("resource-" + thing);
    resource_ = static_cast<ProcessId>(deployment_.size());
  }

  ProcessId renumbered(ProcessId process, sim::Tag tag, KeyId thing = 0) const {
    if (process == 0) return tag < client_of_.size() ? client_of_[tag] : 0;
    if (process == resource_) return first_resource_ + thing;
    return process - 1 + account_.outcome.run.outside;
  }

  std::uint32_t client_of(sim::Tag tag) const {
    return tag < client_of_.size() ? client_of_[tag] : 0;
  }

  // ---------------------------------------------------------------- what happened

  void read(std::size_t at, const TraceRecord& record) {
    switch (record.kind) {
      case TraceKind::sent:
        if (record.process == 0 && !record.reply) {
          requests_[record.message] = {.sent = at, .role = {}, .tenure = 0};
        } else if (record.reply && record.peer == 0) {
          std::erase(waiting_[record.tag], record.answers);
        }
        return;
      case TraceKind::delivered:
        // Requests on one connection are served in their order.
        if (record.peer != 0 && !record.reply && requests_.contains(record.message) &&
            std::find(waiting_[record.tag].begin(), waiting_[record.tag].end(), record.message) ==
                waiting_[record.tag].end())
          waiting_[record.tag].push_back(record.message);
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
      told.process = renumbered(event.process, 0);
      told.peer = renumbered(event.peer, 0);
    }
    placed_.push_back({at, told});
  }

  // Its request, if it came from outside and is under way.
  Request* request_of(sim::Tag tag) {
    const auto waiting = waiting_.find(tag);
    if (waiting == waiting_.end() || waiting->second.empty()) return nullptr;
    return &requests_[waiting->second.front()];
  }

  // A tenure begins where its first request was sent.
  TenureId begin(std::size_t at, sim::Tag tag, KeyId key) {
    const std::uint32_t client = client_of(tag);
    const TenureId id = ++tenures_;
    const Request* const request = request_of(tag);
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
      tenure = {.id = begin(at, tag, key), .entries = 0};
    return tenure;
  }

  void change(std::size_t at, HistoryEvent& event) {
    const std::uint32_t client = client_of(event.tenure);
    Entry& entry = entries_[{event.key, event.process}];
    const bool removed = event.what == What::entry_removed;
    const bool own = client != 0 && client == entry.client;
    const bool takes = client != 0 && event.cause == history::Cause::command &&
                       (event.what == What::entry_created ||
                        (event.what == What::entry_altered && event.passes && !own));
    const TenureId owner = entry.tenure;
    const bool by_command = event.cause == history::Cause::command;
    TenureId acts = 0;
    if (client != 0 && by_command)
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
    event.thread = client;
  }

  // A copy, or what a server has found again: its owner keeps it.
  void restore(const HistoryEvent& event, Entry& entry) {
    const sim::Tag owner = event.owner != 0 ? event.owner : event.tenure;
    const std::uint32_t client = client_of(owner);
    const auto found = current_.find({client, event.key});
    leave(event.key, entry);
    entry = {.tenure = 0, .client = client, .until = event.until};
    if (client == 0 || found == current_.end()) return;
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
    const std::uint32_t client = client_of(event.tenure);
    const sim::Tag tag = event.tenure;
    event.tenure = client == 0                  ? 0
                   : last_granted_[client] != 0 ? last_granted_[client]
                                                : tenure_of(at, tag, 0, false).id;
    const KeyId thing = event.key;
    if (Request* const request = request_of(tag)) {
      const bool reads = event.what == What::read_accepted || event.what == What::read_rejected;
      *request = {request->sent, reads ? Role::read : Role::write, event.tenure};
    }
    event.key = 0;
    event.peer = client;
    event.thread = client;
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
    Run& run = account_.outcome.run;
    run.trace.protocols = trace_.protocols;
    run.trace.bytes = trace_.bytes;
    auto next = placed_.begin();
    for (std::size_t at = 0; at < trace_.records.size(); ++at) {
      const TraceRecord& record = trace_.records[at];
      // A tenure begins before its first request leaves, and other events are where they were.
      for (; next != placed_.end() && next->at == at; ++next) record_event(next->event, record);
      if (record.kind != TraceKind::recorded) copy(record);
    }
    finish();
  }

  void record_event(const HistoryEvent& event, const TraceRecord& record) {
    Run& run = account_.outcome.run;
    const bool fault = event.what == What::fault_fired;
    run.trace.records.push_back({.at = event.at,
                                 .kind = TraceKind::recorded,
                                 .process = event.process,
                                 .peer = event.peer,
                                 .message = static_cast<std::uint32_t>(run.history.size()),
                                 .answers = fault ? record.answers : 0,
                                 .tag = event.tenure});
    run.history.push_back(event);
  }

  void copy(TraceRecord record) {
    const auto request = requests_.find(record.reply ? record.answers : record.message);
    const KeyId thing = thing_of(record);
    record.process = renumbered(record.process, record.tag, thing);
    record.peer = renumbered(record.peer, record.tag, thing);
    record.role = request != requests_.end() ? request->second.role
                  : record.role == kCommand  ? Role::none
                                             : record.role;
    record.tag = request != requests_.end() ? request->second.tenure : 0;
    account_.outcome.run.trace.records.push_back(record);
  }

  // The part of the resource that a message concerns.
  KeyId thing_of(const TraceRecord& record) const {
    const std::uint32_t number = record.reply ? record.answers : record.message;
    const auto request = requests_.find(number);
    if (request == requests_.end() || (record.process != resource_ && record.peer != resource_))
      return 0;
    // Its name is the second word.
    const TraceRecord& sent = trace_.records[request->second.sent];
    std::string form = form_of(*trace_.protocols[sent.protocol], trace_.payload(sent));
    form.erase(0, form.find(' ') + 1);
    const std::vector<std::string>& things = deployment_.resource().names();
    const auto found = std::find(things.begin(), things.end(), form);
    return found == things.end() ? 0 : static_cast<KeyId>(found - things.begin());
  }

  void finish() {
    Run& run = account_.outcome.run;
    const sim::Instant now = deployment_.simulation().now();
    record_event({.at = now, .what = What::horizon}, {});
    run.ended = now;
    run.seed = deployment_.seed();
    run.keys = deployment_.keys().names();
    run.scenario = deployment_.scenario();
    scenarios::Scenario& scenario = run.scenario;
    scenario.clients.count = run.outside;
    scenario.clients.keys = run.keys;
    scenario.servers.resource.nodes =
        static_cast<std::uint32_t>(run.processes.size()) - first_resource_;
    scenario.faults = deployment_.faults_told();
    for (const auto& firing : deployment_.simulation().nemesis.fired())
      run.fired.push_back({firing.fault, firing.at, firing.in_vain, firing.healed});
  }

  void judge() {
    Run& run = account_.outcome.run;
    properties::Context context{
        .servers = first_resource_ - run.outside, .first_server = run.outside, .group_of = {}};
    properties::Judge judge;
    const properties::Verdicts& verdicts = judge.judge(run.history, context);
    for (std::size_t i = 0; i < properties::kPropertyCount; ++i) {
      run.verdicts[i].property = static_cast<Property>(i);
      run.verdicts[i].outcome = properties::Outcome::unknown;
    }
    for (const Property property : kJudged) {
      const auto index = static_cast<std::size_t>(property);
      run.verdicts[index] = verdicts[index];
      // An event that is forgotten may have violated it.
      if (!deployment_.knows_the_beginning() &&
          verdicts[index].outcome == properties::Outcome::holds)
        run.verdicts[index].outcome = properties::Outcome::unknown;
    }
  }

  void list_held() {
    for (const auto& [place, entry] : entries_) {
      if (entry.client == 0) continue;
      account_.held.push_back(
          {.key = account_.outcome.run.keys[place.first],
           .server = account_.outcome.run.processes[renumbered(place.second, 0)],
           .client = names_[entry.client],
           .there = there_[entry.client],
           .until = entry.until});
    }
  }

  Deployment& deployment_;
  const history::History& history_;
  const sim::Trace& trace_;
  Account account_;

  std::vector<std::string> names_;        // of the clients; the first stands for all
  std::vector<bool> there_;               // whether they are connected
  std::vector<std::uint32_t> client_of_;  // by the number of the caller; 0: none
  ProcessId resource_ = 0;
  ProcessId first_resource_ = 0;  // in the account

  std::map<std::uint32_t, Request> requests_;              // from outside, by number
  std::map<sim::Tag, std::deque<std::uint32_t>> waiting_;  // at their servers, without an answer
  std::map<std::pair<std::uint32_t, KeyId>, Tenure> current_;  // by client and key
  std::map<std::pair<KeyId, ProcessId>, Entry> entries_;
  std::vector<TenureId> last_granted_;  // by client; 0: none was
  std::map<std::string, Role, std::less<>> forms_;
  TenureId tenures_ = 0;
  std::vector<Placed> placed_;
};

}  // namespace

Account account_of(Deployment& deployment) { return Accountant(deployment).account(); }

}  // namespace picklock::serve
