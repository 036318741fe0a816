#include "resolver/file/file_versions.h"

#include <algorithm>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/file/content_hash.h"
#include "resolver/file/file_version.h"

namespace stagedoor {

HashExtent FileVersions::Extent(uint64_t size) const {
  return options_.verify_content ? HashExtent::kWhole : ExtentFor(size);
}

AssetVersion FileVersions::Make(const struct stat& info, const std::string& hash) const {
  const auto fault = faults_.find({info.st_dev, info.st_ino});
  const uint64_t faults = forgotten_faults_ + (fault == faults_.end() ? 0 : fault->second);
  const std::string local = faults > 0 ? Concat("faults:", faults) : std::string();
  if (Extent(static_cast<uint64_t>(info.st_size)) == HashExtent::kWhole) {
    const std::string content = Concat("file:", info.st_size, ":", hash);
    return local.empty() ? AssetVersion(content) : AssetVersion(content, local);
  }
  const int64_t changed = options_.trust_change_time ? InodeTime(info) : 0;
  return {Concat("file:", info.st_size, ":", ModificationTime(info), ":", hash),
          Concat(info.st_dev, ":", info.st_ino, ":", changed, local)};
}

std::optional<AssetVersion> FileVersions::Known(const std::string& path,
                                                const struct stat& info) const {
  MutexLock lock(mu_);
  const auto it = files_.find(path);
  if (it == files_.end() || !SameVersion(it->second.info, info)) return std::nullopt;
  return Make(info, it->second.hash);
}

FileVersions::Found FileVersions::Note(const std::string& path, const struct stat& info,
                                       std::string hash, bool settled) {
  MutexLock lock(mu_);
  Found found{Make(info, hash), hash};
  if (settled) {
    if (files_.size() >= kMaxFiles) files_.clear();
    files_[path] = File{info, std::move(hash)};
  } else {
    files_.erase(path);
  }
  return found;
}

absl::StatusOr<FileVersions::Found> FileVersions::Find(RequestContext& context, int fd,
                                                       const std::string& path,
                                                       const struct stat& info) {
  {
    MutexLock lock(mu_);
    const auto it = files_.find(path);
    if (it != files_.end() && SameVersion(it->second.info, info)) {
      return Found{Make(info, it->second.hash), it->second.hash};
    }
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

void FileVersions::AddFault(const struct stat& info) {
  MutexLock lock(mu_);
  if (faults_.size() >= kMaxFiles) {
    uint64_t most = 0;
    for (const auto& [_, count] : faults_) most = std::max(most, count);
    forgotten_faults_ += most;
    faults_.clear();
  }
  ++faults_[{info.st_dev, info.st_ino}];
}

}  // namespace stagedoor
