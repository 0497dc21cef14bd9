#include "cli/campaign_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <vector>

#include "cli/console.h"
#include "explore/executable.h"
#include "keys/bad_input.h"
#include "reports/wording.h"

namespace picklock::cli {
namespace {

using explore::StoreReader;
using keys::BadInput;

constexpr std::uint64_t kMostShards = 1'000'000;

// The folder must be there before it can be read.
std::filesystem::path made_folder(const std::string& word) {
  std::error_code error;
  const std::filesystem::path folder = word;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error))
    throw BadInput(fmt::format("--store: {} is not a directory", keys::printable(word, 200)));
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw BadInput(
        fmt::format("--store: {} cannot be made: {}", keys::printable(word, 200), error.message()));
  }
  return folder;
}

// Requires: the reader has read the folder.
const explore::StoredCampaign& fitting(const StoreReader& reader,
                                       const explore::StoredCampaign& campaign) {
  for (const auto& [search, other] : reader.campaigns()) {
    if (search != campaign.search) {
      throw BadInput(fmt::format(
          "--store: {} has the parts of another campaign, `{}`; give this one a folder of its own",
          keys::printable(reader.folder().string(), 200), keys::printable(other.command, 300)));
    }
  }
  return campaign;
}

}  // namespace

explore::Shard shard_from(const std::string& word) {
  explore::Shard shard;
  const char* end = word.data() + word.size();
  const auto [slash, bad_index] = std::from_chars(word.data(), end, shard.index);
  if (bad_index == std::errc{} && slash != end && *slash == '/') {
    const auto [stop, bad_count] = std::from_chars(slash + 1, end, shard.count);
    if (bad_count == std::errc{} && stop == end && shard.index < shard.count &&
        shard.count <= kMostShards)
      return shard;
  }
  throw BadInput(
      fmt::format("--shard: must be I/N, where I is one of 0 to N-1, such as 3/20, not \"{}\"",
                  keys::printable(word)));
}

std::string program_of_store() { return fmt::format("{:016x}", explore::this_executable()); }

CampaignStore::CampaignStore(const std::string& folder, const explore::StoredCampaign& campaign,
                             const explore::Shard& shard)
    : reader(made_folder(folder), campaign.program),
      writer(folder, fitting(reader, campaign), shard) {}

std::string disagreement(const StoreReader& reader) {
  if (reader.disagreements().empty()) return {};
  const StoreReader::Disagreement& first = reader.disagreements().front();
  const auto of = [&](std::size_t attempt) {
    const StoreReader::Attempt& one = reader.attempts()[attempt];
    return fmt::format("{} ({})", keys::printable(one.host), one.file);
  };
  const std::size_t more = reader.disagreements().size() - 1;
  return fmt::format(
      "two machines disagree on {}: {} and {}{}", words(first.name), of(first.one), of(first.other),
      more > 0 ? fmt::format("; and on {}", reports::plural(more, "other part")) : "");
}

std::string open_shards(const StoreReader& reader) {
  std::set<std::uint64_t> counts;
  for (const StoreReader::Attempt& one : reader.attempts()) counts.insert(one.shard.count);
  if (counts.size() != 1 || *counts.begin() == 1) return {};
  const std::uint64_t count = *counts.begin();
  std::set<std::uint64_t> made;
  for (const StoreReader::Attempt& one : reader.attempts()) {
    if (one.made) made.insert(one.shard.index);
  }
  constexpr std::size_t kMostNamed = 10;
  std::vector<std::string> named;
  for (std::uint64_t i = 0; i < count && named.size() < kMostNamed; ++i) {
    if (!made.contains(i)) named.push_back(std::to_string(i));
  }
  if (named.empty()) return {};
  const std::size_t more = count - made.size() - named.size();
  if (more > 0) named.push_back(fmt::format("{} more", more));
  return fmt::format("of {} shards, {} {} not ended", count, reports::list(named),
                     named.size() == 1 ? "has" : "have");
}

std::string shard_report(const explore::Shard& shard, std::uint64_t parts, bool complete,
                         bool json) {
  if (json) {
    return nlohmann::ordered_json{
               {"shard", {shard.index, shard.count}}, {"parts_made", parts}, {"complete", complete}}
               .dump(2) +
           '\n';
  }
  return fmt::format("shard {}/{}: {} made here; {}\n", shard.index, shard.count,
                     reports::plural(parts, "part"),
                     complete ? "nothing is missing of it" : "submit it again for the rest");
}

void tell_what_does_not_count(const StoreReader& reader) {
  const std::string folder = keys::printable(reader.folder().string(), 200);
  if (reader.foreign() > 0) {
    complain(fmt::format("{} in {} of another picklock, or of none, {} not counted",
                         reports::plural(reader.foreign(), "file"), folder,
                         reader.foreign() == 1 ? "is" : "are"));
  }
  if (reader.damaged() > 0) {
    complain(fmt::format("{} in {} {} damaged and not counted",
                         reports::plural(reader.damaged(), "line"), folder,
                         reader.damaged() == 1 ? "is" : "are"));
  }
}

}  // namespace picklock::cli
