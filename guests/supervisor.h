// Lets the threads of one guest go on, one at a time, and answers their calls. A step of a thread
// ends where it waits: from its next call on, another thread runs. Which one is decided here alone,
// by order of arrival, so that equal surroundings make equal runs.
//
// The members are in several files:
//   supervisor.cc  steps              beginnings.cc  starts and ends
//   family.cc      processes          clocks.cc      time
//   waits.cc       waiting            polls.cc       poll and select
//   network.cc     sockets            channels.cc    pipes and their kin
//   files.cc       files              words.cc       futexes
//   signals.cc     signals            timers.cc      timers
//   refusals.cc    what is refused    calls.cc       the table of all calls
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "guests/clock_page.h"
#include "guests/descriptor.h"
#include "guests/filter.h"
#include "guests/futexes.h"
#include "guests/guest.h"
#include "guests/socket.h"
#include "guests/surroundings.h"
#include "guests/thread.h"
#include "guests/zygote.h"
#include "sim/random.h"

namespace picklock::guests {

class Supervisor {
 public:
  Supervisor(Surroundings& surroundings, Nursery* nursery)
      : surroundings_(surroundings), nursery_(nursery) {}
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor() { kill(); }

  void start(const Start& start);
  void kill();
  bool alive() const { return alive_; }
  std::optional<int> exit_status() const { return exit_status_; }
  void time_came();
  void freeze() { frozen_ = true; }
  void thaw();
  const std::string& not_reproducible() const { return why_not_; }
  // Something has arrived on a socket. Arrivals after its end are dropped.
  template <typename Do>
  void arrive(SocketId id, Do&& act) {
    const std::shared_ptr<Socket> socket = find(id);
    if (socket == nullptr || !alive_) return;
    act(*socket);
    run();
  }

 private:
  using Handler = void (Supervisor::*)(Thread&);
  struct Call {
    int number;
    Handler handler;
    Trap when = Trap::always;
    const char* name = "";
  };
  static std::span<const Call> calls();
  static const Call* call_of(int number);
  static const std::vector<sock_filter>& filter();

  // --- beginning and end
  void begin(const Start& start);
  bool begin_as_copy(const Start& start);
  Beginning beginning_of(const Start& start);
  void seed(const Start& start);
  // The program comes to its first connection.
  void connects_first(Thread& thread);
  bool can_be_kept(const Thread& thread) const;
  bool has_plain_descriptors(const Process& process) const;
  void keep(Thread& thread);
  void adopt(Zygote& zygote);
  void await_call_of_copy();
  void give_descriptors(Thread& thread);
  Descriptor open_output() const;
  void cut_output();
  void reap(Process& root);
  std::string random_text(std::size_t size);
  std::array<std::uint64_t, 2> random_of_image();
  void prepare_image(Thread& thread);
  bool map_clocks(Thread& thread);

  // --- steps
  void run();
  void step(Thread& thread);
  void handle(Thread& thread);
  bool next_call(Thread& thread);
  bool take_call();  // from the listener, if there is one; it then belongs to its thread
  bool has_call(int microseconds, const Process* process);
  bool waits_in_kernel(const Thread& thread) const;
  void settle();
  void look_at_waits();
  void look_for_leaks();
  Thread* next_ready();
  // The call of the running thread returns, and the thread goes on.
  void answer(Thread& thread, Reply reply);
  void answer(Thread& thread, std::int64_t value) { answer(thread, Reply{value, false}); }
  void go_native(Thread& thread) { answer(thread, Reply{0, true}); }
  bool respond(Thread& thread, Reply reply);
  // Lets a thread read the clocks without a call, until its next one.
  void lend_clocks(const Thread& thread);
  void take_clocks_back();
  // Gives the program a descriptor as the result of its call. Negative: an error.
  int hand_over(Thread& thread, int descriptor, int number, bool close_on_exec);
  // The same, but the call goes on.
  int hand_in(Thread& thread, int descriptor, int number, bool close_on_exec);
  int give(Thread& thread, int descriptor, int number, bool close_on_exec, bool as_result);
  void make_ready(Thread& thread, Thread::Next next, Reply reply = {});

  // --- what cannot be repeated
  void refuse(const std::string& what);
  void refuse_call(Thread& thread);
  void refuse_timeout(Thread& thread);
  void look_at_computing(std::int64_t computed);

