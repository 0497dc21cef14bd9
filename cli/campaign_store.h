// The store of a campaign, as the commands see it (explore/store.h).
#pragma once

#include <optional>
#include <string>

#include "explore/shard.h"
#include "explore/store.h"

namespace picklock::cli {

// The value of --shard. Throws BadInput.
explore::Shard shard_from(const std::string& word);

// The fingerprint of this program, as a store names it.
std::string program_of_store();

// The store of --store, in which this process makes parts. Throws BadInput if the folder has the
// parts of another campaign.
struct CampaignStore {
  CampaignStore(const std::string& folder, const explore::StoredCampaign& campaign,
                const explore::Shard& shard);

  explore::StoreReader reader;
  explore::StoreWriter writer;
};

// Says which machines do not agree on a part; empty: all agree.
std::string disagreement(const explore::StoreReader& reader);

// The shards that have not ended, for a message; empty: it cannot be told.
std::string open_shards(const explore::StoreReader& reader);

// The last words of a process that has made a shard.
std::string shard_report(const explore::Shard& shard, std::uint64_t parts, bool complete,
                         bool json);

// Tells on standard error of files and lines that do not count.
void tell_what_does_not_count(const explore::StoreReader& reader);

}  // namespace picklock::cli
