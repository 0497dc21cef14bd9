#include "conform/mysql/model_side.h"

#include <set>

namespace picklock::conform::mysql {
namespace {

void fill(Engine& engine) {
  const SessionId session = engine.open();
  for (const char* const key : kRowsAtFirst) {
    engine.execute(session,
                   {.op = Op::insert,
                    .table = schema().name,
                    .values = {{.value = std::string(key)}, {.value = std::int64_t{0}}}},
                   0);
  }
  engine.close(session);
}

std::string key_of(const Statement& statement) {
  if (statement.key) return *statement.key;
  if (statement.op != Op::insert) return {};
  return std::get<std::string>(statement.values.front().value);
}

}  // namespace

Played play_to_model(const Interleaving& interleaving, const Script& script) {
  Engine engine;
  engine.create(schema());
  for (std::uint32_t i = 0; i < interleaving.connections; ++i) engine.open();
  fill(engine);
  Played played;
  engine.set_pick([&](std::size_t among) {
    const std::size_t at = played.choices.size();
    const std::size_t made = at < script.size() ? script[at] : 0;
    played.choices.push_back({made, among});
    return among - 1 - made;
  });
  std::set<SessionId> waiting;
  for (const Step& step : interleaving.steps) {
    Outcome outcome;
    const std::string key = key_of(step.statement);
    const bool speaks = engine.is_open(step.session) && !waiting.contains(step.session);
    played.rows.push_back(speaks && !key.empty() ? engine.look(step.session, schema().name, key)
                                                 : RowState::none);
    if (speaks) {
      const std::optional<Answer> answer = engine.execute(step.session, step.statement, 0);
      if (answer) outcome[step.session] = *answer;
      if (!answer) waiting.insert(step.session);
      if (!answer && step.impatient && engine.waits(step.session)) engine.time_out(step.session);
    }
    played.waited.push_back(waiting.contains(step.session) && speaks);
    for (const Engine::Finished& one : engine.finished()) {
      outcome[one.session] = one.answer;
      waiting.erase(one.session);
    }
    played.outcomes.push_back(std::move(outcome));
  }
  return played;
}

}  // namespace picklock::conform::mysql
