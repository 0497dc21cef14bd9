#include "scenarios/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

Key<ClientsSpec> lengths_of_leases() {
  return {.name = "leases",
          .type = "array of durations",
          .meaning =
              "the leases of the acquires of a thread, in turn, in place of `lock.ttl`; the "
              "last is that of all later acquires",
          .read =
              [](const Value& value, ClientsSpec& clients) {
                clients.leases.clear();
                for (const Value& one : value.elements())
                  clients.leases.push_back(one.duration(Sign::positive));
              },
          .show =
              [](const ClientsSpec& clients) {
                std::vector<std::string> all;
                for (const Duration one : clients.leases) all.push_back(to_text(one));
                return as_toml(all);
              },
          .nested = {},
          .copy = [](const ClientsSpec& from, ClientsSpec& into) { into.leases = from.leases; }};
}

bool writes(const ClientsSpec& clients) {
  return clients.work.empty() ? clients.writes > 0 : has_step(clients.work, WorkStep::Deed::write);
}

// Requests to the resource.
bool requests(const ClientsSpec& clients) {
  return has_step(clients.work, WorkStep::Deed::read) ||
         has_step(clients.work, WorkStep::Deed::fence) ||
         (writes(clients) && clients.effect == Effect::resource);
}

Needs<ClientsSpec> needs_nested() {
  return {.other = "nested",
          .met = [](const ClientsSpec& clients) { return clients.nested; },
          .else_what = "without `nested = true`"};
}

}  // namespace

