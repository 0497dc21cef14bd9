#include "explore/workers.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

namespace picklock::explore {
namespace {

constexpr std::uint64_t kNone = UINT64_MAX;

enum class Kind : std::uint32_t { whole, ended_early, not_deterministic };

// The start of a message; the sightings of a block or a text follow.
struct Header {
  Kind kind{};
  std::uint32_t items = 0;
  std::uint64_t block = 0;
  std::uint64_t end = 0;  // the first run that is not of it
  Tally tally;
};
static_assert(std::is_trivially_copyable_v<Header> && std::is_trivially_copyable_v<Sighting>);

template <typename Value>
std::string_view bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

// Memory that all workers share.
struct Workers::Shared {
  enum Stop : int { go_on, begin_no_more, end_now };
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<int> stop{go_on};
};

struct alignas(64) Workers::Slot {
  std::atomic<std::uint64_t> run{kNone};  // under way
  std::atomic<std::uint64_t> begun{0};
};

Workers::Workers(unsigned jobs, std::uint64_t runs, Make make)
    : runs_(runs), make_(std::move(make)), mapped_((jobs + 1) * sizeof(Slot)), children_(jobs) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  static_assert(sizeof(Shared) <= sizeof(Slot));
  void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  shared_ = new (memory) Shared;
  slots_ = reinterpret_cast<Slot*>(memory) + 1;
  for (unsigned i = 0; i < jobs; ++i) new (&slots_[i]) Slot;
  for (unsigned i = 0; i < jobs; ++i) start(i, std::nullopt);
}

Workers::~Workers() {
  children_.clear();
  munmap(shared_, mapped_);
}

void Workers::start(unsigned worker, std::optional<std::uint64_t> block) {
  children_[worker] = std::make_unique<Child>(
      [this, worker, block](const Child::Send& send) { work(worker, block, send); });
}

// ---------------------------------------------------------------- in a worker

void Workers::work(unsigned worker, std::optional<std::uint64_t> block, const Child::Send& send) {
  if (block && !make_block(worker, *block, send)) return;
  while (shared_->stop == Shared::go_on) {
    const std::uint64_t next = shared_->next_block++;
    if (next * kBlock >= runs_ || !make_block(worker, next, send)) return;
  }
}

// False: it is to end.
bool Workers::make_block(unsigned worker, std::uint64_t number, const Child::Send& send) {
  const auto skipped = crashed_.find(number);
  Slot& mine = slots_[worker];
  Block block;
  const std::uint64_t end = std::min(runs_, (number + 1) * kBlock);
  Header header{.kind = Kind::whole, .items = 0, .block = number, .end = end, .tally = {}};
  try {
    for (std::uint64_t run = number * kBlock; run < end; ++run) {
      if (shared_->stop == Shared::end_now) {
        header.kind = Kind::ended_early;
        header.end = run;
        break;
      }
      if (skipped != crashed_.end() && skipped->second.contains(run)) continue;
      mine.run = run;
      ++mine.begun;
      make_(run, block);
    }
  } catch (const NotDeterministic& error) {
    const std::string words = error.what();
    mine.run = kNone;
    header.kind = Kind::not_deterministic;
    header.items = static_cast<std::uint32_t>(words.size());
    send(std::string(bytes_of(header)) + words);
    return false;
  }
  mine.run = kNone;
  header.tally = block.tally;
  header.items = static_cast<std::uint32_t>(block.sightings.size());
  std::string message(bytes_of(header));
  for (const Sighting& one : block.sightings) message += bytes_of(one);
  return send(message) && header.kind == Kind::whole;
}

// ---------------------------------------------------------------- in their parent

void Workers::watch(std::vector<pollfd>& all) const {
  for (const auto& child : children_) {
    if (child) all.push_back({.fd = child->descriptor(), .events = POLLIN, .revents = 0});
  }
}

void Workers::update() {
  for (unsigned i = 0; i < children_.size(); ++i) {
    if (!children_[i]) continue;
    const bool lives = children_[i]->read();
    take_messages(children_[i]->received());
    if (!lives) bury(i);
  }
}

void Workers::take_messages(std::string& received) {
  std::size_t at = 0;
  while (received.size() - at >= sizeof(Header)) {
    Header header;
    std::memcpy(&header, received.data() + at, sizeof header);
    const bool words = header.kind == Kind::not_deterministic;
    const std::size_t size = header.items * (words ? 1 : sizeof(Sighting));
    if (received.size() - at < sizeof header + size) break;
    at += sizeof header;
    if (words) {
      differs_ = received.substr(at, size);
    } else {
      Came& came = came_[header.block];
      came.end = header.end;
      Block& block = came.block;
      block.tally = header.tally;
      block.sightings.resize(header.items);
      if (size > 0) std::memcpy(block.sightings.data(), received.data() + at, size);
      if (header.kind == Kind::ended_early) last_ = std::min(last_.value_or(kNone), header.block);
    }
    at += size;
  }
  received.erase(0, at);
}

// One that crashed is followed by another, which makes its block again without that run.
void Workers::bury(unsigned worker) {
  const std::string how = children_[worker]->died_of();
  children_[worker].reset();
  const std::uint64_t run = slots_[worker].run.exchange(kNone);
  if (run == kNone) {
    // Another's orderly end takes nothing back.
    if (!how.empty()) broken_ = how;
    return;
  }
  if (dropped_) return;
  crashed_[run / kBlock][run] = how.empty() ? "exit status 0" : how;
  start(worker, run / kBlock);
}

std::optional<Workers::Made> Workers::next() {
  if (!differs_.empty()) throw NotDeterministic(differs_);
  if (!broken_.empty()) throw std::runtime_error("a process that makes runs ended: " + broken_);
  const auto first = came_.find(next_);
  if (first == came_.end() || (last_ && next_ > *last_)) {
    const bool asked_to = shared_->stop != Shared::go_on;
    if (all_done() && !asked_to && next_ * kBlock < runs_)
      throw std::runtime_error("the processes that make runs ended before all were made");
    return std::nullopt;
  }
  Made made{.crashed = {}, .block = std::move(first->second.block)};
  for (const auto& [run, how] : crashed_[next_]) {
    if (run < first->second.end) made.crashed.push_back({.run = run, .how = how});
  }
  crashed_.erase(next_);
  came_.erase(first);
  ++next_;
  return made;
}

void Workers::stop(bool now) {
  const int wanted = now ? Shared::end_now : Shared::begin_no_more;
  if (shared_->stop < wanted) shared_->stop = wanted;
}

void Workers::drop() {
  stop(true);
  dropped_ = true;
}

bool Workers::all_done() const {
  return std::all_of(children_.begin(), children_.end(),
                     [](const auto& child) { return child == nullptr; });
}

bool Workers::over() const {
  if (dropped_) return all_done();
  if (!differs_.empty() || !broken_.empty()) return false;
  return all_done() && (!came_.contains(next_) || (last_ && next_ > *last_));
}

std::uint64_t Workers::begun() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < children_.size(); ++i) sum += slots_[i].begun;
  return sum;
}

}  // namespace picklock::explore
