#include "models/resource/replicated_client.h"

#include <algorithm>
#include <utility>

namespace picklock::models {

using history::What;

// The answers of the nodes to one request.
struct ReplicatedClient::Round {
  std::size_t nodes = 0;
  std::size_t majority = 0;
  std::vector<std::string> agreed;
  std::size_t refused = 0;
  sim::ProcessId refused_by = 0;  // the last one
  std::size_t done = 0;
  sim::Thread* waiting = nullptr;

  bool is_decided() const {
    return agreed.size() >= majority || refused >= majority || done == nodes;
  }
  bool has_majority() const { return agreed.size() >= majority; }
  bool is_refused() const { return refused >= majority; }
};

namespace {

std::string whole_log(std::int64_t epoch, std::uint32_t high, const Log& log) {
  return replicated::store(epoch, 0, high, log);
}

}  // namespace

Seen ReplicatedClient::Writer::seen() const {
  Seen seen{.version = 1};
  for (const LogEntry& entry : log) {
    if (!entry.reads) seen = {seen.version + 1, entry.value};
  }
  return seen;
}

ReplicatedClient::ReplicatedClient(sim::Simulation& simulation, sim::Process& self,
                                   std::deque<Node>& nodes, Commits& commits, RecoverBy recover_by,
                                   sim::Duration patience)
    : simulation_(simulation),
      self_(self),
      commits_(commits),
      recover_by_(recover_by),
      patience_(patience) {
  for (Node& node : nodes) {
    callers_.emplace_back().reset(simulation, self, node.process(), node, Node::protocol());
    processes_.push_back(node.process().id());
  }
}

void ReplicatedClient::forget() {
  for (sim::Caller& caller : callers_) caller.forget();
  writers_.clear();
}

// ---------------------------------------------------------------- operations

Written ReplicatedClient::write(std::int64_t value, const Credentials& shown) {
  Seen unread;
  return update(WriteMode::unconditional, value, unread, shown);
}

std::optional<Seen> ReplicatedClient::read(const Credentials& shown) {
  const std::shared_ptr<Writer> writer = writer_of(shown.token);
  Round round;
  if (takes_over(writer, round)) {
    const std::uint32_t operation = commits_.begin(What::read_accepted, 0);
    if (appends(writer, {.operation = operation, .reads = true}, round)) return writer->seen();
  }
  rejected(round, What::read_rejected, writer->seen().version, 0);
  return std::nullopt;
}

Written ReplicatedClient::announce(const Credentials& shown) {
  const std::shared_ptr<Writer> writer = writer_of(shown.token);
  Round round;
  if (takes_over(writer, round)) return Written::accepted;
  return rejected(round, What::token_rejected, writer->seen().version, 0);
}

Written ReplicatedClient::update(WriteMode mode, std::int64_t value, Seen& seen,
                                 const Credentials& shown) {
  const std::shared_ptr<Writer> writer = writer_of(shown.token);
  Round round;
  const bool leads = takes_over(writer, round);
  const std::uint32_t current = writer->seen().version;
  // The write extends the log that the writer has, even if the holder has read an older version.
  const std::uint32_t base = mode == WriteMode::unconditional ? current : seen.version;
  if (leads && mode == WriteMode::if_version && current != seen.version) {
    commits_.reject(processes_.front(), What::write_rejected, current, base,
                    history::Cause::version);
    return Written::rejected;
  }
  if (leads) {
    const std::uint32_t operation = commits_.begin(What::write_accepted, base);
    if (appends(writer, {.operation = operation, .value = value}, round)) {
      seen = writer->seen();
      return Written::accepted;
    }
  }
  return rejected(round, What::write_rejected, current, base);
}

Written ReplicatedClient::rejected(const Round& round, What what, std::uint32_t version,
                                   std::uint32_t base) {
  if (!round.is_refused() || simulation_.scheduler.inert()) return Written::unknown;
  commits_.reject(round.refused_by, what, version, base);
  return Written::rejected;
}

// ---------------------------------------------------------------- the protocol

std::shared_ptr<ReplicatedClient::Writer> ReplicatedClient::writer_of(std::int64_t epoch) {
  const history::TenureId tenure = simulation_.scheduler.running()->tag;
  for (const std::shared_ptr<Writer>& writer : writers_) {
    if (writer->tenure == tenure && writer->epoch == epoch) return writer;
  }
  writers_.push_back(std::make_shared<Writer>());
  writers_.back()->tenure = tenure;
  writers_.back()->epoch = epoch;
  return writers_.back();
}

const Promised& ReplicatedClient::best(const std::vector<Promised>& logs, RecoverBy by) {
  return *std::max_element(logs.begin(), logs.end(),
                           [by](const Promised& one, const Promised& other) {
                             if (by == RecoverBy::epoch && one.log_epoch != other.log_epoch)
                               return one.log_epoch < other.log_epoch;
                             return one.log.size() < other.log.size();
                           });
}

bool ReplicatedClient::takes_over(const std::shared_ptr<Writer>& writer, Round& round) {
  if (writer->leads) return true;
  ask(writer, replicated::promise(writer->epoch), round);
  if (!round.has_majority()) return false;
  std::vector<Promised> logs;
  for (const std::string& answer : round.agreed) logs.push_back(replicated::read_promised(answer));
  writer->log = best(logs, recover_by_).log;
  ask(writer, whole_log(writer->epoch, 0, writer->log), round);
  writer->leads = round.has_majority();
  if (writer->leads) writer->high = static_cast<std::uint32_t>(writer->log.size());
  return writer->leads;
}

// An entry whose fate is unknown stays in the writer's log, and goes out with the next one.
bool ReplicatedClient::appends(const std::shared_ptr<Writer>& writer, const LogEntry& entry,
                               Round& round) {
  const auto after = static_cast<std::uint32_t>(writer->log.size());
  writer->log.push_back(entry);
  ask(writer, replicated::store(writer->epoch, after, writer->high, writer->log), round);
  if (round.has_majority()) writer->high = std::max(writer->high, after + 1);
  return round.has_majority();
}

// A node may have restarted, so that the connection breaks under the first request on it. Nothing
// changes if a request comes twice.
std::string ReplicatedClient::call(std::size_t node, Role role, const std::string& request) {
  for (int copies = 0;; ++copies) {
    const sim::Answer answer =
        callers_[node].call(role, patience_, [&request](sim::Payload& to) { to.append(request); });
    if (answer.status() != sim::Answer::Status::reset || copies == 1)
      return std::string(answer.bytes());
  }
}

void ReplicatedClient::ask(const std::shared_ptr<Writer>& writer, const std::string& request,
                           Round& result) {
  sim::Scheduler& scheduler = simulation_.scheduler;
  result = {};
  if (scheduler.inert()) return;
  const auto round = std::make_shared<Round>();
  round->nodes = callers_.size();
  round->majority = commits_.majority();
  const sim::Thread& asking = *scheduler.running();
  for (std::size_t i = 0; i < callers_.size(); ++i) {
    scheduler.threads().spawn(
        self_, [this, i, round, writer, request, tag = asking.tag, role = asking.role] {
          sim::Thread& thread = *simulation_.scheduler.running();
          thread.tag = tag;
          thread.role = role;
          std::string answer = call(i, role, request);
          if (answer == replicated::kMissing)
            answer = call(i, role, whole_log(writer->epoch, writer->high, writer->log));
          ++round->done;
          if (answer.starts_with(replicated::kRefused)) {
            ++round->refused;
            round->refused_by = processes_[i];
          } else if (!answer.empty() && answer != replicated::kMissing) {
            round->agreed.push_back(std::move(answer));
          }
          if (round->waiting != nullptr && round->is_decided())
            simulation_.scheduler.threads().wake(*round->waiting);
        });
  }
  struct Waits {
    Round& round;
    ~Waits() { round.waiting = nullptr; }  // the thread alone may be killed
  } waits{*round};
  while (!round->is_decided()) {
    round->waiting = scheduler.running();
    scheduler.park();
  }
  round->waiting = nullptr;
  result = *round;
}

}  // namespace picklock::models
