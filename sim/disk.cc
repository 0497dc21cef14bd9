#include "sim/disk.h"

#include <utility>

namespace picklock::sim {

void Disk::Content::cut(std::size_t size) {
  if (size >= bytes.size()) return;
  bytes.resize(size);
  while (!pieces.empty() && pieces.back().end > size) {
    const bool ends_within = pieces.size() == 1 ? size > 0 : pieces[pieces.size() - 2].end < size;
    if (ends_within) {
      pieces.back().end = size;
      return;
    }
    pieces.pop_back();
  }
}

Disk::File* Disk::file(std::string_view name) {
  for (std::size_t i = 0; i < used_; ++i) {
    if (files_[i].name == name) return &files_[i];
  }
  return nullptr;
}

Disk::File& Disk::made(std::string_view name) {
  if (File* const there = file(name)) return *there;
  if (used_ == files_.size()) files_.emplace_back();
  File& anew = files_[used_++];
  anew.name.assign(name);
  anew.content.clear();
  anew.synced = 0;
  anew.durable = anew.renewed = false;
  return anew;
}

const Disk::Content* Disk::find(std::string_view name) const {
  for (std::size_t i = 0; i < used_; ++i) {
    if (files_[i].name == name) return &files_[i].content;
  }
  return nullptr;
}

void Disk::append(std::string_view name, std::string_view bytes, Tag tag, Role role) {
  Content& content = made(name).content;
  content.bytes.append(bytes);
  if (bytes.empty()) return;
  if (!content.pieces.empty() && content.pieces.back().tag == tag &&
      content.pieces.back().role == role) {
    content.pieces.back().end = content.bytes.size();
  } else {
    content.pieces.push_back({content.bytes.size(), tag, role});
  }
}

void Disk::keep_before(File& file) {
  if (std::exchange(file.renewed, true)) return;
  std::swap(file.before, file.content);
  file.before.cut(file.synced);
}

void Disk::replace(std::string_view name, std::string_view bytes) {
  File& file = made(name);
  keep_before(file);
  file.content.clear();
  append(name, bytes);
}

void Disk::truncate(std::string_view name, std::size_t size) {
  File* const cut = file(name);
  if (cut == nullptr || size >= cut->content.bytes.size()) return;
  if (size < cut->synced && !cut->renewed) {
    Content shorter = cut->content;
    keep_before(*cut);
    cut->content = std::move(shorter);
  }
  cut->content.cut(size);
}

void Disk::remove(std::string_view name) {
  for (std::size_t i = 0; i < used_; ++i) {
    if (files_[i].name != name) continue;
    std::swap(files_[i], files_[--used_]);
    return;
  }
}

void Disk::fsync(std::string_view name) {
  File* const synced = file(name);
  if (synced == nullptr) return;
  synced->synced = synced->content.bytes.size();
  synced->durable = true;
  synced->renewed = false;
}

void Disk::lose_power() {
  for (std::size_t i = 0; i < used_;) {
    File& file = files_[i];
    if (!file.durable) {
      std::swap(file, files_[--used_]);
      continue;
    }
    if (std::exchange(file.renewed, false)) std::swap(file.content, file.before);
    file.content.cut(file.synced);
    ++i;
  }
}

void Disk::clear() { used_ = 0; }

}  // namespace picklock::sim
