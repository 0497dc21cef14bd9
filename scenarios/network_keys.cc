#include <fmt/ranges.h>

#include <limits>

#include "keys/key_kinds.h"
#include "scenarios/bounds.h"
#include "scenarios/keys.h"

namespace picklock::scenarios {

using namespace keys;
namespace {

void read_latency(const Value& value, Latency& latency) {
  if (!value.is_array()) {
    latency.low = latency.high = value.duration(Sign::not_negative);
    return;
  }
  const std::vector<Value> bounds = value.elements();
  if (bounds.size() != 2) value.fail("must be one duration, or two: the minimum and the maximum");
  latency.low = bounds[0].duration(Sign::not_negative);
  latency.high = bounds[1].duration(Sign::not_negative);
  if (latency.high < latency.low) value.fail("the maximum is less than the minimum");
}

const Keys<Latency>& latency_keys() {
  static const Keys<Latency> keys = {
      {.name = "latency",
       .type = "duration or [minimum, maximum]",
       .meaning =
           "how long a message takes in one direction; of two bounds, drawn evenly between them",
       .read = read_latency,
       .show =
           [](const Latency& latency) {
             std::string low = as_toml(to_text(latency.low));
             if (latency.low == latency.high) return low;
             return fmt::format("[{}, {}]", low, as_toml(to_text(latency.high)));
           },
       .nested = {}},
      integer<Latency>("tail_one_in", 0, 1'000'000'000, at<&Latency::tail_one_in>,
                       "on average, one message in this many takes much longer; 0: none"),
      needing(duration<Latency>("tail_high", Sign::not_negative, at<&Latency::tail_high>,
                                "longest time that such a message takes"),
              {.other = "tail_one_in",
               .met = [](const Latency& latency) { return latency.tail_one_in > 0; },
               .else_what = "while `tail_one_in` is 0"}),
  };
  return keys;
}

const Keys<Link>& link_keys() {
  static const Keys<Link> keys = [] {
    Keys<Link> made = {
        text<Link>("from", at<&Link::from>, "a process; must be given"),
        text<Link>("to", at<&Link::to>, "another process; must be given"),
    };
    add_lifted(made, latency_keys(), at<&Link::latency>);
    for (Key<Link>& key : made) {
      if (key.name == "latency") key = without_default(key);
    }
    made.push_back(boolean<Link>("both", at<&Link::both>,
                                 "whether the latency applies in the other direction as well"));
    return made;
  }();
  return keys;
}

std::vector<std::uint64_t> read_numbers(const Value& value) {
  constexpr std::size_t kMostChanges = 1000;
  const std::vector<Value> elements = value.elements();
  if (elements.size() > kMostChanges)
    value.fail(fmt::format("must not have more than {} numbers", kMostChanges));
  std::vector<std::uint64_t> numbers;
  for (const Value& element : elements)
    numbers.push_back(static_cast<std::uint64_t>(element.integer(1, 1'000'000'000)));
  return numbers;
}

}  // namespace

const Keys<Network>& network_keys() {
  static const Keys<Network> keys = [] {
    Keys<Network> made;
    add_lifted(made, latency_keys(), at<&Network::latency>);
    made.push_back(needing(
        word<Network>("order", {"drawn", "any"}, at<&Network::order>,
                      "how long a message takes between the bounds of its latency: a time drawn "
                      "from the seed; or any: the minimum, and a `delay` within the bounds is no "
                      "fault, but one of the orders in which the network may deliver"),
        {.other = "latency",
         .met = has_bounds,
         .else_what = "while every latency is a single duration"}));
    made.push_back(needing(
        integer<Network>("priorities", 0, std::numeric_limits<std::int64_t>::max(),
                         at<&Network::priorities>,
                         "number from which the priority of each connection is drawn, in each "
                         "direction; the lower it is, the more of the time between the bounds its "
                         "messages take; 0: none"),
        {.other = "order",
         .met = [](const Network& network) { return network.order == Order::any; },
         .else_what = "unless `order` is any"}));
    made.push_back(needing(
        Key<Network>{
            .name = "priority_changes",
            .type = "array of whole numbers, 1 to 1000000000",
            .meaning = "the messages, counted over the whole run, at which the priority of their "
                       "connection falls below all that are drawn",
            .read = [](const Value& value,
                       Network& network) { network.priority_changes = read_numbers(value); },
            .show =
                [](const Network& network) {
                  return fmt::format("[{}]", fmt::join(network.priority_changes, ", "));
                },
            .nested = {}},
        {.other = "priorities",
         .met = [](const Network& network) { return network.priorities != 0; },
         .else_what = "while `priorities` is 0"}));
    made.push_back(
        duration<Network>("break_after", Sign::not_negative, at<&Network::break_after>,
                          "a connection that could not deliver for this long breaks; 0s: never"));
    made.push_back(
        with_needs<Network>(tables<Network>(
                                "link", kMostLinks, at<&Network::links>,
                                [](const Value& table, Link& link) {
                                  link.line = table.line();
                                  read_table(table, link_keys(), link);
                                },
                                [](const std::string& path, std::vector<TableDoc>& docs) {
                                  describe("[[" + joined(path, "link") + "]]",
                                           "Latency between two processes, instead of the "
                                           "network's. `latency` must be given.",
                                           link_keys(), docs);
                                }),
                            link_keys(), at<&Network::links>));
    return made;
  }();
  return keys;
}

}  // namespace picklock::scenarios
