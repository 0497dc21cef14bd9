// The messages of a simulated client and server: statements and answers as typed records, which a
// trace shows as SQL. (The real client uses the real protocol.) Also the replication events between
// a primary and its replicas.
#pragma once

#include <optional>
#include <string_view>

#include "keys/nearest.h"
#include "models/mysql/tables.h"
#include "picklock/mysql.h"
#include "sim/message.h"
#include "sim/trace.h"

namespace picklock::mysql {

struct Event {
  enum class Kind : std::uint8_t { dump, commit, heartbeat };
  Kind kind{};
  // in the primary's binary log: of the commit, or after which to begin
  std::uint64_t position = 0;
  Changes changes{};
  std::uint32_t origin = 0;  // the number of the primary that has committed it; 0: the only one
};

void write(const Statement& statement, sim::Payload& out);
void write(const Answer& answer, sim::Payload& out);

// Nothing: these bytes are not such a record.
std::optional<Statement> read_statement(std::string_view bytes);
std::optional<Answer> read_answer(std::string_view bytes);

void write(const Event& event, sim::Payload& out);
std::optional<Event> read_event(std::string_view bytes);

const sim::Protocol& protocol();
// Those by which a fault may select messages; some occur twice.
keys::Words command_names();
const sim::Protocol& binlog_protocol();

}  // namespace picklock::mysql
