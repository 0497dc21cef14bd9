// How guests begin and end, anew or as copies of one that was kept.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "guests/failure.h"
#include "guests/proc.h"
#include "guests/spawn.h"
#include "guests/supervisor.h"
#include "guests/tracing.h"
#include "sim/digest.h"

namespace picklock::guests {
namespace {

constexpr int kPatienceWithImage = 1000;  // microseconds

// Nothing, if there is no such file.
std::string end_of_file(const std::string& path, std::int64_t from) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> block;
  while (file) {
    const ssize_t size = pread(file.get(), block.data(), block.size(),
                               from + static_cast<std::int64_t>(text.size()));
    if (size <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(size));
  }
  return text;
}

std::int64_t size_of_file(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 ? about.st_size : 0;
}

bool are_one_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Copies of a program would see each other's writes. The page of clocks is written anew for each.
bool shares_memory(pid_t process) {
  std::FILE* const file = std::fopen(fmt::format("/proc/{}/maps", process).c_str(), "re");
  if (file == nullptr) return true;
  std::array<char, 512> line;
  bool shared = false;
  while (std::fgets(line.data(), line.size(), file) != nullptr) {
    std::array<char, 8> flags{};
    unsigned long from = 0;
    if (std::sscanf(line.data(), "%lx-%*s %7s", &from, flags.data()) == 2 &&
        from != ClockPage::kAddress + ClockPage::kSize)
      shared |= flags[1] == 'w' && flags[3] == 's';
  }
  std::fclose(file);
  return shared;
}

std::optional<struct stat> about_file(const char* path) {
  struct stat about {};
  if (stat(path, &about) != 0) return std::nullopt;
  return about;
}

}  // namespace

void Supervisor::start(const Start& start) {
  most_computing_ = start.most_computing;
  output_ = start.output;
  most_output_ = start.most_output;
  name_ = start.name;
  seed(start);
  if (nursery_ == nullptr || !begin_as_copy(start)) begin(start);
  run();
}

void Supervisor::begin(const Start& start) {
  if (nursery_ != nullptr) beginning_ = beginning_of(start);
  printed_before_ = output_.empty() ? 0 : size_of_file(output_);
  Spawned spawned = spawn(start, filter());
  listener_ = std::move(spawned.listener);
  beliefs_ = std::move(spawned.beliefs);
  alive_ = true;
  Process& process = add_process(nullptr, spawned.process);
  Thread& thread = add_thread(process, spawned.process);
  prepare_image(thread);
  make_ready(thread, Thread::Next::restart);
}

// ---------------------------------------------------------------- its image

void Supervisor::prepare_image(Thread& thread) {
  const std::uint64_t vdso = map_clocks(thread) ? ClockPage::kAddress : 0;
  guests::prepare_image(thread.process->pid, vdso, random_of_image());
}

// Only speed depends on it: without the pages, every look at a clock is a trapped call.
bool Supervisor::map_clocks(Thread& thread) {
  if (clock_page_ == nullptr) clock_page_ = std::make_shared<ClockPage>();
  CallsAtExec calls(thread.process->pid);
  // The descriptor is the result of a trapped call.
  const std::int64_t file = calls.make(SYS_eventfd2, {}, [&] {
    while (alive_ &&
           !(has_call(kPatienceWithImage, thread.process) && take_call() && arrived_ == &thread)) {
    }
    if (alive_) give(thread, clock_page_->file(), -1, true, true);
  });
  if (file < 0) return false;
  const auto map = [&](std::uint64_t which, std::uint64_t protection, std::uint64_t kind) {
    const std::uint64_t at = ClockPage::kAddress + which * ClockPage::kSize;
    const std::int64_t there =
        calls.make(SYS_mmap, {at, ClockPage::kSize, protection, kind | MAP_FIXED_NOREPLACE,
                              static_cast<std::uint64_t>(file), which * ClockPage::kSize});
    return there == static_cast<std::int64_t>(at);
  };
  const bool mapped =
      map(0, PROT_READ | PROT_EXEC, MAP_PRIVATE) && map(1, PROT_READ | PROT_WRITE, MAP_SHARED);
  calls.make(SYS_close, {static_cast<std::uint64_t>(file)});
  return mapped;
}

// ---------------------------------------------------------------- chance

void Supervisor::seed(const Start& start) {
  std::uint64_t stream = sim::hash_of(start.name);
  for (const std::string& argument : start.argv)
    stream = sim::mixed(stream ^ sim::hash_of(argument));
  early_ = sim::Random(start.seed, stream);
}

