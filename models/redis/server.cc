#include "models/redis/server.h"

#include <algorithm>
#include <array>

#include "models/redis/commands.h"
#include "models/redis/wire.h"

namespace picklock::models::redis {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

// The text ends where a C string does (R104).
std::string_view shown(std::string_view word, std::size_t longest) {
  word = word.substr(0, longest);
  return word.substr(0, word.find('\0'));
}

std::string unknown_command(std::string_view name, std::span<const std::string_view> rest) {
  constexpr std::size_t kLongest = 128;
  std::string words;
  for (std::string_view word : rest) {
    if (words.size() >= kLongest) break;
    const std::string_view part = shown(word, kLongest - words.size());
    words.append("'").append(part).append("' ");
  }
  std::string text = "ERR unknown command '";
  text.append(shown(name, kLongest)).append("', with args beginning with: ").append(words);
  return text;
}

constexpr char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
}

}  // namespace

void Server::reset(sim::Simulation& simulation, sim::Process& process, Tenures& tenures,
                   Keys& keys) {
  attach(simulation, process);
  tenures_ = &tenures;
  keys_ = &keys;
  store_.clear();
  death_timers_.clear();
  cached_.clear();
  waiting_.clear();
  script_thread_ = nullptr;
  actor_ = 0;
  role_ = 0;
  if (lua_ != nullptr) lua_->reset();
}

void Server::start(sim::Keeps keeps) {
  if (keeps == sim::Keeps::all) return;
  actor_ = 0;
  role_ = 0;
  for (std::uint32_t slot = 0; slot < store_.slots(); ++slot) {
    Entry& entry = store_.at(slot);
    if (entry.present) remove(entry, sim::Cause::restart, entry.mourned);
  }
}

void Server::halted() {
  for (sim::Message* request : waiting_) simulation().network.release(*request);
  waiting_.clear();
  script_thread_ = nullptr;
  cached_.clear();
  if (lua_ != nullptr) lua_->reset();
}

// ---------------------------------------------------------------- time

std::int64_t Server::clock_ms() const {
  return simulation().scheduler.local_time(process(), sim::ClockKind::wall) / kMillisecond;
}

// The wall clock must show one millisecond more than the deadline (R13).
sim::Instant Server::dies(const Entry& entry) const {
  if (entry.deadline_ms >= kNoDeadline / kMillisecond - 1) return sim::kNever;
  return process().clock().when(sim::ClockKind::wall, (entry.deadline_ms + 1) * kMillisecond,
                                simulation().now());
}

// The history learns of a death at the instant it takes place, whoever looks, and whenever the
// server forgets.
void Server::watch_death(Entry& entry) {
  while (death_timers_.size() <= entry.slot) {
    death_timers_.push_back(simulation().scheduler.add_timer(
        nullptr, &Server::on_death, this, static_cast<std::uint32_t>(death_timers_.size())));
  }
  const sim::Instant at = dies(entry);
  if (at == sim::kNever) {
    simulation().scheduler.disarm(death_timers_[entry.slot]);
  } else {
    simulation().scheduler.arm(death_timers_[entry.slot], at);
  }
}

void Server::on_death(void* self, std::uint32_t slot) {
  auto& server = *static_cast<Server*>(self);
  Entry& entry = server.store_.at(slot);
  if (!entry.present || entry.mourned || entry.alive(server.clock_ms())) return;
  entry.mourned = true;
  server.actor_ = 0;
  server.role_ = 0;
  server.note(sim::What::entry_removed, sim::Cause::expiry, entry, entry.owner);
}

// A key that nobody has touched since its death lives again when the clock is set back to before it
// (R28).
void Server::clock_changed() {
  actor_ = 0;
  role_ = 0;
  for (std::uint32_t slot = 0; slot < store_.slots(); ++slot) {
    Entry& entry = store_.at(slot);
    if (!entry.present || entry.deadline_ms == kNoDeadline) continue;
    if (entry.mourned) {
      if (!entry.alive(clock_ms())) continue;
      entry.mourned = false;
      note(sim::What::entry_created, sim::Cause::command, entry, entry.owner);
    }
    watch_death(entry);
  }
}

// ---------------------------------------------------------------- the keyspace

Entry* Server::live(std::string_view key) {
  Entry* entry = store_.find(key);
  if (entry == nullptr || entry->alive(frozen_ms_)) return entry;
  // Touched after its death: forgotten now (R23), mourned here if its timer is yet to come at this
  // instant.
  const sim::TenureId actor = std::exchange(actor_, 0);
  remove(*entry, sim::Cause::expiry, entry->mourned);
  actor_ = actor;
  return nullptr;
}

void Server::put(std::string_view key, std::string_view value, std::int64_t deadline_ms) {
  Entry& entry = store_.slot(key);
  const bool existed = entry.present;
  const sim::TenureId owner = existed ? entry.owner : 0;
  entry.value.assign(value);
  entry.deadline_ms = deadline_ms;
  entry.present = true;
  entry.mourned = false;
  entry.owner = actor_;
  entry.id = keys_->id(key);
  if (!existed) tenures_->granted(actor_);
  note(existed ? sim::What::entry_altered : sim::What::entry_created, sim::Cause::command, entry,
       owner);
  if (deadline_ms != kNoDeadline) watch_death(entry);
}

void Server::remove(Entry& entry, sim::Cause cause, bool mourned) {
  entry.present = false;
  if (!mourned) note(sim::What::entry_removed, cause, entry, entry.owner);
  entry.owner = 0;
}

