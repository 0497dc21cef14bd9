#include "conform/redis/comparison.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "conform/redis/normal_form.h"

namespace picklock::conform::redis {
namespace {

constexpr std::size_t kNowhere = std::string::npos;

// Replaces words that represent a connection's id by that id.
template <typename Id>
std::vector<std::string> with_ids(const std::vector<std::string>& words, Id id) {
  std::vector<std::string> replaced = words;
  for (std::string& word : replaced) {
    if (const auto connection = connection_meant(word)) word = std::to_string(id(*connection));
  }
  return replaced;
}

std::vector<Frame> frames_of(std::string_view bytes) {
  std::vector<Frame> frames;
  Frame frame;
  while (!bytes.empty() && take_frame(bytes, frame) == Framing::whole) frames.push_back(frame);
  return frames;
}

std::string bytes_of(const std::vector<Frame>& frames) {
  std::string bytes;
  for (const Frame& frame : frames) put_frame(bytes, frame);
  return bytes;
}

// Frames that subscribers get: they do not answer the command with which they may come.
bool confirmation_or_message(const Frame& frame) {
  if (!frame.aggregate() || frame.elements.empty()) return false;
  const std::string& what = frame.elements[0].text;
  return what.ends_with("subscribe") || what.ends_with("message");
}

// Whether the two sides say the same; usually they are identical.
bool same(const std::string& model, const std::string& real) {
  if (model == real) return true;
  if (model.size() != real.size()) return false;
  std::vector<Frame> ours = frames_of(model);
  std::vector<Frame> theirs = frames_of(real);
  put_notifications_first(ours);
  put_notifications_first(theirs);
  normalise_frames(ours);
  normalise_frames(theirs);
  return bytes_of(ours) == bytes_of(theirs);
}

}  // namespace

std::optional<Difference> Comparison::differ(std::uint32_t connection, const std::string& model,
                                             const std::string& real, bool words) {
  real_.look_for_end();
  const Step& step = sequence_->steps[at_];
  const auto class_of = [words](const std::string& side) {
    return words ? side : reply_class(side);
  };
  const auto line_of = [words](const std::string& side) {
    if (words) return side;
    return side.empty() ? std::string("nothing") : shown(side);
  };
  return Difference{.step = at_,
                    .connection = connection,
                    .model = {line_of(model)},
                    .real = {line_of(real)},
                    .kind = (step.passes_time() ? "" : lower(step.words[0])) + '\n' +
                            class_of(model) + '\n' + class_of(real)};
}

std::optional<Difference> Comparison::run(const Sequence& sequence, Coverage* coverage) {
  sequence_ = &sequence;
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
      if (!model_.paused()) real_.await_pause_end();
    } else if (Found found = command(step, coverage)) {
      return found;
    }
    for (std::uint32_t i = 0; i < pending_.size(); ++i) {
      if (open_[i]) pending_[i] += model_.pushed(i);
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
  if (coverage != nullptr) count(step.words, reply, state, *coverage);
  Found found = compare(step, reply);
  note_queued(step, reply);
  return found;
}

std::optional<Difference> Comparison::compare(const Step& step, const std::string& reply) {
  const std::uint32_t connection = step.connection;
  // Without an answer to wait for, another connection might be served first.
  if (reply.empty()) real_.fence_behind(connection);
  const bool executes = lower(step.words[0]) == "exec" && reply.starts_with('*');
  if (executes || is_normalised(step.words)) return compare_normalised(step, reply, executes);
  const std::string expected = std::exchange(pending_[connection], {}) + reply;
  std::string got = real_.receive(connection, expected.size());
  if (same(expected, got)) return std::nullopt;
  real_.fence();
  got += real_.rest(connection);
  return differ(connection, expected, got);
}

// For EXEC, compares the array's header first and then each element like a reply, because pushed
// messages come between the elements and are not counted (R89).
std::optional<Difference> Comparison::compare_normalised(const Step& step, const std::string& reply,
                                                         bool executes) {
  const std::uint32_t connection = step.connection;
  if (Found found = compare_pushed(connection)) return found;
  std::vector<std::int64_t> our_ids;
  std::vector<std::int64_t> their_ids;
  for (std::uint32_t i = 0; i < pending_.size(); ++i) {
    our_ids.push_back(model_.id(i));
    their_ids.push_back(real_.id(i));
  }
  std::string_view left = reply;
  if (executes) {
    const std::string header = reply.substr(0, reply.find('\n') + 1);
    left.remove_prefix(header.size());
    std::string got = real_.receive(connection, header.size());
    if (got != header) return differ(connection, header, got);
  }
  std::vector<Frame> ours;
  std::vector<Frame> theirs;
  const auto& queued = queued_[connection];
  for (Frame frame; !left.empty() && take_frame(left, frame) == Framing::whole;)
    ours.push_back(frame);
  put_notifications_first(ours);
  while (theirs.size() < ours.size()) {
    const std::optional<Frame> other = real_.receive_frame(connection);
    if (!other) {
      real_.fence();
      return differ(connection, bytes_of(ours), bytes_of(theirs) + real_.rest(connection));
    }
    theirs.push_back(*other);
    put_notifications_first(theirs);
  }
  auto command = queued.begin();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const Frame& frame = ours[i];
    if (confirmation_or_message(frame)) continue;
    // A command that subscribes has only this reply.
    const bool denied = frame.text.find("isn't allowed for a DENY BLOCKING client") != kNowhere;
    while (executes && !denied && command != queued.end() &&
           lower((*command)[0]).ends_with("subscribe"))
      ++command;
    if (executes && command == queued.end()) continue;
    const auto& words = executes ? *command++ : step.words;
    normalise(words, our_ids, ours[i]);
    normalise(words, their_ids, theirs[i]);
  }
  normalise_frames(ours);
  normalise_frames(theirs);
  // The rest belongs to an answer that CLIENT REPLY OFF has cut.
  const std::string our_form = bytes_of(ours).append(left);
  const std::string their_form = bytes_of(theirs) + real_.receive(connection, left.size());
  if (our_form == their_form) return std::nullopt;
  return differ(connection, our_form, their_form);
}

