// How statements and answers travel between a simulated client and a simulated server: as typed
// records, which a trace shows as SQL. The real protocol is the business of the real client.
#pragma once

#include <optional>
#include <string_view>

#include "models/mysql/types.h"
#include "sim/message.h"
#include "sim/trace.h"

namespace picklock::models::mysql {

void write(const Statement& statement, sim::Payload& out);
void write(const Answer& answer, sim::Payload& out);

// Nothing: these bytes are none.
std::optional<Statement> read_statement(std::string_view bytes);
std::optional<Answer> read_answer(std::string_view bytes);

const sim::Protocol& protocol();

}  // namespace picklock::models::mysql