void Server::set_deadline(Entry& entry, std::int64_t deadline_ms) {
  entry.deadline_ms = deadline_ms;
  note(sim::What::entry_altered, sim::Cause::command, entry, entry.owner);
  watch_death(entry);
}

bool Server::evict(std::string_view key) {
  frozen_ms_ = clock_ms();
  actor_ = 0;
  role_ = 0;
  Entry* entry = live(key);
  if (entry == nullptr) return false;
  remove(*entry, sim::Cause::eviction);
  return true;
}

void Server::note(sim::What what, sim::Cause cause, const Entry& entry, sim::TenureId owner) {
  const bool gone = what == sim::What::entry_removed || entry.deadline_ms == kNoDeadline;
  simulation().scheduler.recorder().note({.at = simulation().now(),
                                          .what = what,
                                          .cause = cause,
                                          .role = role_,
                                          .process = process().id(),
                                          .tenure = actor_,
                                          .owner = owner,
                                          .key = entry.id,
                                          .until = gone ? sim::kNever : dies(entry)});
}

// ---------------------------------------------------------------- the command loop

bool Server::apply(sim::Message& request, sim::Payload& answer) {
  if (!read_request(request.payload.view(), argv_)) {
    reply_.set_error("ERR Protocol error");
    write_reply(answer, reply_);
    return true;
  }
  const Command* command = command_named(argv_[0]);
  // What arrives behind a script that has yet to run waits for its turn.
  if (!waiting_.empty() || (command != nullptr && command->runs_script)) {
    request.taken = true;
    waiting_.push_back(&request);
    if (script_thread_ == nullptr) {
      script_thread_ = &simulation().scheduler.spawn_deep(process(), [this] { run_scripts(); });
    } else {
      simulation().scheduler.wake(*script_thread_);
    }
    return false;
  }
  execute(argv_, reply_, request.tenure, request.role);
  write_reply(answer, reply_);
  return true;
}

// An interpreter needs a deeper stack than the fiber that happens to be blocking when a request
// arrives.
void Server::run_scripts() {
  for (;;) {
    while (!waiting_.empty()) {
      sim::Message& request = *waiting_.front();
      waiting_.erase(waiting_.begin());
      read_request(request.payload.view(), script_argv_);
      execute(script_argv_, script_reply_, request.tenure, request.role);
      sim::Message& reply = reply_to(request);
      write_reply(reply.payload, script_reply_);
      answer(request, reply);
      simulation().network.release(request);
      simulation().scheduler.obey();
    }
    simulation().scheduler.park();
  }
}

void Server::execute(Argv argv, Reply& reply, sim::TenureId tenure, std::uint8_t role) {
  frozen_ms_ = clock_ms();
  actor_ = tenure;
  role_ = role;
  const Command* command = command_named(argv[0]);
  if (command == nullptr) {
    reply.set_error(unknown_command(argv[0], argv.subspan(1)));
    return;
  }
  if (!command->takes(argv.size())) {
    reply.set_error("ERR wrong number of arguments for '" + std::string(command->name) +
                    "' command");
    return;
  }
  command->run(*this, argv, reply);
}

// Texts inside scripts differ from those outside (R76, R77).
void Server::run_command(Argv argv, Reply& reply) {
  const Command* command = command_named(argv[0]);
  if (command == nullptr) command = refused_to_scripts(argv[0]);
  if (command == nullptr) {
    reply.set_error("ERR Unknown Redis command called from script");
  } else if (!command->takes(argv.size())) {
    reply.set_error("ERR Wrong number of args calling Redis command from script");
  } else if (!command->in_scripts) {
    reply.set_error("ERR This Redis command is not allowed from script");
  } else {
    command->run(*this, argv, reply);
  }
}

void Server::eval(Argv argv, Reply& reply, bool by_sha) {
  constexpr std::string_view kUnknownScript = "NOSCRIPT No matching script. Please use EVAL.";
  // The length is looked at before the number of keys, the digits after it (R81).
  std::array<char, 40> digits;
  if (by_sha && argv[1].size() != digits.size()) {
    reply.set_error(kUnknownScript);
    return;
  }
  std::int64_t key_count = 0;
  if (!strict_integer(argv[2], key_count)) {
    reply.set_error("ERR value is not an integer or out of range");
    return;
  }
  if (key_count > static_cast<std::int64_t>(argv.size()) - 3) {
    reply.set_error("ERR Number of keys can't be greater than number of args");
    return;
  }
  if (key_count < 0) {
    reply.set_error("ERR Number of keys can't be negative");
    return;
  }
  if (lua_ == nullptr) lua_ = std::make_unique<Lua>();
  const Lua::Compiled* script = nullptr;
  if (by_sha) {
    std::transform(argv[1].begin(), argv[1].end(), digits.begin(), lower);
    script = lua_->known({digits.data(), digits.size()});
    if (script == nullptr || std::find(cached_.begin(), cached_.end(), script) == cached_.end()) {
      reply.set_error(kUnknownScript);
      return;
    }
  } else {
    std::string error;
    script = lua_->compile(argv[1], error);
    if (script == nullptr) {
      reply.set_error(error);
      return;
    }
    if (std::find(cached_.begin(), cached_.end(), script) == cached_.end())
      cached_.push_back(script);
  }
  const auto keys = static_cast<std::size_t>(key_count);
  lua_->run(*script, argv.subspan(3, keys), argv.subspan(3 + keys), *this, reply);
}

}  // namespace picklock::models::redis