// EXEC answers the queued commands, each in its place.
void Comparison::note_queued(const Step& step, const std::string& reply) {
  auto& queued = queued_[step.connection];
  const std::string name = lower(step.words[0]);
  if (reply.ends_with("+QUEUED\r\n")) {
    queued.push_back(step.words);
  } else if (name == "exec" || name == "discard" || name == "reset" ||
             (name == "multi" && reply.ends_with("+OK\r\n"))) {
    queued.clear();
  }
}

std::optional<Difference> Comparison::compare_pushed(std::uint32_t connection) {
  const std::string expected = std::exchange(pending_[connection], {});
  std::string got = real_.receive(connection, expected.size());
  if (same(expected, got)) return std::nullopt;
  real_.fence();
  got += real_.rest(connection);
  return differ(connection, expected, got);
}

std::optional<Difference> Comparison::compare_open(std::uint32_t connection) {
  if (!open_[connection] || model_.open(connection)) return std::nullopt;
  open_[connection] = false;
  if (Found found = compare_pushed(connection)) return found;
  if (real_.ended(connection)) return std::nullopt;
  return differ(connection, "closes the connection", "leaves it open", true);
}

// The real server must not have sent anything that the model did not.
std::optional<Difference> Comparison::leftovers() {
  real_.fence();
  for (std::uint32_t i = 0; i < pending_.size(); ++i) {
    if (!open_[i]) continue;
    std::string got = real_.rest(i);
    if (!same(pending_[i], got)) return differ(i, pending_[i], got);
    if (real_.closed(i)) return differ(i, "leaves the connection open", "closes it", true);
  }
  return std::nullopt;
}

}  // namespace picklock::conform::redis
