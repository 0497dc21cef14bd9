#include "outside/program.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "keys/bad_input.h"

namespace picklock::outside {
namespace {

constexpr std::uint32_t kLocalhost = 0x7f000001;
constexpr std::uint32_t kFirstAddress = 0x0a000001;  // 10.0.0.1, of the first server

// A program may take a monotonic clock near zero for one that is not set.
constexpr std::int64_t kUptime = 1'000'000'000'000;

constexpr std::int64_t offset_of(sim::ClockKind kind) {
  return kind == sim::ClockKind::monotonic ? kUptime : 0;
}

}  // namespace

// A connection of the program.
class Program::Socket final : public Stream {
 public:
  Socket(Program& program, guests::SocketId id, sim::Tag tag)
      : program_(program), id_(id), tag_(tag) {}

 private:
  sim::Tag sender(const std::optional<std::string>&) override { return tag_; }
  void opened() override {
    opened_ = true;
    program_.run([this](guests::Guest& guest) { guest.opened(id_); });
  }
  void readable(std::string_view bytes) override {
    program_.run([&](guests::Guest& guest) { guest.received(id_, bytes); });
  }
  void ended(bool reset) override {
    program_.run([&](guests::Guest& guest) {
      opened_ ? guest.hung_up(id_, reset) : guest.refused(id_, ECONNREFUSED);
    });
  }
  void overrun() override { ended(true); }

  Program& program_;
  guests::SocketId id_;
  sim::Tag tag_;
  bool opened_ = false;
};

Program::Program() = default;
Program::~Program() = default;

void Program::reset(sim::Simulation& simulation, sim::Process& process, Setting setting,
                    sim::Duration arrives, Register& visitors) {
  end();
  simulation_ = &simulation;
  process_ = &process;
  setting_ = std::move(setting);
  arrives_ = arrives;
  register_ = &visitors;
  random_ = sim::Random(simulation.scheduler.record().seed(),
                        sim::mixed(process.hash() ^ sim::hash_of("program")));
  connections_ = 0;
  holds_open_ = false;
  ending_.clear();
  output_.clear();
  why_not_.clear();
  arrival_.bind<&Program::launch>(simulation.scheduler, &process, *this);
  thaw_.bind<&Program::goes_on>(simulation.scheduler, &process, *this);
  for (std::uint32_t kind = 0; kind < 2; ++kind)
    alarms_[kind].bind<&Program::rings>(simulation.scheduler, &process, *this, kind);
  process.set_program(this);
}

void Program::end() {
  guest_.reset();
  sockets_.clear();
  old_sockets_.clear();
  old_guests_.clear();
}

// ---------------------------------------------------------------- the process

void Program::start(sim::Keeps) {
  simulation_->scheduler.hold_open();
  holds_open_ = true;
  const sim::Instant arrival = sim::kStart + arrives_;
  arrival_.arm(std::max(simulation_->now(), arrival));
}

void Program::launch() {
  if (guest_ != nullptr) old_guests_.push_back(std::move(guest_));
  guests::Surroundings& here = *this;
  guest_ = std::make_unique<guests::Guest>(here, setting_.nursery);
  guests::Start start{.argv = *setting_.command,
                      .environment = setting_.environment,
                      .folder = setting_.folder,
                      .output = output_.path(),
                      .most_output = Output::kMost,
                      .name = process_->name(),
                      .seed = process_->incarnation()};
  run([this, &start](guests::Guest& guest) {
    try {
      guest.start(start);
    } catch (const std::runtime_error& error) {
      throw keys::BadInput(process_->name() + ": " + error.what());
    }
  });
}

void Program::halted() {
  if (guest_ != nullptr) guest_->kill();
  while (!sockets_.empty()) bury(sockets_.begin()->first);
  let_go();
}

void Program::rings(std::uint32_t) {
  run([](guests::Guest& guest) { guest.time_came(); });
}

void Program::goes_on() {
  run([](guests::Guest& guest) { guest.thaw(); });
}

// A guest that has died under a fault, or ended, is left alone.
template <typename Do>
void Program::run(Do&& act) {
  if (guest_ == nullptr || process_->down()) return;
  guests::Guest& guest = *guest_;
  ++depth_;
  act(guest);
  if (--depth_ == 0 && &guest == guest_.get()) look();
}

// At what has become of the guest.
void Program::look() {
  if (why_not_.empty()) why_not_ = guest_->not_reproducible();
  if (!why_not_.empty()) return simulation_->scheduler.stop();
  if (guest_->alive() || process_->down() || !holds_open_) return;
  while (!sockets_.empty()) closed(sockets_.begin()->first);
  const int status = guest_->exit_status().value_or(0);
  ending_ = WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                                : fmt::format("ended with exit status {}", WEXITSTATUS(status));
  tell(ending_);
  let_go();
}

void Program::let_go() {
  if (std::exchange(holds_open_, false)) simulation_->scheduler.let_go();
}

void Program::tell(std::string_view what) const {
  sim::Tracer& tracer = simulation_->scheduler.record().tracer();
  if (!tracer.on()) return;
  tracer.add({.at = simulation_->now(), .kind = sim::TraceKind::told, .process = process_->id()},
             what);
}

// ---------------------------------------------------------------- time and chance

std::int64_t Program::clock(sim::ClockKind kind) {
  return simulation_->scheduler.local_time(*process_, kind) + offset_of(kind);
}

void Program::alarm(sim::ClockKind kind, std::int64_t local) {
  sim::Timer& alarm = alarms_[static_cast<std::size_t>(kind)];
  if (local == INT64_MAX) return alarm.disarm();
  alarm.arm_on(kind, local - offset_of(kind));
}

void Program::random(std::span<unsigned char> bytes) {
  std::uint64_t drawn = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 8 == 0) drawn = random_.next();
    bytes[i] = static_cast<unsigned char>(drawn >> (i % 8 * 8));
  }
}

