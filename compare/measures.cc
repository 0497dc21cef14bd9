#include "compare/measures.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace picklock::compare {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Histogram& histogram) {
  Json counts = Json::array();
  for (const auto& [index, count] : histogram.counts()) counts.push_back({index, count});
  return {{"longest", histogram.longest().count()}, {"counts", std::move(counts)}};
}

Histogram histogram_from(const Json& json) {
  Histogram::Counts counts;
  for (const Json& one : json.at("counts")) counts[one.at(0)] = one.at(1);
  return {std::move(counts), sim::Duration(json.at("longest").get<std::int64_t>())};
}

// Every number of one kind by its name, so that what is written is what is read.
template <typename M, typename Visit>
void numbers(M& m, const Visit& visit) {
  visit("made", m.made);
  visit("idle", m.idle);
  visit("cut_short", m.cut_short);
  visit("crashed", m.crashed);
  visit("faults", m.faults);
  visit("left_out", m.left_out);
  visit("unsafe", m.unsafe);
  visit("asked", m.asked);
  visit("granted", m.granted);
  visit("never_recovered", m.never_recovered);
  visit("wakeups", m.price.wakeups);
  visit("releases", m.price.releases);
  visit("overtaking", m.price.overtaking);
  visit("grants", m.price.grants);
  visit("messages", m.price.messages);
  visit("commands", m.price.commands);
}

template <typename M, typename Visit>
void histograms(M& m, const Visit& visit) {
  visit("latency", m.price.latency);
  visit("free", m.price.free);
  visit("handover", m.price.handover);
  visit("recovery", m.recovery);
}

}  // namespace

void PropertyCount::add(const PropertyCount& other) {
  violations += other.violations;
  broken += other.broken;
  if (other.smallest && (!smallest || *other.smallest < *smallest)) smallest = other.smallest;
}

void Price::add(const Price& other) {
  latency.add(other.latency);
  free.add(other.free);
  handover.add(other.handover);
  wakeups += other.wakeups;
  releases += other.releases;
  overtaking = std::max(overtaking, other.overtaking);
  grants += other.grants;
  messages += other.messages;
  commands += other.commands;
}

void Measures::add(const Measures& other) {
  made += other.made;
  idle += other.idle;
  cut_short += other.cut_short;
  crashed += other.crashed;
  faults += other.faults;
  left_out += other.left_out;
  unsafe += other.unsafe;
  asked += other.asked;
  granted += other.granted;
  for (std::size_t i = 0; i < properties.size(); ++i) properties[i].add(other.properties[i]);
  price.add(other.price);
  recovery.add(other.recovery);
  never_recovered += other.never_recovered;
}

Json to_json(const Sighting& one) {
  return {one.broken,         one.faults,         one.run, static_cast<int>(one.violation.property),
          one.violation.role, one.violation.other};
}

Sighting sighting_from(const Json& json) {
  return {.broken = json.at(0),
          .faults = json.at(1),
          .run = json.at(2),
          .violation = {.property = static_cast<Property>(json.at(3).get<int>()),
                        .role = json.at(4),
                        .other = json.at(5)}};
}

Json to_json(const Measures& measures) {
  Json json = Json::object();
  numbers(measures, [&](const char* name, std::uint64_t number) {
    if (number != 0) json[name] = number;
  });
  histograms(measures, [&](const char* name, const Histogram& histogram) {
    if (histogram.size() != 0) json[name] = to_json(histogram);
  });
  Json properties = Json::object();
  for (std::size_t i = 0; i < measures.properties.size(); ++i) {
    const PropertyCount& one = measures.properties[i];
    if (one.smallest)
      properties[std::to_string(i)] = {one.violations, one.broken, to_json(*one.smallest)};
  }
  json["properties"] = std::move(properties);
  return json;
}

Measures measures_from(const Json& json) {
  Measures measures;
  numbers(measures,
          [&](const char* name, std::uint64_t& number) { number = json.value(name, number); });
  histograms(measures, [&](const char* name, Histogram& histogram) {
    if (json.contains(name)) histogram = histogram_from(json.at(name));
  });
  for (const auto& [index, count] : json.at("properties").items()) {
    measures.properties.at(std::stoul(index)) = {
        .violations = count.at(0), .broken = count.at(1), .smallest = sighting_from(count.at(2))};
  }
  return measures;
}

// Its ends are where the distance from the share seen is that many standard deviations; found by
// bisection, so that no library function of doubtful last digits is needed.
Interval wilson_95(std::uint64_t hits, std::uint64_t runs) {
  if (runs == 0) return {};
  constexpr double kDeviations = 1.959963984540054;
  const auto n = static_cast<double>(runs);
  const double seen = static_cast<double>(hits) / n;
  const auto is_likely = [&](double chance) {
    const double off = seen - chance;
    return n * off * off <= kDeviations * kDeviations * chance * (1 - chance);
  };
  const auto end = [&](double outside) {
    double inside = seen;
    for (int i = 0; i < 100; ++i) {
      const double middle = (inside + outside) / 2;
      (is_likely(middle) ? inside : outside) = middle;
    }
    return inside;
  };
  return {.low = hits == 0 ? 0 : end(0), .high = hits == runs ? 1 : end(1)};
}

}  // namespace picklock::compare
