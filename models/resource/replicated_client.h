// A client process's side of a replicated resource. A holder is a writer whose epoch is its fencing
// token. Before its first operation a majority of the nodes promises the epoch, and the writer
// brings the log that it recovers from them to a majority. An operation is done once a majority
// has it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/resource/access.h"
#include "models/resource/commits.h"
#include "models/resource/node.h"
#include "models/resource/replicated_log.h"
#include "picklock/lock.h"
#include "sim/caller.h"

namespace picklock::models {

// The log that a new writer recovers, of those that a majority has. It is the longest of those from
// the latest writer, or the longest of all.
enum class RecoverBy : std::uint8_t { epoch, length };

class ReplicatedClient final : public ResourceAccess {
 public:
  ReplicatedClient(sim::Simulation& simulation, sim::Process& self, std::deque<Node>& nodes,
                   Commits& commits, RecoverBy recover_by, sim::Duration patience);

  void forget() override;
  Written write(std::int64_t value, const Credentials& shown) override;
  std::optional<Seen> read(const Credentials& shown) override;
  Written announce(const Credentials& shown) override;
  Written update(WriteMode mode, std::int64_t value, Seen& seen, const Credentials& shown) override;

 private:
  struct Writer {
    history::TenureId tenure = 0;
    std::int64_t epoch = 0;
    bool leads = false;
    std::uint32_t high = 0;
    Log log;

    Seen seen() const;
  };
  struct Round;

  std::shared_ptr<Writer> writer_of(std::int64_t epoch);
  // False: it was refused, or too few answered.
  bool takes_over(const std::shared_ptr<Writer>& writer, Round& round);
  bool appends(const std::shared_ptr<Writer>& writer, const LogEntry& entry, Round& round);
  // Sends the request to all nodes at once, and waits until a majority has agreed or refused, or
  // all are done.
  void ask(const std::shared_ptr<Writer>& writer, const std::string& request, Round& result);
  std::string call(std::size_t node, Role role, const std::string& request);
  static const Promised& best(const std::vector<Promised>& logs, RecoverBy by);
  Written rejected(const Round& round, history::What what, std::uint32_t version,
                   std::uint32_t base);

  sim::Simulation& simulation_;
  sim::Process& self_;
  Commits& commits_;
  RecoverBy recover_by_;
  sim::Duration patience_;
  std::deque<sim::Caller> callers_;               // one for each node
  std::vector<sim::ProcessId> processes_;         // of the nodes
  std::vector<std::shared_ptr<Writer>> writers_;  // one for each tenure
};

}  // namespace picklock::models
