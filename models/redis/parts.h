// The parts of one Redis server, by name. A part keeps references to the parts that it needs, and
// to no others; a command gets a Context, which leaves out what moves messages.
#pragma once

namespace picklock::sim {
class Service;
}

namespace picklock::redis {

class BlockedClients;
class CommandLoop;
class Config;
class Connections;
class DirectCommands;
class Effects;
class Executor;
class Keyspace;
class Lifetime;
class Monitors;
class PauseGate;
class Persistence;
class Propagation;
class Redirection;
class Refusals;
class Replication;
class ScriptRunner;
class SlowReaders;
struct PubSub;
struct Stats;

// The parts that a command may touch, beside its own session and the keys.
struct Context {
  Lifetime& lifetime;
  Config& config;
  Stats& stats;
  PubSub& pubsub;
  Connections& connections;
  PauseGate& pause;
  BlockedClients& blocked;
  Monitors& monitors;
  ScriptRunner& scripts;
  Executor& executor;
  Effects& effects;
  Replication& replication;
  Persistence& persistence;
  Redirection& redirection;
};

struct Parts : Context {
  sim::Service& service;
  Keyspace& keys;
  CommandLoop& loop;
  DirectCommands& direct;
  Propagation& propagation;
  Refusals& refusals;
  SlowReaders& slow_readers;
};

}  // namespace picklock::redis
