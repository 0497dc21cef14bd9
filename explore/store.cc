#include "explore/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "keys/bad_input.h"
#include "sim/digest.h"

namespace picklock::explore {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kStoreFormat = 1;
constexpr std::string_view kStoreEnd = ".jsonl";
constexpr std::string_view kSum = ",\"sum\":\"";
constexpr std::string_view kResult = "],\"result\":";
constexpr std::string_view kAt = ",\"at\":";

std::string why_it_failed() { return std::strerror(errno); }

std::string shown(const fs::path& path) { return keys::printable(path.string(), 200); }

// Without its last brace.
std::string with_sum(std::string line) {
  line += fmt::format("{}{:.3f}", kAt, seconds_since_1970());
  return line + fmt::format("{}{:016x}\"}}\n", kSum, sim::fingerprint(line));
}

// nullopt: it is harmed, or no line of a store.
std::optional<std::string_view> without_sum(std::string_view line) {
  constexpr std::size_t kSize = kSum.size() + 16 + 2;
  if (line.size() < kSize) return std::nullopt;
  const std::string_view text = line.substr(0, line.size() - kSize);
  const std::string expected = fmt::format("{}{:016x}\"}}", kSum, sim::fingerprint(text));
  if (line.substr(text.size()) != expected) return std::nullopt;
  return text;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::string fit_for_a_file_name(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char letter) {
        return letter >= 0x80 || (std::isalnum(letter) == 0 && letter != '.' && letter != '_');
      },
      '-');
  return text;
}

}  // namespace

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string words(const PartName& name) {
  const std::string runs = fmt::format("runs {} to {}", name.runs.from + 1, name.runs.to);
  return name.cell.empty() ? runs : fmt::format("{} of {}", runs, name.cell);
}

// ---------------------------------------------------------------- writing

StoreWriter::StoreWriter(const fs::path& folder, const StoredCampaign& campaign,
                         const Shard& shard) {
  const auto refuse = [&](const fs::path& what) {
    throw keys::BadInput(
        fmt::format("--store: {} cannot be written to: {}", shown(what), why_it_failed()));
  };
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw keys::BadInput(fmt::format("--store: {} is not a directory", shown(folder)));
  if (!fs::is_directory(folder, error) && !fs::create_directories(folder, error) && error) {
    errno = error.value();
    refuse(folder);
  }
  const std::string host = host_name();
  for (int number = 1; file_ < 0; ++number) {
    path_ = folder / fmt::format("shard-{:04}-of-{:04}-{}-{}{}{}", shard.index, shard.count,
                                 fit_for_a_file_name(host), getpid(),
                                 number > 1 ? fmt::format("-{}", number) : "", kStoreEnd);
    file_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST) refuse(folder);
  }
  Json header = {{"picklock", kStoreFormat},
                 {"program", campaign.program},
                 {"shard", {shard.index, shard.count}},
                 {"host", host},
                 {"process", getpid()},
                 {"command", campaign.command},
                 {"runs", campaign.runs},
                 {"search", Json::parse(campaign.search)}};
  std::string line = header.dump();
  line.pop_back();
  try {
    append(std::move(line));
  } catch (const StoreLost& lost) {
    throw keys::BadInput(fmt::format("--store: {}", lost.what()));
  }
}

StoreWriter::~StoreWriter() {
  if (file_ >= 0) close(file_);
}

void StoreWriter::lose(std::string_view why) {
  close(std::exchange(file_, -1));
  throw StoreLost(fmt::format("nothing more can be written to {}: {}", shown(path_), why));
}

// Once a line was written in part, nothing may follow it.
void StoreWriter::append(std::string line) {
  if (file_ < 0) return;
  line = with_sum(std::move(line));
  // The file of a folder that was removed takes everything and keeps nothing.
  struct stat now {};
  if (fstat(file_, &now) != 0 || now.st_nlink == 0) lose("it was removed");
  for (std::string_view left = line; !left.empty();) {
    const ssize_t written = ::write(file_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) lose(why_it_failed());
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

void StoreWriter::write(const PartName& name, std::string_view result) {
  append(fmt::format("{{\"part\":[\"{}\",{},{}{}{}", name.cell, name.runs.from, name.runs.to,
                     kResult, result));
}

void StoreWriter::end(bool made) {
  if (file_ < 0) return;
  append(fmt::format("{{\"end\":\"{}\"", made ? "made" : "left"));
  // Some file systems say only now that they are full.
  if (fsync(file_) != 0) lose(why_it_failed());
  if (close(std::exchange(file_, -1)) != 0)
    throw StoreLost(
        fmt::format("{} could not be written to the end: {}", shown(path_), why_it_failed()));
  struct stat now {};
  if (stat(path_.c_str(), &now) != 0)
    throw StoreLost(fmt::format("{} was removed while it was written", shown(path_)));
}

// ---------------------------------------------------------------- reading

StoreReader::StoreReader(fs::path folder, std::string program)
    : folder_(std::move(folder)), program_(std::move(program)) {
  try {
    update();
  } catch (const StoreLost& lost) {
    throw keys::BadInput(lost.what());
  }
}

void StoreReader::update() {
  try {
    read_folder();
  } catch (const fs::filesystem_error& error) {
    throw StoreLost(fmt::format("{} cannot be read: {}", shown(folder_), error.code().message()));
  }
}

// In the order of their names, so that of the same parts the same comes first.
void StoreReader::read_folder() {
  std::set<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(kStoreEnd) || !entry.is_regular_file()) continue;
    if (!foreign_.contains(name)) paths.insert(entry.path());
  }
  for (const fs::path& path : paths) read_file(path);
}

