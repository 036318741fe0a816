#ifndef STAGEDOOR_RESOLVER_FILE_FILE_VERSIONS_H_
#define STAGEDOOR_RESOLVER_FILE_FILE_VERSIONS_H_

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "resolver/asset.h"
#include "resolver/file/content_hash.h"

namespace stagedoor {

struct FileVersionOptions {
  // Whether the whole content of large files is hashed, too.
  bool verify_content = false;
  // Whether a new time of the inode's last change may mean another content. If not, it is ignored:
  // for programs that change attributes all the time, such as backups.
  bool trust_change_time = true;
  // Called with what the operator should know. May be null. Must be thread-safe.
  std::function<void(const std::string&)> report = nullptr;
};

// Determines the versions of files. A version must never call different bytes equal, and sizes and
// times do that: build systems and archives set them, and some file systems count whole seconds.
// Therefore the content part of a version is a hash of the bytes; of large files, the size, the
// modification time and a hash of a sample, and then the local part is the device, the inode and
// the time of the inode's last change, which nobody can set. docs/decisions/file-versions.md
//
// A hash is computed once for each file, and again when its size, times or inode change. Where
// inodes change although nothing else does (FUSE, some NFS servers), they are left out.
// Thread-safe.
class FileVersions {
 public:
  explicit FileVersions(FileVersionOptions options = {}) : options_(std::move(options)) {}

  // The version of the file at `path` of which `info` was found, if its hash is known.
  std::optional<AssetVersion> Known(const std::string& path, const struct stat& info) const;

  struct Found {
    AssetVersion version;
    std::string hash;
  };
  // The version of an open file, which is read if necessary. `info` is what was found of it just
  // now; if it changes meanwhile, the version is that of no content at all. Errors: those of
  // HashFile.
  absl::StatusOr<Found> Find(RequestContext& context, int fd, const std::string& path,
                             const struct stat& info);
  // As Find, for a file that was read as a whole.
  Found FindRead(const std::string& path, const struct stat& info,
                 std::span<const std::byte> content);
  // Hashes the content of a file again, as Find did.
  std::string HashAgain(std::span<const std::byte> content) const;
  bool trust_change_time() const { return options_.trust_change_time; }
  // Whether the two are of one file, of whatever content, as far as its file system says.
  bool SameFile(const struct stat& a, const struct stat& b) const;

  // Notes that a mapping of content with this hash became useless, because pages could not be read
  // or the file was written to. Files of this content have another version from then on: even if
  // the content comes back, what was made from the mapping must be replaced by a refresh.
  void AddFault(const std::string& hash);

 private:
  static constexpr size_t kMaxFiles = 100'000;

  struct File {
    struct stat info;
    std::string hash;
  };

  HashExtent Extent(uint64_t size) const;
  // Whether the inodes of files on a device say which file it is.
  bool HasInodes(dev_t device) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool SameFileLocked(const struct stat& a, const struct stat& b) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Null if the hash of the file is not known.
  const File* FindFile(const std::string& path, const struct stat& info) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Looks for inodes that change without a reason. True if they have just been found to do so.
  bool NoteInode(const File& before, const struct stat& now, const std::string& hash)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  AssetVersion Make(const struct stat& info, const std::string& hash) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Found Note(const std::string& path, const struct stat& info, std::string hash, bool settled);

  const FileVersionOptions options_;
  mutable Mutex mu_;
  std::unordered_map<std::string, File> files_ ABSL_GUARDED_BY(mu_);       // by path
  std::unordered_map<std::string, uint64_t> faults_ ABSL_GUARDED_BY(mu_);  // by hash
  // How often an inode has changed without a reason, by device.
  std::map<dev_t, int> inode_changes_ ABSL_GUARDED_BY(mu_);
  uint64_t forgotten_faults_ ABSL_GUARDED_BY(mu_) = 0;  // added to all, so that none decreases
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_FILE_VERSIONS_H_
