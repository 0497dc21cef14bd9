#include "cli/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "cli/console.h"
#include "cli/layout.h"
#include "reports/json.h"
#include "reports/mermaid.h"
#include "reports/perfetto.h"
#include "reports/run_page.h"

namespace picklock::cli {

Results::Results(const RunOptions& options)
    : options_(options), form_(text_options(options.color)) {}

std::string Results::repeat_command(std::uint64_t seed) const {
  std::string command = fmt::format("picklock run {} --seed {}", repeatable(scenario()), seed);
  for (const std::string& change : options_.changes) command += " --set " + shell_quoted(change);
  return command;
}

void Results::put_text(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  put(wrote_ ? "\n" + text : text);
  wrote_ = true;
}

void Results::add(const scenarios::Outcome& outcome, const std::vector<double>& seconds) {
  const std::string repeat = repeat_command(outcome.run.seed);
  if (!options_.html.empty()) write_file(options_.html, reports::run_page(outcome, repeat));
  if (options_.format == "junit") {
    junit_.add(outcome, repeat, seconds);
  } else if (options_.format == "json") {
    json_.push_back(reports::json(outcome));
  } else if (options_.format == "mermaid") {
    put_text(reports::mermaid(outcome, repeat));
  } else if (options_.format == "perfetto") {
    put_text(reports::perfetto(outcome));
  } else if (!options_.quiet || !outcome.as_expected()) {
    form_.repeat_command = repeat;
    form_.detail = options_.all ? reports::Detail::everything : reports::Detail::what_matters;
    put_text(reports::timeline(outcome, form_));
  }
  if (outcome.as_expected()) {
    ++as_expected_;
  } else {
    not_as_expected_.push_back(scenario());
  }
  running_ = false;
  ++next_;
}

void Results::add_error(const std::string& kind, const std::string& problem) {
  if (options_.format == "junit") {
    junit_.add_error(scenario(), kind, problem);
  } else if (options_.format == "json" && options_.scenarios.size() > 1) {
    json_.push_back(reports::json_error(scenario(), problem));
  }
  running_ = false;
  ++next_;
}

void Results::refuse(const std::string& problem) {
  complain(problem);
  ++refused_;
  add_error("cannot be run", problem);
}

void Results::cut_off(const std::string& why) {
  std::string line = why;
  if (running_) line += " in " + scenario();
  if (running_) {
    ++cut_off_;
    add_error("cut off", why + " before the run had ended");
  }
  for (; !is_complete(); ++not_run_) add_error("not run", why + " before the run began");
  if (not_run_ > 0) line += fmt::format("; {} more not run", not_run_);
  complain(line);
}

std::string Results::progress(Seconds passed) const {
  std::string line;
  if (options_.scenarios.size() > 1)
    line = fmt::format("{} of {}: ", next_ + 1, options_.scenarios.size());
  line += fmt::format("{}, {:.0f} s", is_complete() ? "" : scenario(), passed.count());
  if (!options_.time_limit.empty()) line += fmt::format(" of at most {} s", options_.time_limit);
  return line;
}

std::string Results::summary(Seconds passed) const {
  const std::size_t all = options_.scenarios.size();
  std::vector<std::string> parts;
  const auto count = [&parts](std::size_t number, const char* what) {
    if (number > 0) parts.push_back(fmt::format("{} {}", number, what));
  };
  count(as_expected_, "as expected");
  count(not_as_expected_.size(), "not as expected");
  count(refused_, "could not be run");
  count(cut_off_, "cut off");
  count(not_run_, "not run");
  std::string text = fmt::format("{} scenario{}: {}; {:.1f} s\n", all, all == 1 ? "" : "s",
                                 fmt::join(parts, ", "), passed.count());
  if (!not_as_expected_.empty())
    text += fmt::format("not as expected: {}\n", fmt::join(not_as_expected_, ", "));
  return paragraphs(text, {.width = page_width()});
}

void Results::finish(Seconds passed) {
  if (options_.format == "junit") put(junit_.document());
  if (options_.format == "json" && options_.scenarios.size() > 1) put(reports::json_array(json_));
  if (options_.format == "json" && options_.scenarios.size() == 1 && !json_.empty()) put(json_[0]);
  if (options_.scenarios.size() == 1 && !options_.quiet) return;
  if (options_.format == "text") {
    put_text(summary(passed));
  } else {
    std::fputs(summary(passed).c_str(), stderr);
  }
}

int Results::status() const {
  if (refused_ + cut_off_ + not_run_ > 0) return kBadInput;
  return not_as_expected_.empty() ? kAsExpected : kNotAsExpected;
}

}  // namespace picklock::cli
