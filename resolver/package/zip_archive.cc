#include "resolver/package/zip_archive.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/package/zip_format.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxNameBytes = size_t{16} << 20;  // total size of all names

// Reads records at any offset, from the mapping or by positional reads.
class Source {
 public:
  Source(RequestContext& context, const Asset& asset)
      : context_(context), asset_(asset), mapping_(asset.GetBuffer()) {}

  uint64_t size() const { return asset_.size(); }

  // Fills `out`. Returns false if the asset ends before that.
  absl::StatusOr<bool> Fill(uint64_t offset, std::span<std::byte> out) {
    if (offset > size() || out.size() > size() - offset) return false;
    if (mapping_.has_value()) {
      const auto from = mapping_->bytes.subspan(static_cast<size_t>(offset), out.size());
      std::copy(from.begin(), from.end(), out.begin());
      return true;
    }
    size_t done = 0;
    while (done < out.size()) {
      SD_ASSIGN_OR_RETURN(const size_t count,
                          asset_.Read(context_, offset + done, out.subspan(done)));
      if (count == 0) return false;
      done += count;
    }
    return true;
  }

  absl::StatusOr<bool> Fill(uint64_t offset, std::string& out) {
    return Fill(offset, std::as_writable_bytes(std::span(out.data(), out.size())));
  }

 private:
  RequestContext& context_;
  const Asset& asset_;
  const std::optional<PinnedBytes> mapping_;
};

// Collects the files and finds the first violation of the format.
class Scanner {
 public:
  Scanner(RequestContext& context, const Asset& asset)
      : context_(context), source_(context, asset) {}

  absl::Status Scan();
  std::vector<ZipEntry> TakeEntries() { return std::move(entries_); }
  std::string TakeIssue() { return std::move(issue_); }

 private:
  // Reads the next local header. False where the files end: at the end of the asset, at another
  // record, or at a truncated file.
  absl::StatusOr<bool> ReadLocal();
  absl::Status CheckDirectory();
  absl::Status CheckCentral(const ZipEntry& entry);
  void CheckEntry(const ZipEntry& entry, uint16_t flags);

  template <typename... Args>
  void Issue(const Args&... args) {
    if (issue_.empty()) issue_ = Concat(args...);
  }

  RequestContext& context_;
  Source source_;
  uint64_t offset_ = 0;
  size_t name_bytes_ = 0;
  std::vector<ZipEntry> entries_;
  std::string issue_;
};

absl::Status Scanner::Scan() {
  for (;;) {
    if (entries_.size() % 256 == 0) SD_RETURN_IF_ERROR(context_.Check());
    SD_ASSIGN_OR_RETURN(const bool more, ReadLocal());
    if (!more) break;
    if (entries_.size() > zip::kMaxEntries) {
      return InvalidArgumentError("it has more than ", zip::kMaxEntries, " files");
    }
    if (name_bytes_ > kMaxNameBytes)
      return InvalidArgumentError("its file names exceed 16 MiB in total");
  }
  if (entries_.empty()) {
    return InvalidArgumentError(
        issue_.empty() ? std::string_view("it does not begin with the header of a ZIP file")
                       : std::string_view(issue_));
  }
  return CheckDirectory();
}

