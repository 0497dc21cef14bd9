#include <fmt/format.h>

#include "models/locks/algorithm.h"
#include "scenarios/setup.h"
#include "scenarios/verbs/kind.h"

namespace picklock::verbs {

using sim::Fault;
using sim::Verb;

namespace {

constexpr std::string_view kClientsOnly = "only a client has threads of its own";

std::string has_no_threads(const Fault& fault, const scenarios::Scenario& scenario,
                           std::span<const Fault>) {
  const models::Algorithm* algorithm = scenarios::find_algorithm(scenario);
  for (const scenarios::OneClient& one : scenario.unlike) {
    if (one.name == fault.target)
      algorithm = scenarios::find_algorithm(scenarios::setup_of(scenario, one).lock);
  }
  if (algorithm == nullptr || algorithm->uses.threads) return {};
  return fmt::format("not applicable to {}: the threads of a program are its own", fault.target);
}

Kind end_thread() {
  return {.verb = Verb::end_thread,
          .name = "end-thread",
          .meaning = "the thread that takes the step ends; its process lives",
          .rare = kClientsOnly,
          .hits_clients = true,
          .impossible = has_no_threads,
          .fault_class = FaultClass::crash,
          .drawn = {{FaultClass::crash, 2}},
          .told = [](const Fault& fault) -> Phrase { return {"end a thread of " + fault.target}; }};
}

Kind interrupt() {
  return {.verb = Verb::interrupt,
          .name = "interrupt",
          .meaning =
              "the thread that takes the step gives up its current wait for a lock, or else "
              "its next one",
          .rare = kClientsOnly,
          .hits_clients = true,
          .impossible = has_no_threads,
          .fault_class = FaultClass::crash,
          .drawn = {{FaultClass::crash, 4}},
          .told = [](const Fault& fault) -> Phrase {
            return {"interrupt a thread of " + fault.target};
          }};
}

}  // namespace

std::vector<Kind> of_threads() { return {end_thread(), interrupt()}; }

}  // namespace picklock::verbs
