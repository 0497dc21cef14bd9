#include "models/redis/conform/comparison.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "models/redis/conform/normal_form.h"

namespace picklock::models::redis::conform {
namespace {

// Words that stand for a connection's id become that id.
template <typename Id>
std::vector<std::string> with_ids(const std::vector<std::string>& words, Id id) {
  std::vector<std::string> replaced = words;
  for (std::string& word : replaced) {
    if (!word.starts_with(kIdWord)) continue;
    std::uint32_t connection = 0;
    const char* const first = word.data() + kIdWord.size();
    const auto [end, error] = std::from_chars(first, word.data() + word.size(), connection);
    if (error == std::errc() && connection > 0) word = std::to_string(id(connection - 1));
  }
  return replaced;
}

std::vector<Frame> frames_of(std::string_view bytes) {
  std::vector<Frame> frames;
  Frame frame;
  while (!bytes.empty() && take_frame(bytes, frame) == Framing::whole) frames.push_back(frame);
  return frames;
}

std::string bytes_of(const Frame& frame) {
  std::string bytes;
  put_frame(bytes, frame);
  return bytes;
}

std::string bytes_of(const std::vector<Frame>& frames) {
  std::string bytes;
  for (const Frame& frame : frames) put_frame(bytes, frame);
  return bytes;
}

// Whether they say the same; the common case is that they are the same.
bool same(const std::string& model, const std::string& real) {
  if (model == real) return true;
  if (model.size() != real.size()) return false;
  std::vector<Frame> ours = frames_of(model);
  std::vector<Frame> theirs = frames_of(real);
  normalise_frames(ours);
  normalise_frames(theirs);
  return bytes_of(ours) == bytes_of(theirs);
}

}  // namespace

std::optional<Difference> Comparison::differ(std::uint32_t connection, std::string model,
                                             std::string real, bool words) {
  if (std::string end = real_.obituary(); !end.empty()) {
    real = "the server " + end;
    words = true;
  }
  return Difference{at_, connection, std::move(model), std::move(real), words};
}

std::optional<Difference> Comparison::run(const Sequence& sequence, Coverage* coverage) {
  model_.begin(sequence);
  real_.begin(sequence);
  pending_.assign(sequence.connections, {});
  open_.assign(sequence.connections, true);
  queued_.assign(sequence.connections, {});
  for (at_ = 0; at_ < sequence.steps.size(); ++at_) {
    const Step& step = sequence.steps[at_];
    if (step.passes_time()) {
      model_.pass(step.pass_ms);
      real_.pass(step.pass_ms);
    } else if (Found found = command(step, coverage)) {
      return found;
    }
    for (std::uint32_t i = 0; i < pending_.size(); ++i) {
      pending_[i] += model_.pushed(i);
      if (Found found = compare_open(i)) return found;
    }
  }
  at_ = sequence.steps.empty() ? 0 : sequence.steps.size() - 1;
  return leftovers();
}

std::optional<Difference> Comparison::command(const Step& step, Coverage* coverage) {
  const std::uint32_t connection = step.connection;
  if (!open_[connection]) {
    model_.reconnect(connection);
    real_.reconnect(connection);
    open_[connection] = true;
    pending_[connection].clear();
    queued_[connection].clear();
  }
  const auto ours = with_ids(step.words, [this](std::uint32_t i) { return model_.id(i); });
  const auto theirs = with_ids(step.words, [this](std::uint32_t i) { return real_.id(i); });
  const Rule* rule = rule_of(lower(step.words[0]));
  KeyState state = KeyState::no_key;
  if (coverage != nullptr && rule != nullptr && rule->has_key() && ours.size() > 1)
    state = model_.key_state(connection, ours[1], rule->type);
  const std::string reply = model_.send(connection, ours);
  real_.send(connection, theirs);
  if (coverage != nullptr) coverage->count(step.words, reply, state);
  Found found = compare(step, reply);
  note_queued(step, reply);
  return found;
}

std::optional<Difference> Comparison::compare(const Step& step, const std::string& reply) {
  const std::uint32_t connection = step.connection;
  const auto& queued = queued_[connection];
  const bool executes = lower(step.words[0]) == "exec";
  if (is_normalised(step.words) ||
      (executes && std::any_of(queued.begin(), queued.end(),
                               [](const auto& words) { return is_normalised(words); })))
    return compare_normalised(step, reply);
  const std::string expected = std::exchange(pending_[connection], {}) + reply;
  std::string got = real_.receive(connection, expected.size());
  if (same(expected, got)) return std::nullopt;
  real_.fence();
  got += real_.rest(connection);
  return differ(connection, expected, std::move(got));
}

std::optional<Difference> Comparison::compare_normalised(const Step& step,
                                                         const std::string& reply) {
  const std::uint32_t connection = step.connection;
  if (Found found = compare_pushed(connection)) return found;
  std::vector<std::int64_t> our_ids;
  std::vector<std::int64_t> their_ids;
  for (std::uint32_t i = 0; i < pending_.size(); ++i) {
    our_ids.push_back(model_.id(i));
    their_ids.push_back(real_.id(i));
  }
  const auto& queued = queued_[connection];
  const auto in_normal_form = [&](Frame frame, const std::vector<std::int64_t>& ids) {
    if (lower(step.words[0]) == "exec") {
      std::size_t i = 0;
      for (Frame& element : frame.elements) {
        if (i < queued.size() && !element.pushed_message()) normalise(queued[i++], ids, element);
      }
    } else if (!frame.pushed_message()) {
      normalise(step.words, ids, frame);
    }
    return bytes_of(frame);
  };
  for (const Frame& ours : frames_of(reply)) {
    const std::optional<Frame> theirs = real_.receive_frame(connection);
    if (!theirs) {
      real_.fence();
      return differ(connection, bytes_of(ours), real_.rest(connection));
    }
    if (in_normal_form(ours, our_ids) != in_normal_form(*theirs, their_ids))
      return differ(connection, bytes_of(ours), bytes_of(*theirs));
  }
  return std::nullopt;
}

// What is queued is answered by EXEC, each in its place.
void Comparison::note_queued(const Step& step, const std::string& reply) {
  auto& queued = queued_[step.connection];
  const std::string name = lower(step.words[0]);
  if (reply.ends_with("+QUEUED\r\n")) {
    queued.push_back(step.words);
  } else if (name == "exec" || name == "discard" || name == "multi") {
    queued.clear();
  }
}

std::optional<Difference> Comparison::compare_pushed(std::uint32_t connection) {
  const std::string expected = std::exchange(pending_[connection], {});
  std::string got = real_.receive(connection, expected.size());
  if (same(expected, got)) return std::nullopt;
  real_.fence();
  got += real_.rest(connection);
  return differ(connection, expected, std::move(got));
}

std::optional<Difference> Comparison::compare_open(std::uint32_t connection) {
  if (!open_[connection] || model_.open(connection)) return std::nullopt;
  open_[connection] = false;
  if (Found found = compare_pushed(connection)) return found;
  if (real_.ended(connection)) return std::nullopt;
  return differ(connection, "closes the connection", "leaves it open", true);
}

// Nothing may have come that the model did not send.
std::optional<Difference> Comparison::leftovers() {
  real_.fence();
  for (std::uint32_t i = 0; i < pending_.size(); ++i) {
    if (!open_[i]) continue;
    std::string got = real_.rest(i);
    if (!same(pending_[i], got)) return differ(i, pending_[i], std::move(got));
    if (real_.closed(i)) return differ(i, "leaves the connection open", "closes it", true);
  }
  return std::nullopt;
}

}  // namespace picklock::models::redis::conform
