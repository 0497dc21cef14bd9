#include "explore/executable.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/digest.h"

namespace picklock::explore {
namespace {

// Sections that decide no run. cmake/commit.cmake gives the commit one of its own.
constexpr std::array<std::string_view, 2> kLeftOut = {".picklock.commit", ".note.gnu.build-id"};

std::string contents_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(std::filesystem::file_size(file), '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

template <typename Record>
std::optional<Record> record_at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, file.data() + offset, sizeof record);
  return record;
}

std::optional<std::string_view> bytes_of(std::string_view file, const Elf64_Shdr& section) {
  if (section.sh_offset > file.size() || file.size() - section.sh_offset < section.sh_size)
    return std::nullopt;
  return file.substr(section.sh_offset, section.sh_size);
}

// The sections that are loaded from the file to run it; nullopt: it is no whole file of this kind.
std::optional<std::vector<std::string_view>> loaded_sections(std::string_view file) {
  const auto header = record_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shnum == 0) return std::nullopt;
  const auto section = [&](std::uint64_t i) {
    return record_at<Elf64_Shdr>(file, header->e_shoff + i * header->e_shentsize);
  };
  const auto names_section = section(header->e_shstrndx);
  const auto names = names_section ? bytes_of(file, *names_section) : std::nullopt;
  if (!names) return std::nullopt;
  std::vector<std::string_view> all;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto one = section(i);
    if (!one || one->sh_name >= names->size()) return std::nullopt;
    if ((one->sh_flags & SHF_ALLOC) == 0 || one->sh_type == SHT_NOBITS) continue;
    const std::string_view rest = names->substr(one->sh_name);
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (std::find(kLeftOut.begin(), kLeftOut.end(), name) != kLeftOut.end()) continue;
    const auto bytes = bytes_of(file, *one);
    if (!bytes) return std::nullopt;
    all.push_back(*bytes);
  }
  return all;
}

// sim::fingerprint would not do. A block that equals one of its constants makes it forget every
// block before, and the constants are in the program.
void add(std::string_view bytes, sim::Digest& digest) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  for (std::size_t at = 0; at < bytes.size(); at += kWord)
    digest.add(sim::little_endian(bytes.data() + at, std::min(kWord, bytes.size() - at)));
  digest.add(bytes.size());
}

}  // namespace

std::uint64_t executable_fingerprint(const std::string& file) {
  const std::string bytes = contents_of(file);
  sim::Digest digest;
  for (const std::string_view one :
       loaded_sections(bytes).value_or(std::vector<std::string_view>{bytes}))
    add(one, digest);
  return digest.value();
}

std::uint64_t this_executable() {
  static const std::uint64_t fingerprint = executable_fingerprint("/proc/self/exe");
  return fingerprint;
}

}  // namespace picklock::explore
