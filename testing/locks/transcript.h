// A client whose Redis and lease store give the answers that a test sets, and which records its
// requests; locks run on it as on any other. Test-only.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "picklock/lease_store.h"
#include "picklock/lock.h"
#include "picklock/redis.h"

namespace picklock::models::locks {

class Transcript final : public Client, private Witness {
 public:
  // Sets the next answers, in order, for all servers together; after the last one nothing answers.
  void answers_ok() {
    add([](redis::Reply& reply) { reply.set_status("OK"); });
  }
  void answers_nil() {
    add([](redis::Reply&) {});
  }
  void answers(std::int64_t value) {
    add([value](redis::Reply& reply) { reply.set_integer(value); });
  }
  void answers(std::string_view text) {
    add([text](redis::Reply& reply) { reply.set_bulk(text); });
  }
  void answers_late() {
    add([](redis::Reply& reply) { reply.kind = redis::Reply::Kind::unknown; });
  }
  void answers_error(std::string_view text) {
    add([text](redis::Reply& reply) { reply.set_error(text); });
  }
  void answers_numbers(std::initializer_list<std::int64_t> numbers) {
    add([numbers](redis::Reply& reply) {
      reply.set(redis::Reply::Kind::array);
      for (const std::int64_t number : numbers) reply.add().set_integer(number);
    });
  }
  void answers_words(std::initializer_list<std::string_view> words) {
    add([words](redis::Reply& reply) {
      reply.set(redis::Reply::Kind::array);
      for (const std::string_view word : words) reply.add().set_bulk(word);
    });
  }
  // Answers nil to a command that the client layer had to send again.
  void answers_nil_to_a_copy() {
    add([](redis::Reply& reply) { reply.resent = true; });
  }

  // The same for the lease store.
  void store_opens(std::string_view session) {
    store_.answers.push_back({.session = std::string(session)});
  }
  void store_grants(std::int64_t revision) { store_.answers.push_back({.revision = revision}); }
  void store_answers(lease_store::Status status) { store_.answers.push_back({.status = status}); }

  // "check: GET lock", one line a command, and "sleep 100ms" between them.
  std::vector<std::string> lines;
  Duration now{};
  Duration offset{};  // of the wall clock
  std::vector<std::function<void(Client&)>> threads;
  std::function<void()> on_sleep;  // called during each sleep
  bool deaf = false;               // no subscription is confirmed
  bool interrupted = false;        // every sleep and wait that allows it
  std::size_t servers = 1;
  Duration takes{};  // time for each command

  std::string_view name() const override { return "client"; }
  void* find_connection(const std::type_info& type) override {
    if (type == typeid(redis::Servers)) return static_cast<redis::Servers*>(&redis_);
    if (type == typeid(lease_store::Client)) return static_cast<lease_store::Client*>(&store_);
    throw std::logic_error("there is no such server");
  }
  Duration monotonic_now() override { return now; }
  Duration wall_now() override { return now + offset; }
  void sleep(Duration length) override {
    now += length;
    lines.push_back("sleep " + std::to_string(length.count() / 1'000'000) + "ms");
    if (on_sleep) on_sleep();
  }
  bool sleep_interruptibly(Duration length) override {
    sleep(length);
    return !interrupted;
  }
  // Threads run when the test starts them.
  void spawn(std::function<void(Client&)> body) override { threads.push_back(std::move(body)); }
  std::unique_ptr<Semaphore> semaphore(Awaits) override { return std::make_unique<Waits>(*this); }
  std::uint32_t thread() const override { return 1; }
  Duration random_between(Duration, Duration high) override { return high; }
  std::string fresh_token() override { return "token-" + std::to_string(++tokens_); }
  std::string machine_token() override { return "client:1"; }
  void mark(std::string_view mark) override { lines.push_back("mark " + std::string(mark)); }
  Witness& witness() override { return *this; }

  // Publishes a message in a channel that somebody listens to.
  void says(std::string_view channel, std::string_view message) {
    const auto listener = listeners_.find(channel);
    if (listener != listeners_.end()) listener->second(message);
  }

 private:
  Tenancy tenancy() const override { return {}; }
  void act_for(Tenancy) override {}
  void record_loss(const Lease&) override { lines.emplace_back("lost"); }
  void believe_until(const Lease&, Duration deadline) override {
    lines.push_back("believes until " + std::to_string(deadline.count() / 1'000'000) + "ms");
  }
  void record_local_mutex(std::string_view, bool locked) override {
    lines.emplace_back(locked ? "locks its mutex" : "frees its mutex");
  }

  // A wait lasts as long as its patience, unless there is a permit; an endless one is over at once.
  struct Waits final : Semaphore {
    explicit Waits(Transcript& all) : transcript(all) {}
    Woken acquire(Duration patience) override {
      if (permits == 0 && patience != Duration::zero()) {
        transcript.now += std::max(patience, Duration::zero());
        transcript.lines.push_back(patience < Duration::zero()
                                       ? "wait"
                                       : "wait " + std::to_string(patience.count() / 1'000'000) +
                                             "ms");
        if (transcript.on_sleep) transcript.on_sleep();
      }
      if (permits == 0) return transcript.interrupted ? Woken::by_interrupt : Woken::by_time;
      --permits;
      return Woken::by_permit;
    }
    void release() override { ++permits; }

