#include "scenarios/scenario_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <vector>

#include "keys/nearest.h"
#include "models/servers/kind.h"
#include "scenarios/keys.h"
#include "scenarios/process_kinds.h"
#include "scenarios/verbs/kind.h"

namespace picklock::scenarios {

using keys::describe;
using keys::Key;
using keys::KeyDoc;
using keys::listed;
using keys::TableDoc;
using keys::Words;
using keys::write_table;
namespace {

constexpr std::string_view kIntroduction = R"(# The scenario file

A scenario is one TOML file: a lock, its servers and clients, the faults, and the expected result. The documented
failures in `scenarios/` are such files, and so is every counterexample that a search finds. Run one with
`picklock run FILE`, or by its name if it is shipped. `--set KEY=VALUE` changes one key for one run, for example
`--set clients.count=5` or `--set fault.1.for=3s`; faults are counted from 1, and a bare word is text. Another moment
or verb of a fault takes the place of the one in the file: `--set fault.1.at=2s` where the file says `before`.
The keys that narrow a step then go as well.

)";

constexpr std::string_view kBeforeExample =
    R"(This page is generated from the tables by which the loader reads files.

## An example

```toml
)";

constexpr std::string_view kExample = R"(format = 1
title  = "Client-1 reads its own token, pauses and deletes its successor's key"

[lock]
algorithm = "set-px-check-delete"
ttl = "10s"

[clients]
count = 3
hold = "4s"

[[fault]]
pause = "client-1"
before = "release.sent"    # the command that deletes: DEL here, a script in the twin
for = "8s"

[expect]                   # every property that is not listed must hold
violated = ["own-release", "mutual-exclusion", "loss-noticed", "resource-exclusion"]

[[twin]]                   # the same file with one change: the failure must not happen
lock.algorithm = "lua-check-delete"
violated = []
)";

constexpr std::string_view kTriggers = R"(## When a fault strikes

Every fault has exactly one trigger.

- `before = "ROLE.PHASE"` or `after = "ROLE.PHASE"`: a step of a client. The role says what a command is for, whatever
  command it is: `acquire`, `renew`, `check`, `release`, `write`, `subscribe`, `watch`. `picklock list algorithms` lists
  the roles of each lock; `read` is a role if `clients.work` reads. The phase says where the message is: `sent` by the
  client, `applied` by the server, `replied` when the client reads the reply.
- `before = "mark:NAME"` or `after = "mark:NAME"`: a named place in the algorithm at which it sends nothing.
- `at = "3.2s"`: a time of the run. A time misses a short window as soon as any timing changes; prefer a step.
- `before = "message.sent"`: a message that the process of the verb sends and that belongs to no step, such as a
  heartbeat, a notification or the stream to a replica. With `on` only messages to that process count.

`nth`, `by`, `on` and `command` narrow a step; a mark takes `nth` and `by` only, a message `nth` and `on`, a time none of
them. `hold`, `delay`, `drop` and `duplicate` act on a message: that of their step, with phase `sent` for the request or
`applied` for the reply, or one that belongs to no step. Their process narrows the step: of a client, it is the client's
own message; of a server, a message to or from that server.

)";

// Words in lines of at most 120 characters.
std::string paragraph(const std::string& text) {
  constexpr std::size_t kWidth = 120;
  std::string lines;
  std::size_t length = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool fits = length + 1 + word.size() <= kWidth;
    if (length > 0) lines += fits ? ' ' : '\n';
    length = word.size() + (length > 0 && fits ? length + 1 : 0);
    lines += word;
  }
  return lines + "\n\n";
}

std::string write_values() {
  std::vector<std::string_view> processes;
  std::string coordinators;
  for (const servers::Kind* server : servers::kinds()) {
    processes.push_back(server->processes);
    if (server->coordinator != nullptr) {
      coordinators += fmt::format("Some locks on {} have a process `{}`. ", server->title,
                                  server->coordinator->name);
    }
  }
  return paragraph(fmt::format(
      "A duration is a text with one number and one unit (`ns`, `us`, `ms`, `s`, `m`, `h`), such "
      "as `\"1.5s\"`. A process is `client-1` to `client-N`, `resource` (`resource-1` to "
      "`resource-N` if it is replicated), or a server: {}. {}"
      "A key that a table does not list is an error. A file is at most 1 MiB long.",
      fmt::join(processes, "; "), coordinators));
}

std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string code(std::string_view text) {
  return text.empty() ? std::string() : fmt::format("`{}`", cell(text));
}

void write_table(std::string& page, const TableDoc& table) {
  page +=
      table.header.empty() ? "## Top of the file\n\n" : fmt::format("## `{}`\n\n", table.header);
  if (!table.meaning.empty()) page += table.meaning + "\n\n";
  page += "| key | type | default | meaning |\n|---|---|---|---|\n";
  for (const KeyDoc& key : table.keys) {
    page += fmt::format("| `{}` | {} | {} | {} |\n", key.name, cell(key.type), code(key.fallback),
                        cell(key.meaning));
  }
  page += "\n";
}

std::string targets_of(const verbs::Kind& verb) {
  Words kinds;
  for (const servers::ProcessKind* kind : process_kinds()) {
    if (verbs::inapplicable(verb.verb, *kind).empty()) kinds.push_back(kind->name);
  }
  return listed(kinds);
}

std::string keys_of(const verbs::Kind& verb) {
  std::vector<std::string> keys;
  if (verb.lasting == verbs::Lasting::required) keys.emplace_back("**`for`**");
  if (verb.lasting == verbs::Lasting::optional) keys.emplace_back("`for`");
  if (!verb.required.empty()) keys.push_back(fmt::format("**`{}`**", verb.required));
  for (const std::string_view key : verb.allowed) keys.push_back(code(key));
  return listed(Words(keys.begin(), keys.end()));
}

void write_verbs(std::string& page) {
  page +=
      "## Verbs\n\nThe keys are those that a verb takes besides its trigger; the bold ones must be "
      "given.\n\n| verb | hits | keys | meaning |\n|---|---|---|---|\n";
  for (const verbs::Kind& verb : verbs::kinds()) {
    page += fmt::format("| `{}` | {} | {} | {} |\n", verb.name, targets_of(verb), keys_of(verb),
                        cell(verb.meaning));
  }
  page += "\n";
}

}  // namespace

std::string format_reference() {
  std::vector<TableDoc> tables;
  describe("", "", scenario_keys(), tables);
  for (const Key<Scenario>& key : scenario_keys()) {
    if (key.nested) key.nested("", tables);
  }
  std::string page =
      fmt::format("{}{}{}{}```\n\n", kIntroduction, write_values(), kBeforeExample, kExample);
  for (const TableDoc& table : tables) {
    if (table.keys.empty()) continue;
    write_table(page, table);
    if (table.header == "[[fault]]") {
      page += kTriggers;
      write_verbs(page);
    }
  }
  page.pop_back();
  return page;
}

}  // namespace picklock::scenarios