  // --- the family
  void clone(Thread& thread);
  void fork(Thread& thread);
  void clone3(Thread& thread);
  void clone(Thread& thread, std::uint64_t flags, std::uint64_t cleared);
  bool has_stranger(const Thread& parent) const;
  void welcome(Thread& parent, std::uint64_t flags, std::uint64_t cleared);
  void forget_gone();
  Process& add_process(Process* parent, pid_t pid);
  Thread& add_thread(Process& process, pid_t tid);
  void execute(Thread& thread);
  void executed(Thread& thread);
  void release_vfork(Process& process);
  void exit_thread(Thread& thread);
  void exit_process(Thread& thread);
  void await_end(Process& process);
  void ended(Process& process);
  void end_of_root();
  void drop_thread(Thread& thread);
  void wait_for_child(Thread& thread);
  bool has_ended_child(const Thread& thread) const;

  // --- waiting
  void wait(Thread& thread, Wait wait, Deadline deadline, Reply at_deadline);
  void stop_waiting(Thread& thread);
  void wake_due();
  void set_alarms();
  bool has_come(const Deadline& deadline);
  void look_again(Thread& thread);  // its wait may be over
  bool is_over(Thread& thread);
  void finish_wait(Thread& thread);
  // The clock stands still while a thread looks at it again and again, or polls: true once it has
  // done so too often. Time must then pass, after which the call is handled anew.
  bool reads_too_often(Thread& thread) const;
  unsigned most_reads(const Thread& thread) const;
  bool polls_too_often(Thread& thread) const;
  void let_time_pass(Thread& thread);
  void wait_unless_over(Thread& thread, Wait kind, Deadline deadline);
  void watch(Thread& thread, int descriptor, short events);
  void poll(Thread& thread);
  void ppoll(Thread& thread);
  void poll_until(Thread& thread, Deadline deadline);
  void answer_poll(Thread& thread);
  void select(Thread& thread);
  void pselect(Thread& thread);
  void select_until(Thread& thread, Deadline deadline);
  void answer_select(Thread& thread);
  static bool has_selected(const Thread& thread);
  void write_time_left(Thread& thread, std::uint64_t address);
  void epoll_wait(Thread& thread);
  void epoll_pwait2(Thread& thread);
  void epoll_until(Thread& thread, Deadline deadline);

  // --- time
  std::int64_t now(sim::ClockKind kind) { return surroundings_.clock(kind); }
  std::int64_t now() { return now(sim::ClockKind::monotonic); }
  Deadline in(std::int64_t nanoseconds);
  Deadline in_milliseconds(std::int64_t milliseconds);
  std::optional<std::int64_t> span_at(Thread& thread, std::uint64_t address);
  void clock_gettime(Thread& thread);
  void clock_getres(Thread& thread);
  void gettimeofday(Thread& thread);
  void time(Thread& thread);
  void nanosleep(Thread& thread);
  void clock_nanosleep(Thread& thread);
  void sleep(Thread& thread, Deadline deadline);
  void sched_yield(Thread& thread);
  void set_clock(Thread& thread);
  void getrusage(Thread& thread);
  void times(Thread& thread);
  void sysinfo(Thread& thread);
  void sched_getaffinity(Thread& thread);
  // --- timers
  void timerfd_create(Thread& thread);
  void timerfd_settime(Thread& thread);
  void timerfd_gettime(Thread& thread);
  void alarm(Thread& thread);
  void setitimer(Thread& thread);
  void getitimer(Thread& thread);
  void fire_timers();
  std::int64_t expirations(Deadline& next, std::int64_t interval);

  // --- words of memory
  void futex(Thread& thread);
  FutexKey key_of(Thread& thread, std::uint64_t address, bool of_process);
  std::int64_t wake_word(FutexKey word, std::size_t most, std::uint32_t bits);
  void wait_for_word(Thread& thread, FutexKey word, bool absolute);

  // --- descriptors and files
  void open(Thread& thread);
  void openat(Thread& thread);
  void open_path(Thread& thread, std::uint64_t path, std::uint64_t flags);
  std::optional<std::string> text_of(const std::string& path);
  void getrandom(Thread& thread);
  void close(Thread& thread);
  void close_range(Thread& thread);
  void duplicate(Thread& thread);
  void duplicate_to(Thread& thread);
  void fcntl(Thread& thread);
  void duplicate_socket(Thread& thread, int first, bool close_on_exec);
  void copy_to_socket(Thread& thread);
  void refuse_on_socket(Thread& thread);
  void drain_beliefs();

  // --- calls that need little
  void pass(Thread& thread) { go_native(thread); }
  void do_nothing(Thread& thread) { answer(thread, 0); }
  void no_such_call(Thread& thread);
  void set_tid_address(Thread& thread);
  void getcpu(Thread& thread);

