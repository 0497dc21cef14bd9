// A folder in which processes of many machines keep the parts of one campaign (docs/campaigns.md).
// Each process appends to a file of its own, so no locks are needed: network file systems have none
// that can be relied on. Processes may be killed at any instant; a reader takes the lines that are
// complete and unharmed.
//
// Two parts of one name must be equal, because a part depends on its name and the campaign alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "explore/shard.h"
#include "explore/span.h"

namespace picklock::explore {

// The store cannot be used any more: it is full, or has vanished.
class StoreLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The division of the work, as text: each process of a campaign has the same.
struct StoredCampaign {
  std::string program;  // its fingerprint: the parts of other programs are foreign
  std::string search;   // JSON: everything that decides the results of a part, and no size
  std::string command;  // for people
  std::uint64_t runs = 0;
  bool operator==(const StoredCampaign&) const = default;
};

struct PartName {
  std::string cell{};  // of a comparison
  Span runs;
  bool operator<(const PartName& that) const {
    return std::tie(cell, runs) < std::tie(that.cell, that.runs);
  }
};

// "runs 1 to 4096", with its cell.
std::string words(const PartName& name);

// The file of one process.
class StoreWriter {
 public:
  // Makes the folder if need be, and the file. Throws keys::BadInput, "--store: ...".
  StoreWriter(const std::filesystem::path& folder, const StoredCampaign& campaign,
              const Shard& shard);
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  // `result`: JSON. Throws StoreLost. Then nothing more is written.
  void write(const PartName& name, std::string_view result);
  // Brings everything to the disk. `made`: nothing is missing of the shard. Throws StoreLost.
  void end(bool made);

 private:
  void append(std::string line);
  [[noreturn]] void lose(std::string_view why);

  std::filesystem::path path_;
  int file_ = -1;
};

class StoreReader {
 public:
  struct Part {
    std::string result;
    std::size_t attempt = 0;
  };
  // A process that makes or made parts.
  struct Attempt {
    std::string file;  // its name
    std::string host;
    Shard shard;
    double began = 0;  // seconds since 1970, by the clock of its machine
    double last = 0;   // write
    std::uint64_t parts = 0;
    std::uint64_t runs = 0;  // of these
    bool ended = false;
    bool made = false;  // all of its shard
  };
  struct Disagreement {
    PartName name;
    std::size_t one = 0;  // attempts
    std::size_t other = 0;
  };

  // Reads what there is now. Throws keys::BadInput if the folder cannot be read.
  StoreReader(std::filesystem::path folder, std::string program);

  // Reads what has been added since. Throws StoreLost.
  void update();

  // The campaigns of this program, by their searches. `runs`: the most that were asked for.
  const std::map<std::string, StoredCampaign>& campaigns() const { return campaigns_; }
  const std::map<PartName, Part>& parts() const { return parts_; }
  const Part* find(const PartName& name) const;
  const std::vector<Attempt>& attempts() const { return attempts_; }
  const std::vector<Disagreement>& disagreements() const { return disagreements_; }
  // Files of other programs or other origin, which do not count.
  std::size_t foreign() const { return foreign_.size(); }
  // Complete lines that cannot be what was written.
  std::size_t damaged() const { return damaged_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct File {
    std::uint64_t read = 0;  // bytes
    bool known = false;      // as that of an attempt
    std::size_t attempt = 0;
  };

  void read_folder();
  void read_file(const std::filesystem::path& path);
  bool take_header(std::string_view line, const std::string& name, File& file);
  bool take_line(std::string_view line, const File& file);

  const std::filesystem::path folder_;
  const std::string program_;
  std::map<std::string, File> files_;  // by name
  std::set<std::string> foreign_;
  std::map<std::string, StoredCampaign> campaigns_;
  std::map<PartName, Part> parts_;
  std::vector<Attempt> attempts_;
  std::vector<Disagreement> disagreements_;
  std::size_t damaged_ = 0;
};

// By the machine's clock. No result depends on it.
double seconds_since_1970();

// Asks the processes of a campaign to end, and tells them which runs are not needed any more. They
// are files of the folder.
struct StoreSigns {
  bool stop = false;                  // a user has made the file `stop`
  std::uint64_t enough = UINT64_MAX;  // no run from this one on is needed: the file `enough`
};
StoreSigns read_signs(const std::filesystem::path& folder);
// Does nothing if it cannot be written: then some runs are made in vain.
void write_enough(const std::filesystem::path& folder, std::uint64_t run);

}  // namespace picklock::explore
