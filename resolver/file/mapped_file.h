#ifndef STAGEDOOR_RESOLVER_FILE_MAPPED_FILE_H_
#define STAGEDOOR_RESOLVER_FILE_MAPPED_FILE_H_

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/unique_fd.h"
#include "resolver/asset.h"
#include "resolver/file/file_versions.h"
#include "resolver/file/mapped_region.h"

namespace stagedoor {

// A mapped file as an asset that notices when the file is written to. Comparable to the mapped case
// of OpenUSD's ArFilesystemAsset.
//
// Its descriptor stays open while the process has plenty of them, so that Check examines the very
// file. Otherwise Check examines the file at the path, and trusts a file that was replaced there.
// A new time of the inode's last change (a chmod, a backup, a hard link) is a reason to compare the
// content with the hash of its version. docs/decisions/mapped-files.md
// Thread-safe.
class MappedFile final : public Asset {
 public:
  // Maps the whole file, which must not be empty, and takes ownership of `fd`; `info` is the result
  // of StatWhenStable on it, and `found` its version. `versions` counts pages that cannot be
  // read. Errors: those of MappedRegion::Map.
  static absl::StatusOr<std::shared_ptr<const Asset>> Map(UniqueFd fd, std::string path,
                                                          const struct stat& info,
                                                          FileVersions::Found found,
                                                          std::shared_ptr<FileVersions> versions);

  const std::string& name() const override { return path_; }
  const AssetVersion& version() const override { return version_; }
  uint64_t size() const override { return region_->bytes().size(); }
  absl::StatusOr<size_t> Read(RequestContext& context, uint64_t offset,
                              std::span<std::byte> out) const override;
  std::optional<PinnedBytes> GetBuffer() const override {
    return PinnedBytes{region_->bytes(), region_};
  }
  // UNAVAILABLE, from then on, if pages could not be read although the file has not changed.
  absl::Status Check() const override;

 private:
  MappedFile(UniqueFd fd, std::string path, const struct stat& info, FileVersions::Found found,
             std::shared_ptr<const MappedRegion> region, std::shared_ptr<FileVersions> versions);

  // Determines the current state of the file. False if it is unknown, or if another file is at the
  // path.
  bool StatNow(struct stat* now) const;
  // For a file whose inode changed: decides by the content whether that has changed.
  absl::Status Judge() const;
  // For a mapping with pages that had to be replaced: whether the file was cut off or the disk
  // failed.
  absl::Status Damage() const;
  absl::Status DamageLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Reads where a page could not be read, to find out why.
  absl::Status ReadAgain() const;
  absl::Status Changed(std::string_view how) const;

  const UniqueFd fd_;  // -1 if only the path is known
  const std::string path_;
  const AssetVersion version_;
  const std::string hash_;  // FileVersions::Found
  const std::shared_ptr<const MappedRegion> region_;
  const struct stat then_;
  const std::shared_ptr<FileVersions> versions_;

  mutable std::atomic<bool> changed_{false};
  mutable std::atomic<int64_t> inode_time_;  // the last one that was harmless

  mutable Mutex mu_;
  mutable absl::Status unreadable_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_MAPPED_FILE_H_
