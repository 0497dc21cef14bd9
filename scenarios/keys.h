// The keys of a scenario file, table by table. The value of one key is checked where it is read;
// scenarios/checks.h checks keys against each other. Each group of tables has a file of its own,
// NAME_keys.cc.
#pragma once

#include "scenarios/key.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

// The file format this program reads: the value of `format`.
inline constexpr int kFormat = 1;

// More of one kind than this is refused, so that no file can exhaust memory.
inline constexpr std::size_t kMostFaults = 1000;
inline constexpr std::size_t kMostLinks = 1000;
inline constexpr std::size_t kMostTwins = 100;
inline constexpr std::size_t kMostNames = 100;
inline constexpr std::size_t kMostNodes = 1000;

const Keys<Scenario>& scenario_keys();  // the whole file; tables are keys with `nested` set

const Keys<LockSpec>& lock_keys();
const Keys<ServersSpec>& servers_keys();
const Keys<NodeSpec>& node_keys();
const Keys<GcProfile>& gc_keys();  // of servers and of clients
const Keys<Network>& network_keys();
const Keys<ClientsSpec>& clients_keys();
const Keys<sim::Fault>& fault_keys();  // a key for each verb first
const Keys<sim::Trigger>& trigger_keys();
const Keys<Expectation>& expectation_keys();
const Keys<Neighbour>& neighbour_keys();

// A twin's one change is any key of the file, which the table cannot list.
void read_twin(const Value& table, Twin& twin);
void describe_twin(const std::string& path, std::vector<TableDoc>& docs);

}  // namespace picklock::scenarios
