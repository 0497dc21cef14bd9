// The keys of a scenario file, table by table. The value of one key is checked where it is read;
// scenarios/checks.h checks keys against each other. Each group of tables has a file of its own,
// NAME_keys.cc.
#pragma once

#include "keys/key.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

// The file format this program reads: the value of `format`.
inline constexpr int kFormat = 1;

// More of one kind than this is refused, so that no file can exhaust memory.
inline constexpr std::size_t kMostFaults = 1000;
inline constexpr std::size_t kMostLinks = 1000;
inline constexpr std::size_t kMostTwins = 100;
inline constexpr std::size_t kMostNames = 100;
inline constexpr std::size_t kMostSteps = 1000;
inline constexpr std::size_t kMostUnlike = 1000;

const keys::Keys<Scenario>& scenario_keys();  // the whole file; tables are keys with `nested` set

const keys::Keys<LockSpec>& lock_keys();  // those of every shipped lock
// The same without `algorithm` and `key`.
const keys::Keys<models::LockOptions>& option_keys();
const keys::Keys<ServersSpec>& servers_keys();
const keys::Keys<Network>& network_keys();
const keys::Keys<ClientsSpec>& clients_keys();
const keys::Keys<OneClient>& one_client_keys();
const keys::Keys<OneClient>& own_lock_keys();  // of one client: those of its table `lock`
const keys::Keys<sim::Fault>& fault_keys();    // a key for each verb first
const keys::Keys<sim::Trigger>& trigger_keys();
// As a step: a message that the target sends and that belongs to no step of a client.
inline constexpr std::string_view kMessageSent = "message.sent";
const keys::Keys<Expectation>& expectation_keys();
const keys::Keys<Neighbour>& neighbour_keys();
const keys::Keys<Complete>& complete_keys();

void read_client(const keys::Value& table, OneClient& one);
void describe_client(const std::string& path, std::vector<keys::TableDoc>& docs);

// A twin's one change is any key of the file, which the table cannot list.
void read_twin(const keys::Value& table, Twin& twin);
void describe_twin(const std::string& path, std::vector<keys::TableDoc>& docs);

}  // namespace picklock::scenarios