  // --- sockets
  std::shared_ptr<Socket> find(SocketId id) const;
  std::shared_ptr<Socket> socket_of(const Thread& thread) const;
  void make_socket(Thread& thread);
  void connect(Thread& thread);
  void answer_connect(Thread& thread, Socket& socket);
  void connect_elsewhere(Thread& thread);
  void read(Thread& thread);
  void read_now(Thread& thread);
  void write(Thread& thread);
  void writev(Thread& thread);
  void sendto(Thread& thread);
  void sendmsg(Thread& thread);
  void sendmmsg(Thread& thread);
  void send(Thread& thread, const std::string& bytes, std::uint64_t asked, int flags);
  void setsockopt(Thread& thread);
  void getsockopt(Thread& thread);
  void getsockname(Thread& thread);
  void getpeername(Thread& thread);
  void put_name(Thread& thread, std::uint32_t address, std::uint16_t port);
  void shutdown(Thread& thread);
  void bind(Thread& thread);
  void forget_socket(Process& process, int descriptor);
  int free_number(const Process& process, int first) const;

  // --- channels
  void pipe(Thread& thread);
  void socketpair(Thread& thread);
  void eventfd(Thread& thread);
  void give_pair(Thread& thread, int first, int second, std::uint64_t at, bool close_on_exec);
  // Gives the program a channel by a number of its own. Negative: an error.
  int give_channel(Thread& thread, int descriptor, bool close_on_exec, bool as_result);
  void use_channel(Thread& thread, short events);

  // --- signals
  void kill_process(Thread& thread);
  void kill_thread(Thread& thread);      // tgkill
  void kill_any_thread(Thread& thread);  // tkill
  void kill_by_descriptor(Thread& thread);
  void signal_from(Thread& thread, std::int64_t inner_pid, int number);
  // Sends a signal, and waits for what it does.
  void deliver(Process& process, int number);
  bool is_deadly(const Process& process, int number) const;
  void end_by_signal(int number);
  void write_in_vain(Thread& thread, bool with_signal);
  void interrupt_waits(Process& process);
  void interrupt(Thread& thread);
  void interrupt_later(Process& process) { process.signaled = true; }
  void rt_sigtimedwait(Thread& thread);
  static bool has_signal(const Thread& thread);

  // A timer of the program: an eventfd in the place of a timerfd.
  struct TimerFd {
    Descriptor copy;
    std::uint64_t identity = 0;
    Deadline next;
    std::int64_t interval = 0;
    sim::ClockKind clock = sim::ClockKind::monotonic;
  };
  TimerFd* timer_of(Thread& thread);
  bool put_timer(Thread& thread, std::uint64_t at, const TimerFd& timer);
  bool put_alarm(Thread& thread, std::uint64_t at);
  std::int64_t time_to_alarm(const Process& process);

  Surroundings& surroundings_;
  bool alive_ = false;
  bool frozen_ = false;
  bool running_ = false;     // run() is under way
  bool look_again_ = false;  // something has arrived since the waits were looked at
  std::optional<int> exit_status_;
  int fatal_signal_ = 0;  // that the first process sent itself
  std::string why_not_;
  std::int64_t most_computing_ = 0;

  Descriptor listener_;
  Descriptor beliefs_;
  std::string belief_;                               // the part of a line
  std::vector<std::unique_ptr<Process>> processes_;  // the first is the program's own
  std::vector<std::unique_ptr<Process>> old_processes_;
  std::map<pid_t, Thread*> threads_;
  std::deque<Thread*> ready_;
  Thread* arrived_ = nullptr;         // whose call was the last to be taken
  std::unique_ptr<Thread> stranger_;  // the first call of a new thread
  Futexes futexes_;
  std::map<SocketId, std::weak_ptr<Socket>> sockets_;
  SocketId last_socket_ = 0;
  std::uint32_t last_process_ = 0;
  std::vector<TimerFd> timers_;
  std::uint64_t tickets_ = 0;
  std::optional<std::int64_t> alarms_[2];  // by clock; as its surroundings know them
  std::shared_ptr<ClockPage> clock_page_;
  pid_t reader_ = 0;  // the thread to which the clocks are lent

  // --- until its first connection, and for those that begin alike
  Nursery* nursery_;
  std::shared_ptr<Zygote> zygote_;  // of which it is a copy
  Beginning beginning_;
  sim::Random early_;  // chance, until then
  bool is_early_ = true;
  bool has_seen_clocks_ = false;
  bool has_spoken_ = false;
  std::string name_;    // of its host
  std::string output_;  // its file; empty: none
  std::int64_t printed_before_ = 0;
  std::int64_t most_output_ = INT64_MAX;
  std::int64_t cut_until_ = 0;  // where the hole in it ends
  Descriptor output_file_;
};

}  // namespace picklock::guests
