#include "keys/key_kinds.h"
#include "models/servers/kind.h"
#include "scenarios/keys.h"

namespace picklock::scenarios {

using namespace keys;
namespace {

const Keys<ResourceSpec>& resource_keys() {
  static const Keys<ResourceSpec> keys = {
      word<ResourceSpec>(
          "fencing",
          {"none", "after", "in-script", "ideal", "revoke", "revoke-late", "owner-token"},
          at<&ResourceSpec::fencing>,
          "how the resource recognizes the write of a former holder, which it refuses. By a token: "
          "fetched by a command after the grant (after), made by the same step that grants "
          "(in-script), or the simulator's own order of grants (ideal). Or without tokens: the "
          "coordinator revokes the access of a holder that is gone, before it frees the lock "
          "(revoke) or after (revoke-late). Or by the token with which the lock knows its owner, "
          "which has no order (owner-token)"),
      word<ResourceSpec>(
          "checks", {"writes", "accesses", "announced"}, at<&ResourceSpec::checks>,
          "which requests the resource checks: writes; reads and writes (accesses); or both, and "
          "it "
          "accepts only the token that was announced last, whatever its order (announced). Each of "
          "them shows its token as well, and so does the step `fence`; a request is refused if its "
          "token is older than the newest that was shown"),
      word<ResourceSpec>("equal_token", {"accept", "refuse"}, at<&ResourceSpec::equal_token>,
                         "whether the resource accepts a request whose token another client has "
                         "shown as well"),
      duration<ResourceSpec>("service", Sign::not_negative, at<&ResourceSpec::service>,
                             "time that the resource needs for one request"),
      integer<ResourceSpec>(
          "nodes", 1, 9, at<&ResourceSpec::nodes>,
          "how many nodes the resource is replicated on: resource-1 and so on; 1: the process "
          "`resource`. A holder's fencing token is its epoch. Before its first operation a "
          "majority of nodes promises the epoch and refuses lower ones from then on; the holder "
          "recovers the log from these nodes, and an operation counts once a majority has it"),
      word<ResourceSpec>(
          "recover_by", {"epoch", "length"}, at<&ResourceSpec::recover_by>,
          "which log a new holder recovers, of those that the majority has: that of the highest "
          "epoch, and of these the longest (epoch); or the longest of all (length)"),
      boolean<ResourceSpec>("force_promises", at<&ResourceSpec::force_promises>,
                            "whether a node forces an epoch to disk before it promises it; "
                            "otherwise only with the next log that it stores"),
      word<ResourceSpec>("restarted_log", {"whole", "high-watermark"},
                         at<&ResourceSpec::restarted_log>,
                         "which part of its log a node keeps when it starts again: all of it, or "
                         "only what it knows to be on a majority, which it learns with the next "
                         "operation"),
  };
  return keys;
}

}  // namespace

const Keys<ServersSpec>& servers_keys() {
  static const Keys<ServersSpec> keys = [] {
    Keys<servers::Specs> tables;
    for (const servers::Kind* kind : servers::kinds()) tables.push_back(kind->table());
    Keys<ServersSpec> all;
    add_lifted(
        all, tables, [](auto& servers) -> auto& { return servers; });
    all.push_back(table<ServersSpec>("resource", resource_keys(), at<&ServersSpec::resource>,
                                     "The resource that the lock protects, process `resource`, or "
                                     "processes `resource-1` to `resource-N`."));
    return all;
  }();
  return keys;
}

}  // namespace picklock::scenarios