absl::StatusOr<bool> Scanner::ReadLocal() {
  std::array<std::byte, zip::kLocalSize> header;
  SD_ASSIGN_OR_RETURN(const bool there, source_.Fill(offset_, header));
  if (!there || zip::Get32(header, 0) != zip::kLocalSignature) return false;
  const uint16_t flags = zip::Get16(header, 6);
  const size_t name_size = zip::Get16(header, 26);
  ZipEntry entry;
  entry.header_offset = offset_;
  entry.data_offset = offset_ + zip::kLocalSize + name_size + zip::Get16(header, 28);
  entry.size = zip::Get32(header, 18);
  entry.crc32 = zip::Get32(header, 14);
  entry.compressed = zip::Get16(header, 8) != 0;
  entry.encrypted = (flags & zip::kFlagEncrypted) != 0;
  entry.name.resize(name_size);
  SD_ASSIGN_OR_RETURN(const bool named, source_.Fill(offset_ + zip::kLocalSize, entry.name));
  const uint64_t end = entry.data_offset + entry.size;
  if (!named || end > source_.size()) {
    Issue("file ", entries_.size(), " is truncated");
    return false;
  }
  if (!entry.compressed && zip::Get32(header, 22) != entry.size) {
    Issue(Quoted(entry.name), " has two different sizes in its header");
  }
  CheckEntry(entry, flags);
  name_bytes_ += name_size;
  offset_ = end;
  entries_.push_back(std::move(entry));
  return true;
}

void Scanner::CheckEntry(const ZipEntry& entry, uint16_t flags) {
  if (entry.name.empty()) Issue("file ", entries_.size(), " has no name");
  if (entry.name.find('\0') != std::string::npos)
    Issue(Quoted(entry.name), " has a NUL character in its name");
  if (entry.compressed) Issue(Quoted(entry.name), " is compressed");
  if (entry.encrypted) Issue(Quoted(entry.name), " is encrypted");
  if ((flags & zip::kFlagDataDescriptor) != 0) {
    Issue(Quoted(entry.name), " has its size after its data");
  }
  if (!entry.aligned()) Issue(Quoted(entry.name), " is not aligned to 64 bytes");
}

absl::Status Scanner::CheckDirectory() {
  std::array<std::byte, zip::kEndSize> end;
  const uint64_t size = source_.size();
  SD_ASSIGN_OR_RETURN(const bool there,
                      source_.Fill(size < end.size() ? 0 : size - end.size(), end));
  if (!there || zip::Get32(end, 0) != zip::kEndSignature || zip::Get16(end, 20) != 0) {
    Issue("it does not end with the end of central directory record");
    return absl::OkStatus();
  }
  const uint32_t directory_size = zip::Get32(end, 12);
  const uint32_t directory_offset = zip::Get32(end, 16);
  if (zip::Get16(end, 4) != 0 || zip::Get16(end, 6) != 0) Issue("it spans several disks");
  if (zip::Get16(end, 8) != entries_.size() || zip::Get16(end, 10) != entries_.size()) {
    Issue("the central directory lists ", zip::Get16(end, 10), " files; the number of files is ",
          entries_.size());
  }
  if (directory_offset != offset_) Issue("the central directory does not follow the last file");
  if (uint64_t{directory_offset} + directory_size != size - end.size()) {
    Issue("the central directory does not end at its end record");
  }
  if (!issue_.empty()) return absl::OkStatus();
  for (const ZipEntry& entry : entries_) SD_RETURN_IF_ERROR(CheckCentral(entry));
  if (offset_ != size - end.size())
    Issue("the central directory contains data that belongs to no file");
  return absl::OkStatus();
}

absl::Status Scanner::CheckCentral(const ZipEntry& entry) {
  std::array<std::byte, zip::kCentralSize> header;
  SD_ASSIGN_OR_RETURN(const bool there, source_.Fill(offset_, header));
  if (!there || zip::Get32(header, 0) != zip::kCentralSignature) {
    Issue("the central directory is damaged at ", Quoted(entry.name));
    return absl::OkStatus();
  }
  std::string name(zip::Get16(header, 28), '\0');
  SD_ASSIGN_OR_RETURN(const bool named, source_.Fill(offset_ + zip::kCentralSize, name));
  if (!named || name != entry.name) {
    Issue("the central directory has another name for ", Quoted(entry.name));
  } else if (zip::Get32(header, 20) != entry.size || zip::Get32(header, 16) != entry.crc32 ||
             zip::Get32(header, 42) != entry.header_offset ||
             (zip::Get16(header, 10) != 0) != entry.compressed) {
    Issue("the central directory contradicts the header of ", Quoted(entry.name));
  }
  offset_ += zip::kCentralSize + name.size() + zip::Get16(header, 30) + zip::Get16(header, 32);
  return absl::OkStatus();
}

