#include "resolver/file/file_versions.h"

#include <algorithm>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/file/content_hash.h"
#include "resolver/file/file_version.h"

namespace stagedoor {
namespace {

// So often must an inode change without a reason on a device before its inodes are ignored.
constexpr int kUnstable = 2;

}  // namespace

HashExtent FileVersions::Extent(uint64_t size) const {
  return options_.verify_content ? HashExtent::kWhole : ExtentFor(size);
}

AssetVersion FileVersions::Make(const struct stat& info, const std::string& hash) const {
  const auto fault = faults_.find(hash);
  const uint64_t faults = forgotten_faults_ + (fault == faults_.end() ? 0 : fault->second);
  const std::string local = faults > 0 ? Concat("faults:", faults) : std::string();
  if (Extent(static_cast<uint64_t>(info.st_size)) == HashExtent::kWhole) {
    const std::string content = Concat("file:", info.st_size, ":", hash);
    return local.empty() ? AssetVersion(content) : AssetVersion(content, local);
  }
  const int64_t changed = options_.trust_change_time ? InodeTime(info) : 0;
  const ino_t inode = HasInodes(info.st_dev) ? info.st_ino : 0;
  return {Concat("file:", info.st_size, ":", ModificationTime(info), ":", hash),
          Concat(info.st_dev, ":", inode, ":", changed, local)};
}

bool FileVersions::HasInodes(dev_t device) const {
  const auto changes = inode_changes_.find(device);
  return changes == inode_changes_.end() || changes->second < kUnstable;
}

bool FileVersions::SameFileLocked(const struct stat& a, const struct stat& b) const {
  return a.st_dev == b.st_dev && (a.st_ino == b.st_ino || !HasInodes(a.st_dev));
}

bool FileVersions::SameFile(const struct stat& a, const struct stat& b) const {
  MutexLock lock(mu_);
  return SameFileLocked(a, b);
}

const FileVersions::File* FileVersions::FindFile(const std::string& path,
                                                 const struct stat& info) const {
  const auto it = files_.find(path);
  if (it == files_.end()) return nullptr;
  const struct stat& known = it->second.info;
  return SameFileLocked(known, info) && SameTimes(known, info) ? &it->second : nullptr;
}

bool FileVersions::NoteInode(const File& before, const struct stat& now, const std::string& hash) {
  // A file that replaces another one has a change time of its own.
  if (before.info.st_dev != now.st_dev || before.info.st_ino == now.st_ino ||
      !SameTimes(before.info, now) || before.hash != hash) {
    return false;
  }
  return ++inode_changes_[now.st_dev] == kUnstable;
}

std::optional<AssetVersion> FileVersions::Known(const std::string& path,
                                                const struct stat& info) const {
  MutexLock lock(mu_);
  const File* const file = FindFile(path, info);
  if (file == nullptr) return std::nullopt;
  return Make(info, file->hash);
}

FileVersions::Found FileVersions::Note(const std::string& path, const struct stat& info,
                                       std::string hash, bool settled) {
  Found found;
  bool unstable = false;
  {
    MutexLock lock(mu_);
    const auto before = files_.find(path);
    unstable = settled && before != files_.end() && NoteInode(before->second, info, hash);
    found = Found{Make(info, hash), hash};
    if (settled) {
      if (files_.size() >= kMaxFiles) files_.clear();
      files_[path] = File{info, std::move(hash)};
    } else {
      files_.erase(path);
    }
  }
  if (unstable && options_.report != nullptr) {
    options_.report(Concat("the file system of ", Quoted(path),
                           " changes the inodes of files that nobody changed: its files are "
                           "recognized by size and times"));
  }
  return found;
}

absl::StatusOr<FileVersions::Found> FileVersions::Find(RequestContext& context, int fd,
                                                       const std::string& path,
                                                       const struct stat& info) {
  {
    MutexLock lock(mu_);
    if (const File* const file = FindFile(path, info))
      return Found{Make(info, file->hash), file->hash};
  }
  // Asked before it is read, so that a write that is not read changes the times visibly.
  const bool settled = IsSettled(info);
  const auto size = static_cast<uint64_t>(info.st_size);
  SD_ASSIGN_OR_RETURN(std::string hash, HashFile(context, fd, path, size, Extent(size)));
  struct stat now;
  const bool same = fstat(fd, &now) == 0 && SameTimes(now, info);
  return Note(path, info, std::move(hash), settled && same);
}

FileVersions::Found FileVersions::FindRead(const std::string& path, const struct stat& info,
                                           std::span<const std::byte> content) {
  return Note(path, info, HashOfBytes(content, HashExtent::kWhole), IsSettled(info));
}

std::string FileVersions::HashAgain(std::span<const std::byte> content) const {
  return HashOfBytes(content, Extent(content.size()));
}

void FileVersions::AddFault(const std::string& hash) {
  MutexLock lock(mu_);
  if (faults_.size() >= kMaxFiles) {
    uint64_t most = 0;
    for (const auto& [_, count] : faults_) most = std::max(most, count);
    forgotten_faults_ += most;
    faults_.clear();
  }
  ++faults_[hash];
}

}  // namespace stagedoor