// ---------------------------------------------------------------- connections

std::string Program::hosts() {
  std::string text = "127.0.0.1 localhost\n";
  for (std::size_t i = 0; i < setting_.addresses.size(); ++i)
    text += fmt::format("10.0.0.{} {}\n", i + 1, setting_.addresses[i].name);
  return text;
}

const Address* Program::find(std::uint32_t address, std::uint16_t port) const {
  const bool local = address >> 24 == kLocalhost >> 24 || address == 0;
  for (const Address& one : setting_.addresses) {
    const auto place = static_cast<std::uint32_t>(&one - setting_.addresses.data());
    const bool named = address == kFirstAddress + place && port == one.port_of_kind;
    if (port == one.port && local) return &one;
    if (named || (address == kFirstAddress + place && port == one.port)) return &one;
  }
  return nullptr;
}

bool Program::dial(guests::SocketId id, std::uint32_t address, std::uint16_t port) {
  const Address* const to = find(address, port);
  if (to == nullptr) return false;
  auto socket = std::make_unique<Socket>(*this, id, register_->admit(*process_));
  Socket& dialled = *socket;
  sockets_[id] = std::move(socket);
  dialled.dial(*simulation_, *process_, setting_.cluster->behind(to->door), to->open_wire(),
               ++connections_);
  return true;
}

Program::Socket* Program::socket(guests::SocketId id) {
  const auto found = sockets_.find(id);
  return found == sockets_.end() ? nullptr : found->second.get();
}

void Program::bury(guests::SocketId id) {
  const auto found = sockets_.find(id);
  if (found == sockets_.end()) return;
  found->second->forget();
  old_sockets_.push_back(std::move(found->second));
  sockets_.erase(found);
}

// A fault may pause or kill the program while it sends.
void Program::send(guests::SocketId id, std::string_view bytes) {
  Socket* const from = socket(id);
  if (from == nullptr) return;
  from->write(bytes);
  if (!process_->paused()) return;
  guest_->freeze();
  thaw_.arm(simulation_->now());
}

void Program::closed(guests::SocketId id) {
  if (Socket* const one = socket(id)) one->close();
  bury(id);
}

void Program::shut_for_sending(guests::SocketId id) {
  if (Socket* const one = socket(id)) one->close();
}

void Program::says(std::string_view line) {
  simulation_->nemesis.mark(*process_, line.substr(0, 100));
  if (!process_->paused()) return;
  guest_->freeze();
  thaw_.arm(simulation_->now());
}

}  // namespace picklock::outside
