#include "reports/mermaid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>

#include "reports/columns.h"
#include "reports/joined_rows.h"
#include "reports/narrator.h"
#include "reports/story.h"

namespace picklock::reports {
namespace {

using sim::ProcessId;

// Mermaid ends a label at `;`, reads `#` as the start of an entity and `%%` as a comment, and hands
// what is between angle brackets to the browser.
std::string label(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case ';':
        out += ',';
        break;
      case '#':
        out += "no.";
        break;
      case '<':
        out += '(';
        break;
      case '>':
        out += ')';
        break;
      case '%':
        out += out.ends_with('%') ? " %" : "%";
        break;
      default:
        out += c;
    }
  }
  return out;
}

class Diagram {
 public:
  explicit Diagram(const Run& run) : run_(run), narrator_(run), story_(tell(run, narrator_)) {}

  std::string draw() {
    out_ = "sequenceDiagram\n";
    const std::string& title =
        run_.scenario.title.empty() ? run_.scenario.name : run_.scenario.title;
    if (!title.empty()) line("title " + label(title));
    participants();
    for (const Row& row : story_.rows) tell_row(row);
    return std::move(out_);
  }

 private:
  void line(std::string_view text) { out_ += fmt::format("    {}\n", text); }

  // Servers, clients, then the resource, as the drawings of such stories usually have them.
  void participants() {
    constexpr std::string_view kLetters = "csr";
    std::map<char, std::size_t> count;
    for (const ProcessId process :
         taking_part(story_, narrator_, {Side::server, Side::client, Side::resource})) {
      const char letter = kLetters[static_cast<std::size_t>(narrator_.side(process))];
      ids_[process] = fmt::format("{}{}", letter, ++count[letter]);
      line(fmt::format("participant {} as {}", ids_[process],
                       label(narrator_.process(process)) +
                           (narrator_.is_operator(process) ? " (operator)" : "")));
    }
  }

  std::string id(ProcessId process) const {
    const auto id = ids_.find(process);
    return id == ids_.end() ? ids_.begin()->second : id->second;
  }

  void message(ProcessId from, std::string_view arrow, ProcessId to, std::string_view text) {
    line(fmt::format("{}{}{}: {}", id(from), arrow, id(to), label(text)));
  }

  void note(ProcessId over, std::string_view text) {
    line(fmt::format("Note over {}: {}", id(over), label(text)));
  }
  void note(ProcessId over, ProcessId and_over, std::string_view text) {
    if (over == and_over) return note(over, text);
    line(fmt::format("Note over {},{}: {}", id(over), id(and_over), label(text)));
  }

  void tell_row(const Row& row) {
    if (ids_.empty()) return;
    const std::string meaning = consequence(row);
    switch (row.kind) {
      case RowKind::exchange:
        message(row.from, "->>", row.to,
                addressed(row, narrator_) + (row.complete ? "" : " arrives"));
        answers(row);
        break;
      case RowKind::departure:
        message(row.from, "-)", row.to, addressed(row, narrator_) + " leaves");
        break;
      case RowKind::lost:
        message(row.from, "-x", row.to, addressed(row, narrator_) + meaning);
        break;
      case RowKind::reply:
        message(row.from, "-->>", row.to, addressed(row, narrator_) + meaning);
        break;
      case RowKind::fold:
        note(row.from, row.to, row.text);
        break;
      case RowKind::event:
      case RowKind::fault:
        note(row.from, row.more.empty() ? row.from : row.more.back(),
             instant(row.at) + " " + row.text + meaning);
        break;
      case RowKind::violation:
        violation(row);
        break;
      case RowKind::gap:
        note(ids_.begin()->first, row.text);
        break;
      case RowKind::end:
        break;
    }
  }

  // An arrow for each kind of answer, from the first server that gave it.
  void answers(const Row& row) {
    if (row.fates.empty()) {
      const std::string_view each = row.more.empty() ? "" : "each: ";
      if (!row.answer.empty())
        message(row.to, "-->>", row.from,
                fmt::format("{}{}{}", each, row.answer, consequence(row)));
      return;
    }
    for (const Fate& fate : row.fates) {
      const std::string text = told(fate, narrator_);
      if (fate.arrived && !fate.answer.empty()) {
        message(fate.servers.front(), "-->>", row.from, text);
      } else {
        message(row.from, "-)", fate.servers.front(), text);
      }
    }
    if (!row.outcome.empty()) note(row.from, row.outcome);
  }

  // "own-release: ..." becomes "own-release violated: ...".
  void violation(const Row& row) {
    std::string text = row.text;
    text.insert(std::min(text.find(':'), text.size()), " violated");
    text.insert(0, instant(row.at) + " ");
    if (row.processes.size() < 2) return note(row.from, text);
    note(row.processes[0], row.processes[1], text);
  }

  const Run& run_;
  const Narrator narrator_;
  const Story story_;
  std::map<ProcessId, std::string> ids_;
  std::string out_;
};

}  // namespace

std::string mermaid(const scenarios::Outcome& outcome, const std::string& repeat_command) {
  std::string text = Diagram(outcome.run).draw();
  if (!repeat_command.empty())
    text += fmt::format("    %% repeat: {}\n", printable(repeat_command));
  return text;
}

}  // namespace picklock::reports