// A range of bytes of another asset.
class SubAsset final : public Asset {
 public:
  SubAsset(std::shared_ptr<const Asset> parent, uint64_t offset, uint64_t size, std::string name)
      : parent_(std::move(parent)),
        offset_(offset),
        size_(size),
        name_(std::move(name)),
        version_(parent_->version().OfPart(Concat("[", offset, "+", size, "]"))) {}

  const std::string& name() const override { return name_; }
  const AssetVersion& version() const override { return version_; }
  uint64_t size() const override { return size_; }
  absl::Status Check() const override { return parent_->Check(); }

  absl::StatusOr<size_t> Read(RequestContext& context, uint64_t offset,
                              std::span<std::byte> out) const override {
    if (offset >= size_) return size_t{0};
    const size_t count = static_cast<size_t>(std::min<uint64_t>(out.size(), size_ - offset));
    return parent_->Read(context, offset_ + offset, out.first(count));
  }

  std::optional<PinnedBytes> GetBuffer() const override {
    std::optional<PinnedBytes> all = parent_->GetBuffer();
    if (!all.has_value()) return std::nullopt;
    return PinnedBytes{all->bytes.subspan(static_cast<size_t>(offset_), static_cast<size_t>(size_)),
                       all->pin};
  }

  std::optional<SparseView> GetSparseBuffer() const override {
    const std::optional<SparseView> all = parent_->GetSparseBuffer();
    if (!all.has_value()) return std::nullopt;
    return all->Part({offset_, size_});
  }

 private:
  const std::shared_ptr<const Asset> parent_;
  const uint64_t offset_;
  const uint64_t size_;
  const std::string name_;
  const AssetVersion version_;
};

}  // namespace

absl::StatusOr<ZipArchive> ZipArchive::Read(RequestContext& context, const Asset& asset) {
  Scanner scanner(context, asset);
  if (absl::Status status = scanner.Scan(); !status.ok()) {
    return Annotate(status, Concat("package ", Quoted(asset.name())));
  }
  SD_RETURN_IF_ERROR(asset.Check());
  ZipArchive archive;
  archive.entries_ = scanner.TakeEntries();
  archive.issue_ = scanner.TakeIssue();
  for (size_t i = 0; i < archive.entries_.size(); ++i) {
    const bool first = archive.index_.emplace(archive.entries_[i].name, i).second;
    if (!first && archive.issue_.empty()) {
      archive.issue_ = Concat(Quoted(archive.entries_[i].name), " is in it more than once");
    }
  }
  return archive;
}

const ZipEntry* ZipArchive::Find(std::string_view name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : &entries_[it->second];
}

absl::Status ZipArchive::CheckConformance() const {
  return issue_.empty() ? absl::OkStatus() : InvalidArgumentError(issue_);
}

size_t ZipArchive::memory_bytes() const {
  size_t bytes = sizeof(*this);
  for (const ZipEntry& entry : entries_) bytes += sizeof(entry) + 64 + entry.name.size();
  return bytes;
}

absl::StatusOr<std::shared_ptr<const Asset>> OpenEntry(std::shared_ptr<const Asset> archive,
                                                       const ZipEntry& entry, std::string name) {
  if (entry.compressed) return InvalidArgumentError(Quoted(name), " is compressed");
  if (entry.encrypted) return InvalidArgumentError(Quoted(name), " is encrypted");
  if (entry.data_offset > archive->size() || entry.size > archive->size() - entry.data_offset) {
    return DataLossError(Quoted(name), " is truncated");
  }
  return std::make_shared<SubAsset>(std::move(archive), entry.data_offset, entry.size,
                                    std::move(name));
}

}  // namespace stagedoor