const Keys<ClientsSpec>& clients_keys() {
  static const Keys<ClientsSpec> keys = {
      common(integer<ClientsSpec>("count", 1, 100'000, at<&ClientsSpec::count>,
                                  "how many clients there are: client-1, client-2 and so on"),
             "is a number of clients; set it in [clients]"),
      common(needing(duration<ClientsSpec>(
                         "arrive_every", Sign::not_negative, at<&ClientsSpec::arrive_every>,
                         "time between the arrivals of two clients; client-1 arrives at 0s"),
                     {.other = "count",
                      .met = [](const ClientsSpec& clients) { return clients.count > 1; },
                      .else_what = "while `count` is 1"}),
             "is the time between two clients; one client has `arrives_at`"),
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
      needing(duration<ClientsSpec>("threads_arrive_every", Sign::not_negative,
                                    at<&ClientsSpec::threads_arrive_every>,
                                    "time between the arrivals of two threads of a client"),
              {.other = "threads",
               .met = [](const ClientsSpec& clients) { return clients.threads > 1; },
               .else_what = "while `threads` is 1"}),
      common(integer<ClientsSpec>(
                 "operators", 0, 100, at<&ClientsSpec::operators>,
                 "how many of the clients, counted from the last, are operators: each takes the "
                 "lock from its holder when it arrives and does nothing else"),
             "is a number of clients; set it in [clients]"),
      needing(word<ClientsSpec>("force", {"unconditional", "conditional"}, at<&ClientsSpec::force>,
                                "whether an operator takes the lock from any holder, or only from "
                                "the one that it saw"),
              {.other = "operators",
               .met = [](const ClientsSpec& clients) { return clients.operators > 0; },
               .else_what = "without `operators`"}),
      common(word<ClientsSpec>(
                 "server_order", {"same", "alternating"}, at<&ClientsSpec::server_order>,
                 "whether all clients go through the servers in one order, or every second client "
                 "in reverse order"),
             "compares clients with each other; the order of one client is that of `servers`"),
      boolean<ClientsSpec>(
          "releases", at<&ClientsSpec::releases>,
          "whether a holder releases the lock at the end of its critical section. If not, it "
          "forgets the lock, as when an exception skips the release: a connection that has the "
          "lock returns to its pool, and a renewal continues"),
      texts<ClientsSpec>(
          "keys", at<&ClientsSpec::keys>,
          "the locks that a client holds at once, in place of `lock.key`: it acquires them in this "
          "order, sends each request to the resource once for each of them, and releases them in "
          "reverse order"),
      lengths_of_leases(),
      texts<ClientsSpec>(
          "servers", at<&ClientsSpec::servers>,
          "the primaries that a client uses, in this order, such as `[\"redis-1\", \"redis-2\"]`; "
          "by default it uses all"),
      duration<ClientsSpec>(
          "scan_every", Sign::not_negative, at<&ClientsSpec::scan_every>,
          "how often a client asks which server is the primary; 0s: only when it connects"),
      needing(duration<ClientsSpec>("think", Sign::not_negative, at<&ClientsSpec::think>,
                                    "pause of a client between two cycles"),
              {.other = "cycles",
               .met = [](const ClientsSpec& clients) { return clients.cycles > 1; },
               .else_what = "while `cycles` is 1"}),
      needing(
          duration<ClientsSpec>("write_timeout", Sign::positive, at<&ClientsSpec::write_timeout>,
                                "timeout of a client for one write or read"),
          {.other = "writes",
           .met = requests,
           .else_what = "on a client that sends nothing to the resource"}),
      word<ClientsSpec>(
          "find_by", {"address", "sentinel"}, at<&ClientsSpec::find_by>,
          "how a client without a connection finds the primary: at an address that the verb "
          "`fail-over` moves, or by asking Sentinels"),
      needing(boolean<ClientsSpec>(
                  "check_before_write", at<&ClientsSpec::check_before_write>,
                  "whether a holder checks before each write that it still holds the lock, and "
                  "writes only if it does; a write at the start of the section is not checked"),
              {.other = "writes", .met = writes, .else_what = "on a client that writes nothing"}),
      boolean<ClientsSpec>(
          "nested", at<&ClientsSpec::nested>,
          "whether a holder acquires the same lock again at the start of its critical section and "
          "releases this nested hold after `nested_for`"),
      needing(duration<ClientsSpec>(
                  "nested_after", Sign::not_negative, at<&ClientsSpec::nested_after>,
                  "time from the start of the critical section to the nested acquire"),
              needs_nested()),
      needing(duration<ClientsSpec>("nested_for", Sign::not_negative, at<&ClientsSpec::nested_for>,
                                    "time from the nested acquire to its release; it makes the "
                                    "critical section longer"),
              needs_nested()),
      word<ClientsSpec>(
          "progress", {"none", "set", "set-keepttl"}, at<&ClientsSpec::progress>,
          "whether a holder saves its progress in the lock's own key once it has begun its work: "
          "not at all, by SET, or by SET KEEPTTL"),
      word<ClientsSpec>(
          "effect", {"resource", "database"}, at<&ClientsSpec::effect>,
          "what a holder writes to: the resource, or a row of the lock's own database, on the "
          "session that holds the lock"),
      texts<ClientsSpec>(
          "program", at<&ClientsSpec::program>,
          "an unmodified program that is the client, and its arguments, such as `[\"python3\", "
          "\"lock.py\"]`; for a lock whose name ends with `-program` (docs/programs.md)"),
      text<ClientsSpec>("folder", at<&ClientsSpec::folder>,
                        "where the program starts; by default, and if it is a relative path, seen "
                        "from the folder of the file"),
      common(duration<ClientsSpec>("until", Sign::positive, at<&ClientsSpec::until>,
                                   "how long a run of programs lasts at most"),
             "all programs stop at the same time"),
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

// ---------------------------------------------------------------- a client that differs

namespace {

// The keys of a table, as keys of one client, which remembers which of them are its own.
template <typename Inner>
Keys<OneClient> own_keys(const Keys<Inner>& inner, auto member,
                         std::vector<std::string> OneClient::*names) {
  Keys<OneClient> all;
  add_lifted(all, inner, member);
  for (Key<OneClient>& key : all) {
    key.read = [read = key.read, name = key.name, why = key.common, names](const Value& value,
                                                                           OneClient& one) {
      if (!why.empty()) value.fail(why);
      read(value, one);
      (one.*names).push_back(name);
    };
  }
  return all;
}

}  // namespace

const Keys<OneClient>& own_lock_keys() {
  static const Keys<OneClient> keys =
      own_keys(lock_keys(), at<&OneClient::lock>, &OneClient::lock_keys);
  return keys;
}

const Keys<OneClient>& one_client_keys() {
  static const Keys<OneClient> keys = [] {
    Keys<OneClient> made = {
        text<OneClient>("name", at<&OneClient::name>, "the client; must be given"),
        duration<OneClient>("arrives_at", Sign::not_negative, at<&OneClient::arrives_at>,
                            "when it arrives, in place of its turn"),
        {.name = "lock",
         .type = "table",
         .meaning = {},
         .read = [](const Value& value,
                    OneClient& one) { read_table(value, own_lock_keys(), one); },
         .show = {},
         .nested = {}},
    };
    for (Key<OneClient>& key : own_keys(clients_keys(), at<&OneClient::clients>, &OneClient::keys))
      made.push_back(std::move(key));
    return made;
  }();
  return keys;
}

void read_client(const Value& table, OneClient& one) {
  one.line = table.line();
  read_table(table, one_client_keys(), one);
}

void describe_client(const std::string& path, std::vector<TableDoc>& docs) {
  const Keys<OneClient>& keys = one_client_keys();
  TableDoc doc{.header = "[[" + joined(path, "client") + "]]",
               .meaning =
                   "A client that differs from the others. Keys that it does not have are "
                   "those of [clients] and [lock]; a table of its own, such as `gc`, takes "
                   "the place of the whole table.",
               .keys = {}};
  for (const std::string_view name : {"name", "arrives_at"}) {
    const Key<OneClient>& key = *find(keys, name);
    doc.keys.push_back({key.name, key.type, "", key.meaning});
  }
  Words refused;
  for (const Key<ClientsSpec>& key : clients_keys()) {
    if (!key.common.empty()) refused.push_back(key.name);
  }
  doc.keys.push_back(
      {"any key of [clients]", "as in its table", "",
       "the client's own value; not " + fmt::format("`{}`", fmt::join(refused, "`, `"))});
  doc.keys.push_back(
      {"lock.any key of [lock]", "as in its table", "",
       "the client's own value, such as `lock.ttl = \"5s\"`. With another "
       "`lock.algorithm`, on the same servers, it keeps the keys of [lock] that this "
       "lock has as well"});
  docs.push_back(std::move(doc));
}

}  // namespace picklock::scenarios