    Transcript& transcript;
    int permits = 0;
  };
  struct Redis final : picklock::redis::Client {
    explicit Redis(Transcript& all, std::string at) : transcript(all), where(std::move(at)) {}

    redis::Reply call(Role role, redis::Argv argv) override {
      transcript.lines.push_back(line(role, argv));
      transcript.now += transcript.takes;
      redis::Reply reply;
      reply.kind = redis::Reply::Kind::unsent;
      if (transcript.replies_.empty()) return reply;
      reply = std::move(transcript.replies_.front());
      transcript.replies_.pop_front();
      return reply;
    }

    redis::Reply call_interruptibly(Role role, redis::Argv argv, redis::Resend,
                                    redis::Late) override {
      return call(role, argv);
    }
    std::array<redis::Reply, 2> call_both(Role role, redis::Argv first, redis::Argv second,
                                          redis::Resend) override {
      std::array<redis::Reply, 2> replies;
      replies[0] = call(role, first);
      replies[1] = call(role, second);
      return replies;
    }
    void post(Role role, redis::Argv argv) override {
      transcript.lines.push_back("without waiting: " + line(role, argv));
    }
    bool subscribe(std::string_view channel, redis::Listener listener, Duration) override {
      transcript.lines.push_back(where + "subscribe " + std::string(channel));
      transcript.listeners_.insert_or_assign(std::string(channel), std::move(listener));
      return !transcript.deaf;
    }
    void unsubscribe(std::string_view channel) override {
      transcript.lines.push_back(where + "unsubscribe " + std::string(channel));
      transcript.listeners_.erase(std::string(channel));
    }

    std::string line(Role role, redis::Argv argv) const {
      std::string line(role == Role::none ? "" : picklock::name(role));
      if (!line.empty()) line += ": ";
      line += where;
      for (std::size_t i = 0; i < argv.size(); ++i) line.append(i > 0 ? " " : "").append(argv[i]);
      return line;
    }

    Transcript& transcript;
    std::string where;
  };

  struct Servers final : picklock::redis::Servers {
    explicit Servers(Transcript& all) : transcript(all) {}

    std::size_t size() const override { return transcript.servers; }
    picklock::redis::Client& server(std::size_t index) override {
      // The first server is not named.
      while (servers.size() <= index) {
        const std::string number = std::to_string(servers.size() + 1);
        servers.emplace_back(transcript, servers.empty() ? "" : "at redis-" + number + " ");
      }
      return servers[index];
    }
    picklock::redis::Client& replica(std::size_t) override { return of_replica; }

    Transcript& transcript;
    std::deque<Redis> servers;
    Redis of_replica{transcript, "at the replica "};
  };

  struct LeaseStore final : picklock::lease_store::Client {
    struct Answer {
      lease_store::Status status = lease_store::Status::done;
      std::string session{};
      std::int64_t revision = 0;
    };
    using Status = lease_store::Status;

    explicit LeaseStore(Transcript& all) : transcript(all) {}

    lease_store::Opened open(Duration ttl, Duration lock_delay) override {
      const Answer answer = to("open " + ms(ttl) + " " + ms(lock_delay));
      return {answer.status, answer.session};
    }
    Status keep_alive(std::string_view session) override { return to("keep-alive", session); }
    lease_store::Granted acquire(std::string_view key, std::string_view session) override {
      const Answer answer = to("acquire " + std::string(key) + " " + std::string(session));
      return {answer.status, answer.revision};
    }
    Status release(std::string_view key, std::string_view session) override {
      return to("release", key, session);
    }
    Status watch(std::string_view key, Duration at_most) override {
      const Status watched = to("watch", key, ms(at_most));
      return transcript.interrupted ? Status::interrupted : watched;
    }
    Status close(std::string_view session) override { return to("close", session); }

    std::deque<Answer> answers;

   private:
    Answer to(std::string line) {
      transcript.lines.push_back(std::move(line));
      if (answers.empty()) return {.status = Status::unknown};
      Answer answer = std::move(answers.front());
      answers.pop_front();
      return answer;
    }
    template <typename... Words>
    Status to(std::string line, Words... words) {
      (line.append(" ").append(words), ...);
      return to(std::move(line)).status;
    }
    static std::string ms(Duration time) { return std::to_string(time.count() / 1'000'000) + "ms"; }

    Transcript& transcript;
  };

  template <typename Fill>
  void add(Fill fill) {
    fill(replies_.emplace_back());
  }

  std::deque<redis::Reply> replies_;
  std::map<std::string, redis::Listener, std::less<>> listeners_;
  Servers redis_{*this};
  LeaseStore store_{*this};
  int tokens_ = 0;
};

}  // namespace picklock::models::locks
