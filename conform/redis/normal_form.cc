#include "conform/redis/normal_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "conform/redis/sequence.h"

namespace picklock::conform::redis {
namespace {

using Parts = std::span<const std::string>;
using Ids = std::span<const std::int64_t>;

std::string bytes_of(const Frame& frame) {
  std::string bytes;
  put_frame(bytes, frame);
  return bytes;
}

bool before(const Frame& a, const Frame& b) { return bytes_of(a) < bytes_of(b); }

void sort(Frame& frame) { std::sort(frame.elements.begin(), frame.elements.end(), before); }

// The number of the sequence's connection with this id; any other id stays.
std::string named(std::string_view id, Ids ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (std::to_string(ids[i]) == id) return fmt::format("#{}", i + 1);
  }
  return std::string(id);
}

void in_any_order(Parts, Ids, Frame& reply) { sort(reply); }

void channels(Parts words, Ids, Frame& reply) {
  if (words.size() > 1 && lower(words[1]).ends_with("channels")) sort(reply);
}

void parameters(Parts, Ids, Frame& reply) {
  std::vector<std::pair<std::string, Frame>> pairs;
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2)
    pairs.emplace_back(reply.elements[i].text, reply.elements[i + 1]);
  std::sort(pairs.begin(), pairs.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    reply.elements[2 * i].text = pairs[i].first;
    reply.elements[2 * i + 1] = pairs[i].second;
  }
}

void scanned(Parts, Ids, Frame& reply) {
  if (reply.elements.size() == 2) sort(reply.elements[1]);
}

void one_key(Parts, Ids, Frame& reply) {
  if (!reply.null && reply.kind == '$') reply.text = "a key";
}

void client(Parts words, Ids ids, Frame& reply) {
  if (reply.kind == ':' && words.size() > 1 && lower(words[1]) == "id")
    reply.text = named(reply.text, ids);
  if (words.size() > 1 && lower(words[1]) == "getname") return;
  if (reply.kind != '$' && reply.kind != '=') return;
  // One line per connection, `id=3 addr=... name=n1`: keeps the connections of the sequence, and
  // the fields that the model knows.
  static constexpr std::string_view kKept[] = {"id",   "name",  "flags", "db",   "sub",   "psub",
                                               "ssub", "multi", "cmd",   "user", "redir", "resp"};
  std::vector<std::string> lines;
  std::string_view left = reply.text;
  while (!left.empty()) {
    std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(left.size(), line.size() + 1));
    std::string kept;
    while (!line.empty()) {
      const std::string_view field = line.substr(0, line.find(' '));
      line.remove_prefix(std::min(line.size(), field.size() + 1));
      const std::size_t equals = field.find('=');
      const std::string_view name = field.substr(0, equals);
      if (equals == std::string_view::npos ||
          std::find(std::begin(kKept), std::end(kKept), name) == std::end(kKept))
        continue;
      const std::string_view value = field.substr(equals + 1);
      kept += fmt::format("{}={} ", name, name == "id" ? named(value, ids) : std::string(value));
    }
    if (kept.starts_with("id=#")) lines.push_back(kept);
  }
  std::sort(lines.begin(), lines.end());
  reply.text = fmt::format("{}", fmt::join(lines, "\n"));
}

void hello(Parts, Ids ids, Frame& reply) {
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2) {
    if (reply.elements[i].text == "id")
      reply.elements[i + 1].text = named(reply.elements[i + 1].text, ids);
  }
}

void info(Parts, Ids, Frame& reply) {
  if (reply.kind != '$' && reply.kind != '=') return;
  static constexpr std::string_view kKept[] = {"redis_version",   "redis_mode", "loading", "role",
                                               "cluster_enabled", "db0",        "db1",     "db15"};
  std::string kept;
  std::string_view left = reply.text;
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find("\r\n"));
    left.remove_prefix(std::min(left.size(), line.size() + 2));
    const std::string_view name = line.substr(0, line.find(':'));
    if (std::find(std::begin(kKept), std::end(kKept), name) == std::end(kKept)) continue;
    // Both sides count keys and deadlines alike; the average life is an estimate of the server's
    // cycle.
    kept += line.substr(0, line.find(",avg_ttl"));
    kept += "\r\n";
  }
  reply.text = kept;
}

// A command's own description: name, words, some flags, first and last key, step.
void describe(Frame& command) {
  static constexpr std::string_view kKept[] = {"write", "readonly", "denyoom", "noscript",
                                               "pubsub"};
  if (command.elements.size() < 6) return;
  command.elements.resize(6);
  std::erase_if(command.elements[2].elements, [](const Frame& flag) {
    return std::find(std::begin(kKept), std::end(kKept), flag.text) == std::end(kKept);
  });
  sort(command.elements[2]);
}

void commands(Parts words, Ids, Frame& reply) {
  const std::string what = words.size() > 1 ? lower(words[1]) : "info";
  if (what == "count" && reply.kind == ':') reply.text = "many";
  if (what != "info" || reply.kind != '*') return;
  if (words.size() < 3) reply.elements.clear();
  for (Frame& element : reply.elements) describe(element);
}

struct Row {
  Normalisation listed;
  std::array<std::string_view, 4> commands;
  void (*rewrite)(Parts, Ids, Frame&);
};

