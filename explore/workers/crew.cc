#include "explore/workers/crew.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "explore/not_deterministic.h"
#include "keys/bad_input.h"

namespace picklock::explore::workers {

// The first slot's place is the flag's.
Board::Board(unsigned workers) : size((workers + 1) * sizeof(Slot)) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  hurried = new (memory) std::atomic<bool>(false);
  slots = reinterpret_cast<Slot*>(memory) + 1;
  for (unsigned i = 0; i < workers; ++i) new (&slots[i]) Slot;
}

Board::~Board() { munmap(hurried, size); }

Crew::Crew(const Options& options, Work work)
    : options_(options),
      work_(std::move(work)),
      board_(std::max(1U, options.workers)),
      workers_(std::max(1U, options.workers)) {}

// ---------------------------------------------------------------- in a worker

// An exception leaves the state of the process in doubt, so the process ends with it.
void Crew::work(Channel& channel, Board::Slot& slot) {
  constexpr std::size_t kMostWords = 512;
  Pulse pulse(board_, slot);
  while (const std::optional<Frame> task = channel.wait()) {
    try {
      const std::string result = work_(task->bytes, pulse);
      slot.item = Board::kNoItem;
      pulse.beat();
      if (!channel.send(Frame::Kind::result, result)) return;
    } catch (const NotDeterministic& error) {
      slot.item = Board::kNoItem;
      if (!channel.send(Frame::Kind::differs, error.what())) return;
    } catch (const std::exception& error) {
      channel.send(Frame::Kind::threw, std::string_view(error.what()).substr(0, kMostWords));
      return;
    } catch (...) {
      channel.send(Frame::Kind::threw, "something was thrown that is no exception");
      return;
    }
  }
}

// ---------------------------------------------------------------- in their parent

bool Crew::has_room() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [this](const Worker& one) { return one.given.size() < options_.ahead; });
}

void Crew::give(std::uint64_t task, std::string bytes) {
  const auto least = std::min_element(
      workers_.begin(), workers_.end(),
      [](const Worker& a, const Worker& b) { return a.given.size() < b.given.size(); });
  Worker& worker = *least;
  if (worker.given.empty()) worker.since = Clock::now();
  worker.given.push_back({task, std::move(bytes)});
  if (!worker.process) return start(static_cast<std::size_t>(least - workers_.begin()));
  send_tasks(worker);
}

// A long task waits until the worker is free: both sides could fill the connection and block.
void Crew::send_tasks(Worker& worker) {
  for (; worker.sent < worker.given.size(); ++worker.sent) {
    const std::string& bytes = worker.given[worker.sent].bytes;
    if (worker.sent > 0 && bytes.size() > PIPE_BUF) return;
    worker.process->channel().send(Frame::Kind::task, bytes);
  }
}

void Crew::start(std::size_t index) {
  Worker& worker = workers_[index];
  Board::Slot& slot = board_.slots[index];
  slot.item = Board::kNoItem;
  worker.since = Clock::now();
  worker.hung = false;
  worker.process = std::make_unique<Process>(
      [this, &slot](Channel& channel) { work(channel, slot); }, options_.memory);
  worker.sent = 0;
  send_tasks(worker);
}

void Crew::watch(std::vector<pollfd>& all) const {
  for (const Worker& worker : workers_) {
    if (!worker.process) continue;
    all.push_back({.fd = worker.process->channel().descriptor(), .events = POLLIN, .revents = 0});
  }
}

std::vector<Crew::Ended> Crew::update() {
  std::vector<Ended> ended;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    if (!worker.process) continue;
    const bool lives = worker.process->channel().receive();
    take_frames(worker, ended);
    if (!lives) {
      bury(i, ended);
    } else if (!worker.given.empty()) {
      look_for_life(worker, board_.slots[i]);
    }
  }
  return ended;
}

void Crew::take_frames(Worker& worker, std::vector<Ended>& ended) {
  while (std::optional<Frame> frame = worker.process->channel().next()) {
    if (frame->kind == Frame::Kind::threw) {
      worker.last_words = keys::printable(frame->bytes, 200);
      return;
    }
    const bool differs = frame->kind == Frame::Kind::differs;
    ended.push_back({.task = worker.given.front().task,
                     .how = differs ? Ended::How::differs : Ended::How::result,
                     .bytes = std::move(frame->bytes),
                     .item = {}});
    worker.given.pop_front();
    --worker.sent;
  }
  send_tasks(worker);
}

void Crew::look_for_life(Worker& worker, const Board::Slot& slot) {
  const std::uint64_t beats = slot.beats;
  if (std::exchange(worker.beats, beats) != beats) worker.since = Clock::now();
  if (worker.hung || Clock::now() - worker.since < options_.patience) return;
  worker.hung = true;
  worker.process->kill();
}

// The task under way is to blame. A worker that ends without one is replaced when there is a task.
void Crew::bury(std::size_t index, std::vector<Ended>& ended) {
  Worker& worker = workers_[index];
  std::string how = worker.process->died_of();
  worker.process.reset();
  if (worker.hung) how = fmt::format("no end within {:g} s", options_.patience.count());
  if (!worker.last_words.empty()) how = std::exchange(worker.last_words, {});
  if (worker.given.empty()) return;
  const std::uint64_t item = board_.slots[index].item;
  ended.push_back({.task = worker.given.front().task,
                   .how = Ended::How::crash,
                   .bytes = std::move(how),
                   .item = item == Board::kNoItem ? std::nullopt : std::optional(item)});
  worker.given.pop_front();
  if (!worker.given.empty()) start(index);
}

std::uint64_t Crew::begun() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) sum += board_.slots[i].begun;
  return sum;
}

}  // namespace picklock::explore::workers
