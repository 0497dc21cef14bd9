// Commands of persistence: SAVE, BGSAVE, LASTSAVE and BGREWRITEAOF; and SHUTDOWN.
#include <array>

#include "models/redis/commands.h"
#include "models/redis/lifetime.h"
#include "models/redis/persistence.h"
#include "models/redis/script_runner.h"

namespace picklock::redis {
namespace of_persistence {
namespace {

constexpr std::string_view kSaveUnderWay = "ERR Background save already in progress";

void save(Call& call) {
  Persistence& persistence = call.server.persistence;
  if (persistence.child() == Persistence::Child::snapshot) {
    call.reply.set_error(kSaveUnderWay);
    return;
  }
  persistence.save();
  call.reply.set_status("OK");
}

// No background save begins within a transaction or while another child runs.
void bgsave(Call& call) {
  Persistence& persistence = call.server.persistence;
  const bool may_wait = call.words() == 2 && same_word(call[1], "schedule");
  if (call.words() > 1 && !may_wait) {
    syntax_error(call.reply);
  } else if (persistence.child() == Persistence::Child::snapshot) {
    call.reply.set_error(kSaveUnderWay);
  } else if (persistence.child() == Persistence::Child::none && !call.session.in_multi) {
    persistence.save_in_background();
    call.reply.set_status("Background saving started");
  } else if (may_wait || call.session.in_multi) {
    persistence.schedule_save();
    call.reply.set_status("Background saving scheduled");
  } else {
    call.reply.set_error(
        "ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE "
        "in order to schedule a BGSAVE whenever possible.");
  }
}

void bgrewriteaof(Call& call) {
  Persistence& persistence = call.server.persistence;
  if (persistence.child() == Persistence::Child::rewrite) {
    call.reply.set_error("ERR Background append only file rewriting already in progress");
  } else if (persistence.child() != Persistence::Child::none || call.session.in_multi) {
    persistence.schedule_rewrite();
    call.reply.set_status("Background append only file rewriting scheduled");
  } else {
    persistence.rewrite_in_background();
    call.reply.set_status("Background append only file rewriting started");
  }
}

void lastsave(Call& call) { call.reply.set_integer(call.server.persistence.last_save_s()); }

// The end of the connection is the only answer. (A real server waits up to ten seconds for its
// replicas to catch up.)
void shutdown(Call& call) {
  bool saves = false;
  bool saves_not = false;
  bool aborts = false;
  bool other = false;
  for (std::string_view word : call.argv.subspan(1)) {
    if (same_word(word, "save") && !saves_not) {
      saves = true;
    } else if (same_word(word, "nosave") && !saves) {
      saves_not = true;
    } else if (same_word(word, "abort")) {
      aborts = true;
    } else if (same_word(word, "now") || same_word(word, "force")) {
      other = true;
    } else {
      syntax_error(call.reply);
      return;
    }
  }
  if (aborts) {
    if (saves || saves_not || other) {
      syntax_error(call.reply);
    } else {
      call.reply.set_error("ERR No shutdown in progress.");
    }
    return;
  }
  if (!saves_not && call.server.scripts.running()) {
    call.reply.set_error(kBusy);
    return;
  }
  Persistence& persistence = call.server.persistence;
  if (persistence.loading()) saves_not = true;
  call.written = true;
  persistence.finish(!saves_not && (saves || persistence.has_save_points()));
  call.server.lifetime.end();
}

constexpr std::uint32_t kOnDemand = kAdmin | kNoScript | kNoAsyncLoading;

constexpr std::array kCommands = {
    Command{"save", 1, kOnDemand | kNotInMulti, save},
    Command{"bgsave", -1, kOnDemand, bgsave},
    Command{"bgrewriteaof", 1, kOnDemand, bgrewriteaof},
    Command{"lastsave", 1, kLoading | kStale | kFast, lastsave},
    Command{"shutdown", -1, kAdmin | kNoScript | kLoading | kStale | kNotInMulti | kWhileBusy,
            shutdown},
};

}  // namespace
}  // namespace of_persistence

std::span<const Command> persistence_commands() { return of_persistence::kCommands; }

}  // namespace picklock::redis
