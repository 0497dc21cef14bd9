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
                                     "The resource that the lock protects, process `resource`."));
    return all;
  }();
  return keys;
}

}  // namespace picklock::scenarios
