#include "keys/key_kinds.h"
#include "models/servers/kind.h"
#include "scenarios/keys.h"

namespace picklock::scenarios {

using namespace keys;
namespace {

const Keys<ResourceSpec>& resource_keys() {
  static const Keys<ResourceSpec> keys = {
      word<ResourceSpec>(
          "fencing", {"none", "after", "in-script", "ideal", "revoke", "revoke-late"},
          at<&ResourceSpec::fencing>,
          "how the resource recognizes the write of a former holder, which it refuses. By a token: "
          "fetched by a command after the grant (after), made by the same step that grants "
          "(in-script), or the simulator's own order of grants (ideal). Or without tokens: the "
          "coordinator revokes the access of a holder that is gone, before it frees the lock "
          "(revoke) or after (revoke-late)"),
      duration<ResourceSpec>("service", Sign::not_negative, at<&ResourceSpec::service>,
                             "time that the resource needs for one write"),
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