std::string Supervisor::random_text(std::size_t size) {
  std::string text(size, '\0');
  if (!is_early_) {
    surroundings_.random({reinterpret_cast<unsigned char*>(text.data()), size});
    return text;
  }
  for (char& byte : text) byte = static_cast<char>(early_.next() >> 56);
  return text;
}

std::array<std::uint64_t, 2> Supervisor::random_of_image() {
  const std::string bytes = random_text(2 * sizeof(std::uint64_t));
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

// ---------------------------------------------------------------- programs that are kept

Beginning Supervisor::beginning_of(const Start& start) {
  std::string text = fmt::format("{} {} {}", start.name, start.seed, output_.empty());
  for (const auto* const list : {&start.argv, &start.environment}) {
    text += fmt::format("\n{}", list->size());
    for (const std::string& one : *list) text += fmt::format("\n{} {}", one.size(), one);
  }
  text += "\n" + start.folder + "\n" + surroundings_.hosts();
  return {.text = std::move(text),
          .monotonic = now(sim::ClockKind::monotonic),
          .wall = now(sim::ClockKind::wall)};
}

bool Supervisor::begin_as_copy(const Start& start) {
  Cradles& cradles = *nursery_->cradles_;
  const std::shared_ptr<Zygote> zygote = cradles.find(beginning_of(start));
  if (zygote == nullptr) return false;
  zygote_ = zygote;
  zygote_->in_use = true;
  try {
    adopt(*zygote);
  } catch (const std::runtime_error&) {
    // It has died, by whatever hand. The program is started anew.
    cradles.drop(*zygote);
    zygote_.reset();
    return false;
  }
  const std::string& printed = zygote->upbringing().printed;
  if (!printed.empty()) {
    const Descriptor file = open_output();
    if (::write(file.get(), printed.data(), printed.size()) < 0) fail("cannot write " + output_);
  }
  await_call_of_copy();
  return true;
}

void Supervisor::await_call_of_copy() {
  Thread& thread = *processes_.front()->threads.front();
  if (!next_call(thread)) fail("the copy of a program makes no call");
  give_descriptors(thread);
  make_ready(thread, Thread::Next::handle);
}

Descriptor Supervisor::open_output() const {
  Descriptor file(::open(output_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file) fail("cannot write " + output_);
  return file;
}

// Writes to it are no trapped calls, so that it is looked at from time to time.
void Supervisor::cut_output() {
  if (most_output_ == INT64_MAX || output_.empty()) return;
  if (!output_file_) output_file_ = Descriptor(::open(output_.c_str(), O_WRONLY | O_CLOEXEC));
  struct stat about {};
  if (fstat(output_file_.get(), &about) != 0) return;
  const std::int64_t from = most_output_ / 2;
  const std::int64_t until = about.st_size - (most_output_ - from);
  // A hole for every line would cost more than it saves.
  if (until <= std::max(from, cut_until_) + (cut_until_ > 0 ? from : 0)) return;
  if (fallocate(output_file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from,
                until - from) == 0)
    cut_until_ = until;
}

// Its copies share no offset of a file, and its messages would have no reader.
void Supervisor::give_descriptors(Thread& thread) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("cannot make a pipe");
  beliefs_ = Descriptor(ends[0]);
  const Descriptor other(ends[1]);
  if (::fcntl(beliefs_.get(), F_SETFL, O_NONBLOCK) != 0) fail("cannot make a pipe");
  if (hand_in(thread, other.get(), kBeliefs, false) < 0) fail("cannot give a pipe");
  if (output_.empty()) return;
  const Descriptor file = open_output();
  for (const int number : {1, 2}) {
    if (hand_in(thread, file.get(), number, false) < 0) fail("cannot give a file");
  }
}

// A copy of the zygote is the first process of the guest. It is on its way to the call.
void Supervisor::adopt(Zygote& zygote) {
  Descriptor listener(::fcntl(zygote.listener(), F_DUPFD_CLOEXEC, 0));
  if (!listener) fail("cannot share a listener");
  const pid_t pid = zygote.fork();
  ++nursery_->cradles_->forks;
  listener_ = std::move(listener);
  processes_.clear();
  threads_.clear();
  last_process_ = 0;
  alive_ = true;
  is_early_ = false;
  Thread& thread = add_thread(add_process(nullptr, pid), pid);
  const Upbringing& upbringing = zygote.upbringing();
  clock_page_ = upbringing.clock_page;
  thread.cleared_at_exit = upbringing.cleared_at_exit;
  thread.clock_reads = upbringing.clock_reads;
  thread.idle_calls = upbringing.idle_calls;
}

void Supervisor::connects_first(Thread& thread) {
  drain_beliefs();
  cut_output();
  if (nursery_ == nullptr || !alive_ || frozen_ || !can_be_kept(thread)) return;
  keep(thread);
}

bool Supervisor::can_be_kept(const Thread& thread) const {
  const Process& process = *thread.process;
  return geteuid() == 0 && zygote_ == nullptr && last_process_ == 1 && threads_.size() == 1 &&
         process.threads.size() == 1 && process.sockets.empty() && timers_.empty() &&
         tickets_ == 0 && thread.spins == 0 && !has_spoken_ && cut_until_ == 0 &&
         process.alarm.at == kNoEnd && has_plain_descriptors(process) &&
         !shares_memory(process.pid);
}

// Those that it got at its start, and no others.
bool Supervisor::has_plain_descriptors(const Process& process) const {
  const auto output = about_file(output_.empty() ? "/dev/null" : output_.c_str());
  const auto null = about_file("/dev/null");
  DIR* const folder = opendir(fmt::format("/proc/{}/fd", process.pid).c_str());
  if (folder == nullptr || !output || !null) return false;
  int count = 0;
  bool plain = true;
  while (const dirent* const entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    ++count;
    const int number = std::atoi(entry->d_name);
    const Descriptor copy(
        static_cast<int>(syscall(SYS_pidfd_getfd, process.pidfd.get(), number, 0)));
    struct stat about {};
    plain = plain && copy && fstat(copy.get(), &about) == 0;
    if (number <= 2) {
      plain = plain && are_one_file(about, number == 0 ? *null : *output);
    } else {
      plain = plain && number == kBeliefs && S_ISFIFO(about.st_mode);
    }
  }
  closedir(folder);
  return plain && count == 4;
}

// The program itself stays before this call; a copy of it makes the call.
void Supervisor::keep(Thread& thread) {
  Process& process = *thread.process;
  Upbringing upbringing{.cleared_at_exit = thread.cleared_at_exit,
                        .clock_reads = thread.clock_reads,
                        .idle_calls = thread.idle_calls,
                        .has_seen_clocks = has_seen_clocks_,
                        .printed = {},
                        .clock_page = clock_page_};
  if (!output_.empty()) upbringing.printed = end_of_file(output_, printed_before_);
  zygote_ = std::make_shared<Zygote>(process.pid, std::move(process.pidfd), std::move(listener_),
                                     thread.call, std::move(upbringing));
  zygote_->in_use = true;
  thread.state = Thread::State::gone;
  // The thread and its process are still in use further up.
  old_processes_ = std::move(processes_);
  adopt(*zygote_);
  await_call_of_copy();
  nursery_->cradles_->add(std::move(beginning_), zygote_);
}

// ---------------------------------------------------------------- ends

// May be called while members further up wait for the program: nothing that they use goes away.
void Supervisor::kill() {
  if (!std::exchange(alive_, false)) return;
  Process& root = *processes_.front();
  // The end of the first process ends its namespace.
  syscall(SYS_pidfd_send_signal, root.pidfd.get(), SIGKILL, nullptr, 0);
  for (const auto& [tid, thread] : threads_) {
    // The end of a traced process is the tracer's to take.
    const bool stopped =
        thread->state == Thread::State::ready && thread->next == Thread::Next::restart;
    if ((stopped || thread->traced) && tid != root.pid) waitpid(tid, nullptr, __WALL);
  }
  reap(root);
  cut_output();
  listener_.close();
  beliefs_.close();
  if (zygote_ != nullptr) zygote_->in_use = false;
  zygote_.reset();
}

// A copy of a zygote is not a child of this process: its end is read, and taken by the zygote.
void Supervisor::reap(Process& root) {
  if (zygote_ == nullptr) {
    int status = 0;
    if (waitpid(root.pid, &status, __WALL) == root.pid) exit_status_ = status;
    return;
  }
  pollfd one{root.pidfd.get(), POLLIN, 0};
  while (::poll(&one, 1, -1) < 0) {
    if (errno != EINTR) fail("cannot wait for the end of a program");
  }
  if (!exit_status_) exit_status_ = exit_status_of(root.pid);
}

}  // namespace picklock::guests