void StoreReader::read_file(const fs::path& path) {
  const std::string name = path.filename().string();
  File& file = files_[name];
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (!error && size == file.read) return;
  std::ifstream in(path, std::ios::binary);
  std::string text;
  if (in && !error) {
    text.resize(size - std::min<std::uint64_t>(size, file.read));
    in.seekg(static_cast<std::streamoff>(file.read));
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
  }
  if (!in && !in.eof()) {
    if (!fs::exists(path, error)) return;
    throw StoreLost(fmt::format("{} cannot be read: {}", shown(path), why_it_failed()));
  }
  // What follows the last end of a line is being written, or was when its process was killed.
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos;
       at = end + 1) {
    const std::string_view line = std::string_view(text).substr(at, end - at);
    file.read += line.size() + 1;
    if (!file.known && !take_header(line, name, file)) {
      foreign_.insert(name);
      return;
    }
    if (file.known && !take_line(line, file)) ++damaged_;
  }
}

bool StoreReader::take_header(std::string_view line, const std::string& name, File& file) {
  const auto text = without_sum(line);
  if (!text) return false;
  const Json json = Json::parse(std::string(*text) + '}', nullptr, false);
  if (!json.is_object() || json.value("picklock", 0) != kStoreFormat ||
      json.value("program", "") != program_)
    return false;
  const std::string search = json.at("search").dump();
  StoredCampaign& campaign = campaigns_[search];
  campaign.program = program_;
  campaign.search = search;
  campaign.command = json.at("command");
  campaign.runs = std::max(campaign.runs, json.at("runs").get<std::uint64_t>());
  const double at = json.at("at");
  file.known = true;
  file.attempt = attempts_.size();
  attempts_.push_back({.file = name,
                       .host = json.at("host"),
                       .shard = {json.at("shard").at(0), json.at("shard").at(1)},
                       .began = at,
                       .last = at});
  return true;
}

bool StoreReader::take_line(std::string_view line, const File& file) {
  const auto text = without_sum(line);
  if (!text) return false;
  Attempt& attempt = attempts_[file.attempt];
  const std::size_t at = text->rfind(kAt);
  if (at == std::string_view::npos) return false;
  std::from_chars(text->data() + at + kAt.size(), text->data() + text->size(), attempt.last);
  if (text->starts_with("{\"picklock\":")) return true;  // the header
  if (text->starts_with("{\"end\":")) {
    attempt.ended = true;
    attempt.made = text->starts_with("{\"end\":\"made\"");
    return true;
  }
  const std::size_t result = text->find(kResult);
  if (result == std::string_view::npos) return false;
  const Json name = Json::parse(std::string(text->substr(0, result)) + "]}", nullptr, false);
  if (!name.is_object() || !name.contains("part")) return false;
  const Json& part = name.at("part");
  const Span runs = {part.at(1), part.at(2)};
  ++attempt.parts;
  attempt.runs += runs.to - runs.from;
  const std::string_view value =
      text->substr(result + kResult.size(), at - result - kResult.size());
  const auto [known, is_new] = parts_.try_emplace(PartName{.cell = part.at(0), .runs = runs});
  if (is_new) {
    known->second = {.result = std::string(value), .attempt = file.attempt};
  } else if (known->second.result != value) {
    disagreements_.push_back(
        {.name = known->first, .one = known->second.attempt, .other = file.attempt});
  }
  return true;
}

const StoreReader::Part* StoreReader::find(const PartName& name) const {
  const auto found = parts_.find(name);
  return found == parts_.end() ? nullptr : &found->second;
}

// ---------------------------------------------------------------- signs

StoreSigns read_signs(const fs::path& folder) {
  StoreSigns signs;
  std::error_code error;
  signs.stop = fs::exists(folder / "stop", error);
  std::ifstream in(folder / "enough");
  std::uint64_t run = 0;
  if (in >> run) signs.enough = run;
  return signs;
}

void write_enough(const fs::path& folder, std::uint64_t run) {
  const fs::path part =
      folder / fmt::format("enough.{}.{}", fit_for_a_file_name(host_name()), getpid());
  std::error_code error;
  {
    std::ofstream out(part);
    out << run << '\n';
    out.close();
    if (!out) return void(fs::remove(part, error));
  }
  fs::rename(part, folder / "enough", error);
}

}  // namespace picklock::explore