constexpr Row kRows[] = {
    {{"order", "KEYS SMEMBERS SPOP SRANDMEMBER",
      "the order of a hash table is that of its own random seed"},
     {"keys", "smembers", "spop", "srandmember"},
     in_any_order},
    {{"parameter-order", "CONFIG GET", "likewise"}, {"config"}, parameters},
    {{"channel-order", "PUBSUB CHANNELS, SHARDCHANNELS", "likewise"}, {"pubsub"}, channels},
    {{"scan-order", "SCAN SSCAN", "likewise; a scan of few keys is over in one step"},
     {"scan", "sscan"},
     scanned},
    {{"random-key", "RANDOMKEY", "any key will do where there is one"}, {"randomkey"}, one_key},
    {{"client-ids", "CLIENT",
      "servers count connections from where they like; of CLIENT LIST, the connections of the "
      "sequence, sorted, and the fields id name flags db sub psub ssub multi cmd user redir resp"},
     {"client"},
     client},
    {{"hello-id", "HELLO", "the same id"}, {"hello"}, hello},
    {{"info", "INFO",
      "figures of one machine: redis_version, redis_mode, loading, role, cluster_enabled and the "
      "counts of keys remain"},
     {"info"},
     info},
    {{"commands", "COMMAND",
      "the model knows fewer commands; of each it is asked for, the name, the number of words, the "
      "flags write readonly denyoom noscript pubsub, and where its keys are"},
     {"command"},
     commands},
};

// These rules concern several frames.
constexpr Normalisation kOfFrames[] = {
    {"pattern-order", "PUBLISH",
     "a listener with several patterns that match is told once for each, in the order of a hash "
     "table"},
    {"unsubscribe-order", "UNSUBSCRIBE SUNSUBSCRIBE",
     "without channels it leaves them all, in the order of a hash table"},
    {"own-notifications", "HELLO 3",
     "a listener to its own changes gets some notifications before the reply, some within it and "
     "some after it"},
    {"missed-order", "SCAN SORT",
     "a scan finds dead keys in the order of a hash table, and SORT BY looks for its keys in such "
     "an order; a listener is told of each that has expired or was missed"},
};

// Frames with one cause may come in any order: their second words may differ.
bool in_one_breath(const Frame& a, const Frame& b) {
  if (!a.aggregate() || !b.aggregate() || a.elements.size() != b.elements.size() ||
      a.elements.size() < 3 || a.elements[0].text != b.elements[0].text)
    return false;
  const std::string& what = a.elements[0].text;
  if (what == "unsubscribe" || what == "sunsubscribe") return true;
  return what == "pmessage" && a.elements.size() == 4 && a.elements[2].text == b.elements[2].text &&
         a.elements[3].text == b.elements[3].text;
}

bool is_notification(const Frame& frame) {
  return frame.aggregate() && frame.elements.size() == 4 && frame.elements[0].text == "pmessage" &&
         frame.elements[2].text.starts_with("__key");
}

// Moves the keyspace notifications to `taken`, also those within other frames.
void take_notifications(std::vector<Frame>& frames, std::vector<Frame>& taken) {
  std::vector<Frame> others;
  for (Frame& frame : frames) {
    if (is_notification(frame)) {
      taken.push_back(std::move(frame));
    } else {
      take_notifications(frame.elements, taken);
      others.push_back(std::move(frame));
    }
  }
  frames = std::move(others);
}

bool notifies_of(const Frame& frame, std::string_view event) {
  if (!is_notification(frame)) return false;
  const std::string& channel = frame.elements[2].text;
  return (channel.starts_with("__keyspace@") && frame.elements[3].text == event) ||
         (channel.starts_with("__keyevent@") && channel.ends_with(event));
}

void sort_misses(std::vector<Frame>& frames) {
  const auto missed = [](const Frame& frame) {
    return notifies_of(frame, "expired") || notifies_of(frame, "keymiss");
  };
  for (auto from = frames.begin(); from != frames.end();) {
    const auto to = std::find_if_not(from, frames.end(), missed);
    std::sort(from, to, before);
    from = to == frames.end() ? to : to + 1;
  }
}

const Row* row_of(std::span<const std::string> words) {
  if (words.empty()) return nullptr;
  const std::string command = lower(words[0]);
  for (const Row& row : kRows) {
    if (std::find(row.commands.begin(), row.commands.end(), command) != row.commands.end())
      return &row;
  }
  return nullptr;
}

}  // namespace

std::span<const Normalisation> normalisations() {
  static const std::vector<Normalisation> kListed = [] {
    std::vector<Normalisation> listed;
    for (const Row& row : kRows) listed.push_back(row.listed);
    listed.insert(listed.end(), std::begin(kOfFrames), std::end(kOfFrames));
    return listed;
  }();
  return kListed;
}

void put_notifications_first(std::vector<Frame>& frames) {
  std::vector<Frame> sorted;
  take_notifications(frames, sorted);
  std::move(frames.begin(), frames.end(), std::back_inserter(sorted));
  frames = std::move(sorted);
}

void normalise_frames(std::vector<Frame>& frames) {
  sort_misses(frames);
  for (std::size_t from = 0; from < frames.size();) {
    std::size_t to = from + 1;
    while (to < frames.size() && in_one_breath(frames[from], frames[to])) ++to;
    std::vector<Frame> words;
    for (std::size_t i = from; i < to && to > from + 1; ++i) words.push_back(frames[i].elements[1]);
    std::sort(words.begin(), words.end(),
              [](const Frame& a, const Frame& b) { return a.text < b.text; });
    for (std::size_t i = 0; i < words.size(); ++i) frames[from + i].elements[1] = words[i];
    from = to;
  }
  for (Frame& frame : frames) normalise_frames(frame.elements);
}

bool is_normalised(std::span<const std::string> words) { return row_of(words) != nullptr; }

void normalise(std::span<const std::string> words, Ids ids, Frame& reply) {
  if (const Row* row = row_of(words)) row->rewrite(words, ids, reply);
}

}  // namespace picklock::conform::redis
