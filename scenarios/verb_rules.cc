#include "scenarios/verb_rules.h"

#include "models/verbs.h"

namespace picklock::scenarios {
namespace {

using sim::Verb;

constexpr std::string_view kClientsOnly = "only a client has threads of its own";
constexpr std::string_view kNoClock = "the resource reads no clock";
constexpr std::string_view kRedisOnly = "only a Redis server evicts keys";
constexpr std::string_view kMasterDecides =
    "a replica forgets only what its primary tells it to forget";
constexpr std::string_view kNoTalk = "no step of a client is a message to a Sentinel";
constexpr std::string_view kPrimaryOnly = "only a primary can fail over to a replica";
constexpr std::string_view kElectsItself =
    "an ensemble elects its leader by itself: crash the leader instead";
constexpr std::string_view kNoSession = "only a client has a session";
constexpr std::string_view kSentOnce = "a ZooKeeper client sends nothing a second time";
constexpr std::string_view kDriverSendsOnce = "a MySQL driver sends nothing a second time";
constexpr std::string_view kNeverSteps = "the lease store uses a clock that never steps";

using Reasons = decltype(VerbRules::inapplicable);
using Special = std::initializer_list<std::pair<TargetKind, std::string_view>>;

Reasons but_not(Special special, Reasons reasons = {}) {
  for (const auto& [kind, reason] : special) reasons[static_cast<std::size_t>(kind)] = reason;
  return reasons;
}

// `special` has the reasons of some other kinds.
Reasons only(std::initializer_list<TargetKind> kinds, std::string_view reason,
             Special special = {}) {
  Reasons reasons;
  reasons.fill(reason);
  for (const TargetKind kind : kinds) reasons[static_cast<std::size_t>(kind)] = {};
  return but_not(special, reasons);
}

const std::array<VerbRules, models::kVerbCount>& all_rules() {
  static const std::array<VerbRules, models::kVerbCount> rules = {{
      {.verb = Verb::pause,
       .lasting = Lasting::required,
       .meaning = "the process runs nothing while time passes: timers fire late, sockets fill"},
      {.verb = Verb::crash,
       .lasting = Lasting::optional,
       .allowed = {"host", "silent", "keeps"},
       .meaning = "volatile state is lost; with `for`, the process starts again after that time"},
      {.verb = Verb::restart,
       .lasting = Lasting::optional,
       .allowed = {"keeps"},
       .meaning = "crash and start again, at once or after `for`"},
      {.verb = Verb::end_thread,
       .inapplicable = only({TargetKind::client}, kClientsOnly),
       .meaning = "the thread that takes the step ends; its process lives"},
      {.verb = Verb::step_clock,
       .required = "step",
       .inapplicable =
           but_not({{TargetKind::resource, kNoClock}, {TargetKind::store, kNeverSteps}}),
       .meaning = "the wall clock jumps by `step`, forward or back"},
      {.verb = Verb::set_clock_rate,
       .lasting = Lasting::optional,
       .required = "rate",
       .inapplicable = but_not({{TargetKind::resource, kNoClock}}),
       .meaning = "both clocks of the process run `rate` times as fast"},
      {.verb = Verb::partition,
       .lasting = Lasting::optional,
       .allowed = {"from", "one_way"},
       .meaning = "the process and `from` cannot communicate; what was sent arrives after the "
                  "partition heals"},
      {.verb = Verb::heal, .meaning = "every partition and hold of the process ends"},
      {.verb = Verb::hold,
       .lasting = Lasting::required,
       .on_message = true,
       .inapplicable = but_not({{TargetKind::sentinel, kNoTalk}}),
       .meaning = "the message of the step and all later ones in its direction of the connection "
                  "are held back"},
      {.verb = Verb::delay,
       .lasting = Lasting::required,
       .on_message = true,
       .inapplicable = but_not({{TargetKind::sentinel, kNoTalk}}),
       .meaning = "the message of the step arrives this much later"},
      {.verb = Verb::drop,
       .on_message = true,
       .inapplicable = but_not({{TargetKind::sentinel, kNoTalk}}),
       .meaning =
           "the message of the step is lost and its connection is reset: the outcome is unknown"},
      {.verb = Verb::duplicate,
       .lasting = Lasting::required,
       .on_message = true,
       .inapplicable = but_not({{TargetKind::sentinel, kNoTalk},
                                {TargetKind::zookeeper, kSentOnce},
                                {TargetKind::mysql, kDriverSendsOnce}}),
       .meaning = "the message of the step arrives a second time, this much later"},
      {.verb = models::kEvict,
       .allowed = {"key"},
       .inapplicable =
           only({TargetKind::redis}, kRedisOnly, {{TargetKind::replica, kMasterDecides}}),
       .meaning = "the server forgets `key`"},
      {.verb = models::kFailOver,
       .lasting = Lasting::optional,
       .allowed = {"to"},
       .inapplicable = only({TargetKind::redis, TargetKind::mysql}, kPrimaryOnly,
                            {{TargetKind::zookeeper, kElectsItself}}),
       .meaning = "the host of the primary stops forever and a replica is promoted, at once or "
                  "after `for`"},
      {.verb = models::kKillSession,
       .inapplicable = only({TargetKind::client, TargetKind::coordinator}, kNoSession),
       .meaning = "the lease store, the ensemble or the MySQL server ends the client's sessions"},
      {.verb = Verb::slow,
       .lasting = Lasting::required,
       .required = "step",
       .meaning = "every message that the process handles takes `step` longer"},
      {.verb = Verb::interrupt,
       .inapplicable = only({TargetKind::client}, kClientsOnly),
       .meaning = "the thread that takes the step gives up its current wait for a lock, or else "
                  "its next one"},
  }};
  return rules;
}

}  // namespace

const VerbRules& rules(sim::Verb verb) { return all_rules()[static_cast<std::size_t>(verb)]; }

std::string_view inapplicable(sim::Verb verb, TargetKind kind) {
  return rules(verb).inapplicable[static_cast<std::size_t>(kind)];
}

}  // namespace picklock::scenarios
