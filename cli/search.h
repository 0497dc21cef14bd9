// Makes a search and tells of its result, for the commands that have one.
#pragma once

#include <string>

#include "explore/campaign.h"
#include "explore/corpus_folder.h"
#include "explore/folder.h"
#include "explore/search.h"
#include "reports/timeline.h"

namespace picklock::cli {

struct SearchTask {
  explore::Search& search;
  explore::Limits limits;
  explore::Folder& folder;  // for what is found
  reports::TextOptions form;
  bool json = false;
  explore::SharedParts* shared = nullptr;  // of a campaign in a store
  explore::CorpusFolder* corpus = nullptr;
  std::string corpus_word{};  // as the user names it
};

// The exit status. Throws explore::StoreLost.
int make_and_report(const SearchTask& task);

// The same for a shard: nothing is shrunk or reported but how far it is.
int make_shard(explore::Search& search, const explore::Limits& limits, explore::SharedParts& shared,
               explore::StoreWriter& writer, bool json);

}  // namespace picklock::cli
