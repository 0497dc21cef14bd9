#include "scenarios/keys.h"

#include "keys/key_kinds.h"

namespace picklock::scenarios {

using namespace keys;
namespace {

const Keys<WorkStep>& work_keys() {
  static const Keys<WorkStep> keys = {
      without_default(
          word<WorkStep>("do", words_of(kDeeds), at<&WorkStep::deed>,
                         "what the holder does: reads the resource's value and version, waits, "
                         "writes, or announces "
                         "its fencing token (fence); must be given. It stops working when a read "
                         "or an announcement has no reply, or when the resource rejects a "
                         "request")),
      without_default(duration<WorkStep>("for", Sign::positive, at<&WorkStep::length>,
                                         "think: how long it waits; must be given")),
      word<WorkStep>(
          "mode", words_of(kWriteModes), at<&WorkStep::mode>,
          "write: a value of its own; one more than the value that it knows from its last read or "
          "accepted write (based-on-read); or the same, but rejected unless the resource still has "
          "the version that it knows (if-version)"),
  };
  return keys;
}

}  // namespace

const Keys<ClientsSpec>& clients_keys() {
  static const Keys<ClientsSpec> keys = {
      integer<ClientsSpec>("count", 1, 100'000, at<&ClientsSpec::count>,
                           "how many clients there are: client-1, client-2 and so on"),
      duration<ClientsSpec>("arrive_every", Sign::not_negative, at<&ClientsSpec::arrive_every>,
                            "time between the arrivals of two clients; client-1 arrives at 0s"),
      duration<ClientsSpec>("hold", Sign::not_negative, at<&ClientsSpec::hold>,
                            "length of the critical section when nothing disturbs it"),
      integer<ClientsSpec>(
          "writes", 0, 1'000'000, at<&ClientsSpec::writes>,
          "writes to the resource in one critical section: a single one comes at its end; several "
          "are spread evenly, the first at its start"),
      integer<ClientsSpec>("cycles", 1, 1'000'000, at<&ClientsSpec::cycles>,
                           "how often each thread acquires, works and releases"),
      integer<ClientsSpec>("threads", 1, 1000, at<&ClientsSpec::threads>,
                           "how many threads of each client want the lock"),
      duration<ClientsSpec>("threads_arrive_every", Sign::not_negative,
                            at<&ClientsSpec::threads_arrive_every>,
                            "time between the arrivals of two threads of a client"),
      integer<ClientsSpec>(
          "operators", 0, 100, at<&ClientsSpec::operators>,
          "how many of the clients, counted from the last, are operators: each takes the lock from "
          "its holder when it arrives and does nothing else"),
      word<ClientsSpec>(
          "force", {"unconditional", "conditional"}, at<&ClientsSpec::force>,
          "whether an operator takes the lock from any holder, or only from the one that it saw"),
      word<ClientsSpec>(
          "server_order", {"same", "alternating"}, at<&ClientsSpec::server_order>,
          "whether all clients go through the servers in one order, or every second client in "
          "reverse order"),
      duration<ClientsSpec>(
          "scan_every", Sign::not_negative, at<&ClientsSpec::scan_every>,
          "how often a client asks which server is the primary; 0s: only when it connects"),
      duration<ClientsSpec>("think", Sign::not_negative, at<&ClientsSpec::think>,
                            "pause of a client between two cycles"),
      duration<ClientsSpec>("write_timeout", Sign::positive, at<&ClientsSpec::write_timeout>,
                            "timeout of a client for one write or read"),
      word<ClientsSpec>(
          "find_by", {"address", "sentinel"}, at<&ClientsSpec::find_by>,
          "how a client without a connection finds the primary: at an address that the verb "
          "`fail-over` moves, or by asking Sentinels"),
      boolean<ClientsSpec>(
          "check_before_write", at<&ClientsSpec::check_before_write>,
          "whether a holder checks before each write that it still holds the lock, and writes only "
          "if it does; a write at the start of the section is not checked"),
      boolean<ClientsSpec>(
          "nested", at<&ClientsSpec::nested>,
          "whether a holder acquires the same lock again at the start of its critical section and "
          "releases this nested hold at once"),
      duration<ClientsSpec>("nested_after", Sign::not_negative, at<&ClientsSpec::nested_after>,
                            "time from the start of the critical section to the nested acquire"),
      word<ClientsSpec>(
          "progress", {"none", "set", "set-keepttl"}, at<&ClientsSpec::progress>,
          "whether a holder saves its progress in the lock's own key once it has begun its work: "
          "not at all, by SET, or by SET KEEPTTL"),
      word<ClientsSpec>(
          "effect", {"resource", "database"}, at<&ClientsSpec::effect>,
          "what a holder writes to: the resource, or a row of the lock's own database, on the "
          "session that holds the lock"),
      table<ClientsSpec>("gc", servers::gc_keys(), at<&ClientsSpec::gc>,
                         "Stop-the-world pauses of the clients."),
      tables<ClientsSpec>(
          "work", kMostSteps, at<&ClientsSpec::work>,
          [](const Value& table, WorkStep& step) {
            step.line = table.line();
            read_table(table, work_keys(), step);
          },
          [](const std::string& path, std::vector<TableDoc>& docs) {
            describe("[[" + joined(path, "work") + "]]",
                     "One step of the critical section, in place of `hold` and `writes`. Each "
                     "holder takes the steps in the order of the file, then it releases the lock.",
                     work_keys(), docs);
          }),
  };
  return keys;
}

}  // namespace picklock::scenarios
